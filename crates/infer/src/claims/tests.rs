//! True claims, false ones, and arbitrary claims.

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::classes::classes;
use crate::replay::{Model, Noise, Plan, survey};
use crate::tests::cases::simulations;

const SLIT_7451: [[u32; 8]; 8] = [
    [10, 16, 16, 16, 32, 32, 32, 32],
    [16, 10, 16, 16, 32, 32, 32, 32],
    [16, 16, 10, 16, 32, 32, 32, 32],
    [16, 16, 16, 10, 32, 32, 32, 32],
    [32, 32, 32, 32, 10, 16, 16, 16],
    [32, 32, 32, 32, 16, 10, 16, 16],
    [32, 32, 32, 32, 16, 16, 10, 16],
    [32, 32, 32, 32, 16, 16, 16, 10],
];
/// Two EPYC 9224 and a CXL expander, as published.
const SLIT_9224: [[u32; 5]; 5] = [
    [10, 12, 32, 32, 50],
    [12, 10, 32, 32, 50],
    [32, 32, 10, 12, 60],
    [32, 32, 12, 10, 60],
    [255, 255, 255, 255, 10],
];

fn slit<const N: usize>(rows: [[u32; N]; N]) -> DistanceClaim {
    let nodes: Vec<u32> = (0u32..).take(N).collect();
    DistanceClaim::slit(&nodes, &rows.map(Vec::from))
}

fn measured(model: &Model, noise: &Noise, seed: u64) -> NodeCosts {
    let nodes = |nodes: Vec<u32>| nodes.into_iter().map(Some).collect::<Vec<_>>();
    let matrix = survey(model, noise, &Plan::usual(), seed);
    NodeCosts::from_samples(&matrix, &nodes(model.cpu_nodes()), &nodes(model.memory_nodes()), seed)
}

fn checked(claim: &DistanceClaim, costs: &NodeCosts) -> ClaimCheck {
    check(claim, costs, &classes(costs).unwrap_or_default(), 1)
}

/// A table with the true figure of each cell.
fn truth(model: &Model) -> DistanceClaim {
    let figures = (0..model.rows()).map(|a| {
        model.costs[a].iter().map(|cost| (10.0 * cost / model.costs[a][a]).round()).collect()
    });
    DistanceClaim {
        kind: ClaimKind::Slit,
        cpu_nodes: model.cpu_nodes(),
        memory_nodes: model.memory_nodes(),
        figures: figures.collect(),
    }
}

#[test]
fn merged_distance_of_node_6_is_reported() {
    let check = checked(&slit(SLIT_7451), &measured(&Model::epyc_7451(), &Noise::recorded(1.0), 1));
    let ClaimFinding::ClassesMerged { figure, costs, .. } = &check.findings[0] else {
        panic!("{:?}", check.findings)
    };
    assert_eq!(*figure, 32.0);
    assert!(costs.len() == 2 && (costs[1] / costs[0] - 1.065).abs() < 0.02, "{costs:?}");
    assert_eq!(check.findings.len(), 1, "{:?}", check.findings);
    // Within a package all distances are equal. Node 6 is 5.2, 6.4 and 7.8 % nearer than three
    // others, for each of eight nodes; 15 rounds distinguish this from 5 % in some cells only.
    let PairCounts { confirmed, refuted, open } = check.equal;
    assert!(
        confirmed == 8 * (3 + 3) && refuted >= 3 && refuted + open == 8 * 3,
        "{:?}",
        check.equal
    );
    assert_eq!(check.ordered, PairCounts { confirmed: 8 * (7 + 3 * 4), refuted: 0, open: 0 });
    assert!(
        check.rank.unwrap().tau > 0.7 && check.rank.unwrap().p.unwrap() < 0.05,
        "{:?}",
        check.rank
    );
    assert!(check.cells.iter().all(|cell| cell.agrees == Some(true)));
}

