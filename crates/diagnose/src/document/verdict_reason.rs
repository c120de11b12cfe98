//! What a verdict's sentence is made of, beside the verdict and its cause.

use nearfar_model::{CpuSet, NodeId};
use serde::{Deserialize, Serialize};

use super::open_question::OpenQuestion;

/// Why the verdict is what it is, where the verdict and its cause do not say it all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum VerdictReason {
    /// Uniform: all packages share one bus to memory.
    OneBus,
    /// Uniform: machines with this CPU model have one package with one memory.
    OneMemoryModel,
    /// Uniform: firmware calls it a portable machine.
    Portable,
    /// Uniform: there is one package with one memory, and firmware names no other.
    OnePackage,
    /// Uniform: firmware puts everything in one domain, and nothing speaks against it.
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
        /// Whether that is only very likely: the CPU model says nothing.
        likely: bool,
    },
    /// Withheld: there are several memories.
    SeveralMemories,
    /// Withheld in a guest.
    Guest {
        /// The hypervisor; null where nobody names it.
        hypervisor: Option<String>,
    },
    /// Visible: the kernel shows nodes.
    NodesShown {
        /// How many.
        nodes: usize,
    },
    /// Visible: tables alone name nodes.
    NodesInTables {
        /// How many.
        nodes: usize,
    },
    /// Undetermined: the tables name nodes, and the kernel's log found none.
    Contradiction {
        /// How many nodes the tables name.
        nodes: usize,
    },
    /// Undetermined: one node is online, and it is not the whole machine.
    Incomplete {
        /// What is outside.
        outside: OutsideNode,
    },
    /// Undetermined: firmware names no nodes, and that may be right.
    NoNodeNamed {
        /// What is not known.
        question: OpenQuestion,
    },
    /// Undetermined: firmware names one node, and that may be right.
    OneNodeNamed {
        /// What is not known.
        question: OpenQuestion,
    },
    /// Undetermined: something that decides is not known.
    Undecided {
        /// How many nodes the kernel shows.
        nodes: usize,
        /// What is not known.
        question: OpenQuestion,
    },
    /// Undetermined: neither tables nor log could be read.
    Unread {
        /// How many nodes the kernel shows.
        nodes: usize,
    },
}

/// What a node that is alone online does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum OutsideNode {
    /// CPUs that are online and not in the node.
    Cpus {
        /// Which.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        cpus: CpuSet,
        /// The node.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
    },
    /// A node that is offline, and has CPUs or memory.
    Node {
        /// Which.
        #[cfg_attr(feature = "schema", schemars(with = "u32"))]
        node: NodeId,
    },
}
