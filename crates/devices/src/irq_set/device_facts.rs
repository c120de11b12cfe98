//! What a plan has to know of a device.

use nearfar_machine::PciAddress;
use nearfar_machine::interrupts::SettableInterface;
use nearfar_model::{CpuSet, NodeId};

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