#[test]
fn merged_figures_do_not_hide_others() {
    let mut rows = SLIT_7451;
    (rows[0][1], rows[1][0]) = (10, 10);
    let check = checked(&slit(rows), &measured(&Model::epyc_7451(), &Noise::recorded(1.0), 1));
    assert!(
        check
            .findings
            .iter()
            .any(|finding| matches!(finding, ClaimFinding::ClassesMerged { figure: 32.0, .. }))
    );
    let differing = check.findings.iter().filter_map(|finding| match finding {
        ClaimFinding::EqualDiffers { cpus, nearer, farther, .. } => {
            Some((*cpus, *nearer, *farther))
        }
        _ => None,
    });
    let mut differing: Vec<(u32, u32, u32)> = differing.collect();
    differing.sort_unstable();
    assert_eq!(differing, [(0, 0, 1), (1, 1, 0)], "{:?}", check.findings);
}

#[test]
fn unreachable_memory_is_reported_besides_other_findings() {
    let mut rows = SLIT_7451;
    rows[3][5] = 255;
    let check = checked(&slit(rows), &measured(&Model::uniform(8, 8), &Noise::recorded(1.0), 1));
    let expected = [ClaimFinding::NoPathClaimed { cpus: 3, memory: 5 }];
    assert!(
        matches!(check.findings[0], ClaimFinding::Uniform { .. })
            && check.findings[1..] == expected,
        "{:?}",
        check.findings
    );
}

