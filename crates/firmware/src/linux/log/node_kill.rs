//! Programs that the kernel killed since an allocation could use some nodes only, and these were
//! full.

use std::collections::BTreeMap;

use nearfar_model::{NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use super::KernelLog;
use super::event::{LogEvent, LogEventKind};

/// What keeps a program's memory on some nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NodeBinding {
    /// A memory policy, such as `numactl --membind`.
    MemoryPolicy,
    /// A cpuset's `cpuset.mems`.
    Cpuset,
}

/// A program that the kernel killed since nodes were full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeKill {
    /// Its message, as an index of the log's events.
    pub event: usize,
    /// Microseconds since the boot, if the log has them.
    pub at_us: Option<u64>,
    /// The program that was killed, which may be another one than the bound one.
    pub program: String,
    /// Its process.
    pub pid: u64,
    /// Its control group: `/system.slice/db.service`.
    pub cgroup: String,
    /// The program whose allocation failed; `None` if the log does not have it.
    pub bound_program: Option<String>,
    /// What allowed no other node.
    pub bound_by: NodeBinding,
    /// The full nodes.
    pub nodes: NodeSet,
    /// Nodes that a cpuset allows and the memory policy does not.
    pub other_nodes: NodeSet,
    /// What these could give then, above their min watermarks; `None` if not in the log.
    pub free_elsewhere_bytes: Option<u64>,
}

impl NodeKill {
    /// Whether the same restricted both, to the same nodes.
    pub fn is_bound_as(&self, other: &Self) -> bool {
        let bound = |kill: &Self| (kill.bound_by, kill.nodes.clone(), kill.other_nodes.clone());
        bound(self) == bound(other)
    }
}

/// All that the log has, in its order. The limit of a control group is no node's.
pub fn node_kills(log: &KernelLog) -> Vec<NodeKill> {
    (0..log.events.len()).filter_map(|at| kill(&log.events, at)).collect()
}

fn kill(events: &[LogEvent], at: usize) -> Option<NodeKill> {
    let event = &events[at];
    let LogEventKind::OutOfMemory { program, pid, cgroup, .. } = &event.kind else { return None };
    let (bound_by, nodes, other_nodes) = bound(event)?;
    let report = report(&events[..at]);
    let bound_program = report.first().and_then(|event| match &event.kind {
        LogEventKind::OutOfMemoryReport { program } => Some(program.clone()),
        _ => None,
    });
    Some(NodeKill {
        event: at,
        at_us: event.at_us,
        program: program.clone(),
        pid: *pid,
        cgroup: cgroup.clone(),
        bound_program,
        bound_by,
        free_elsewhere_bytes: free_on(report, &other_nodes),
        nodes,
        other_nodes,
    })
}

/// What restricted the allocation, to which nodes, and those that a cpuset allows beside them.
fn bound(event: &LogEvent) -> Option<(NodeBinding, NodeSet, NodeSet)> {
    let LogEventKind::OutOfMemory { constraint, policy_nodes, allowed_nodes: allowed, .. } =
        &event.kind
    else {
        return None;
    };
    let by_cpuset = || (NodeBinding::Cpuset, allowed.clone(), NodeSet::new());
    let bound = match (constraint.as_str(), policy_nodes) {
        ("CONSTRAINT_MEMORY_POLICY", Some(policy)) => match allowed.difference(policy) {
            // Without the policy, the cpuset would allow no other node.
            others if others.is_empty() => by_cpuset(),
            others => (NodeBinding::MemoryPolicy, policy.clone(), others),
        },
        ("CONSTRAINT_CPUSET", _) => by_cpuset(),
        _ => return None,
    };
    (!bound.1.is_empty()).then_some(bound)
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

#[cfg(test)]
mod tests {
    use super::*;

    const KILL: &str = "oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=0,cpuset=/,\
                        mems_allowed=0-1,global_oom,task_memcg=/a.slice/db.service,task=mysqld,\
                        pid=812,uid=27\n";

    #[test]
    fn a_kill_has_its_time_in_every_form_of_a_log() {
        for (head, at_us) in [
            ("[  712.500001] ", Some(712_500_001)),
            ("4,339,712500001,-;", Some(712_500_001)),
            ("4,339,712500001,c,caller=T7;", Some(712_500_001)),
            ("Apr 07 00:04:12 host kernel: [  712.5] ", Some(712_500_000)),
            ("Apr 07 00:04:12 host kernel: ", None),
            ("", None),
        ] {
            let log = KernelLog::parse(format!("{head}{KILL}").as_bytes());
            let kill = node_kills(&log).remove(0);
            assert_eq!((kill.at_us, kill.pid), (at_us, 812), "{head}");
            assert_eq!(kill.cgroup, "/a.slice/db.service");
        }
    }
}
