//! Devices whose nearest node is known.

use nearfar_model::{CellIndex, MatrixShape, Sample};

use super::*;
use crate::normal;

/// Two programs, and a buffer on each node, with these costs of the buffers' nodes.
fn table(costs: &[f64], sd: f64, seed: u64) -> (SampleMatrix, Vec<DesignCell>) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut samples, mut design) = (Vec::new(), Vec::new());
    for row in 0..2 {
        for column in 0..costs.len() {
            let levels = vec![row as u32, column as u32];
            design.push(DesignCell { row, column, levels });
        }
    }
    for process in 0..8 {
        let drift: Vec<f64> = design.iter().map(|_| sd * normal(&mut random)).collect();
        for round in 0..3 {
            for (cell, drift) in design.iter().zip(&drift) {
                let log = costs[cell.column] + drift + sd * normal(&mut random);
                let place = CellIndex::new(cell.row, cell.column);
                let value = (15.0 + log).exp();
                samples.push(Sample::new(process, process * 3 + round, place, value));
            }
        }
    }
    (SampleMatrix::new(MatrixShape::new(2, costs.len()), &samples).unwrap(), design)
}

fn nearest(kinds: &[&[f64]], sd: f64, seed: u64) -> NearestNode {
    let tables: Vec<_> =
        kinds.iter().zip(0..).map(|(costs, number)| table(costs, sd, seed * 10 + number)).collect();
    let designs: Vec<AccessDesign<'_>> = tables
        .iter()
        .map(|(samples, cells)| AccessDesign { samples, cells: cells.clone(), factor: 1 })
        .collect();
    nearest_node(&designs, 0.02, seed)
}

#[test]
fn a_node_that_is_faster_than_all_others_is_nearest() {
    let found = nearest(&[&[0.2, 0.0, 0.4], &[0.1, 0.0, 0.1]], 0.005, 1);
    assert_eq!((found.verdict, &found.nodes[..]), (NearestVerdict::Nearest, &[1][..]));
    // Node 0 is farther by 20 %, node 2 by 40 %.
    let (ratio, [low, high]) = (found.ratio.unwrap(), found.ci95.unwrap());
    assert!((ratio.ln() - 0.2).abs() < 0.02 && low < ratio && ratio < high, "{found:?}");
    assert_eq!(found.kind, Some(0));
}

#[test]
fn nodes_of_one_package_are_nearest_together() {
    let found = nearest(&[&[0.0, 0.0, 0.3, 0.3]], 0.003, 2);
    assert_eq!((found.verdict, &found.nodes[..]), (NearestVerdict::Nearest, &[0, 1][..]));
}

#[test]
fn a_narrow_link_hides_the_node_and_latency_shows_it() {
    let same = nearest(&[&[0.0, 0.0]], 0.003, 3);
    assert_eq!((same.verdict, &same.nodes[..]), (NearestVerdict::Same, &[0, 1][..]));
    let found = nearest(&[&[0.0, 0.0], &[0.2, 0.0]], 0.003, 3);
    assert_eq!((found.verdict, &found.nodes[..]), (NearestVerdict::Nearest, &[1][..]));
    assert_eq!(found.kind, Some(1));
}

#[test]
fn kinds_that_contradict_each_other_decide_nothing() {
    let found = nearest(&[&[0.2, 0.0], &[0.0, 0.2]], 0.005, 4);
    assert_eq!((found.verdict, &found.nodes[..]), (NearestVerdict::Contradiction, &[][..]));
}

#[test]
fn a_node_between_two_others_leaves_it_open() {
    // Node 1 may be as near as node 0, and may be farther: 1.5 % is no difference that counts, and
    // too large to be none.
    let found = nearest(&[&[0.0, 0.02, 0.3]], 0.01, 5);
    assert_eq!(found.verdict, NearestVerdict::Undetermined, "{found:?}");
}

#[test]
fn one_node_has_no_other() {
    assert_eq!(nearest(&[&[0.0]], 0.01, 6).verdict, NearestVerdict::OneNode);
    assert_eq!(nearest(&[], 0.01, 6).verdict, NearestVerdict::OneNode);
}

/// Machines where nothing differs: no node is named in 95 of 100.
#[test]
fn where_nothing_differs_no_node_is_nearest() {
    let uniform: &[f64] = &[0.0; 4];
    let wrong = (0..200)
        .filter(|&seed| {
            let found = nearest(&[uniform, uniform, uniform], 0.02, 100 + seed);
            matches!(found.verdict, NearestVerdict::Nearest | NearestVerdict::Contradiction)
        })
        .count();
    assert!(wrong <= 10, "{wrong} of 200");
}

fn slower(level: u32, reference: u32) -> (usize, FactorEffect) {
    let effect = FactorEffect {
        factor: 1,
        level,
        reference,
        ratio: 1.2,
        ci95: [1.1, 1.3],
        probability: 1.0,
        verdict: FactorVerdict::Slower,
        combinations: 2,
    };
    (0, effect)
}

#[test]
fn a_circle_and_nodes_never_compared_decide_nothing() {
    let decided = |effects: Vec<(usize, FactorEffect)>| {
        let comparisons = Comparisons { levels: [0, 1, 2].into(), wanted: 3, effects };
        comparisons.decide().verdict
    };
    let circle = vec![slower(0, 1), slower(1, 2), slower(2, 0)];
    assert_eq!(decided(circle), NearestVerdict::Contradiction);
    // Node 2 is farther than both; these were not compared with each other.
    assert_eq!(decided(vec![slower(2, 0), slower(2, 1)]), NearestVerdict::Undetermined);
}
