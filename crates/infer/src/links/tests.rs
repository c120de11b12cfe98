//! Links of machines with known links.

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::replay::Model;
use crate::tests::cases::simulations;

/// Matrices of each machine.
fn matrices() -> u64 {
    simulations(15, 300)
}

fn costs(model: &Model, se: f64, seed: u64) -> NodeCosts {
    let blurred = model.blurred(se, &mut Rng::with_seed(seed));
    NodeCosts::from_matrix(&model.cpu_nodes(), &model.memory_nodes(), &blurred, se, seed)
}

fn pairs(edges: &[NodeLink]) -> Vec<(u32, u32)> {
    edges.iter().map(|edge| (edge.a, edge.b)).collect()
}

fn share_right(model: &Model, se: f64) -> f64 {
    let mut expected = model.links.clone();
    expected.sort_unstable();
    let right = (0..matrices())
        .filter(|&seed| pairs(&links(&costs(model, se, seed)).unwrap().edges) == expected);
    right.count() as f64 / matrices() as f64
}

#[test]
fn at_one_percent_the_links_of_known_shapes_are_right() {
    for (model, least) in [
        (Model::ring(6), 1.0),
        (Model::ring(8), 1.0),
        (Model::mesh(4, 2), 1.0),
        (Model::mesh(3, 3), 1.0),
        (Model::hypercube(3), 1.0),
        (Model::hypercube(4), 1.0),
        (Model::glueless(), 1.0),
        (Model::fully_linked(4), 1.0),
        (Model::switched(), 1.0),
        (Model::epyc_9224_cxl(), 0.94),
        (Model::epyc_7451(), 0.94),
    ] {
        let share = share_right(&model, 0.01);
        assert!(share >= least, "{}: {share}", model.name);
    }
}

#[test]
fn one_memory_under_several_nodes_has_no_links() {
    let uniform =
        NodeCosts::from_matrix(&[0, 1, 2], &[0, 1, 2], &vec![vec![100.0; 3]; 3], 0.005, 1);
    assert_eq!(links(&uniform), Err(NoLinks::OneDistance));
    // Without local memory, links are undetermined.
    let rows = [[f64::NAN, 100.0, 100.0], [100.0, f64::NAN, 100.0], [100.0, 100.0, f64::NAN]]
        .map(Vec::from);
    let others = NodeCosts::from_matrix(&[0, 1, 2], &[0, 1, 2], &rows, 0.005, 1);
    assert_ne!(links(&others), Err(NoLinks::OneDistance));
}

/// A CXL device that is nearer to both packages than they are to each other explains nothing: no
/// path leads through memory.
#[test]
fn no_path_leads_through_memory_without_cpus() {
    let costs_of = |cxl: f64| {
        let package = |node: usize| node / 2;
        let cost = |a: usize, b: usize| match (a == b, package(a) == package(b)) {
            (true, _) => 100.0,
            (_, true) => 160.0,
            _ => 300.0,
        };
        let rows: Vec<Vec<f64>> =
            (0..4).map(|a| (0..4).map(|b| cost(a, b)).chain([cxl]).collect()).collect();
        NodeCosts::from_matrix(&[0, 1, 2, 3], &[0, 1, 2, 3, 4], &rows, 0.002, 1)
    };
    let near = links(&costs_of(220.0)).unwrap();
    assert_eq!((near.paths.len(), near.open.len()), (0, 4), "{near:?}");
    let far = links(&costs_of(400.0)).unwrap();
    assert!((0..2).all(|a| (2..4).all(|b| pairs(&far.edges).contains(&(a, b)))), "{far:?}");
}

