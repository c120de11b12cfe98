//! What a plan has to know of a device.

use nearfar_machine::PciAddress;
use nearfar_machine::interrupts::{SettableInterface, SettableInterrupts};
use nearfar_model::{CpuSet, NodeId};

use crate::Device;
use crate::irq::{Irq, IrqControl, IrqDocument};

/// Whether an interrupt's CPUs can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrqFreedom {
    /// Its file can be written.
    Free,
    /// The kernel spreads a driver's queues itself.
    Managed,
    /// Its chip has no affinity.
    Fixed,
    /// The kernel shows it only when it is tried (before Linux 6.12).
    Unknown,
}

/// An interrupt of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IrqFacts {
    /// Its number.
    pub number: u32,
    /// The name of its handler; empty without one.
    pub name: String,
    /// Its queue. Interrupts of one queue get the same CPU.
    pub queue: Option<u32>,
    /// Whether it can be set.
    pub freedom: IrqFreedom,
    /// Other devices on the same line.
    pub shared_with: Vec<String>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFacts {
    /// Its label.
    pub label: String,
    /// Its function.
    pub address: PciAddress,
    /// Its node; `None` if unknown.
    pub node: Option<NodeId>,
    /// The CPUs of its node, or of the nearest nodes with CPUs; empty if unknown.
    pub near: CpuSet,
    /// Its interrupts.
    pub interrupts: Vec<IrqFacts>,
    /// Its network interfaces.
    pub interfaces: Vec<SettableInterface>,
}

impl DeviceFacts {
    /// Of a device, at this address, and its document. Names may assign interrupts to a device that
    /// its numbers do not: those are left out.
    pub fn new(
        device: &Device,
        address: PciAddress,
        document: &IrqDocument,
        settable: &SettableInterrupts,
    ) -> Self {
        let irqs = document.devices.iter().flat_map(|device| &device.interrupts);
        let irqs = irqs.filter(|irq| settable.numbers.contains(&irq.number));
        Self {
            label: device.label.clone(),
            address,
            node: device.node.node,
            near: device.cpus.clone().unwrap_or_default(),
            interrupts: irqs.map(IrqFacts::new).collect(),
            interfaces: settable.interfaces.clone(),
        }
    }
}

impl IrqFacts {
    fn new(irq: &Irq) -> Self {
        Self {
            number: irq.number,
            name: irq.actions.join(","),
            queue: irq.queue.map(|queue| queue.number),
            freedom: match irq.control {
                IrqControl::Free => IrqFreedom::Free,
                IrqControl::Managed => IrqFreedom::Managed,
                IrqControl::Fixed => IrqFreedom::Fixed,
                IrqControl::Unknown => IrqFreedom::Unknown,
            },
            shared_with: irq.shared_with.clone(),
        }
    }
}
