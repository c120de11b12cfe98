//! Costs and savings against their truth.

use fastrand::Rng;
use nearfar_model::{NodeId, NodeSet};
use nearfar_process::PageSample;

use super::{costs, explained, process, two_nodes};
use crate::saving::{Placement, Scenario};
use crate::{AccessCosts, ProcessVerdict};

#[test]
fn costs_and_savings_are_those_of_the_latencies() {
    let one = explained(&process(&[(1, 400)], &[(0, 1.0)]), Some(&two_nodes()));
    assert_eq!(one.access_ns, Some(180.0));
    let cost = one.remote_cost.unwrap();
    assert!((cost.value - 0.8).abs() < 1e-9 && cost.ci95[0] > 0.75 && cost.ci95[1] < 0.85);
    let saving = one.cures[0].saving.unwrap();
    assert!((saving.value - 80.0 / 180.0).abs() < 1e-9, "{saving:?}");
    assert!(saving.ci95[0] > 0.42 && saving.ci95[1] < 0.47, "{saving:?}");
}

#[test]
fn a_pair_without_a_latency_has_no_cost() {
    let some = costs(&[&[100.0, 180.0]]);
    let one = explained(&process(&[(1, 400)], &[(1, 1.0)]), Some(&some));
    assert_eq!((one.access_ns, one.remote_cost), (None, None));
    // All its memory is local.
    assert_eq!(one.verdict, ProcessVerdict::NothingToGain);
    let remote = explained(&process(&[(0, 400)], &[(1, 1.0)]), Some(&some));
    assert_eq!(remote.verdict, ProcessVerdict::CostUnknown);
    let pair = (NodeId(0), NodeId(0));
    assert!(AccessCosts::new([(pair, 100.0, None), (pair, f64::NAN, Some([1.0, 2.0]))]).is_empty());
}

/// Pages drawn from a population, latencies measured with noise: the interval has the true ratio in
/// 95 of 100 cases, or more.
#[test]
fn intervals_have_the_truth() {
    let mut rng = Rng::with_seed(11);
    let nodes = [NodeId(0), NodeId(1)];
    let weights = vec![(NodeId(0), 0.7), (NodeId(1), 0.3)];
    let target = NodeSet::from_id(NodeId(0));
    for remote in [0.5, 0.95, 1.0] {
        let truth = {
            let on = [1.0 - remote, remote];
            let before =
                0.7 * (on[0] * 100.0 + on[1] * 180.0) + 0.3 * (on[0] * 180.0 + on[1] * 100.0);
            (0.7 * 100.0 + 0.3 * 180.0) / before
        };
        let mut hits = 0;
        for _ in 0..400 {
            let drawn = (0..400).filter(|_| rng.f64() < remote).count() as u64;
            let by_node = vec![(NodeId(0), 400 - drawn), (NodeId(1), drawn)];
            let by_node = by_node.into_iter().filter(|(_, pages)| *pages > 0).collect();
            let pages = PageSample { by_node, is_whole: false };
            let mut measured = |ns: f64| {
                let noise = nearfar_infer::normal(&mut rng) * 0.005;
                let ns = ns * f64::exp(noise);
                (ns, Some([ns * f64::exp(-1.96 * 0.005), ns * f64::exp(1.96 * 0.005)]))
            };
            let pairs = [(0, 0, 100.0), (0, 1, 180.0), (1, 0, 180.0), (1, 1, 100.0)];
            let costs = AccessCosts::new(pairs.map(|(cpus, memory, ns)| {
                let (ns, ci95) = measured(ns);
                ((NodeId(cpus), NodeId(memory)), ns, ci95)
            }));
            let placement = Placement { pages: &pages, weights: &weights, nodes: &nodes };
            let ratio =
                placement.ratio(Scenario::PagesOn(&target), Scenario::AsIs, &costs).unwrap();
            hits += usize::from((ratio.ci95[0]..=ratio.ci95[1]).contains(&truth));
        }
        assert!(hits >= 370, "{remote}: {hits} of 400");
    }
}
