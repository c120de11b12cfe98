//! Who serves a machine's interrupts.
//!
//! [`assess`] joins the devices of nearfar-devices with one or two snapshots of the kernel's
//! counters, in an [`IrqDocument`]:
//!
//! - each interrupt with its device, kind, allowed CPUs, and the CPUs that it runs on;
//! - counts by CPU and node, since boot or between two snapshots, and the share of interrupts that
//!   a far node served;
//! - the queues behind interrupts: RPS, XPS, polling threads, disk queues;
//! - findings: interrupts far from their device, all queues on one CPU, shared lines.
//!
//! Near is a CPU of the device's node, or of the nearest node with CPUs. All else is far.
//!
//! Pure: what is read is an argument. Sentences stand in [`text`].

mod assess;
mod counting;
mod document;
mod findings;
mod grouping;
mod handler_name;
mod saved;
pub mod text;

use nearfar_firmware::linux::KernelVersion;
use nearfar_machine::Topology;
use nearfar_machine::interrupts::{
    InterruptLine, InterruptSetup, InterruptSnapshot, IrqAffinity, VectorKind,
};
use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};

use counting::{Counting, sum};
use grouping::Grouping;
use handler_name::HandlerName;

pub use assess::{IrqInput, assess, assess_saved};
pub use counting::counts_between;
pub use document::{
    CpuCount, CpuFact, CpuInterrupt, DiskQueueCpus, Irq, IrqBalancer, IrqBalancerState, IrqControl,
    IrqDevice, IrqDisk, IrqDocument, IrqFinding, IrqFolded, IrqInterface, IrqKind, IrqPlace,
    IrqQueue, NodeCount, NodeTotal, QueueDirection, ReceiveQueueCpus, SCHEMA, SavedFile, Softirq,
    TransmitQueueCpus,
};
pub use saved::{NotSaved, SavedInterrupts};

/// The first kernel that shows by the mode of `smp_affinity_list` whether it can be set.
const SHOWS_CONTROL: KernelVersion = KernelVersion::new(6, 12);

/// What interrupts are made from.
pub(crate) struct Serving<'a> {
    pub(crate) setup: &'a InterruptSetup,
    pub(crate) grouping: &'a Grouping<'a>,
    pub(crate) counting: &'a Counting<'a>,
    pub(crate) nodes: &'a CpuNodes,
    pub(crate) kernel: Option<KernelVersion>,
    pub(crate) span: Span,
}

impl Serving<'_> {
    /// An interrupt, seen from its device.
    pub(crate) fn irq(
        &self,
        number: u32,
        line: &InterruptLine,
        affinity: &IrqAffinity,
        device: Option<&IrqDevice>,
    ) -> Irq {
        let by_cpu = self.counting.for_line(line);
        let near = device.and_then(|device| self.grouping.near(number, device));
        let near = near.as_deref();
        let count = by_cpu.as_deref().map(sum);
        let far = by_cpu.as_ref().zip(near).map(|(counts, near)| {
            let far = counts.iter().filter(|count| !near.contains(count.cpu));
            far.fold(0, |sum: u64, one| sum.saturating_add(one.count))
        });
        let (allowed, effective) =
            (CpuFact::from(&affinity.allowed), CpuFact::from(&affinity.effective));
        let runs_on = effective.cpus().filter(|cpus| !cpus.is_empty()).or(allowed.cpus());
        let kind = self.kind(number, line);
        let vector = self.setup.vectors.get(&number);
        let shared_with = vector.map(|vector| self.grouping.labels(&vector.functions));
        let shared_with = shared_with.into_iter().flatten();
        Irq {
            number,
            actions: line.actions.clone(),
            queue: line.actions.iter().find_map(|name| HandlerName::parse(name).queue),
            kind,
            chip: line.chip.clone(),
            input: line.input,
            trigger: line.trigger.clone(),
            shared_with: shared_with
                .filter(|label| device.is_none_or(|device| device.label != *label))
                .collect(),
            nodes: runs_on.map(|cpus| self.nodes.for_cpus(cpus)).unwrap_or_default(),
            place: place(near, runs_on),
            kernel_node: affinity.node.value().copied().flatten(),
            control: self.control(kind, affinity.is_writable),
            count,
            per_second: count.and_then(|count| self.span.per_second(count)),
            far,
            by_node: by_cpu.as_ref().map(|counts| self.nodes.sums(counts)).unwrap_or_default(),
            by_cpu: by_cpu.unwrap_or_default(),
            hint: CpuFact::from(&affinity.hint),
            allowed,
            effective,
        }
    }

    /// By the device's list of messages, else by the chip's name.
    fn kind(&self, number: u32, line: &InterruptLine) -> IrqKind {
        let chip = line.chip.as_deref().unwrap_or_default();
        match self.setup.vectors.get(&number).map(|vector| vector.kind) {
            Some(VectorKind::Msi) => IrqKind::Msi,
            Some(VectorKind::MsiX) => IrqKind::MsiX,
            Some(VectorKind::Message) => IrqKind::Message,
            Some(VectorKind::Line) => IrqKind::Line,
            None if chip.contains("MSIX") => IrqKind::MsiX,
            None if chip.contains("MSI") => IrqKind::Message,
            None if chip.contains("IO-APIC") || chip == "XT-PIC" => IrqKind::Line,
            None => IrqKind::Other,
        }
    }

    /// Only kernels that show the control have a mode without permission to write.
    fn control(&self, kind: IrqKind, is_writable: Option<bool>) -> IrqControl {
        let is_message = matches!(kind, IrqKind::Msi | IrqKind::MsiX | IrqKind::Message);
        match is_writable {
            Some(false) if is_message => IrqControl::Managed,
            Some(false) => IrqControl::Fixed,
            Some(true) if self.kernel.is_some_and(|kernel| kernel >= SHOWS_CONTROL) => {
                IrqControl::Free
            }
            Some(true) | None => IrqControl::Unknown,
        }
    }
}

