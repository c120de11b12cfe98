//! What a list is held against: read when first needed, each file once.
//!
//! A command such as `nearfar run -m 0 -N 0 true` starts as fast as it reads few files: this reads
//! five.

use std::cell::OnceCell;

use nearfar_model::{CpuId, CpuSet, Id, IdSet, NodeId, NodeSet};

use crate::attribute::Attributes;
use crate::process::TaskStatus;
use crate::source::Source;
use crate::topology::cpuset_cpus;

const NODES: &str = "/sys/devices/system/node";
const CPUS: &str = "/sys/devices/system/cpu";

/// The machine that lists speak of, and how they are to be read.
///
/// Facts are read lazily and kept, so one context serves a whole command line and sees one machine.
#[derive(Debug)]
pub struct ListContext<'a> {
    /// Whether lists may name what is outside this process's cpuset (`-a`).
    pub ignore_cpuset: bool,
    /// The last node list, for `same`. Whoever reads lists one by one sets it after each.
    pub last: Option<NodeSet>,
    pub(super) source: &'a Source,
    status: OnceCell<TaskStatus>,
    online_nodes: OnceCell<NodeSet>,
    memory_nodes: OnceCell<NodeSet>,
    cpu_nodes: OnceCell<NodeSet>,
    usable_cpu_nodes: OnceCell<NodeSet>,
    online_cpus: OnceCell<CpuSet>,
}

impl<'a> ListContext<'a> {
    /// Lists about this machine, within the cpuset, with nothing before them.
    pub fn new(source: &'a Source) -> Self {
        Self {
            ignore_cpuset: false,
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

    /// Whether the kernel knows of NUMA (`CONFIG_NUMA`). Without it there are no nodes to name.
    pub fn numa_supported(&self) -> bool {
        self.source.exists(NODES)
    }

    /// Whether sysfs is there to tell; in a bare chroot it is not.
    pub fn has_sysfs(&self) -> bool {
        self.source.exists("/sys/devices")
    }

    /// Whether the machine has a file of this path.
    pub(super) fn file_exists(&self, path: &str) -> bool {
        self.source.exists(path)
    }

    /// Nodes that exist.
    pub fn online_nodes(&self) -> &NodeSet {
        let folders = || self.source.ids(NODES, "node");
        self.online_nodes
            .get_or_init(|| self.list(&format!("{NODES}/online")).unwrap_or_else(folders))
    }

    /// Nodes that have memory.
    pub fn memory_nodes(&self) -> &NodeSet {
        self.memory_nodes.get_or_init(|| {
            // Kernels before 3.8 do not sum it up.
            self.summary("has_memory")
                .unwrap_or_else(|| self.nodes_where(|node| self.has_memory(node)))
        })
    }

    /// Nodes that have CPUs.
    pub fn cpu_nodes(&self) -> &NodeSet {
        self.cpu_nodes.get_or_init(|| {
            // Kernels before 3.10 may have it empty.
            self.summary("has_cpu")
                .unwrap_or_else(|| self.nodes_where(|node| !self.cpus_of_node(node).is_empty()))
        })
    }

    /// CPUs that are online.
    pub fn online_cpus(&self) -> &CpuSet {
        // Kernels before 2.6.26 do not sum it up; CPU 0 has no file of its own where it cannot go
        // offline.
        let runs = |cpu: &CpuId| {
            self.source.text(&format!("{CPUS}/cpu{cpu}/online")).is_none_or(|text| text != "0")
        };
        self.online_cpus.get_or_init(|| {
            self.list(&format!("{CPUS}/online"))
                .unwrap_or_else(|| self.cpu_folders().iter().filter(runs).collect())
        })
    }

    /// CPUs that are there, online or not.
    pub(super) fn present_cpus(&self) -> CpuSet {
        self.list(&format!("{CPUS}/present")).unwrap_or_else(|| self.cpu_folders())
    }

    /// Nodes that memory may be asked of: what `all` means to [`node_list`](super::node_list).
    pub fn usable_memory_nodes(&self) -> NodeSet {
        match (self.ignore_cpuset, &self.status().nodes) {
            (false, Some(allowed)) => within(self.memory_nodes(), allowed),
            _ => self.memory_nodes().clone(),
        }
    }

    /// Nodes whose CPUs may be asked for: what `all` means to
    /// [`cpu_node_list`](super::cpu_node_list).
    ///
    /// The cpuset bounds them, not the affinity that this process happens to have: `-N` may leave
    /// that.
    pub fn usable_cpu_nodes(&self) -> &NodeSet {
        if self.ignore_cpuset {
            return self.cpu_nodes();
        }
        self.usable_cpu_nodes.get_or_init(|| match self.narrowing_cpuset() {
            None => self.cpu_nodes().clone(),
            Some(cpuset) => {
                let usable = |node: &NodeId| !self.cpus_of_node(*node).is_disjoint(&cpuset);
                self.cpu_nodes().iter().filter(usable).collect()
            }
        })
    }

    /// CPUs that may be asked for: what `all` means to [`cpu_list`](super::cpu_list).
    pub fn usable_cpus(&self) -> CpuSet {
        match (self.ignore_cpuset, &self.status().cpus) {
            (false, Some(allowed)) => within(self.online_cpus(), allowed),
            _ => self.online_cpus().clone(),
        }
    }

    /// The online CPUs of these nodes. The cpuset is left to the kernel, which narrows to it.
    pub fn cpus_of(&self, nodes: &NodeSet) -> CpuSet {
        let cpus =
            nodes.iter().fold(CpuSet::new(), |sum, node| sum.union(&self.cpus_of_node(node)));
        within(&cpus, self.online_cpus())
    }

    /// The CPUs of the cpuset, where it leaves out some; nothing to read further where the affinity
    /// has all CPUs.
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

    /// The process's own masks: CPUs of its affinity, which the cpuset bounds; the cpuset's nodes.
    /// A set that is missing, damaged or empty says nothing: the process runs.
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

    /// A file that sums up which nodes have something. That none has is not believed.
    fn summary(&self, name: &str) -> Option<NodeSet> {
        self.list(&format!("{NODES}/{name}")).filter(|nodes: &NodeSet| !nodes.is_empty())
    }

    fn list<T: Id>(&self, path: &str) -> Option<IdSet<T>> {
        IdSet::parse_list(&self.source.text(path)?).ok()
    }
}

/// A set less what is not allowed. What would leave nothing is not believed: the process runs.
fn within<T: Id>(all: &IdSet<T>, allowed: &IdSet<T>) -> IdSet<T> {
    let left = all.intersection(allowed);
    if left.is_empty() { all.clone() } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_read_and_nonsense_says_nothing() {
        let status =
            "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\nMems_allowed_list:\tx\n";
        let source = Source::from_files([("/proc/self/status", status)]);
        let context = ListContext::new(&source);
        assert_eq!(context.status().cpus.as_ref().unwrap().to_string(), "0-3,6");
        assert!(context.status().nodes.is_none());
    }
}
