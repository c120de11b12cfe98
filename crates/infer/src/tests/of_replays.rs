//! Replays must reproduce their machines.

use crate::NodeCosts;
use crate::replay::{Model, Noise, Plan, Probe, survey};

const FIFTEEN: Plan = Plan { max_rounds: 15, ..Plan::usual() };

#[test]
fn low_noise_surveys_find_the_matrix() {
    let model = Model::epyc_9224_cxl();
    for noise in [Noise::recorded(1.0), Noise::tails(), Noise::pages(), Noise::bursts()] {
        let matrix = survey(&model, &noise, &Plan::usual(), 1);
        let nodes = |nodes: Vec<u32>| nodes.into_iter().map(Some).collect::<Vec<_>>();
        let costs = NodeCosts::from_samples(
            &matrix,
            &nodes(model.cpu_nodes()),
            &nodes(model.memory_nodes()),
            1,
        );
        for (row, costs_of_row) in (0u32..).zip(&model.costs) {
            for (column, &cost) in (0u32..).zip(costs_of_row) {
                let found = costs.cost(row, column).unwrap();
                assert!((found / cost - 1.0).abs() < 0.03, "{}: {found} for {cost}", noise.name);
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_survey() {
    let samples = |seed| {
        let matrix = survey(&Model::uniform(2, 4), &Noise::moves(), &FIFTEEN, seed);
        crate::estimates(&matrix, 1)
    };
    assert_eq!(samples(3), samples(3));
    assert_ne!(samples(3), samples(4));
}

#[test]
fn replayed_noise_scatters_as_recorded() {
    for (probe, noise) in
        [(Probe::Page, Noise::recorded(1.0)), (Probe::Chase, Noise::recorded_chase())]
    {
        let sizes = |seed| {
            let matrix = survey(
                &Model::uniform(2, 4),
                &noise,
                &Plan { standard_error: 0.0, ..Plan::usual() },
                seed,
            );
            matrix.row(1)[2].logs().map(|(log, _)| (log - 100f64.ln()).abs()).collect::<Vec<_>>()
        };
        let mut sizes: Vec<f64> = (0..40).flat_map(sizes).collect();
        sizes.sort_by(f64::total_cmp);
        let half = sizes[sizes.len() / 2];
        let recorded: Vec<f64> =
            probe.recordings().iter().map(|recording| recording.size(50).ln_1p()).collect();
        let least = recorded.iter().copied().fold(f64::INFINITY, f64::min);
        let most = recorded.iter().copied().fold(0.0, f64::max);
        assert!(
            (0.7 * least..1.4 * most).contains(&half),
            "{probe:?}: {half}, recorded {recorded:?}"
        );
    }
}

#[test]
fn links_and_costs_of_shapes_agree() {
    let shapes = [
        (Model::fully_linked(4), 6),
        (Model::ring(8), 8),
        (Model::mesh(4, 2), 10),
        (Model::hypercube(3), 12),
        (Model::glueless(), 12),
        (Model::switched(), 28),
        (Model::epyc_7451(), 16),
        (Model::epyc_9224_cxl(), 8),
    ];
    for (model, links) in shapes {
        assert_eq!(model.links.len(), links, "{}", model.name);
        for a in 0..model.rows() {
            for b in 0..model.rows() {
                assert_eq!(model.classes[a][b], model.classes[b][a], "{}", model.name);
                for c in 0..model.columns() {
                    let nearer = model.classes[a][b] < model.classes[a][c];
                    assert!(!nearer || model.costs[a][b] < model.costs[a][c], "{}", model.name);
                }
            }
        }
    }
}