fn place(near: Option<&CpuSet>, runs_on: Option<&CpuSet>) -> IrqPlace {
    match (near, runs_on) {
        (Some(near), Some(cpus)) if !near.is_empty() && !cpus.is_empty() => {
            if cpus.is_subset(near) {
                IrqPlace::Near
            } else if cpus.is_disjoint(near) {
                IrqPlace::Far
            } else {
                IrqPlace::Both
            }
        }
        _ => IrqPlace::Unknown,
    }
}

/// Interrupts a second of an active interrupt, and at least so often.
const ACTIVE_PER_SECOND: f64 = 10.0;
const ACTIVE_AT_LEAST: u64 = 10;
/// Counts since boot, or of an unknown time: an interrupt that was set up, or had one burst, stays
/// below.
const ACTIVE_SINCE_BOOT: u64 = 10_000;
/// Below it an interrupt or device is idle.
pub(crate) const IDLE_PER_SECOND: f64 = 1.0;
const IDLE_SINCE_BOOT: u64 = 1_000;
/// The same for a busy device.
const BUSY_PER_SECOND: f64 = 1_000.0;
const BUSY_SINCE_BOOT: u64 = 1_000_000;

/// The time that counts are of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Span {
    SinceBoot,
    Seconds(f64),
    /// Between two saved tables: how long is unknown.
    Between,
}

impl Span {
    pub(crate) fn seconds(self) -> Option<f64> {
        match self {
            Self::Seconds(seconds) => Some(seconds),
            Self::SinceBoot | Self::Between => None,
        }
    }

    pub(crate) fn is_active(self, count: u64) -> bool {
        match self.seconds() {
            Some(seconds) => {
                count >= ACTIVE_AT_LEAST && count as f64 >= ACTIVE_PER_SECOND * seconds
            }
            None => count >= ACTIVE_SINCE_BOOT,
        }
    }

    pub(crate) fn is_idle(self, count: u64) -> bool {
        match self.seconds() {
            Some(seconds) => (count as f64) < IDLE_PER_SECOND * seconds,
            None => count < IDLE_SINCE_BOOT,
        }
    }

    pub(crate) fn is_busy(self, count: u64) -> bool {
        match self.seconds() {
            Some(seconds) => self.is_active(count) && count as f64 >= BUSY_PER_SECOND * seconds,
            None => count >= BUSY_SINCE_BOOT,
        }
    }

    pub(crate) fn per_second(self, count: u64) -> Option<f64> {
        self.seconds().filter(|seconds| *seconds > 0.0).map(|seconds| count as f64 / seconds)
    }
}

/// The nodes of CPUs.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuNodes {
    by_cpu: Vec<Option<NodeId>>,
    nodes: NodeSet,
}

impl CpuNodes {
    pub(crate) fn new(topology: Option<&Topology>) -> Self {
        let mut all = Self::default();
        for node in topology.iter().flat_map(|one| &one.nodes).filter(|node| node.online) {
            all.nodes.insert(node.id);
            for cpu in node.cpus.iter() {
                let index = cpu.0 as usize;
                if all.by_cpu.len() <= index {
                    all.by_cpu.resize(index + 1, None);
                }
                all.by_cpu[index] = Some(node.id);
            }
        }
        all
    }

    pub(crate) fn nodes(&self) -> &NodeSet {
        &self.nodes
    }

    pub(crate) fn for_cpu(&self, cpu: CpuId) -> Option<NodeId> {
        self.by_cpu.get(cpu.0 as usize).copied().flatten()
    }

    /// The nodes of several CPUs.
    pub(crate) fn for_cpus(&self, cpus: &CpuSet) -> NodeSet {
        cpus.iter().filter_map(|cpu| self.for_cpu(cpu)).collect()
    }

    /// Counts by node, of the nodes that have some.
    pub(crate) fn sums(&self, counts: &[CpuCount]) -> Vec<NodeCount> {
        let mut sums: Vec<NodeCount> = Vec::new();
        for count in counts {
            let Some(node) = self.for_cpu(count.cpu) else { continue };
            match sums.iter_mut().find(|sum| sum.node == node) {
                Some(sum) => sum.count = sum.count.saturating_add(count.count),
                None => sums.push(NodeCount { node, count: count.count }),
            }
        }
        sums.sort_unstable_by_key(|sum| sum.node);
        sums
    }
}

/// A snapshot before.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    /// The snapshot.
    pub snapshot: &'a InterruptSnapshot,
    /// Seconds since then; `None` if unknown.
    pub seconds: Option<f64>,
}
