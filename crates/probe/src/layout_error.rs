//! Why a requested survey cannot be laid out.

use nearfar_model::{CpuSet, NodeSet};
use thiserror::Error;

/// A requested CPU or node that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// No CPU is left to run on.
    #[error(
        "no online CPU may be used by this process: see its cpuset (/proc/self/status, \
         Cpus_allowed_list)"
    )]
    NoCpu,
    /// `--cpus ''`.
    #[error("the list of CPUs is empty: name at least one, such as --cpus 0-3")]
    EmptyCpuList,
    /// `--nodes ''`.
    #[error("the list of nodes is empty: name at least one, such as --nodes 0")]
    EmptyNodeList,
    /// CPUs that do not exist.
    #[error("CPU {cpus} does not exist: this machine has CPUs {known}")]
    UnknownCpu {
        /// Those that do not exist.
        cpus: CpuSet,
        /// Those that do.
        known: CpuSet,
    },
    /// CPUs that are offline.
    #[error("CPU {cpus} is offline: echo 1 > /sys/devices/system/cpu/cpuN/online brings it back")]
    OfflineCpu {
        /// Those that are.
        cpus: CpuSet,
    },
    /// CPUs outside the cpuset.
    #[error("CPU {cpus} is outside the cpuset of this process: it may use {allowed}")]
    CpuOutsideCpuset {
        /// Those outside.
        cpus: CpuSet,
        /// Those inside.
        allowed: CpuSet,
    },
    /// Nodes that do not exist.
    #[error("node {nodes} does not exist: this machine has nodes {known}")]
    UnknownNode {
        /// Those that do not exist.
        nodes: NodeSet,
        /// Those that do.
        known: NodeSet,
    },
    /// Nodes that are offline.
    #[error("node {nodes} is offline: it has neither CPUs nor memory online")]
    OfflineNode {
        /// Those that are.
        nodes: NodeSet,
    },
    /// Nodes outside the cpuset.
    #[error("node {nodes} is outside the cpuset of this process: it may use memory of {allowed}")]
    NodeOutsideCpuset {
        /// Those outside.
        nodes: NodeSet,
        /// Those inside.
        allowed: NodeSet,
    },
    /// Nodes were named on a kernel without NUMA.
    #[error("this kernel has no nodes (CONFIG_NUMA is off, or /sys is not mounted): omit --nodes")]
    KernelWithoutNodes,
}
