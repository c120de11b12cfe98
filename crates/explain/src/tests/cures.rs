//! Cures that help, and machines where there is nothing to gain.

use nearfar_model::{CpuSet, NodeId, NodeSet};

use super::{costs, explained, nodes, process, two_nodes};
use crate::{Around, CureKind, ObservedProcess, ProcessVerdict, explain};

fn kinds(process: &ObservedProcess) -> Vec<CureKind> {
    let cures = explained(process, Some(&two_nodes())).cures;
    cures.into_iter().map(|cure| cure.kind).collect()
}

#[test]
fn misplaced_memory_or_threads_can_move() {
    let cpus = CpuSet::parse_list("4-7").unwrap();
    let one = process(&[(1, 400)], &[(0, 1.0)]);
    let moves = kinds(&one);
    assert_eq!(moves.len(), 2);
    assert!(moves.contains(&CureKind::MovePages { node: NodeId(0) }));
    assert!(moves.contains(&CureKind::MoveThreads { node: NodeId(1), cpus }));
    // Five busy CPUs do not fit on a node of four.
    let busy = ObservedProcess { busy_cpus: 5.0, ..one };
    assert_eq!(kinds(&busy), [CureKind::MovePages { node: NodeId(0) }]);
    assert_eq!(explained(&busy, Some(&two_nodes())).verdict, ProcessVerdict::Misplaced);
}

#[test]
fn a_cpuset_limits_where_pages_can_go() {
    let mut one = process(&[(1, 400)], &[(0, 1.0)]);
    one.allowed_nodes = Some(NodeSet::from_id(NodeId(1)));
    let moves = kinds(&one);
    assert!(matches!(moves[..], [CureKind::MoveThreads { .. }]), "{moves:?}");
}

#[test]
fn threads_on_both_nodes_may_interleave() {
    // Node 1 is slow: its memory costs all threads more.
    let slow = costs(&[&[100.0, 300.0], &[110.0, 280.0]]);
    let one = process(&[(1, 400)], &[(0, 0.5), (1, 0.5)]);
    let cures = explained(&one, Some(&slow)).cures;
    let both = NodeSet::from_iter([NodeId(0), NodeId(1)]);
    assert_eq!(cures[0].kind, CureKind::MovePages { node: NodeId(0) });
    assert!(cures.iter().any(|cure| cure.kind == CureKind::Interleave { nodes: both.clone() }));
}

#[test]
fn balancing_is_a_cure_where_it_is_off() {
    let (nodes, costs) = (nodes(2), two_nodes());
    let one = process(&[(1, 400)], &[(0, 1.0)]);
    let with = |balancing| {
        let around = Around { nodes: &nodes, costs: Some(&costs), balancing };
        explain(&one, &around).cures.into_iter().any(|cure| cure.kind == CureKind::Balancing)
    };
    assert_eq!([with(Some(false)), with(Some(true)), with(None)], [true, false, false]);
}

/// Where nothing is to be gained, no cure is named.
#[test]
fn well_placed_programs_have_no_cure() {
    let uniform = costs(&[&[100.0, 100.0], &[100.0, 100.0]]);
    let two = two_nodes();
    let spread = [(0, 0.5), (1, 0.5)];
    for (name, pages, weights, costs) in [
        ("all local", [(0, 400), (1, 0)], &[(0, 1.0)][..], &two),
        ("all local but one page of 400", [(0, 399), (1, 1)], &[(0, 1.0)], &two),
        ("interleaved under threads on both nodes", [(0, 200), (1, 200)], &spread, &two),
        ("on one node under threads on both nodes", [(0, 400), (1, 0)], &spread, &two),
        (
            "all remote where remote memory costs the same",
            [(0, 0), (1, 400)],
            &[(0, 1.0)],
            &uniform,
        ),
    ] {
        let pages: Vec<(u32, u64)> = pages.into_iter().filter(|(_, pages)| *pages > 0).collect();
        let mut one = process(&pages, weights);
        one.busy_cpus = 5.0;
        let explained = explained(&one, Some(costs));
        assert_eq!(explained.verdict, ProcessVerdict::NothingToGain, "{name}: {explained:?}");
        assert!(explained.cures.is_empty(), "{name}: {:?}", explained.cures);
    }
}

#[test]
fn without_a_survey_the_cost_is_unknown() {
    let remote = explained(&process(&[(0, 100), (1, 300)], &[(0, 1.0)]), None);
    assert_eq!((remote.verdict, remote.remote_cost), (ProcessVerdict::CostUnknown, None));
    assert_eq!(remote.cures[0].kind, CureKind::MovePages { node: NodeId(0) });
    assert_eq!(remote.cures[0].saving, None);
    let local = explained(&process(&[(0, 400)], &[(0, 1.0)]), None);
    assert_eq!((local.verdict, local.cures.len()), (ProcessVerdict::NothingToGain, 0));
}

#[test]
fn one_node_no_pages_and_no_threads_have_verdicts() {
    let nodes = nodes(1);
    let around = Around { nodes: &nodes, costs: None, balancing: None };
    let verdict = |pages: &[(u32, u64)], weights: &[(u32, f64)]| {
        let explained = explain(&process(pages, weights), &around);
        assert!(explained.cures.is_empty());
        explained.verdict
    };
    assert_eq!(verdict(&[(0, 9)], &[(0, 1.0)]), ProcessVerdict::OneNode);
    assert_eq!(verdict(&[], &[(0, 1.0)]), ProcessVerdict::NoPages);
    assert_eq!(verdict(&[(0, 9)], &[]), ProcessVerdict::NodesUnknown);
}
