//! The threads of a process, with the CPU and the node that each last ran on.

use std::collections::BTreeMap;

use nearfar_machine::Process;
use nearfar_machine::process::NodeSummaries;
use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};
use serde::Serialize;

use crate::by_node::BytesByNode;

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ThreadPlace {
    /// Its number.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// The CPU it runs on, or ran on last.
    pub cpu: Option<CpuId>,
    /// That CPU's node; `None` if the CPU is offline by now or the kernel has no NUMA support.
    pub node: Option<NodeId>,
    /// CPUs it may run on.
    #[serde(rename = "allowed_cpus")]
    pub allowed: Option<CpuSet>,
    /// Its CPU time in clock ticks, mostly 10 ms each.
    #[serde(skip)]
    pub ticks: u64,
}

/// The threads that run on a node.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ThreadNode {
    /// The node.
    pub node: NodeId,
    /// Number of threads.
    pub threads: usize,
    /// Their share of the CPU time of all threads; if there is none yet, of the threads.
    #[serde(rename = "cpu_time_share")]
    pub share: f64,
}

/// All threads, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads(pub Vec<ThreadPlace>);

impl Threads {
    /// Reads the threads; those that end meanwhile are absent.
    pub(crate) fn read(process: &Process<'_>, around: &NodeSummaries) -> Self {
        let one = |tid: u32| {
            let (stat, status) = process.thread(tid)?;
            let node = stat.cpu.and_then(|cpu| around.node_of(cpu));
            Some(ThreadPlace {
                tid,
                name: stat.name,
                cpu: stat.cpu,
                node,
                allowed: status.cpus,
                ticks: stat.ticks,
            })
        };
        Self(process.thread_ids().into_iter().filter_map(one).collect())
    }

    /// By node, ascending. Threads of an unknown node are not counted.
    pub fn by_node(&self) -> Vec<ThreadNode> {
        let known = || self.0.iter().filter_map(|thread| Some((thread.node?, thread.ticks)));
        let ticks: u128 = known().map(|(_, ticks)| u128::from(ticks)).sum();
        let mut nodes: BTreeMap<NodeId, (usize, u128)> = BTreeMap::new();
        for (node, ticks) in known() {
            let sums = nodes.entry(node).or_default();
            *sums = (sums.0 + 1, sums.1 + u128::from(ticks));
        }
        let all = known().count();
        let share = |threads: usize, on: u128| match ticks {
            0 => threads as f64 / all as f64,
            _ => on as f64 / ticks as f64,
        };
        nodes
            .into_iter()
            .map(|(node, (threads, on))| ThreadNode { node, threads, share: share(threads, on) })
            .collect()
    }

    /// The share of this memory that is remote, if every thread uses all of it equally, weighted by
    /// CPU time. `None` without memory, or without a thread of a known node.
    pub fn remote_share(&self, memory: &BytesByNode) -> Option<f64> {
        remote_share(&self.by_node(), memory)
    }

    /// The nodes that threads run on.
    pub fn nodes(&self) -> NodeSet {
        self.0.iter().filter_map(|thread| thread.node).collect()
    }

    /// The CPUs that at least one thread may run on.
    pub fn allowed(&self) -> CpuSet {
        self.0
            .iter()
            .filter_map(|thread| thread.allowed.as_ref())
            .fold(CpuSet::new(), |all, cpus| all.union(cpus))
    }
}

/// As [`Threads::remote_share`], with the threads already summed by node.
pub(crate) fn remote_share(threads: &[ThreadNode], memory: &BytesByNode) -> Option<f64> {
    let total = memory.total().0;
    if total == 0 || threads.is_empty() {
        return None;
    }
    let local: f64 = threads.iter().map(|on| on.share * memory.on(on.node).0 as f64).sum();
    Some((1.0 - local / total as f64).clamp(0.0, 1.0))
}

impl ThreadPlace {
    /// The share of this memory that is on another node than this thread.
    pub fn remote_share(&self, memory: &BytesByNode) -> Option<f64> {
        let total = memory.total().0;
        let node = self.node.filter(|_| total > 0)?;
        Some(1.0 - memory.on(node).0 as f64 / total as f64)
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::Bytes;

    use super::*;

    fn threads(nodes: &[(Option<u32>, u64)]) -> Threads {
        let one = |(&(node, ticks), tid): (&(Option<u32>, u64), u32)| ThreadPlace {
            tid,
            name: String::new(),
            cpu: node.map(CpuId),
            node: node.map(NodeId),
            allowed: None,
            ticks,
        };
        Threads(nodes.iter().zip(1..).map(one).collect())
    }

    fn memory(sizes: &[(u32, u64)]) -> BytesByNode {
        sizes.iter().map(|&(node, size)| (NodeId(node), Bytes(size))).collect()
    }

    #[test]
    fn the_remote_share_weights_threads_by_cpu_time() {
        let threads = threads(&[(Some(0), 300), (Some(8), 100), (None, 5000)]);
        let close = |found: Option<f64>, wanted: f64| {
            assert!((found.unwrap() - wanted).abs() < 1e-12, "{found:?}");
        };
        close(threads.remote_share(&memory(&[(0, 100)])), 0.25);
        close(threads.remote_share(&memory(&[(8, 100)])), 0.75);
        close(threads.remote_share(&memory(&[(0, 50), (8, 50)])), 0.5);
        close(threads.remote_share(&memory(&[(2, 100)])), 1.0);
        close(threads.0[0].remote_share(&memory(&[(0, 30), (8, 70)])), 0.7);
    }

    #[test]
    fn idle_threads_have_equal_weights() {
        let threads = threads(&[(Some(0), 0), (Some(0), 0), (Some(1), 0), (Some(1), 0)]);
        assert_eq!(threads.remote_share(&memory(&[(0, 4096)])), Some(0.5));
        assert_eq!(threads.by_node()[1], ThreadNode { node: NodeId(1), threads: 2, share: 0.5 });
    }

    #[test]
    fn no_memory_or_no_known_node_gives_no_share() {
        assert_eq!(threads(&[(Some(0), 1)]).remote_share(&BytesByNode::default()), None);
        assert_eq!(threads(&[(None, 1)]).remote_share(&memory(&[(0, 1)])), None);
    }
}