#[test]
fn a_claim_of_3_2_is_false_for_a_9224() {
    let check =
        checked(&slit(SLIT_9224), &measured(&Model::epyc_9224_cxl(), &Noise::recorded(1.0), 1));
    let off: Vec<(f64, usize)> = check
        .findings
        .iter()
        .map(|finding| match finding {
            ClaimFinding::Off { claimed, cells, .. } => (*claimed, cells.len()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(off, [(5.0, 2), (6.0, 2), (3.2, 8)]);
    let cell = check.cells.iter().find(|cell| (cell.cpu_node, cell.memory_node) == (0, 2)).unwrap();
    assert!((cell.measured - 1.867).abs() < 0.03 && cell.ci95[0] < cell.measured, "{cell:?}");
    let near = check.cells.iter().find(|cell| (cell.cpu_node, cell.memory_node) == (0, 1)).unwrap();
    assert_eq!(near.agrees, Some(true));
}

#[test]
fn eight_claimed_nodes_of_uniform_memory_are_refuted() {
    let check =
        checked(&slit(SLIT_7451), &measured(&Model::uniform(8, 8), &Noise::recorded(1.0), 1));
    let [ClaimFinding::Uniform { claimed, measured }] = &check.findings[..] else {
        panic!("{:?}", check.findings)
    };
    assert!(*claimed == 3.2 && *measured < 1.03);
    assert_eq!(check.ordered.confirmed, 0);
    assert!(check.cells.iter().all(|cell| cell.agrees == Some(false)));
}

#[test]
fn one_wrong_cell_is_reported() {
    let mut rows = SLIT_7451;
    rows[2][1] = 40;
    let check = checked(&slit(rows), &measured(&Model::epyc_7451(), &Noise::recorded(1.0), 2));
    let ClaimFinding::OrderInverted { cpus, nearer, ratio, .. } = check.findings[0] else {
        panic!("{:?}", check.findings)
    };
    assert!((cpus, nearer) == (2, 1) && ratio > 1.8);
    assert!(
        check.cells.iter().all(
            |cell| (cell.agrees == Some(true)) == ((cell.cpu_node, cell.memory_node) != (2, 1))
        )
    );
}

#[test]
fn placeholder_tables_are_recognised() {
    let rows: [[u32; 8]; 8] =
        std::array::from_fn(|a| std::array::from_fn(|b| if a == b { 10 } else { 20 }));
    let check = checked(&slit(rows), &measured(&Model::epyc_7451(), &Noise::recorded(1.0), 3));
    let ClaimFinding::Placeholder { figure, costs, .. } = &check.findings[0] else {
        panic!("{:?}", check.findings)
    };
    assert!(*figure == 20.0 && costs.len() == 3);
    assert_eq!(check.rank, None);
}

#[test]
fn memory_nearer_than_local_is_found() {
    let mut model = Model::fully_linked(4);
    model.costs[1][1] = 200.0;
    let rows: [[u32; 4]; 4] =
        std::array::from_fn(|a| std::array::from_fn(|b| if a == b { 10 } else { 16 }));
    let check = checked(&slit(rows), &measured(&model, &Noise::recorded(1.0), 1));
    let found = check.findings.iter().find_map(|finding| match finding {
        ClaimFinding::LocalNotNearest { node, ratio, ci95, .. } => Some((*node, *ratio, *ci95)),
        _ => None,
    });
    let (node, ratio, [low, high]) = found.unwrap();
    assert!(node == 1 && (ratio - 200.0 / 144.0).abs() < 0.03 && low < ratio && ratio < high);
}

#[test]
fn true_claims_are_rarely_refuted() {
    let surveys = simulations(10, 200);
    for model in
        [Model::epyc_9224_cxl(), Model::ring(6), Model::fully_linked(2), Model::uniform(4, 4)]
    {
        for noise in [Noise::recorded(1.0), Noise::tails()] {
            let claim = truth(&model);
            let wrong = (0..surveys).filter(|&seed| {
                let check = checked(&claim, &measured(&model, &noise, seed));
                !check.findings.is_empty()
            });
            assert!(wrong.count() <= surveys as usize / 20, "{}, {}", model.name, noise.name);
        }
    }
}

#[test]
fn claims_in_nanoseconds_are_compared_directly() {
    let model = Model::fully_linked(4);
    let costs = measured(&model, &Noise::recorded(1.0), 1);
    let nodes = model.cpu_nodes();
    let times = |factor: f64, kind| {
        let figures =
            model.costs.iter().map(|row| row.iter().map(|cost| factor * cost).collect()).collect();
        checked(
            &DistanceClaim { kind, cpu_nodes: nodes.clone(), memory_nodes: nodes.clone(), figures },
            &costs,
        )
    };
    assert!(times(1.0, ClaimKind::HmatLatency).findings.is_empty());
    let half = times(0.5, ClaimKind::HmatLatency);
    assert_eq!((half.findings.len(), half.rank.map(|rank| rank.tau)), (2, None));
    // For bandwidths, more is nearer: the same figures agree as bandwidths, and their inverses do
    // not.
    assert!(times(1.0, ClaimKind::HmatBandwidth).findings.is_empty());
    let figures =
        model.costs.iter().map(|row| row.iter().map(|cost| 1e4 / cost).collect()).collect();
    let claim = DistanceClaim {
        kind: ClaimKind::HmatBandwidth,
        cpu_nodes: nodes.clone(),
        memory_nodes: nodes,
        figures,
    };
    let worst = &checked(&claim, &costs).findings[0];
    assert!(
        matches!(worst, ClaimFinding::LocalNotNearest { ratio, .. } if (ratio - 1.6).abs() < 0.03),
        "{worst:?}"
    );
}

#[test]
fn published_figures_without_rounds_are_enough_for_ratios() {
    let cycles = [vec![259.0, 505.0], vec![505.0, 259.0]];
    let costs = NodeCosts::from_matrix(&[0, 1], &[0, 1], &cycles, 0.01, 1);
    assert!(checked(&slit([[10, 20], [20, 10]]), &costs).findings.is_empty());
    let check = checked(&slit([[10, 31], [31, 10]]), &costs);
    assert_eq!(check.findings.len(), 1, "{:?}", check.findings);
}

/// Two Xeon E5-2630 v4 whose firmware interleaves memory, and still reports two nodes.
#[test]
fn two_claimed_nodes_of_interleaved_memory_are_equal() {
    let costs = NodeCosts::from_matrix(
        &[0, 1],
        &[0, 1],
        &[vec![106.9, 106.9], vec![107.2, 107.2]],
        0.005,
        1,
    );
    let check = checked(&slit([[10, 21], [21, 10]]), &costs);
    assert!(matches!(check.findings[..], [ClaimFinding::Uniform { .. }]), "{:?}", check.findings);
}

fn is_by_chance(check: &ClaimCheck) -> bool {
    check.findings.iter().any(|finding| matches!(finding, ClaimFinding::OrderByChance { .. }))
}

/// All remote memory has one distance: noise gives it an order, for or against the claim.
#[test]
fn orders_of_equal_distances_are_not_chance() {
    let claim = slit([[10, 20, 21, 22], [21, 10, 22, 20], [22, 20, 10, 21], [20, 22, 21, 10]]);
    let model = Model::fully_linked(4);
    let checks: Vec<ClaimCheck> = (0..20)
        .map(|seed| checked(&claim, &measured(&model, &Noise::recorded(1.0), seed)))
        .collect();
    let against =
        checks.iter().filter(|check| check.rank.is_some_and(|rank| rank.tau <= 0.0)).count();
    assert!(against > 3, "noise disagrees with the claim in {against} of 20 surveys");
    assert!(!checks.iter().any(is_by_chance));
}

#[test]
fn findings_come_strongest_first() {
    let rng = &mut Rng::with_seed(1);
    for _ in 0..20 {
        let rows: [[u32; 4]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| rng.u32(10..60)));
        let costs =
            NodeCosts::from_matrix(&[0, 1, 2, 3], &[0, 1, 2, 3], &Model::ring(4).costs, 0.005, 1);
        let strengths: Vec<f64> =
            checked(&slit(rows), &costs).findings.iter().map(ClaimFinding::strength).collect();
        assert!(strengths.windows(2).all(|pair| pair[0] >= pair[1]), "{strengths:?}");
    }
}

proptest! {
    #[test]
    fn no_claim_and_no_matrix_panics(
        figures in proptest::collection::vec(proptest::collection::vec(-5.0f64..300.0, 0..5), 0..5),
        costs in proptest::collection::vec(proptest::collection::vec(-10.0f64..1e12, 0..5), 0..5),
        seed: u64,
    ) {
        let nodes = [0, 1, 2, 9];
        let costs = NodeCosts::from_matrix(&nodes, &nodes, &costs, 0.005, seed);
        for kind in [ClaimKind::Slit, ClaimKind::HmatLatency, ClaimKind::HmatBandwidth] {
            let claim = DistanceClaim {
                kind,
                cpu_nodes: nodes.to_vec(),
                memory_nodes: vec![9, 2, 1, 0, 7],
                figures: figures.clone(),
            };
            let check = checked(&claim, &costs);
            prop_assert!(check.rank.is_none_or(|rank| rank.tau.abs() <= 1.0 + 1e-12));
        }
    }
}

/// Claims with the inverse order of the distances.
#[test]
fn inverse_orders_are_no_better_than_chance() {
    let nodes: Vec<u32> = (0..6).collect();
    let table = |own: f64, other: fn(u32) -> f64| -> Vec<Vec<f64>> {
        let cell = |from: u32, to: u32| if from == to { own } else { other((to + 6 - from) % 6) };
        nodes.iter().map(|&from| nodes.iter().map(|&to| cell(from, to)).collect()).collect()
    };
    let costs = NodeCosts::from_matrix(
        &nodes,
        &nodes,
        &table(100.0, |away| 150.0 + 20.0 * f64::from(away)),
        0.003,
        1,
    );
    let figures = table(10.0, |away| 30.0 - f64::from(away));
    let claim = DistanceClaim {
        kind: ClaimKind::Slit,
        cpu_nodes: nodes.clone(),
        memory_nodes: nodes.clone(),
        figures,
    };
    let check = checked(&claim, &costs);
    assert!(is_by_chance(&check), "{:?} {:?}", check.rank, check.findings);
}
