//! The device to set, and what the kernel has of it now.

use std::slice;

use anyhow::{Context, bail};
use nearfar_irq::{Irq, IrqControl, IrqDevice};
use nearfar_irq_set::{DeviceFacts, IrqFacts, IrqFreedom};
use nearfar_machine::interrupts::{Balancer, SettableInterrupts};
use nearfar_machine::{HardwareNode, NearDevice, PciAddress, Source, Topology};

use crate::commands::irq::{MachineSetup, snapshot};

/// A device and its machine.
pub(super) struct SetDevice {
    pub(super) facts: DeviceFacts,
    /// All its interrupts, those without a handler included.
    pub(super) numbers: Vec<u32>,
    pub(super) topology: Topology,
    pub(super) balancer: Balancer,
}

impl SetDevice {
    /// Finds a device by a name, label, address or path.
    pub(super) fn find(source: &Source, name: &str) -> anyhow::Result<Self> {
        let machine = MachineSetup::read(source)?;
        let address = address(source, name)?;
        let text = address.to_string();
        let listed = &machine.devices.devices;
        let known = listed.iter().find(|one| one.address.as_ref() == Some(&text));
        let known = known.with_context(|| format!("{name} ({text}) is no PCI device here"))?;
        let settable = SettableInterrupts::read(source, address);
        let document = machine.document(&snapshot(source)?, None, slice::from_ref(&known.label));
        let own = |irq: &Irq| IrqFacts {
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
        };
        let irqs = document.devices.iter().flat_map(|one: &IrqDevice| &one.interrupts);
        // Names may assign interrupts to a device that its numbers do not.
        let irqs = irqs.filter(|irq| settable.numbers.contains(&irq.number));
        let facts = DeviceFacts {
            label: known.label.clone(),
            address,
            node: known.node.node,
            near: known.cpus.clone().unwrap_or_default(),
            interrupts: irqs.map(own).collect(),
            interfaces: settable.interfaces,
        };
        let numbers = settable.numbers;
        let topology = machine.witnesses.topology.context("this machine shows no CPUs in /sys")?;
        Ok(Self { facts, numbers, topology, balancer: machine.witnesses.irq_setup.balancer })
    }
}

/// The function of a device.
fn address(source: &Source, name: &str) -> anyhow::Result<PciAddress> {
    let found = NearDevice::find_all(name, source)?;
    let hardware: Vec<&HardwareNode> = found.iter().flat_map(|one| &one.hardware).collect();
    match hardware.as_slice() {
        [one] => one
            .address
            .with_context(|| format!("{} is no PCI device: its interrupts are unknown", one.name)),
        several => {
            let names: Vec<&str> = several.iter().map(|one| one.name.as_str()).collect();
            bail!("'{name}' is several devices: {}; give one", names.join(", "))
        }
    }
}
