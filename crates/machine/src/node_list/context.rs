//! The facts that lists are checked against: read on first use, each file once.
//!
//! `nearfar run -m 0 -N 0 true` starts fast if it reads few files: this reads five.

use std::cell::{OnceCell, RefCell};

use nearfar_model::{CpuId, CpuSet, Id, IdSet, NodeId, NodeSet};

use crate::attribute::Attributes;
use crate::process::TaskStatus;
use crate::source::Source;
use crate::topology::cpuset_cpus;

const NODES: &str = "/sys/devices/system/node";
const CPUS: &str = "/sys/devices/system/cpu";

/// What a range may name beside usable IDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RangeRule {
    /// Its ends have to be usable; others within it are left out.
    #[default]
    UsableEnds,
    /// What exists and is not usable is left out, with a note, at its ends, too.
    LeaveOut,
    /// As numactl 2.0.16: an end may be offline, but not outside the cpuset; relative lists count
    /// offline CPUs.
    Numactl,
}

/// What a range names and cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// "CPUs 5", "nodes 2-3".
    pub ids: String,
    /// Why the first of them is left out.
    pub why: String,
}

/// The machine of lists, and how to interpret them.
///
/// Facts are read lazily and cached: one context serves a whole command line and sees one state.
#[derive(Debug)]
pub struct ListContext<'a> {
    /// Whether lists may leave this process's cpuset (`-a`).
    pub ignore_cpuset: bool,
    /// What a range may name beside usable IDs.
    pub(super) ranges: RangeRule,
    /// The last node list, for `same`. The caller sets it after each list.
    pub last: Option<NodeSet>,
    pub(super) source: &'a Source,
    left_out: RefCell<Vec<LeftOut>>,
    status: OnceCell<TaskStatus>,
    online_nodes: OnceCell<NodeSet>,
    memory_nodes: OnceCell<NodeSet>,
    cpu_nodes: OnceCell<NodeSet>,
    usable_cpu_nodes: OnceCell<NodeSet>,
    online_cpus: OnceCell<CpuSet>,
}

impl<'a> ListContext<'a> {
    /// A context for this machine, within the cpuset, without a last list.
    pub fn new(source: &'a Source) -> Self {
        Self {
            ignore_cpuset: false,
            ranges: RangeRule::default(),
            left_out: RefCell::default(),
            last: None,
            source,
            status: OnceCell::new(),
            online_nodes: OnceCell::new(),
            memory_nodes: OnceCell::new(),
            cpu_nodes: OnceCell::new(),
            usable_cpu_nodes: OnceCell::new(),
            online_cpus: OnceCell::new(),
        }
    }

    /// The same with another rule for ranges.
    pub fn with_ranges(self, ranges: RangeRule) -> Self {
        Self { ranges, ..self }
    }

    /// Whether the kernel supports NUMA (`CONFIG_NUMA`). Without it there are no nodes.
    pub fn numa_supported(&self) -> bool {
        self.source.exists(NODES)
    }

    /// Whether sysfs is mounted; in a bare chroot it is not.
    pub fn has_sysfs(&self) -> bool {
        self.source.exists("/sys/devices")
    }

    /// Whether a file exists on the machine.
    pub(super) fn file_exists(&self, path: &str) -> bool {
        self.source.exists(path)
    }

    /// Online nodes.
    ///
    /// # References
    ///
    /// Documentation/ABI/stable/sysfs-devices-node
    pub fn online_nodes(&self) -> &NodeSet {
        self.online_nodes.get_or_init(|| {
            self.list(&format!("{NODES}/online")).unwrap_or_else(|| self.source.ids(NODES, "node"))
        })
    }

    /// Nodes with memory (`has_memory`).
    pub fn memory_nodes(&self) -> &NodeSet {
        self.memory_nodes.get_or_init(|| {
            // Kernels before 3.8 lack this file.
            self.summary("has_memory")
                .unwrap_or_else(|| self.nodes_where(|node| self.has_memory(node)))
        })
    }

    /// Nodes with CPUs (`has_cpu`).
    pub fn cpu_nodes(&self) -> &NodeSet {
        self.cpu_nodes.get_or_init(|| {
            // Kernels before 3.10 may have an empty file.
            self.summary("has_cpu")
                .unwrap_or_else(|| self.nodes_where(|node| !self.cpus_of_node(node).is_empty()))
        })
    }

    /// Online CPUs.
    pub fn online_cpus(&self) -> &CpuSet {
        // Kernels before 2.6.26 lack this file; CPU 0 has no own file if it cannot go offline.
        let runs = |cpu: &CpuId| {
            self.source.text(&format!("{CPUS}/cpu{cpu}/online")).is_none_or(|text| text != "0")
        };
        self.online_cpus.get_or_init(|| {
            self.list(&format!("{CPUS}/online"))
                .unwrap_or_else(|| self.cpu_folders().iter().filter(runs).collect())
        })
    }

    /// Present CPUs, online or not.
    pub(super) fn present_cpus(&self) -> CpuSet {
        self.list(&format!("{CPUS}/present")).unwrap_or_else(|| self.cpu_folders())
    }