/// A chain 0-1-2-3, and memory that both its ends reach as fast as their neighbours: three hops
/// from end to end, not two.
#[test]
fn no_hop_is_counted_through_memory_without_cpus() {
    let cost = |a: usize, b: usize| [100.0, 150.0, 220.0, 300.0][a.abs_diff(b)];
    let memory = [150.0, 400.0, 400.0, 150.0];
    let rows: Vec<Vec<f64>> = memory
        .iter()
        .enumerate()
        .map(|(a, own)| (0..4).map(|b| cost(a, b)).chain([*own]).collect())
        .collect();
    let found =
        links(&NodeCosts::from_matrix(&[0, 1, 2, 3], &[0, 1, 2, 3, 4], &rows, 0.002, 1)).unwrap();
    assert!(
        pairs(&found.edges).contains(&(0, 4)) && pairs(&found.edges).contains(&(3, 4)),
        "{found:?}"
    );
    let ends =
        found.hops.as_ref().and_then(|hops| hops.iter().find(|pair| (pair.a, pair.b) == (0, 3)));
    assert!(ends.is_none_or(|pair| pair.hops == 3), "{found:?}");
}

#[test]
fn hops_are_counted_where_links_are_certain() {
    let found = links(&costs(&Model::ring(8), 0.005, 1)).unwrap();
    let hops = found.hops.unwrap();
    let between = |a, b| hops.iter().find(|pair| (pair.a, pair.b) == (a, b)).unwrap().hops;
    assert_eq!([between(0, 1), between(0, 7), between(1, 3), between(0, 4)], [1, 1, 2, 4]);
    assert_eq!(hops.len(), 28);
    let way = found.paths.iter().find(|path| (path.a, path.b) == (0, 2)).unwrap();
    assert_eq!(way.via, 1);
}

#[test]
fn hops_cheaper_than_one_are_not_counted() {
    // Node 3 has a slow link to node 2: 0-3 is far, 0-2 nearer, and 1-3 is nearer than the slow
    // link between them.
    let costs_of = [
        [80.0, 100.0, 130.0, 300.0],
        [100.0, 80.0, 100.0, 300.0],
        [130.0, 100.0, 80.0, 200.0],
        [300.0, 300.0, 200.0, 80.0],
    ];
    let nodes = [0, 1, 2, 3];
    let found =
        links(&NodeCosts::from_matrix(&nodes, &nodes, &costs_of.map(Vec::from), 0.003, 1)).unwrap();
    assert_eq!(pairs(&found.edges), [(0, 1), (1, 2), (2, 3)]);
    assert!(found.hops.is_none(), "{found:?}");
    assert!(matches!(found.no_hops_because, Some(NoHops::MoreHopsNearer { .. })));
}

/// Costs from 489 to 514 cycles do not remove a link (MCTOP, EuroSys 2017).
#[test]
fn four_sockets_that_are_all_linked_stay_linked() {
    let cycles = [
        [265.0, 510.0, 492.0, 502.0],
        [514.0, 263.0, 492.0, 500.0],
        [497.0, 500.0, 263.0, 494.0],
        [511.0, 497.0, 489.0, 263.0],
    ];
    let nodes = [0, 1, 2, 3];
    for se in [0.002, 0.005, 0.01] {
        let found =
            links(&NodeCosts::from_matrix(&nodes, &nodes, &cycles.map(Vec::from), se, 1)).unwrap();
        assert_eq!(found.edges.len(), 6, "{se}: {found:?}");
    }
}

#[test]
fn imprecise_costs_have_no_links() {
    let refused = links(&costs(&Model::ring(8), 0.011, 1)).unwrap_err();
    assert!(matches!(
        refused,
        NoLinks::Unclassified { reason: classes::NoClasses::TooUncertain { .. } }
    ));
    assert_eq!(
        links(&costs(&Model::fully_linked(2), 0.005, 1)).unwrap_err(),
        NoLinks::FewNodes { nodes: 2 }
    );
    let mut gap = Model::ring(4);
    (gap.costs[0][2], gap.costs[2][0]) = (-1.0, f64::NAN);
    let refused =
        links(&NodeCosts::from_matrix(&[0, 1, 2, 3], &[0, 1, 2, 3], &gap.costs, 0.005, 1))
            .unwrap_err();
    assert_eq!(refused, NoLinks::Incomplete { a: 0, b: 2 });
}

