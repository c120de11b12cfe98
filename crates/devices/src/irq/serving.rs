//! An interrupt of the document.

use nearfar_firmware::linux::KernelVersion;
use nearfar_machine::interrupts::{InterruptLine, InterruptSetup, IrqAffinity, VectorKind};
use nearfar_model::CpuSet;

use crate::irq::activity::Span;
use crate::irq::counting::{Counting, sum};
use crate::irq::cpu_nodes::CpuNodes;
use crate::irq::document::{CpuFact, Irq, IrqControl, IrqDevice, IrqKind, IrqPlace};
use crate::irq::grouping::Grouping;
use crate::irq::handler_name::HandlerName;

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
