//! Programs that the kernel killed since a node was full, although others had memory.

use nearfar_firmware::linux::log::{LogEvent, LogEventKind};
use nearfar_model::NodeSet;

use super::FindingInput;
use crate::document::{DiagnosisFinding, FindingDetail, NodeBinding};
use crate::{codes, evidence};

const CODE: &str = "out-of-memory-on-node";

/// The last one that the log has: programs that come and go are killed again and again.
pub(super) fn on_a_node(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let events = &seen.witnesses.log.events;
    let killed: Vec<usize> = (0..events.len()).filter(|&at| bound(&events[at]).is_some()).collect();
    let last = *killed.last()?;
    let LogEventKind::OutOfMemory { program, pid, .. } = &events[last].kind else { return None };
    let (bound_by, nodes) = bound(&events[last])?;
    let detail = FindingDetail::OutOfMemoryOnNode {
        program: program.clone(),
        pid: *pid,
        bound_by,
        free_elsewhere_bytes: free_elsewhere(&events[..last], nodes),
        nodes: nodes.clone(),
        times: killed.len(),
    };
    let finding = DiagnosisFinding::new(CODE, codes::severity(CODE))
        .with_detail(detail)
        .shown_by(evidence::event(seen.witnesses, &events[last]));
    Some(DiagnosisFinding { advice: codes::advice(CODE, seen.facts), ..finding })
}

/// What restricted the allocation, and to which nodes. The limit of a cgroup does not.
fn bound(event: &LogEvent) -> Option<(NodeBinding, &NodeSet)> {
    let LogEventKind::OutOfMemory { constraint, policy_nodes, allowed_nodes, .. } = &event.kind
    else {
        return None;
    };
    match constraint.as_str() {
        "CONSTRAINT_MEMORY_POLICY" => Some((NodeBinding::MemoryPolicy, policy_nodes)),
        "CONSTRAINT_CPUSET" => Some((NodeBinding::Cpuset, allowed_nodes)),
        _ => None,
    }
}

/// Free memory of the other nodes, in the report before the kill.
fn free_elsewhere(before: &[LogEvent], nodes: &NodeSet) -> Option<u64> {
    let is_earlier = |event: &&LogEvent| !matches!(event.kind, LogEventKind::OutOfMemory { .. });
    let free = before.iter().rev().take_while(is_earlier).filter_map(|event| match event.kind {
        LogEventKind::ZoneMemory { node, free_kib, .. } => Some((node, free_kib)),
        _ => None,
    });
    let all: Vec<_> = free.collect();
    let others = all.iter().filter(|(node, _)| !nodes.contains(*node));
    let kib = others.fold(0_u64, |sum, (_, kib)| sum.saturating_add(*kib));
    (!all.is_empty()).then(|| kib.saturating_mul(1024))
}