/// The evidence of bandwidths for edges and indirect paths.
fn bandwidths(links: &Links) -> [Vec<BandwidthCheck>; 2] {
    let edges = links.edges.iter().filter_map(|edge| edge.bandwidth);
    [edges.collect(), links.paths.iter().filter_map(|path| path.bandwidth).collect()]
}

/// The same for a ring of four with 40 GB/s between neighbours, and this bandwidth between opposite
/// nodes.
fn ring_checks(across: f64, error: f64) -> [Vec<BandwidthCheck>; 2] {
    let mut found = links(&costs(&Model::ring(4), 0.005, 1)).unwrap();
    assert_eq!((found.edges.len(), found.paths.len()), (4, 2));
    let nodes = [0, 1, 2, 3];
    let gb = |a: usize, b: usize| [100.0, 40.0, across][[0, 1, 2, 1][a.abs_diff(b)]];
    let rows: Vec<Vec<f64>> = (0..4).map(|a| (0..4).map(|b| gb(a, b)).collect()).collect();
    compare_bandwidth(&mut found, &NodeCosts::from_matrix(&nodes, &nodes, &rows, error, 1));
    bandwidths(&found)
}

#[test]
fn bandwidth_confirms_links() {
    use BandwidthCheck::{Agrees, Contradicts, Undetermined};
    let checks = |edges, paths| [vec![edges; 4], vec![paths; 2]];
    assert_eq!(ring_checks(20.0, 0.01), checks(Agrees, Agrees));
    assert_eq!(ring_checks(40.0, 0.01), checks(Undetermined, Undetermined));
    assert_eq!(ring_checks(80.0, 0.01), checks(Undetermined, Contradicts));
    // 20 against 40 is insignificant with errors of a third.
    assert_eq!(ring_checks(20.0, 0.33), checks(Undetermined, Undetermined));
}

#[test]
fn links_narrower_than_a_detour_are_contradicted() {
    let mut found = links(&costs(&Model::fully_linked(3), 0.005, 1)).unwrap();
    let rows = [[100.0, 40.0, 15.0], [40.0, 100.0, 40.0], [15.0, 40.0, 100.0]].map(Vec::from);
    let bandwidth = NodeCosts::from_matrix(&[0, 1, 2], &[0, 1, 2], &rows, 0.01, 1);
    let doubted = found.edges.iter().position(|edge| (edge.a, edge.b) == (0, 2)).unwrap();
    compare_bandwidth(&mut found, &bandwidth);
    assert_eq!(found.edges[doubted].bandwidth, Some(BandwidthCheck::Contradicts));
    let nothing = NodeCosts::from_matrix(&[], &[], &[], 0.01, 1);
    compare_bandwidth(&mut found, &nothing);
    assert_eq!(bandwidths(&found)[0], [BandwidthCheck::Undetermined; 3]);
}

proptest! {
    #[test]
    fn every_pair_is_listed_once(
        rows in proptest::collection::vec(proptest::collection::vec(50.0f64..400.0, 5), 3..6),
        seed: u64,
    ) {
        let nodes: Vec<u32> = (0..5).collect();
        let costs = NodeCosts::from_matrix(&nodes[..rows.len()], &nodes, &rows, 0.005, seed);
        let found = match links(&costs) {
            Err(NoLinks::OneDistance) => return Ok(()),
            found => found.unwrap(),
        };
        let pairs = found.edges.len() + found.open.len() + found.paths.len();
        // Nodes without CPUs have no distance between them.
        let memories = 5 - rows.len();
        prop_assert_eq!(pairs, 10 - memories * (memories.max(1) - 1) / 2);
        prop_assert!(found.edges.iter().all(|edge| edge.support >= SUPPORT));
    }
}
