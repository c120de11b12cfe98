//! Bounds against the truth, over all weights of threads and pages.

use fastrand::Rng;
use nearfar_model::NodeId;

use super::{costs, explained, nodes, process, two_nodes};
use crate::explain::{AccessCosts, Around, CureKind, ProcessVerdict, explain};

#[test]
fn costs_are_those_of_the_latencies() {
    let one = explained(&process(&[(1, 400)], &[(0, 1.0)]), Some(&two_nodes()));
    let [fastest, slowest] = [one.fastest_access.unwrap(), one.slowest_access.unwrap()];
    assert_eq!((fastest.ns, fastest), (180.0, slowest));
    let cost = one.remote_cost.unwrap();
    assert!(cost.least.change > 0.76 && cost.most.change < 0.84, "{cost:?}");
    let change = one.cures[0].change.unwrap();
    assert!(change.least.change > -0.46 && change.most.change < -0.43, "{change:?}");
    assert!(one.cures[0].is_always_faster());
    let local = explained(&process(&[(0, 400)], &[(0, 1.0)]), Some(&two_nodes()));
    let cost = local.remote_cost.unwrap();
    assert_eq!([cost.least.change, cost.most.change], [0.0, 0.0]);
}

#[test]
fn a_pair_without_a_latency_has_no_cost() {
    let some = costs(&[&[100.0, 180.0]]);
    let one = explained(&process(&[(1, 400)], &[(1, 1.0)]), Some(&some));
    assert_eq!((one.fastest_access, one.remote_cost), (None, None));
    // All its memory is local.
    assert_eq!(one.verdict, ProcessVerdict::NothingToGain);
    let remote = explained(&process(&[(0, 400)], &[(1, 1.0)]), Some(&some));
    assert_eq!(remote.verdict, ProcessVerdict::CostUnknown);
    let pair = (NodeId(0), NodeId(0));
    assert!(AccessCosts::new([(pair, 100.0, None), (pair, f64::NAN, Some([1.0, 2.0]))]).is_empty());
}

/// Whatever the weights are, a mean lies within the bounds of each cure.
#[test]
fn any_mix_of_accesses_lies_within_the_bounds() {
    let mut rng = Rng::with_seed(11);
    for _ in 0..400 {
        let count = rng.usize(2..5);
        let mut row = || (0..count).map(|_| 80.0 + 300.0 * rng.f64()).collect::<Vec<f64>>();
        let ns: Vec<Vec<f64>> = (0..count).map(|_| row()).collect();
        let rows: Vec<&[f64]> = ns.iter().map(Vec::as_slice).collect();
        let (costs, nodes) = (costs(&rows), nodes(count as u32));
        let around = Around { nodes: &nodes, costs: Some(&costs), balancing: None };
        let (a, b) = (rng.usize(..count), rng.usize(..count));
        let one = process(&[(0, 200), (1, 200)], &[(a as u32, 0.5), (b as u32, 0.5)]);
        // The accesses of each thread to each node's pages, whatever they are.
        let uses = [a, a, b, b].map(|cpus| (cpus, rng.f64() * rng.f64()));
        let sum = |of: &dyn Fn(usize, usize) -> f64| -> f64 {
            uses.iter().enumerate().map(|(at, (cpus, weight))| weight * of(*cpus, at % 2)).sum()
        };
        let before = sum(&|cpus, memory| ns[cpus][memory]);
        for cure in explain(&one, &around).cures {
            let after = match cure.kind {
                CureKind::MovePages { node } => sum(&|cpus, _| ns[cpus][node.0 as usize]),
                CureKind::MoveThreads { node, .. } => sum(&|_, memory| ns[node.0 as usize][memory]),
                CureKind::Interleave { .. } => sum(&|cpus, _| (ns[cpus][a] + ns[cpus][b]) / 2.0),
                CureKind::Balancing => continue,
            };
            let (truth, change) = (after / before - 1.0, cure.change.unwrap());
            let within = change.least.change <= truth && truth <= change.most.change;
            assert!(within, "{truth}: {change:?} {ns:?}");
        }
    }
}
