//! The document of `nearfar irq --json`.

mod finding;
mod irq;

use std::collections::BTreeSet;

use nearfar_machine::DeviceKind;
use nearfar_machine::interrupts::{Balancer, BalancerState, FileValue};
use nearfar_model::{CpuSet, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::irq::Span;

pub use finding::IrqFinding;
pub use irq::{CpuCount, Irq, IrqControl, IrqKind, IrqPlace, IrqQueue, NodeCount, QueueDirection};

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

/// A network interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqInterface {
    /// Its name; addresses in it are zeros.
    pub name: String,
    /// Its receive queues.
    pub receive: Vec<ReceiveQueueCpus>,
    /// Its transmit queues.
    pub transmit: Vec<TransmitQueueCpus>,
    /// Whether threads poll it, not softirqs; null if unknown.
    pub threaded: Option<bool>,
}

/// A receive queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ReceiveQueueCpus {
    /// Its number.
    pub number: u32,
    /// The CPUs that process its packets (RPS); empty: the CPU that serves the interrupt.
    pub rps: CpuFact,
    /// Its flows that are steered to the CPU of the reader (RFS); 0: none; null if unknown.
    pub flows: Option<u64>,
}

/// A transmit queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TransmitQueueCpus {
    /// Its number.
    pub number: u32,
    /// The CPUs that send by it (XPS); empty: any.
    pub xps: CpuFact,
    /// The receive queues whose replies are sent by it; empty: any; null if unknown.
    pub xps_receive: Option<Vec<u32>>,
}

/// A disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqDisk {
    /// Its name.
    pub name: String,
    /// Its hardware queues.
    pub queues: Vec<DiskQueueCpus>,
}

/// A hardware queue of a disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DiskQueueCpus {
    /// Its number.
    pub number: u32,
    /// The CPUs that submit to it.
    pub cpus: CpuFact,
}

/// Devices' interrupts that a node served.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NodeTotal {
    /// The node.
    #[schemars(with = "u32")]
    pub node: NodeId,
    /// How many.
    pub count: u64,
    /// `count` a second; null since boot.
    pub per_second: Option<f64>,
    /// How many of them are of devices far from this node.
    pub far: u64,
    /// How many are of devices whose node is unknown, or of no known device.
    pub unknown: u64,
}

/// An interrupt of the CPUs themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CpuInterrupt {
    /// The kernel's name: `LOC`, `IPI0`.
    pub name: String,
    /// What it is: `Local timer interrupts`; null if the kernel has no text for it.
    pub description: Option<String>,
    /// How often; null if unknown.
    pub count: Option<u64>,
    /// Counts by node.
    pub by_node: Vec<NodeCount>,
}

/// A kind of work after interrupts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Softirq {
    /// The kernel's name: `NET_RX`, `BLOCK`.
    pub name: String,
    /// How often; null if unknown.
    pub count: Option<u64>,
    /// Counts by node.
    pub by_node: Vec<NodeCount>,
}

/// CPUs of one of the kernel's files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum CpuFact {
    /// The file names these; empty: none.
    Cpus {
        /// The CPUs.
        #[schemars(with = "String")]
        cpus: CpuSet,
    },
    /// The file exists, and is not readable.
    NotReadable,
    /// The file does not exist.
    Absent,
    /// The file's text is no set of CPUs.
    Malformed {
        /// The text, at most 40 characters.
        text: String,
    },
}

impl CpuFact {
    /// The CPUs, if the file names them.
    pub fn cpus(&self) -> Option<&CpuSet> {
        match self {
            Self::Cpus { cpus } => Some(cpus),
            Self::NotReadable | Self::Absent | Self::Malformed { .. } => None,
        }
    }
}

impl From<&FileValue<CpuSet>> for CpuFact {
    fn from(value: &FileValue<CpuSet>) -> Self {
        match value {
            FileValue::Value(cpus) => Self::Cpus { cpus: cpus.clone() },
            FileValue::NotReadable => Self::NotReadable,
            FileValue::Absent => Self::Absent,
            FileValue::Malformed(text) => Self::Malformed { text: text.clone() },
        }
    }
}

/// What is kept at most. With several hundred CPUs and nodes these take less than 200 kB.
const MAX_DEVICES: usize = 128;
const MAX_INTERRUPTS: usize = 64;
const MAX_FINDINGS: usize = 64;
const MAX_ODDITIES: usize = 16;

/// What is left out: devices and interrupts that are idle, and the least active ones of very many.
/// Counts by CPU, queues, softirqs and interrupts of the CPUs themselves are left out, too. Sums by
/// device and by node have all.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct IrqFolded {
    /// Devices.
    pub devices: usize,
    /// Interrupts, of devices that are here and of all others.
    pub interrupts: usize,
    /// Findings: the least severe ones.
    pub findings: usize,
}

impl Irq {
    /// Whether it was served less than once a second, or less than 1,000 times since boot. Unknown
    /// counts are no idle ones.
    pub fn is_idle(&self) -> bool {
        match (self.count, self.per_second) {
            (None, _) => false,
            (Some(_), Some(rate)) => rate < crate::irq::IDLE_PER_SECOND,
            (Some(count), None) => Span::SinceBoot.is_idle(count),
        }
    }
}

impl IrqDocument {
    /// Whether a count of this document is less than one a second, or less than 1,000 since boot.
    pub fn is_idle(&self, count: u64) -> bool {
        self.span().is_idle(count)
    }

