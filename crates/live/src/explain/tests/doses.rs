//! Near and far nodes, and the dose of a layout.

use nearfar_model::NodeId;

use super::{costs, nodes, process, two_nodes};
use crate::explain::document::NodeShare;
use crate::explain::response::order;
use crate::explain::{AccessCosts, Around, DOSES, DoseNodes, DoseUnit, ExplainError, dose_nodes};

fn found(
    weights: &[(u32, f64)],
    costs: Option<&AccessCosts>,
    count: u32,
    to: Option<u32>,
) -> Result<DoseNodes, ExplainError> {
    let nodes = nodes(count);
    let around = Around { nodes: &nodes, costs, balancing: None };
    dose_nodes(&[process(&[(0, 400)], weights)], &around, to.map(NodeId))
}

#[test]
fn near_and_far_are_by_latency_from_where_threads_run() {
    let three = costs(&[&[100.0, 140.0, 300.0], &[140.0, 100.0, 200.0], &[300.0, 200.0, 110.0]]);
    let of = |weights: &[(u32, f64)], to| {
        let found = found(weights, Some(&three), 3, to).unwrap();
        (found.all[0].near.0, found.all[0].far.0, found.near.ns, found.far.ns)
    };
    assert_eq!(of(&[(0, 1.0)], None), (0, 2, 100.0, 300.0));
    assert_eq!(of(&[(0, 1.0)], Some(1)), (0, 1, 100.0, 140.0));
    assert_eq!(of(&[(2, 1.0)], None), (2, 0, 110.0, 300.0));
    assert_eq!(of(&[(0, 0.5), (1, 0.5)], None), (0, 2, 120.0, 250.0));
    let even = found(&[(0, 1.0)], Some(&three), 3, None).unwrap();
    assert!((even.interleaved.ns - 180.0).abs() < 1e-9, "{even:?}");
}

#[test]
fn doses_are_mean_latencies_of_where_pages_are() {
    let found = found(&[(0, 1.0)], Some(&two_nodes()), 2, None).unwrap();
    let at = |threads: &[(u32, f64)], far: f64| {
        let weights = threads.iter().map(|&(node, weight)| (NodeId(node), weight)).collect();
        let share = |node, share| NodeShare { node: NodeId(node), share };
        found.dose(&[(weights, vec![share(0, 1.0 - far), share(1, far)])])
    };
    assert_eq!(at(&[(0, 1.0)], 0.25), Some(120.0));
    // Threads that moved meanwhile count where they are.
    assert_eq!(at(&[(1, 1.0)], 0.25), Some(160.0));
    assert_eq!(at(&[], 0.25), None);
    assert_eq!(found.dose(&[(vec![(NodeId(0), 1.0)], Vec::new())]), None);
}

#[test]
fn without_a_survey_doses_are_shares() {
    let found = found(&[(1, 1.0)], None, 2, None).unwrap();
    assert_eq!((found.unit, found.all[0].near), (DoseUnit::FarShare, NodeId(1)));
    assert_eq!((found.near.ns, found.far.ns), (0.0, 1.0));
}

#[test]
fn what_has_no_far_memory_is_refused_by_name() {
    let refused = |weights: &[(u32, f64)], costs, count, to| {
        found(weights, costs, count, to).unwrap_err().to_string()
    };
    let two = two_nodes();
    assert!(refused(&[(0, 1.0)], None, 1, None).contains("memory on one node only"));
    let both = refused(&[(0, 0.5), (1, 0.5)], Some(&two), 2, None);
    assert!(both.contains("no node is far from process 7"), "{both}");
    assert!(refused(&[], Some(&two), 2, None).contains("no thread of process 7"));
    assert!(refused(&[(0, 1.0)], Some(&two), 2, Some(7)).contains("memory on node 7"));
}

#[test]
fn every_block_has_every_dose_in_an_order_of_its_own() {
    let orders: Vec<Vec<Option<u32>>> = (0..20).map(|block| order(block, 1)).collect();
    for mut one in orders.clone() {
        one.sort_unstable();
        let doses = DOSES.map(Some).into_iter();
        assert_eq!(one, [None].into_iter().chain(doses).collect::<Vec<_>>());
    }
    assert!(orders.iter().any(|one| *one != orders[0]));
    assert_eq!(order(3, 7), order(3, 7));
}
