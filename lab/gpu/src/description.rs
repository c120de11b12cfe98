//! The description language: what each key of a GPU machine's file means.
//!
//! Lists by node have a number for each node, from 0; nodes beyond the list have its last number.

use std::path::PathBuf;

use serde::Deserialize;

/// A machine's driver and GPUs, as its file describes them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// What it is, in a line.
    pub summary: String,
    /// Interfaces whose initialisation finds the GPUs; the others find none.
    #[serde(default = "both")]
    pub apis: Vec<Api>,
    /// The driver's version ("12.4").
    #[serde(default = "version")]
    pub version: String,
    /// GPUs, in the driver's order.
    #[serde(rename = "gpu")]
    pub gpus: Vec<GpuDescription>,
    /// Links between nodes that copies share.
    #[serde(default, rename = "link")]
    pub links: Vec<LinkDescription>,
    /// Copies from GPU to GPU; a pair that is not described goes through the host.
    #[serde(default, rename = "peer")]
    pub peers: Vec<PeerDescription>,
    /// What goes wrong.
    #[serde(default)]
    pub faults: Faults,
}

/// A driver's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Api {
    /// NVIDIA's driver interface.
    Cuda,
    /// AMD's HIP.
    Hip,
}

/// A GPU.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpuDescription {
    /// Its product name. A slice of a GPU has "MIG" in its name, as drivers write it.
    pub name: String,
    /// Its address on the PCI bus ("0000:3b:00.0").
    pub address: String,
    /// Its memory in MiB.
    pub memory_mib: u64,
    /// Its true node: from here its copies cross links.
    pub node: usize,
    /// The nearest node, as the driver claims; absent: the driver does not know the attribute.
    pub claimed_node: Option<i32>,
    /// Rate of copies from registered memory of each node, in GB/s (10⁹ bytes).
    pub to_device_gb_s: Vec<f64>,
    /// Rate of copies to registered memory of each node, in GB/s.
    pub from_device_gb_s: Vec<f64>,
    /// Rate of copies from and to other memory of each node, in GB/s.
    pub pageable_gb_s: Vec<f64>,
    /// Both directions together, in GB/s; absent: they do not slow each other.
    pub both_gb_s: Option<f64>,
    /// From a copy's turn to its first byte, by the node of the host's memory, in microseconds.
    pub latency_us: Vec<f64>,
    /// What the calling CPU's node adds to that, in microseconds; absent: nothing.
    #[serde(default)]
    pub cpu_us: Vec<f64>,
}

/// A link between two sets of nodes. Its directions do not slow each other.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkDescription {
    /// What copies share in each direction, in GB/s.
    pub gb_s: f64,
    /// The nodes on its two sides.
    pub sides: [Vec<usize>; 2],
}

/// Copies from one GPU to another.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerDescription {
    /// The source, by its place among the GPUs.
    pub from: usize,
    /// The destination.
    pub to: usize,
    /// Their rate in GB/s.
    pub gb_s: f64,
    /// From a copy's turn to its first byte, in microseconds.
    pub latency_us: f64,
    /// Whether the destination can use the source's memory directly. Copies without access cross
    /// the links between the GPUs' nodes.
    pub access: bool,
}

/// What goes wrong.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faults {
    /// The driver's code with which its initialisation fails.
    pub init: Option<i32>,
    /// What becomes of registering memory of the host.
    #[serde(default)]
    pub register: Registration,
    /// How much memory of a GPU can be allocated, in MiB; absent: all of it.
    pub allocate_mib: Option<u64>,
    /// A GPU that disappears.
    pub lost: Option<LostGpu>,
    /// Events' times are multiplied by this.
    pub event_clock: Option<f64>,
}

/// What becomes of registering memory of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Registration {
    /// It succeeds.
    #[default]
    Allowed,
    /// The system does not support it.
    NotSupported,
    /// The caller may not.
    NotPermitted,
    /// The kernel locks the memory, within the caller's `RLIMIT_MEMLOCK`.
    Memlock,
}

/// A GPU that disappears while it works.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LostGpu {
    /// The GPU, by its place.
    pub gpu: usize,
    /// The copy after this many of a process never ends.
    pub after_copies: u64,
    /// The code of every later call.
    #[serde(default = "unknown")]
    pub code: i32,
    /// A file that then appears. Processes that start while it is there do not find the GPU.
    pub marker: Option<PathBuf>,
}

fn both() -> Vec<Api> {
    vec![Api::Cuda, Api::Hip]
}

fn version() -> String {
    "12.4".to_owned()
}

/// What drivers return after a GPU has fallen off the bus (`CUDA_ERROR_UNKNOWN`).
fn unknown() -> i32 {
    999
}

/// The number for a node, of a list by node.
pub(crate) fn by_node(list: &[f64], node: usize) -> f64 {
    list.get(node).or(list.last()).copied().unwrap_or_default()
}
