//! A process and its machine, as they were observed.

use nearfar_machine::process::{NodeSummaries, NumaPolicy};
use nearfar_model::{Bytes, NodeSet};
use nearfar_process::{NodeWeights, PageSample, usable_nodes};

use crate::explain::access_costs::AccessCosts;

/// A process, as it was observed.
#[derive(Clone, Debug, Default)]
pub struct ObservedProcess {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Its memory.
    pub memory: Bytes,
    /// A sample of its pages.
    pub pages: PageSample,
    /// The CPU time of its threads by node; the sum is 1.
    pub weights: NodeWeights,
    /// Number of threads.
    pub threads: usize,
    /// CPUs that it kept busy while it was observed.
    pub busy_cpus: f64,
    /// Nodes that its cpuset allows for memory; `None` if unknown.
    pub allowed_nodes: Option<NodeSet>,
    /// Its first thread's memory policy: that of its new pages; `None` if unknown.
    pub policy: Option<NumaPolicy>,
    /// Locked memory.
    pub locked: Bytes,
    /// Pinned memory.
    pub pinned: Bytes,
    /// Whether it belongs to another user, whose processes this one may not move.
    pub is_of_other_user: bool,
}

impl ObservedProcess {
    /// The nodes that it can have memory on: those with memory, within its cpuset.
    pub(crate) fn usable_nodes(&self, nodes: &NodeSummaries) -> NodeSet {
        usable_nodes(nodes, self.allowed_nodes.as_ref())
    }
}

/// The machine around a process.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// CPUs and free memory of each node.
    pub nodes: &'a NodeSummaries,
    /// What memory costs, if a survey is kept.
    pub costs: Option<&'a AccessCosts>,
    /// Whether the kernel moves pages by itself; `None` if it cannot.
    pub balancing: Option<bool>,
}