    /// Nodes allowed for memory: `all` in [`node_list`](super::node_list).
    pub fn usable_memory_nodes(&self) -> NodeSet {
        match (self.ignore_cpuset, &self.status().nodes) {
            (false, Some(allowed)) => within(self.memory_nodes(), allowed),
            _ => self.memory_nodes().clone(),
        }
    }

    /// Nodes allowed for CPUs: `all` in [`cpu_node_list`](super::cpu_node_list).
    ///
    /// The cpuset limits them, not this process's affinity, which `-N` may exceed.
    pub fn usable_cpu_nodes(&self) -> &NodeSet {
        if self.ignore_cpuset {
            return self.cpu_nodes();
        }
        self.usable_cpu_nodes.get_or_init(|| match self.narrowing_cpuset() {
            None => self.cpu_nodes().clone(),
            Some(cpuset) => self
                .cpu_nodes()
                .iter()
                .filter(|node| !self.cpus_of_node(*node).is_disjoint(&cpuset))
                .collect(),
        })
    }

    /// CPUs allowed: `all` in [`cpu_list`](super::cpu_list).
    pub fn usable_cpus(&self) -> CpuSet {
        match (self.ignore_cpuset, &self.status().cpus) {
            (false, Some(allowed)) => within(self.online_cpus(), allowed),
            _ => self.online_cpus().clone(),
        }
    }

    /// What ranges have left out since the last call.
    pub fn take_left_out(&self) -> Vec<LeftOut> {
        self.left_out.take()
    }

    pub(super) fn leave_out(&self, ids: String, why: String) {
        self.left_out.borrow_mut().push(LeftOut { ids, why });
    }

    /// Present CPUs of this process's mask, online or not.
    pub(super) fn allowed_cpus(&self) -> CpuSet {
        match (self.ignore_cpuset, &self.status().cpus) {
            (false, Some(allowed)) => within(&self.present_cpus(), allowed),
            _ => self.present_cpus(),
        }
    }

    /// The online CPUs of these nodes. The kernel applies the cpuset itself.
    pub fn cpus_of(&self, nodes: &NodeSet) -> CpuSet {
        let cpus =
            nodes.iter().fold(CpuSet::new(), |sum, node| sum.union(&self.cpus_of_node(node)));
        within(&cpus, self.online_cpus())
    }

    /// The CPUs of the cpuset, if it excludes some. No file is read if the affinity has all CPUs.
    fn narrowing_cpuset(&self) -> Option<CpuSet> {
        let affinity = self.status().cpus.as_ref()?;
        if self.online_cpus().is_subset(affinity) {
            return None;
        }
        let cpuset = cpuset_cpus(self.source)?.union(affinity);
        (!self.online_cpus().is_subset(&cpuset)).then_some(cpuset)
    }

    fn cpus_of_node(&self, node: NodeId) -> CpuSet {
        let folder = format!("{NODES}/node{node}");
        let read = Attributes::new(self.source);
        read.list_or_mask(&format!("{folder}/cpulist"), &format!("{folder}/cpumap"))
            .unwrap_or_default()
    }

    fn has_memory(&self, node: NodeId) -> bool {
        let text = self.source.text(&format!("{NODES}/node{node}/meminfo")).unwrap_or_default();
        let total =
            text.lines().find_map(|line| line.split_once("MemTotal:")).map(|(_, size)| size.trim());
        total.is_some_and(|size| !size.starts_with("0 "))
    }

    fn nodes_where(&self, is: impl Fn(NodeId) -> bool) -> NodeSet {
        self.online_nodes().iter().filter(|&node| is(node)).collect()
    }

    fn cpu_folders(&self) -> CpuSet {
        self.source.ids(CPUS, "cpu")
    }

    /// The process's masks: its affinity and the cpuset's nodes. Missing, malformed and empty sets
    /// are ignored.
    fn status(&self) -> &TaskStatus {
        self.status.get_or_init(|| {
            let status =
                TaskStatus::parse(&self.source.text("/proc/self/status").unwrap_or_default());
            let (cpus, nodes) = (
                status.cpus.filter(|cpus| !cpus.is_empty()),
                status.nodes.filter(|nodes| !nodes.is_empty()),
            );
            TaskStatus { cpus, nodes, ..TaskStatus::default() }
        })
    }

    /// A file with the nodes that have a property. An empty one is ignored.
    fn summary(&self, name: &str) -> Option<NodeSet> {
        self.list(&format!("{NODES}/{name}")).filter(|nodes: &NodeSet| !nodes.is_empty())
    }

    fn list<T: Id>(&self, path: &str) -> Option<IdSet<T>> {
        IdSet::parse_list(&self.source.text(path)?).ok()
    }
}

/// The allowed part of a set. A limit that leaves nothing is ignored, since the process runs.
fn within<T: Id>(all: &IdSet<T>, allowed: &IdSet<T>) -> IdSet<T> {
    let left = all.intersection(allowed);
    if left.is_empty() { all.clone() } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_masks_are_ignored() {
        let status =
            "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\nMems_allowed_list:\tx\n";
        let source = Source::from_files([("/proc/self/status", status)]);
        let context = ListContext::new(&source);
        assert_eq!(context.status().cpus.as_ref().unwrap().to_string(), "0-3,6");
        assert!(context.status().nodes.is_none());
    }
}
