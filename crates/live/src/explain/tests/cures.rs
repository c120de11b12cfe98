//! Cures that help, and machines where there is nothing to gain.

use nearfar_model::{CpuSet, NodeId, NodeSet};

use super::{costs, explained, nodes, process, two_nodes};
use crate::explain::{AccessCosts, Around, CureKind, ObservedProcess, ProcessVerdict, explain};

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
    let one = process(&[(1, 400)], &[(0, 0.5), (1, 0.5)]);
    let busy = ObservedProcess { busy_cpus: 5.0, ..one };
    let both = NodeSet::from_iter([NodeId(0), NodeId(1)]);
    let cures = explained(&busy, Some(&two_nodes())).cures;
    let kinds: Vec<&CureKind> = cures.iter().map(|cure| &cure.kind).collect();
    let expected =
        [&CureKind::MovePages { node: NodeId(0) }, &CureKind::Interleave { nodes: both }];
    assert_eq!(kinds, expected);
    // Each may be slower, for threads on node 1.
    for cure in &cures {
        let change = cure.change.unwrap();
        assert!(change.least.change < -0.4 && change.most.change > 0.8, "{cure:?}");
        assert_eq!([change.least.cpus, change.most.cpus], [NodeId(0), NodeId(1)]);
    }
}

/// Hot pages local, cold ones remote: to move the threads to the cold ones is 83 % slower.
#[test]
fn a_move_that_may_be_slower_has_its_worst_case() {
    let xeon = costs(&[&[78.6, 144.1], &[144.1, 78.6]]);
    let one = explained(&process(&[(0, 57), (1, 343)], &[(0, 1.0)]), Some(&xeon));
    assert_eq!(one.verdict, ProcessVerdict::DependsOnUse);
    let cost = one.remote_cost.unwrap();
    assert_eq!(cost.least.change, 0.0);
    assert!((0.83..0.88).contains(&cost.most.change), "{cost:?}");
    let [pages, threads] = &one.cures[..] else { panic!("{:?}", one.cures) };
    assert_eq!(pages.kind, CureKind::MovePages { node: NodeId(0) });
    assert_eq!(pages.change.unwrap().most.change, 0.0);
    let change = threads.change.unwrap();
    assert!((0.83..0.88).contains(&change.most.change), "{change:?}");
    assert!((-0.47..-0.45).contains(&change.least.change), "{change:?}");
    assert_eq!([change.least.memory, change.most.memory], [NodeId(1), NodeId(0)]);
}

/// A placement that is never better than another one, and sometimes worse, is not listed.
#[test]
fn superfluous_placements_are_left_out() {
    let three = costs(&[&[100.0, 150.0, 300.0], &[150.0, 100.0, 300.0], &[300.0, 300.0, 100.0]]);
    let nodes = nodes(3);
    let around = Around { nodes: &nodes, costs: Some(&three), balancing: None };
    let mut one = process(&[(2, 400)], &[(0, 1.0)]);
    one.busy_cpus = 5.0;
    let kinds = |one: &ObservedProcess| -> Vec<CureKind> {
        explain(one, &around).cures.into_iter().map(|cure| cure.kind).collect()
    };
    assert_eq!(kinds(&one), [CureKind::MovePages { node: NodeId(0) }]);
    // Node 0 has no room for it: node 1 remains.
    one.memory = nearfar_model::Bytes::gib(9);
    let both = [0, 1].map(|node| CureKind::MovePages { node: NodeId(node) });
    assert_eq!(kinds(&one), both);
    one.memory = nearfar_model::Bytes::gib(1);
    one.allowed_nodes = Some(NodeSet::from_iter([NodeId(1), NodeId(2)]));
    assert_eq!(kinds(&one), [CureKind::MovePages { node: NodeId(1) }]);
}

/// The own node's memory is the slower: neither balancing nor threads beside their pages help.
#[test]
fn where_own_memory_is_slow_the_other_is_faster() {
    let crossed = costs(&[&[150.0, 100.0], &[100.0, 150.0]]);
    let nodes = nodes(2);
    let around = Around { nodes: &nodes, costs: Some(&crossed), balancing: Some(false) };
    let local = explain(&process(&[(0, 400)], &[(0, 1.0)]), &around);
    assert_eq!(local.verdict, ProcessVerdict::Misplaced);
    let kinds: Vec<CureKind> = local.cures.into_iter().map(|cure| cure.kind).collect();
    let cpus = CpuSet::parse_list("4-7").unwrap();
    let expected =
        [CureKind::MovePages { node: NodeId(1) }, CureKind::MoveThreads { node: NodeId(1), cpus }];
    assert_eq!(kinds, expected);
    let remote = explain(&process(&[(1, 400)], &[(0, 1.0)]), &around);
    assert_eq!((remote.verdict, remote.cures), (ProcessVerdict::NothingToGain, Vec::new()));
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
    for (name, pages, weights, costs) in [
        ("all local", [(0, 400), (1, 0)], &[(0, 1.0)][..], &two),
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
    assert_eq!(remote.cures[0].change, None);
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

/// One page of 400 may have all accesses.
#[test]
fn one_remote_page_may_be_the_one_that_is_used() {
    let one = explained(&process(&[(0, 399), (1, 1)], &[(0, 1.0)]), Some(&two_nodes()));
    assert_eq!(one.verdict, ProcessVerdict::DependsOnUse);
}

/// Latencies that may differ by 2 % and need not.
#[test]
fn uncertain_latencies_decide_nothing() {
    let pairs = [(0, 0, 100.0), (0, 1, 101.0), (1, 0, 101.0), (1, 1, 100.0)];
    let wide = AccessCosts::new(pairs.map(|(cpus, memory, ns)| {
        ((NodeId(cpus), NodeId(memory)), ns, Some([ns * 0.95, ns * 1.05]))
    }));
    let one = explained(&process(&[(1, 400)], &[(0, 1.0)]), Some(&wide));
    assert_eq!((one.verdict, one.cures), (ProcessVerdict::Undetermined, Vec::new()));
}
