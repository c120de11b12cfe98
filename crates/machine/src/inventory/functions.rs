//! All PCI functions, and those that are listed as devices. Large machines are read in threads.

use super::{DeviceKind, InventoryScope, ListedHardware, NamesByFunction, interrupts, named};
use crate::attribute::Attributes;
use crate::device_node;
use crate::in_threads;
use crate::pci::{self, FirmwarePaths, FoundFunction, KernelNode, PciFunction};
use crate::source::Source;

/// Functions by address, and the devices among them.
pub(super) fn all(
    read: &Attributes<'_>,
    scope: InventoryScope,
    names: &NamesByFunction,
) -> (Vec<PciFunction>, Vec<ListedHardware>) {
    let of = FunctionsReader { source: read.source, scope, names };
    let entries = pci::names(read);
    let mut found = Vec::with_capacity(entries.len());
    let parts =
        in_threads::chunks(read.source, &entries, FirmwarePaths::default, |paths, names| {
            let read = Attributes::new(of.source).reporting_denied();
            let found = names.iter().filter_map(|name| of.function(&read, paths, name));
            (found.collect::<Vec<ReadFunction>>(), read)
        });
    for (part, oddities) in parts {
        found.extend(part);
        read.absorb(oddities);
    }
    found.sort_by_key(|(function, _)| function.address);
    let (functions, devices): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    (functions, devices.into_iter().flatten().collect())
}

#[derive(Clone, Copy)]
struct FunctionsReader<'a> {
    source: &'a Source,
    scope: InventoryScope,
    names: &'a NamesByFunction,
}

type ReadFunction = (PciFunction, Option<ListedHardware>);

impl FunctionsReader<'_> {
    fn function(
        self,
        read: &Attributes<'_>,
        firmware_paths: &mut FirmwarePaths,
        name: &str,
    ) -> Option<ReadFunction> {
        let found = pci::function(read, name)?;
        let device = self.device(read, firmware_paths, &found);
        Some((found.function, device))
    }

    /// The device that a function is, if it is listed.
    fn device(
        self,
        read: &Attributes<'_>,
        firmware_paths: &mut FirmwarePaths,
        FoundFunction { function, folder }: &FoundFunction,
    ) -> Option<ListedHardware> {
        let names = self.names.get(&function.address).map_or(&[][..], Vec::as_slice);
        let kind = DeviceKind::of(function.class, function.vendor, super::kind_by_name(names));
        if self.scope == InventoryScope::Usual && !kind.is_usual() {
            return None;
        }
        let physical_function = pci::physical_function(read, folder);
        // A virtual function is counted by its physical one.
        if self.scope == InventoryScope::Usual && physical_function.is_some() {
            return None;
        }
        Some(ListedHardware {
            kind,
            names: names.to_vec(),
            bytes: named::size_of(names),
            address: Some(function.address),
            node: device_node::nearest_numa_node(read, folder)
                .map_or(KernelNode::Absent, |(_, node)| node),
            details: pci::details(read, folder, physical_function, firmware_paths),
            interrupts: interrupts::read(read, folder, function.driver.is_some()),
        })
    }
}
