//! The reason of a verdict.

use nearfar_model::{CpuSet, NodeId};
use serde::{Deserialize, Serialize};

use super::open_question::OpenQuestion;

/// The reason of a verdict, where the verdict and its cause need an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum DiagnosisReason {
    /// Uniform: all packages share one bus to memory.
    OneBus,
    /// Uniform: machines with this CPU model have one package with one memory.
    OneMemoryModel,
    /// Uniform: firmware calls it a portable machine.
    Portable,
    /// Uniform: there is one package with one memory, and firmware names no other.
    OnePackage,
    /// Uniform: firmware puts everything in one domain, and nothing contradicts it.
    OneDomain,
    /// Withheld: each die of these packages has a memory of its own.
    MemoryOfDies {
        /// Packages.
        packages: usize,
        /// Dies of a package.
        dies: u32,
    },
    /// Withheld: each package has a memory of its own.
    MemoryOfPackages {
        /// Packages.
        packages: usize,
        /// Whether it is only very likely: the CPU model is unknown.
        likely: bool,
    },
    /// Withheld: there are several memories.
    SeveralMemories,
    /// Withheld in a guest.
    Guest {
        /// The hypervisor; null where it is unknown.
        hypervisor: Option<String>,
    },
    /// Visible: the kernel shows nodes.
    NodesShown {
        /// Number of nodes.
        nodes: usize,
    },
    /// Visible: only the tables name nodes.
    NodesInTables {
        /// Number of nodes.
        nodes: usize,
    },
    /// Visible: only the log names nodes.
    NodesInLog {
        /// Number of nodes.
        nodes: usize,
    },
    /// Visible: emulated nodes, over which the kernel interleaves all memory.
    NodesInterleaved {
        /// Number of nodes.
        nodes: usize,
    },
    /// Undetermined: the tables name nodes, and the kernel's log reports none.
    Contradiction {
        /// Number of nodes in the tables.
        nodes: usize,
    },
    /// Undetermined: the only online node does not have the whole machine.
    Incomplete {
        /// What it does not have.
        outside: OutsideNode,
    },
    /// Undetermined: firmware names no node, which may be correct.
    NoNodeNamed {
        /// The missing information.
        question: OpenQuestion,
    },
    /// Undetermined: firmware names one node, which may be correct.
    OneNodeNamed {
        /// The missing information.
        question: OpenQuestion,
    },
    /// Undetermined: deciding information is missing.
    Undecided {
        /// Number of nodes of the kernel.
        nodes: usize,
        /// The missing information.
        question: OpenQuestion,
    },
    /// Undetermined: neither tables nor log could be read.
    Unread {
        /// Number of nodes of the kernel.
        nodes: usize,
    },
}

/// What the only online node does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum OutsideNode {
    /// Online CPUs outside the node.
    Cpus {
        /// The CPUs.
        #[schemars(with = "String")]
        cpus: CpuSet,
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
    },
    /// An offline node with CPUs or memory.
    Node {
        /// The node.
        #[schemars(with = "u32")]
        node: NodeId,
    },
}
