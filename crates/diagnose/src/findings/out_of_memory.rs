//! Programs that the kernel killed since an allocation could use some nodes only, and these were
//! full.

use std::collections::BTreeMap;

use nearfar_firmware::linux::log::{LogEvent, LogEventKind};
use nearfar_model::{NodeId, NodeSet};

use super::FindingInput;
use crate::document::{DiagnosisFinding, FindingDetail, NodeBinding};
use crate::{codes, evidence};

const CODE: &str = "out-of-memory-on-node";

/// What restricted an allocation.
#[derive(PartialEq)]
struct Bound<'e> {
    by: NodeBinding,
    nodes: &'e NodeSet,
    /// Nodes that a cpuset allows, and the policy does not.
    others: NodeSet,
}

/// The last one that the log has: programs that come and go are killed again and again.
pub(super) fn on_a_node(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let events = &seen.witnesses.log.events;
    let kills: Vec<(usize, Bound<'_>)> =
        events.iter().enumerate().filter_map(|(at, event)| Some((at, bound(event)?))).collect();
    let (at, bound) = kills.last()?;
    let LogEventKind::OutOfMemory { program, pid, .. } = &events[*at].kind else { return None };
    let report = report(&events[..*at]);
    let bound_program = report.first().and_then(|event| match &event.kind {
        LogEventKind::OutOfMemoryReport { program } => Some(program.clone()),
        _ => None,
    });
    let detail = FindingDetail::OutOfMemoryOnNode {
        program: program.clone(),
        pid: *pid,
        bound_program,
        bound_by: bound.by,
        nodes: bound.nodes.clone(),
        other_nodes: bound.others.clone(),
        free_elsewhere_bytes: free_on(report, &bound.others),
        times: kills.iter().filter(|(_, one)| one == bound).count(),
    };
    let finding = DiagnosisFinding::new(CODE, codes::severity(CODE))
        .with_detail(detail)
        .shown_by(evidence::event(seen.witnesses, &events[*at]));
    Some(DiagnosisFinding { advice: codes::advice(CODE, seen.facts), ..finding })
}

/// What restricted the allocation, and to which nodes. The limit of a cgroup does not.
fn bound(event: &LogEvent) -> Option<Bound<'_>> {
    let LogEventKind::OutOfMemory { constraint, policy_nodes, allowed_nodes: allowed, .. } =
        &event.kind
    else {
        return None;
    };
    let by_cpuset = || Bound { by: NodeBinding::Cpuset, nodes: allowed, others: NodeSet::new() };
    let bound = match (constraint.as_str(), policy_nodes) {
        ("CONSTRAINT_MEMORY_POLICY", Some(policy)) => match allowed.difference(policy) {
            // Without the policy, the cpuset would allow no other node.
            others if others.is_empty() => by_cpuset(),
            others => Bound { by: NodeBinding::MemoryPolicy, nodes: policy, others },
        },
        ("CONSTRAINT_CPUSET", _) => by_cpuset(),
        _ => return None,
    };
    (!bound.nodes.is_empty()).then_some(bound)
}

/// The report that ends with a kill: from the line that names the failed allocation's program.
fn report(before: &[LogEvent]) -> &[LogEvent] {
    let starts = |event: &LogEvent| matches!(event.kind, LogEventKind::OutOfMemoryReport { .. });
    let ends = |event: &LogEvent| matches!(event.kind, LogEventKind::OutOfMemory { .. });
    let start = before.iter().rposition(|event| starts(event) || ends(event));
    start.filter(|&at| starts(&before[at])).map_or(&[], |at| &before[at..])
}

/// What these nodes could give then, above their min watermarks. Most reports show the full nodes
/// alone (`show_mem` in mm/show_mem.c leaves out the others).
fn free_on(report: &[LogEvent], nodes: &NodeSet) -> Option<u64> {
    let mut free: BTreeMap<NodeId, u64> = BTreeMap::new();
    for event in report {
        if let LogEventKind::ZoneMemory { node, free_kib, min_kib } = event.kind {
            let sum = free.entry(node).or_default();
            *sum = sum.saturating_add(free_kib.saturating_sub(min_kib));
        }
    }
    let of_nodes: Option<Vec<u64>> = nodes.iter().map(|node| free.get(&node).copied()).collect();
    let kib = of_nodes.filter(|all| !all.is_empty())?.into_iter().fold(0, u64::saturating_add);
    Some(kib.saturating_mul(1024))
}
