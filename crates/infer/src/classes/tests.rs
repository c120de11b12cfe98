//! Classes of machines with known classes.

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::replay::{Model, Noise, Plan, survey};
use crate::tests::cases::simulations;

/// Matrices of each machine.
fn matrices() -> u64 {
    simulations(30, 600)
}

fn costs(model: &Model, se: f64, seed: u64) -> NodeCosts {
    let blurred = model.blurred(se, &mut Rng::with_seed(seed));
    NodeCosts::from_matrix(&model.cpu_nodes(), &model.memory_nodes(), &blurred, se, seed)
}

/// Whether the classes are the model's, cell by cell.
fn right(model: &Model, found: &[LatencyClass]) -> bool {
    let mut expected: Vec<Vec<[u32; 2]>> = Vec::new();
    for (row, classes) in (0u32..).zip(&model.classes) {
        for (column, &class) in (0u32..).zip(classes) {
            expected.resize(expected.len().max(class + 1), Vec::new());
            expected[class].push([row, column]);
        }
    }
    found.iter().map(|class| &class.cells).eq(&expected)
}

fn share_right(model: &Model, se: f64) -> f64 {
    let right =
        (0..matrices()).filter(|&seed| right(model, &classes(&costs(model, se, seed)).unwrap()));
    right.count() as f64 / matrices() as f64
}

#[test]
fn at_one_percent_the_classes_of_known_machines_are_right() {
    for model in [
        Model::epyc_7451(),
        Model::epyc_9224(),
        Model::uniform(8, 8),
        Model::uniform(2, 2),
        Model::fully_linked(2),
        Model::fully_linked(8),
        Model::hypercube(3),
    ] {
        let share = share_right(&model, 0.01);
        assert!(share >= 0.98, "{}: {share}", model.name);
    }
}

#[test]
fn surveys_with_real_noise_give_the_same_classes() {
    for model in [Model::epyc_7451(), Model::epyc_9224_cxl(), Model::uniform(4, 4)] {
        for seed in 0..5 {
            let matrix = survey(&model, &Noise::recorded(1.0), &Plan::usual(), seed);
            let nodes = |nodes: Vec<u32>| nodes.into_iter().map(Some).collect::<Vec<_>>();
            let costs = NodeCosts::from_samples(
                &matrix,
                &nodes(model.cpu_nodes()),
                &nodes(model.memory_nodes()),
                seed,
            );
            let found = classes(&costs).unwrap();
            assert!(right(&model, &found), "{}, seed {seed}: {found:?}", model.name);
        }
    }
}

#[test]
fn above_one_percent_nothing_is_classified() {
    let refused = classes(&costs(&Model::epyc_7451(), 0.015, 1)).unwrap_err();
    assert_eq!(refused, NoClasses::TooUncertain { cpus: 0, memory: 0, error: Some(0.015) });
    assert_eq!(classes(&NodeCosts::from_matrix(&[], &[], &[], 0.01, 1)), Err(NoClasses::Nothing));
}

/// Socket to socket 514 cycles or 492: four percent from end to end, without a gap in between
/// (MCTOP, EuroSys 2017).
#[test]
fn the_four_sockets_of_a_xeon_are_local_and_remote() {
    let cycles = [
        [265.0, 510.0, 492.0, 502.0],
        [514.0, 263.0, 492.0, 500.0],
        [497.0, 500.0, 263.0, 494.0],
        [511.0, 497.0, 489.0, 263.0],
    ];
    let nodes = [0, 1, 2, 3];
    let found =
        classes(&NodeCosts::from_matrix(&nodes, &nodes, &cycles.map(Vec::from), 0.005, 1)).unwrap();
    assert_eq!(found.iter().map(|class| class.cells.len()).collect::<Vec<_>>(), [4, 12]);
}

/// 7451's published row: local, same package, node 6, the rest of the other package.
#[test]
fn one_row_has_classes_too() {
    let row = Model::epyc_7451().costs[0].clone();
    let found =
        classes(&NodeCosts::from_matrix(&[0], &[0, 1, 2, 3, 4, 5, 6, 7], &[row], 0.01, 1)).unwrap();
    let memories: Vec<Vec<u32>> =
        found.iter().map(|class| class.cells.iter().map(|cell| cell[1]).collect()).collect();
    assert_eq!(memories, [vec![0], vec![1, 2, 3], vec![6], vec![4, 5, 7]]);
}

proptest! {
    #[test]
    fn classes_are_disjoint_and_ordered(
        rows in proptest::collection::vec(proptest::collection::vec(-10.0f64..1000.0, 0..6), 0..6),
        se in 0.0f64..0.01,
        seed: u64,
    ) {
        let nodes: Vec<u32> = (0..6).collect();
        let costs = NodeCosts::from_matrix(&nodes, &nodes, &rows, se, seed);
        let Ok(found) = classes(&costs) else {
            prop_assert!(costs.known().count() == 0);
            return Ok(());
        };
        let mut cells: Vec<[u32; 2]> = found.iter().flat_map(|class| class.cells.clone()).collect();
        cells.sort_unstable();
        prop_assert_eq!(cells, costs.known().map(|cell| costs.nodes_of(cell)).collect::<Vec<_>>());
        prop_assert!(found.windows(2).all(|pair| pair[1].cost_ns > pair[0].cost_ns));
        for LatencyClass { cost_ns, ci95: [low, high], .. } in found {
            prop_assert!(low <= cost_ns && cost_ns <= high);
        }
    }

    /// Results do not depend on node numbers or units.
    #[test]
    fn node_numbers_and_units_do_not_matter(seed: u64, unit in 0.01f64..1000.0) {
        let model = Model::epyc_9224();
        let rng = &mut Rng::with_seed(seed);
        let mut order = vec![0, 1, 2, 3];
        rng.shuffle(&mut order);
        let row = |&a: &usize| order.iter().map(|&b| unit * model.costs[a][b]).collect();
        let moved: Vec<Vec<f64>> = order.iter().map(row).collect();
        let names: Vec<u32> = order.iter().map(|&node| u32::try_from(node).unwrap()).collect();
        let found = classes(&NodeCosts::from_matrix(&names, &names, &moved, 0.005, seed)).unwrap();
        prop_assert_eq!(found.iter().map(|class| class.cells.len()).collect::<Vec<_>>(), [4, 4, 8]);
    }
}
