//! Figures of findings.

use nearfar_devices::DeviceFinding;
use nearfar_devices::irq::IrqFinding;
use nearfar_firmware::linux::log::NodeBinding;
use nearfar_model::NodeSet;
use serde::{Deserialize, Serialize};

/// The figures of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum FindingDetail {
    /// A rule of the kernel, as a clause.
    Rule {
        /// The clause.
        clause: String,
    },
    /// A finding about a device: of several with this code the first.
    Device {
        /// The finding.
        finding: DeviceFinding,
    },
    /// A finding about interrupts: of several with this code the first.
    Interrupt {
        /// The finding.
        finding: IrqFinding,
    },
    /// Everything is in one domain, in a guest. The host's nodes are unknown.
    OneDomainOfGuest,
    /// Everything is in one domain. The number of memories is unknown.
    OneDomainOfUnknown,
    /// Everything is in one domain, and a setting can split this CPU's memory.
    OneDomainToSplit,
    /// Everything is in one domain.
    OneDomain,
    /// Everything is in one domain, and there are several memories.
    OneDomainOfSeveral,
    /// Nodes are emulated by numa=fake=, without relation to the hardware.
    NodesMadeUp,
    /// Nodes are emulated by numa=fake=, and the kernel interleaves memory over them.
    NodesInterleaved,
    /// The tables give other nodes than the kernel has.
    NodesDiffer {
        /// Number of nodes in the tables.
        tables: usize,
        /// Number of nodes of the kernel.
        kernel: usize,
    },
    /// The tables give nodes, and the kernel's log reports none.
    LogFoundNone {
        /// Number of nodes in the tables.
        tables: usize,
    },
    /// Nodes with memory and without CPUs.
    NodesWithoutCpus {
        /// The nodes.
        #[schemars(with = "String")]
        nodes: NodeSet,
    },
    /// Nodes with CPUs and without memory.
    NodesWithoutMemory {
        /// The nodes.
        #[schemars(with = "String")]
        nodes: NodeSet,
        /// The nodes that have memory.
        #[schemars(with = "String")]
        memory_nodes: NodeSet,
    },
    /// All distances are 20, and whether the SLIT has them could not be read.
    DistancesMayBeDefault,
    /// Sockets without a memory module.
    EmptySockets {
        /// The sockets' names.
        sockets: Vec<String>,
    },
    /// Sockets with unequal memory.
    UnequalSockets {
        /// The smallest socket's memory.
        least_bytes: u64,
        /// The largest socket's memory.
        most_bytes: u64,
    },
    /// Channels of a socket with unequal memory.
    UnequalChannels {
        /// The socket; null where the board names none.
        socket: Option<String>,
        /// The difference between two channels.
        by_bytes: u64,
    },
    /// Channels without a module.
    EmptyChannels {
        /// Number of empty channels.
        empty: usize,
        /// Number of all channels.
        channels: usize,
    },
    /// The kernel has less memory than the modules.
    MemoryLeftOut {
        /// Memory of the modules.
        modules_bytes: u64,
        /// Memory of the kernel.
        kernel_bytes: u64,
    },
    /// An allocation could use some nodes only, they were full, and the kernel killed a program.
    OutOfMemoryOnNode {
        /// The program that was killed, which may be another one than the bound one.
        program: String,
        /// Its process.
        pid: u64,
        /// The program whose allocation failed; null if the log does not have it.
        bound_program: Option<String>,
        /// What allowed no other node.
        bound_by: NodeBinding,
        /// The full nodes.
        #[schemars(with = "String")]
        nodes: NodeSet,
        /// Nodes that a cpuset allows and the memory policy does not.
        #[schemars(with = "String")]
        other_nodes: NodeSet,
        /// What these could give then, above their min watermarks; null if not in the log.
        free_elsewhere_bytes: Option<u64>,
        /// Kills in the log with the same binding to the same nodes. The kernel omits some.
        times: usize,
    },
    /// Two outputs disagree.
    OutputsDiffer {
        /// About what: "nodes", "node-cpus", "packages", "cores", "caches", "memory",
        /// "device-node".
        about: String,
    },
}