    /// The same in a bounded size, for a survey.
    pub fn into_folded(self) -> Self {
        let interrupts = number_of_interrupts(&self);
        let devices = self.devices.len();
        let findings = self.findings.len();
        let mut kept = self;
        kept.findings.truncate(MAX_FINDINGS);
        kept.keep_devices();
        kept.keep_interrupts();
        kept.cpu_interrupts.clear();
        kept.softirqs.clear();
        kept.oddities.truncate(MAX_ODDITIES);
        kept.folded = Some(IrqFolded {
            devices: devices - kept.devices.len(),
            interrupts: interrupts - number_of_interrupts(&kept),
            findings: findings - kept.findings.len(),
        });
        kept
    }

    /// Keeps the busiest devices that are not idle, or have a finding.
    fn keep_devices(&mut self) {
        let span = self.span();
        let named: BTreeSet<String> = self.findings.iter().flat_map(IrqFinding::devices).collect();
        self.devices.retain(|device| !span.is_idle(device.count) || named.contains(&device.label));
        let mut counts: Vec<u64> = self.devices.iter().map(|device| device.count).collect();
        let least = least_of_most(&mut counts, MAX_DEVICES);
        self.devices.retain(|device| device.count >= least);
        self.devices.truncate(MAX_DEVICES);
        for device in &mut self.devices {
            device.interfaces.clear();
            device.disks.clear();
        }
    }

    /// Keeps the busiest interrupts that are not idle.
    fn keep_interrupts(&mut self) {
        let device_interrupts = self.devices.iter().flat_map(|device| &device.interrupts);
        let all = device_interrupts.chain(&self.others);
        let active = all.filter(|irq| !irq.is_idle());
        let mut counts: Vec<u64> = active.map(|irq| irq.count.unwrap_or_default()).collect();
        let least = least_of_most(&mut counts, MAX_INTERRUPTS);
        let mut room = MAX_INTERRUPTS;
        let mut is_kept = |irq: &Irq| {
            let is_kept = !irq.is_idle() && irq.count.unwrap_or_default() >= least && room > 0;
            room -= usize::from(is_kept);
            is_kept
        };
        for device in &mut self.devices {
            device.interrupts.retain(&mut is_kept);
        }
        self.others.retain(&mut is_kept);
        let device_interrupts = self.devices.iter_mut().flat_map(|device| &mut device.interrupts);
        device_interrupts.chain(&mut self.others).for_each(|irq| irq.by_cpu.clear());
    }
}

/// The smallest of the largest counts.
fn least_of_most(counts: &mut [u64], most: usize) -> u64 {
    counts.sort_unstable_by(|one, other| other.cmp(one));
    counts.get(most - 1).copied().unwrap_or_default()
}

fn number_of_interrupts(document: &IrqDocument) -> usize {
    let device_interrupts = document.devices.iter().map(|device| device.interrupts.len());
    device_interrupts.sum::<usize>() + document.others.len()
}

/// What a file with saved counters had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SavedFile {
    /// Its tables. With several, counts are those between the first and the last.
    pub tables: usize,
    /// Its lines with text.
    pub lines: usize,
    /// Those that are no line of `/proc/interrupts`.
    pub ignored: usize,
}

/// A device, its interrupts and its queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqDevice {
    /// Its label, as in `nearfar devices`: `NIC0`. For a device that is known only by the names of
    /// its interrupts, that name.
    pub label: String,
    /// What it is, as in `nearfar devices`; null if unknown.
    #[schemars(with = "Option<String>")]
    pub kind: Option<DeviceKind>,
    /// The kernel's names: `eth0`.
    pub names: Vec<String>,
    /// Its PCI address; null without PCI.
    pub address: Option<String>,
    /// The driver that is bound; null if unknown.
    pub driver: Option<String>,
    /// Its node; null if unknown.
    #[schemars(with = "Option<u32>")]
    pub node: Option<NodeId>,
    /// The CPUs near it; null if unknown.
    #[schemars(with = "Option<String>")]
    pub cpus: Option<CpuSet>,
    /// Its interrupts, by number.
    pub interrupts: Vec<Irq>,
    /// How often its interrupts were served.
    pub count: u64,
    /// How often CPUs far from it served them; null if its node is unknown.
    pub far: Option<u64>,
    /// Counts by node, for nodes that served it.
    #[serde(default)]
    pub by_node: Vec<NodeCount>,
    /// Its network interfaces.
    pub interfaces: Vec<IrqInterface>,
    /// Its disks.
    pub disks: Vec<IrqDisk>,
}

/// irqbalance and its policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IrqBalancer {
    /// Whether it runs.
    pub state: IrqBalancerState,
    /// Its arguments; empty if it does not run.
    pub arguments: Vec<String>,
    /// The file with its options; null if there is none.
    pub file: Option<String>,
    /// The options of this file. They apply from its next start.
    pub file_options: Vec<String>,
    /// Interrupts that it leaves alone.
    pub banned_interrupts: Vec<u32>,
    /// CPUs that its file excludes; null without such an option.
    #[schemars(with = "Option<String>")]
    pub banned_cpus: Option<CpuSet>,
    /// The script that decides for each interrupt; null without one.
    pub policy_script: Option<String>,
}

/// Whether irqbalance runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IrqBalancerState {
    /// A process of this name runs.
    Running,
    /// No visible process has this name. A container shows only its own processes.
    NotSeen,
    /// Unknown: a capture shows no other processes.
    Unknown,
}

impl From<&Balancer> for IrqBalancer {
    fn from(read: &Balancer) -> Self {
        Self {
            state: match read.state {
                BalancerState::Running => IrqBalancerState::Running,
                BalancerState::NotSeen => IrqBalancerState::NotSeen,
                BalancerState::Unknown => IrqBalancerState::Unknown,
            },
            arguments: read.arguments.clone(),
            file: read.file.clone(),
            file_options: read.file_options.clone(),
            banned_interrupts: read.banned_interrupts.clone(),
            banned_cpus: read.banned_cpus.clone(),
            policy_script: read.policy_script.clone(),
        }
    }
}
