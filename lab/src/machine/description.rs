//! The description language: what each key of a machine's file means.
//!
//! Figures are those of the real machine, in its own nanoseconds and GB/s; `slowdown` alone sets
//! how much slower the lab runs it. Where a matrix goes by nodes, its rows are the nodes with CPUs
//! and its columns the nodes with memory, both in the order of their ids, except where a key
//! documents another order.

use std::path::PathBuf;

use nearfar_lab_cost::{Bursts, Drift, ModifiedLines, Streams};
use nearfar_model::{CpuId, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use super::NumberMatrix;
use super::arch::Arch;
use super::devices::{Device, HostBridgeDescription};
use super::node::NodeDescription;
use super::per_node::PerNode;

/// A machine, as its file describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    /// One line for `nearfar-lab list`.
    pub(crate) summary: String,
    /// Where its figures come from.
    pub(crate) source: Option<String>,
    /// `x86_64` (a PC with ACPI) or `aarch64` (a board with a device tree).
    pub(crate) arch: Arch,
    /// One nanosecond of the machine takes this many in the lab. The emulator itself takes some 100
    /// ns an access: let local memory come to 450 or more.
    #[serde(default = "one")]
    pub(crate) slowdown: f64,
    /// Sockets that hold CPUs.
    #[serde(default = "one")]
    pub(crate) packages: usize,
    /// Hardware threads of a core (SMT). CPUs of a core have neighbouring numbers.
    #[serde(default = "one")]
    pub(crate) threads_per_core: usize,
    /// Lines that each CPU's model cache holds: hits cost nothing.
    #[serde(default = "cache_lines")]
    pub(crate) cache_lines: usize,
    /// What is drawn is drawn from this.
    #[serde(default = "one")]
    pub(crate) seed: u64,
    /// Its true nodes, by rising id.
    #[serde(rename = "node")]
    pub(crate) nodes: Vec<NodeDescription>,
    /// How firmware spreads memory: absent, each node's memory is one piece.
    pub(crate) interleave: Option<InterleaveDescription>,
    /// What an access costs that nothing else delays.
    pub(crate) latency: LatencyDescription,
    /// How fast lines can follow each other.
    #[serde(default)]
    pub(crate) bandwidth: BandwidthDescription,
    /// How many lines a CPU has on their way where it goes from line to neighbouring line; absent:
    /// one.
    pub(crate) streams: Option<Streams>,
    /// What a line costs that another CPU holds modified, by nodes with CPUs; absent: what memory
    /// costs.
    pub(crate) modified: Option<ModifiedLines>,
    /// What disturbs the machine.
    #[serde(default)]
    pub(crate) noise: NoiseDescription,
    /// Firmware's claims to the kernel.
    #[serde(default)]
    pub(crate) firmware: FirmwareDescription,
    /// PCI host bridges beside the machine's own.
    #[serde(default, rename = "host_bridge")]
    pub(crate) host_bridges: Vec<HostBridgeDescription>,
    /// Devices below them.
    #[serde(default, rename = "device")]
    pub(crate) devices: Vec<Device>,
    /// What it costs a CPU to reach registers of devices of other nodes; absent: nothing.
    pub(crate) device_access: Option<DeviceAccessDescription>,
    /// Words for the kernel's command line ("numa=off").
    #[serde(default)]
    pub(crate) kernel_args: String,
}

impl Description {
    /// Nodes with CPUs: the rows of its costs.
    pub(crate) fn cpu_nodes(&self) -> impl Iterator<Item = &NodeDescription> {
        self.nodes.iter().filter(|node| node.has_cpus())
    }

    /// Nodes with memory: the columns of its costs.
    pub(crate) fn memory_nodes(&self) -> impl Iterator<Item = &NodeDescription> {
        self.nodes.iter().filter(|node| node.memory.is_some())
    }
}

fn one<T: From<u8>>() -> T {
    T::from(1)
}

fn cache_lines() -> usize {
    4096
}

/// How firmware spreads memory over nodes that it hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum InterleaveDescription {
    /// Neighbouring lines lie in different nodes.
    Lines,
}

/// Uncontended latencies: one of the two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LatencyDescription {
    /// Each node's CPUs × each node's memory.
    pub(crate) ns: Option<NumberMatrix>,
    /// The same everywhere.
    pub(crate) flat_ns: Option<f64>,
}

/// Costs of registers of another node's devices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeviceAccessDescription {
    /// A load by a driver.
    pub(crate) far_load_us: f64,
    /// A store by a driver.
    pub(crate) far_store_us: f64,
}

/// Limits of bandwidth; absent: none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct BandwidthDescription {
    /// What each node's memory hands out: one number for all, or one for each node with memory.
    pub(crate) node_gb_s: Option<PerNode>,
    /// What passes between nodes.
    #[serde(rename = "link")]
    pub(crate) links: Vec<LinkDescription>,
}

/// A connection between nodes. Lines that CPUs at one end read from memory at the other pass it in
/// one direction, lines that they write back in the other. Either `between` (both directions, each
/// as fast), or `from` and `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkDescription {
    /// The nodes at its two ends.
    pub(crate) between: Option<[NodeSet; 2]>,
    /// Nodes whose CPUs read...
    pub(crate) from: Option<NodeSet>,
    /// ... the memory of these.
    pub(crate) to: Option<NodeSet>,
    /// In each direction.
    pub(crate) gb_s: f64,
}

/// Disturbances, in seconds since the guest's start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NoiseDescription {
    /// All costs swing slowly.
    pub(crate) drift: Option<Drift>,
    /// Short times in which everything costs more.
    pub(crate) bursts: Option<Bursts>,
    /// A hypervisor moves CPUs.
    #[serde(rename = "move")]
    pub(crate) moves: Vec<MoveDescription>,
}

/// From some time on, a CPU runs in another node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveDescription {
    /// When.
    pub(crate) at_s: f64,
    /// Which CPU.
    pub(crate) cpu: CpuId,
    /// Where it runs from then on.
    pub(crate) to_node: NodeId,
}

/// Firmware's claims to the kernel, true or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FirmwareDescription {
    /// Whether it describes nodes at all.
    pub(crate) describes: Describes,
    /// The distances that it claims, every node × every node; absent: none, and the kernel takes
    /// 10 and 20.
    pub(crate) slit: Option<Vec<Vec<u8>>>,
    /// Whether it gives an HMAT (x86_64).
    pub(crate) hmat: bool,
    /// Latencies that the HMAT claims instead of the true ones.
    pub(crate) hmat_latency_ns: Option<NumberMatrix>,
    /// Bandwidths that the HMAT claims instead of the true ones.
    pub(crate) hmat_bandwidth_gb_s: Option<NumberMatrix>,
    /// Binary ACPI tables to inject; paths go from the description's folder.
    pub(crate) tables: Vec<PathBuf>,
}

/// Firmware's claims about nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Describes {
    /// Which CPUs and memory are in which node.
    #[default]
    Nodes,
    /// Nothing: the kernel sees one node, whatever there is.
    OneNode,
}
