//! The machine's devices: PCI functions with the names that the kernel gave them, and hardware
//! without PCI that reports a node.
//!
//! Needs neither root nor a driver's library.

mod functions;
mod interrupts;
mod kfd;
mod kind;
mod labels;
mod machine_device;
mod named;

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::Bytes;
use serde::Serialize;

pub use interrupts::{DeviceInterrupts, InterruptCpus};
pub use kfd::{KfdLink, KfdNode};
pub use kind::DeviceKind;
pub use machine_device::MachineDevice;
pub(crate) use machine_device::machine_devices;
pub use named::KernelName;
pub(crate) use named::function_above;
pub(crate) use named::is_software;

use crate::addresses::NumberedAddresses;
use crate::attribute::Attributes;
use crate::pci::{self, KernelNode, PciAddress, PciDetails, PciFunction, PciLink};
use crate::source::Source;

/// Which devices are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InventoryScope {
    /// Network, disks, GPUs, accelerators, USB controllers, CXL memory.
    Usual,
    /// Every PCI function: bridges, virtual functions, the parts of the chipset.
    All,
}

/// A machine's devices.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inventory {
    /// All PCI functions, by address.
    pub functions: Vec<PciFunction>,
    /// The listed devices, by address; those without PCI last.
    pub devices: Vec<ListedHardware>,
    /// The links of the bridges above listed devices, as the bridges report them: a root port and
    /// the lower port of a switch report the link below, the upper port of a switch the one above.
    pub bridges: BTreeMap<PciAddress, PciLink>,
    /// The topology of AMD's compute driver; empty without it.
    pub kfd: Vec<KfdNode>,
    /// Malformed values, one line each.
    pub oddities: Vec<String>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedHardware {
    /// What it is.
    pub kind: DeviceKind,
    /// The kernel's names: `eth0`, `mlx5_0`, `nvme0`.
    pub names: Vec<KernelName>,
    /// Its function; `None` without PCI.
    pub address: Option<PciAddress>,
    /// What it holds, of disks and CXL memory; `None` where it is not known.
    pub bytes: Option<Bytes>,
    /// The node that the kernel reports for it, or for its nearest parent.
    pub node: KernelNode,
    /// Local CPUs, link, virtual functions.
    pub details: PciDetails,
    /// The interrupts that it has, and the CPUs that they run on.
    pub interrupts: DeviceInterrupts,
}

impl Inventory {
    /// Reads the devices of a machine.
    pub fn read(source: &Source, scope: InventoryScope) -> Self {
        let read = Attributes::new(source).reporting_denied();
        let (by_function, others) = named::all(&read);
        let (functions, mut devices) = functions::all(&read, scope, &by_function);
        devices.extend(others.into_iter().map(|other| ListedHardware {
            kind: match DeviceKind::of(None, None, kind_by_name(&other.names)) {
                // A framebuffer of firmware.
                DeviceKind::Gpu => DeviceKind::Display,
                kind => kind,
            },
            node: other.node,
            bytes: named::size_of(&other.names),
            names: other.names,
            address: None,
            details: PciDetails::default(),
            interrupts: DeviceInterrupts::default(),
        }));
        let mut inventory = Self {
            functions,
            devices,
            bridges: BTreeMap::new(),
            kfd: kfd::read(&read),
            oddities: Vec::new(),
        };
        inventory.bridges = inventory.bridges_above(&read);
        inventory.oddities = read.into_oddities();
        inventory.number_addresses();
        inventory
    }

    fn bridges_above(&self, read: &Attributes<'_>) -> BTreeMap<PciAddress, PciLink> {
        let linked = self.devices.iter().filter(|device| device.details.link.is_some());
        let bridges: BTreeSet<PciAddress> = linked
            .filter_map(|device| self.function(device.address?))
            .flat_map(|function| function.path.bridges())
            .collect();
        bridges.into_iter().filter_map(|bridge| Some((bridge, pci::link(read, bridge)?))).collect()
    }

    /// Replaces hardware addresses in names (`enx525400abcdef`) by numbers: documents are sent to
    /// others. The names stay distinct.
    fn number_addresses(&mut self) {
        let mut numbered = NumberedAddresses::default();
        let names = self.devices.iter_mut().flat_map(|device| device.names.iter_mut());
        let names: Vec<&mut KernelName> = names.collect();
        names.iter().for_each(|name| numbered.learn(&name.name));
        for name in names {
            name.name = numbered.written(&name.name, &mut Vec::new());
        }
        for line in &mut self.oddities {
            numbered.learn(line);
            *line = numbered.written(line, &mut Vec::new());
        }
    }

    /// A function by its address.
    pub fn function(&self, address: PciAddress) -> Option<&PciFunction> {
        let index = self.functions.binary_search_by_key(&address, |function| function.address);
        index.ok().map(|index| &self.functions[index])
    }
}

fn kind_by_name(names: &[KernelName]) -> Option<DeviceKind> {
    names.iter().map(KernelName::kind).min()
}

/// Kernel names of PCI functions, by address.
type NamesByFunction = BTreeMap<PciAddress, Vec<KernelName>>;

#[cfg(test)]
mod tests;
