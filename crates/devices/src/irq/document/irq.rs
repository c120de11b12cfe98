//! An interrupt.

use nearfar_model::{CpuId, NodeId, NodeSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CpuFact;

/// An interrupt, who may serve it, and who did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Irq {
    /// Its number, as in `/proc/irq`.
    pub number: u32,
    /// The names of its handlers, as drivers choose them: `eth0-rx-0`.
    pub actions: Vec<String>,
    /// The queue that the driver's name for it has; null if it names none.
    pub queue: Option<IrqQueue>,
    /// How it is signalled.
    pub kind: IrqKind,
    /// The interrupt controller; null if unknown.
    pub chip: Option<String>,
    /// The controller's input; null if unknown.
    pub input: Option<u64>,
    /// How it is triggered or handled: `edge`, `level`, `fasteoi`; null if unknown.
    pub trigger: Option<String>,
    /// For a line, the other devices on it, by label.
    pub shared_with: Vec<String>,
    /// The allowed CPUs (`smp_affinity_list`).
    pub allowed: CpuFact,
    /// The CPUs that the kernel chose of them (`effective_affinity_list`).
    pub effective: CpuFact,
    /// The CPUs that the driver suggests (`affinity_hint`); empty: no suggestion.
    pub hint: CpuFact,
    /// The nodes of the CPUs that the kernel chose, else of the allowed ones.
    #[schemars(with = "String")]
    pub nodes: NodeSet,
    /// Where these CPUs are, seen from the device.
    pub place: IrqPlace,
    /// The node of the kernel's data about it (`/proc/irq/N/node`); null if none or unknown.
    #[schemars(with = "Option<u32>")]
    pub kernel_node: Option<NodeId>,
    /// Who decides where it runs.
    pub control: IrqControl,
    /// How often it was served; null if unknown, as after a new start of its counters.
    pub count: Option<u64>,
    /// `count` a second; null since boot.
    pub per_second: Option<f64>,
    /// How often CPUs far from the device served it; null if the device's node is unknown. For a
    /// line: far from all devices on it.
    pub far: Option<u64>,
    /// Counts by node, for nodes that served it.
    pub by_node: Vec<NodeCount>,
    /// Counts by CPU, for CPUs that served it.
    pub by_cpu: Vec<CpuCount>,
}

/// A device's queue.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct IrqQueue {
    /// What it carries.
    pub direction: QueueDirection,
    /// Its number.
    pub number: u32,
}

/// What a queue carries.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum QueueDirection {
    /// Received packets.
    Receive,
    /// Sent packets.
    Transmit,
    /// Both, or requests of a disk.
    Both,
}

/// How an interrupt is signalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IrqKind {
    /// A message, MSI.
    Msi,
    /// A message, MSI-X.
    MsiX,
    /// A message, MSI or MSI-X.
    Message,
    /// A line, which devices may share.
    Line,
    /// Unknown, or neither.
    Other,
}

/// Where an interrupt may run, seen from its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IrqPlace {
    /// On CPUs near the device only.
    Near,
    /// On CPUs far from the device only.
    Far,
    /// On both.
    Both,
    /// The device's node, or the CPUs, are unknown.
    Unknown,
}

/// Who decides where an interrupt runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IrqControl {
    /// Root: its affinity can be set.
    Free,
    /// The kernel: it refuses another affinity for a device's message (mode 0444).
    Managed,
    /// The interrupt controller: the kernel refuses another affinity (mode 0444).
    Fixed,
    /// Unknown until it is tried: kernels before 6.12 do not show it.
    Unknown,
}

/// How often a node served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeCount {
    /// The node.
    #[schemars(with = "u32")]
    pub node: NodeId,
    /// How often.
    pub count: u64,
}

impl NodeCount {
    /// Adds counts to sums by node.
    pub(crate) fn add(sums: &mut Vec<Self>, counts: &[Self]) {
        for count in counts {
            match sums.binary_search_by_key(&count.node, |sum| sum.node) {
                Ok(at) => sums[at].count = sums[at].count.saturating_add(count.count),
                Err(at) => sums.insert(at, *count),
            }
        }
    }
}

/// How often a CPU served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CpuCount {
    /// The CPU.
    #[schemars(with = "u32")]
    pub cpu: CpuId,
    /// How often.
    pub count: u64,
}
