//! All PCI functions, and those that are listed as devices. Large machines are read in threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{panic, thread};

use super::{DeviceKind, InventoryScope, ListedHardware, NamesByFunction, interrupts};
use crate::attribute::Attributes;
use crate::pci::{self, FirmwarePaths, FoundFunction, PciFunction};
use crate::source::Source;

/// The smallest number of functions that several threads read faster than one.
const LEAST_FOR_THREADS: usize = 256;
/// The kernel's locks of directories keep more threads waiting.
const MOST_THREADS: usize = 8;
/// Functions that a thread takes at once.
const CHUNK: usize = 64;

/// Functions by address, and the devices among them.
pub(super) fn all(
    read: &Attributes<'_>,
    scope: InventoryScope,
    names: &NamesByFunction,
) -> (Vec<PciFunction>, Vec<ListedHardware>) {
    let of = FunctionsReader { source: read.source, scope, names };
    let entries = pci::names(read);
    let threads = match read.source.reads_on_demand() && entries.len() >= LEAST_FOR_THREADS {
        true => thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS),
        false => 1,
    };
    let mut found = Vec::with_capacity(entries.len());
    for (part, oddities) in of.parts(&entries, threads) {
        found.extend(part);
        read.absorb(oddities);
    }
    found.sort_by_key(|(function, _)| function.address);
    let (functions, devices): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    (functions, devices.into_iter().flatten().collect())
}

/// What threads share.
#[derive(Clone, Copy)]
struct FunctionsReader<'a> {
    source: &'a Source,
    scope: InventoryScope,
    names: &'a NamesByFunction,
}

type ReadFunction = (PciFunction, Option<ListedHardware>);

impl<'a> FunctionsReader<'a> {
    /// The functions of each chunk, and its oddities, in the order of the entries.
    fn parts(self, entries: &[String], threads: usize) -> Vec<(Vec<ReadFunction>, Attributes<'a>)> {
        let next = AtomicUsize::new(0);
        let work = || {
            let (mut done, mut firmware_paths) = (Vec::new(), FirmwarePaths::default());
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(chunk) = entries.chunks(CHUNK).nth(index) else { return done };
                let read = Attributes::new(self.source).reporting_denied();
                let one = |name: &String| self.function(&read, &mut firmware_paths, name);
                let part: Vec<ReadFunction> = chunk.iter().filter_map(one).collect();
                done.push((index, part, read));
            }
        };
        let mut parts = thread::scope(|scope| {
            // A system that allows no more threads takes longer.
            let others: Vec<_> = (1..threads)
                .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            let mut parts = work();
            for other in others {
                parts.extend(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
            }
            parts
        });
        parts.sort_by_key(|(index, ..)| *index);
        parts.into_iter().map(|(_, part, read)| (part, read)).collect()
    }

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
            address: Some(function.address),
            node: pci::kernel_node(read, folder),
            details: pci::details(read, folder, physical_function, firmware_paths),
            interrupts: interrupts::read(read, folder, function.driver.is_some()),
        })
    }
}
