//! The device of each interrupt: by the kernel's numbers, else by the names of chip and handler.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use nearfar_machine::PciAddress;
use nearfar_machine::interrupts::{InterruptLine, InterruptSetup, InterruptTable};
use nearfar_model::CpuSet;

use crate::irq::document::IrqDevice;
use crate::irq::handler_name::{HandlerName, address_in, first_part};
use crate::{Device, DevicesDocument};

/// Finds devices by address and by name.
pub(crate) struct Grouping<'a> {
    setup: &'a InterruptSetup,
    devices: &'a [Device],
    by_address: BTreeMap<&'a str, usize>,
    by_name: BTreeMap<&'a str, usize>,
    /// Devices whose queues other interrupts name.
    with_queues: BTreeSet<String>,
}

/// The device of an interrupt.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// A device of nearfar-devices, by index.
    Listed(usize),
    /// A device that is known only by the name of its interrupts.
    Named(String),
}

impl<'a> Grouping<'a> {
    pub(crate) fn new(
        setup: &'a InterruptSetup,
        document: &'a DevicesDocument,
        table: &InterruptTable,
    ) -> Self {
        let devices = document.devices.as_slice();
        let address =
            |(index, device): (usize, &'a Device)| Some((device.address.as_deref()?, index));
        let names = |(index, device): (usize, &'a Device)| {
            device.names.iter().map(move |name| (name.as_str(), index))
        };
        let handlers = table.lines.iter().flat_map(|line| &line.actions);
        let with_queues = handlers.filter_map(|action| {
            let HandlerName { device, queue } = HandlerName::parse(action);
            device.filter(|_| queue.is_some())
        });
        Self {
            setup,
            devices,
            with_queues: with_queues.collect(),
            by_address: devices.iter().enumerate().filter_map(address).collect(),
            by_name: devices.iter().enumerate().flat_map(names).collect(),
        }
    }

    /// The device of an interrupt: of a line that several share, the first.
    pub(crate) fn owner(&self, line: &InterruptLine) -> Option<Owner> {
        let vector = line.number.and_then(|number| self.setup.vectors.get(&number));
        if let Some(vector) = vector {
            let listed = vector.functions.iter().find_map(|address| self.listed(*address));
            return listed.map(Owner::Listed);
        }
        // Linux 6.3 and newer name the device in the chip: `PCI-MSIX-0000:00:01.0`.
        let chip = line.chip.as_deref().and_then(address_in);
        let chip = chip.map(|(address, _)| address.to_string());
        let name = chip.or_else(|| line.actions.iter().find_map(|action| self.named(action)))?;
        let known = self.by_address.get(name.as_str()).or_else(|| self.by_name.get(name.as_str()));
        Some(known.map_or(Owner::Named(name), |index| Owner::Listed(*index)))
    }

    /// The device that the name of a handler has.
    fn named(&self, action: &str) -> Option<String> {
        let first = first_part(action);
        let is_known = self.by_name.contains_key(first) || self.with_queues.contains(first);
        HandlerName::parse(action).device.or_else(|| is_known.then(|| first.to_owned()))
    }

    fn listed(&self, address: PciAddress) -> Option<usize> {
        self.by_address.get(address.to_string().as_str()).copied()
    }

    /// The CPUs near the device of an interrupt. Which function of a shared line signalled is
    /// unknown: CPUs near any of them are near. `None` if those of one are unknown.
    pub(crate) fn near<'d>(&self, number: u32, device: &'d IrqDevice) -> Option<Cow<'d, CpuSet>> {
        let functions = self.setup.vectors.get(&number).map(|vector| vector.functions.as_slice());
        let Some(functions) = functions.filter(|functions| functions.len() > 1) else {
            return device.cpus.as_ref().map(Cow::Borrowed);
        };
        let cpus = |address: &PciAddress| self.devices[self.listed(*address)?].cpus.as_ref();
        let all = functions.iter().map(cpus).collect::<Option<Vec<&CpuSet>>>()?;
        Some(Cow::Owned(all.into_iter().fold(CpuSet::new(), |near, cpus| near.union(cpus))))
    }

    /// The labels of functions, or their addresses.
    pub(crate) fn labels(&self, functions: &[PciAddress]) -> Vec<String> {
        let label = |address: &PciAddress| match self.listed(*address) {
            Some(index) => self.devices[index].label.clone(),
            None => address.to_string(),
        };
        functions.iter().map(label).collect()
    }

    /// A device without interrupts and queues.
    pub(crate) fn device(&self, owner: &Owner) -> IrqDevice {
        let empty = IrqDevice {
            label: String::new(),
            kind: None,
            names: Vec::new(),
            address: None,
            driver: None,
            node: None,
            cpus: None,
            interrupts: Vec::new(),
            count: 0,
            far: None,
            by_node: Vec::new(),
            interfaces: Vec::new(),
            disks: Vec::new(),
        };
        match owner {
            Owner::Named(name) => IrqDevice {
                label: name.clone(),
                address: PciAddress::parse(name).ok().map(|address| address.to_string()),
                ..empty
            },
            Owner::Listed(index) => {
                let device = &self.devices[*index];
                IrqDevice {
                    label: device.label.clone(),
                    kind: Some(device.kind),
                    names: device.names.clone(),
                    address: device.address.clone(),
                    driver: device.driver.clone(),
                    node: device.node.node,
                    cpus: device.cpus.clone(),
                    ..empty
                }
            }
        }
    }
}
