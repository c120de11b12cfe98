//! The device to set, and what the kernel has of it now.

use std::slice;

use anyhow::{Context, bail};
use nearfar_devices::Device;
use nearfar_devices::irq_set::DeviceFacts;
use nearfar_machine::interrupts::{Balancer, SettableInterrupts};
use nearfar_machine::{MachineError, PciAddress, Source, Topology};

use super::{MachineSetup, selection, snapshot};

/// A device and its machine.
pub(crate) struct SetDevice {
    pub(crate) facts: DeviceFacts,
    /// All its interrupts, those without a handler included.
    pub(crate) numbers: Vec<u32>,
    pub(crate) topology: Topology,
    pub(crate) balancer: Balancer,
}

impl SetDevice {
    /// Finds a device by a name, label, address or path.
    pub(crate) fn find(source: &Source, name: &str) -> anyhow::Result<Self> {
        if let Some(MachineError::NoProc { .. }) = source.proc_fault() {
            bail!(
                "cannot read /proc/interrupts and /proc/irq: /proc is empty on {}: mount it (mount \
                 -t proc proc /proc)",
                source.origin()
            );
        }
        let machine = MachineSetup::read(source)?;
        let (known, address) = one(source, &machine, name)?;
        let settable = SettableInterrupts::read(source, address);
        let document = machine.document(&snapshot(source)?, None, slice::from_ref(&known.label));
        let facts = DeviceFacts::new(known, address, &document, &settable);
        let numbers = settable.numbers;
        let topology = machine.witnesses.topology.context("this machine shows no CPUs in /sys")?;
        Ok(Self { facts, numbers, topology, balancer: machine.witnesses.irq_setup.balancer })
    }
}

/// The one device that a word names, and its function.
fn one<'d>(
    source: &Source,
    machine: &'d MachineSetup,
    word: &str,
) -> anyhow::Result<(&'d Device, PciAddress)> {
    let found = selection::devices(source, &machine.devices, word)?;
    match found.as_slice() {
        [one] => {
            let address = one.address.as_deref().and_then(|text| PciAddress::parse(text).ok());
            let address = address.with_context(|| {
                format!("{} is no PCI device: its interrupts are unknown", one.label)
            })?;
            Ok((one, address))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|one| one.label.as_str()).collect();
            bail!("'{word}' is several devices: {}; give one", names.join(", "))
        }
    }
}
