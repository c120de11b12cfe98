//! The document of `nearfar irq --json`.

mod balancer;
mod cpu_fact;
mod device;
mod finding;
mod folded;
mod irq;
mod queues;
mod saved_file;
mod totals;

use nearfar_model::{CpuSet, NodeSet};
use serde::{Deserialize, Serialize};

use crate::irq::activity::Span;

pub use balancer::{IrqBalancer, IrqBalancerState};
pub use cpu_fact::CpuFact;
pub use device::IrqDevice;
pub use finding::IrqFinding;
pub use folded::IrqFolded;
pub use irq::{CpuCount, Irq, IrqControl, IrqKind, IrqPlace, IrqQueue, NodeCount, QueueDirection};
pub use queues::{DiskQueueCpus, IrqDisk, IrqInterface, ReceiveQueueCpus, TransmitQueueCpus};
pub use saved_file::SavedFile;
pub use totals::{CpuInterrupt, NodeTotal, Softirq};

/// The schema of [`IrqDocument`]. Within a number, parts may be added, never changed.
pub const SCHEMA: &str = "nearfar.irq/1";

/// The interrupts of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqDocument {
    /// The schema's name: `nearfar.irq/1`.
    pub schema: String,
    /// The machine: its model of CPU, or what its firmware calls it; null if unknown.
    pub machine: Option<String>,
    /// The kernel's version; null if unknown.
    pub kernel: Option<String>,
    /// The online nodes; empty if unknown.
    #[schemars(with = "String")]
    pub nodes: NodeSet,
    /// The CPUs with counters: those that are online.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// Seconds between the two snapshots that counts are of; null: counts are since boot, or
    /// between the tables of `saved`.
    pub seconds: Option<f64>,
    /// CPUs that came or went between the snapshots: their interrupts are not counted.
    #[schemars(with = "String")]
    pub changed_cpus: CpuSet,
    /// Devices that have interrupts, by address; those without PCI last.
    pub devices: Vec<IrqDevice>,
    /// Interrupts of no known device: timers, ports of firmware.
    pub others: Vec<Irq>,
    /// Interrupts of the CPUs themselves: timers, calls between CPUs.
    pub cpu_interrupts: Vec<CpuInterrupt>,
    /// The work after interrupts, by kind.
    pub softirqs: Vec<Softirq>,
    /// Devices' interrupts by the node that served them.
    pub totals: Vec<NodeTotal>,
    /// The share of devices' interrupts that a far node served, 0 to 1; null if none of them has
    /// a device whose node is known.
    pub far_share: Option<f64>,
    /// irqbalance; null for a saved `/proc/interrupts` alone.
    pub balancer: Option<IrqBalancer>,
    /// Flows that are steered to readers, of all interfaces (`rps_sock_flow_entries`); null if
    /// unknown.
    pub flow_entries: Option<u64>,
    /// `irqaffinity=` of the kernel's command line; null without it.
    #[schemars(with = "Option<String>")]
    pub default_cpus: Option<CpuSet>,
    /// CPUs that managed interrupts avoid (`isolcpus=managed_irq`); null without it.
    #[schemars(with = "Option<String>")]
    pub managed_avoid: Option<CpuSet>,
    /// Findings, most severe first.
    pub findings: Vec<IrqFinding>,
    /// Malformed values, one line each.
    pub oddities: Vec<String>,
    /// What a survey leaves out of its part `interrupts`; null: all is here.
    #[serde(default)]
    pub folded: Option<IrqFolded>,
    /// The file that has the counters; null for a machine's own.
    #[serde(default)]
    pub saved: Option<SavedFile>,
}

impl IrqDocument {
    /// The time that its counts are of.
    pub(crate) fn span(&self) -> Span {
        match (self.seconds, self.saved) {
            (Some(seconds), _) => Span::Seconds(seconds),
            (None, Some(file)) if file.tables > 1 => Span::Between,
            (None, _) => Span::SinceBoot,
        }
    }
}
