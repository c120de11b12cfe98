//! The interrupts of a PCI function, and the CPUs that they run on.
//!
//! References: Documentation/core-api/irq/irq-affinity.rst,
//! Documentation/ABI/testing/sysfs-bus-pci (`msi_irqs`).

use nearfar_model::CpuSet;
use serde::Serialize;

use crate::attribute::Attributes;
use crate::source::{FileContents, FolderNames, numbers};

/// The largest number of MSI-X vectors of a function (PCIe 6.0, section 7.7.2).
const MAX_INTERRUPTS: usize = 2048;

/// The interrupts of a device.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DeviceInterrupts {
    /// Message-signalled interrupts (MSI, MSI-X), or the one line.
    pub count: usize,
    /// Whether it is a line, which other devices may share.
    pub is_line: bool,
    /// The CPUs that they run on.
    pub cpus: InterruptCpus,
}

/// CPUs of interrupts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterruptCpus {
    /// The CPUs that the kernel chose (`effective_affinity_list`).
    Effective(CpuSet),
    /// The CPUs that are allowed: the kernel does not show which it chose.
    Allowed(CpuSet),
    /// At least one file, or the list of interrupts, is not readable.
    NotReadable,
    /// The device has no interrupt, or the kernel shows none.
    #[default]
    Absent,
}

/// The interrupts of a function.
///
/// Without a driver the line's number is what firmware wrote: the kernel does not use it.
pub(super) fn read(read: &Attributes<'_>, folder: &str, has_driver: bool) -> DeviceInterrupts {
    let names = match read.source.names(&format!("{folder}/msi_irqs")) {
        FolderNames::Names(names) => names,
        FolderNames::Absent => Vec::new(),
        FolderNames::Denied => {
            read.denied(&format!("{folder}/msi_irqs"));
            let cpus = InterruptCpus::NotReadable;
            return DeviceInterrupts { count: 0, is_line: false, cpus };
        }
    };
    let mut messages = numbers(&names, "");
    if messages.len() > MAX_INTERRUPTS {
        read.odd(format!(
            "{folder}/msi_irqs has {} entries: {MAX_INTERRUPTS} are read",
            messages.len()
        ));
        messages.truncate(MAX_INTERRUPTS);
    }
    let line = || read.parsed::<u32>(&format!("{folder}/irq")).filter(|&irq| irq > 0);
    let (numbers, is_line) = match messages.is_empty() {
        true if has_driver => (line().into_iter().collect(), true),
        true => return DeviceInterrupts::default(),
        false => (messages, false),
    };
    let cpus = cpus(read, &numbers);
    if is_line && cpus == InterruptCpus::Absent {
        return DeviceInterrupts::default();
    }
    DeviceInterrupts { count: numbers.len(), is_line: is_line && !numbers.is_empty(), cpus }
}

fn cpus(read: &Attributes<'_>, numbers: &[u32]) -> InterruptCpus {
    for (file, of) in [
        ("effective_affinity_list", InterruptCpus::Effective as fn(CpuSet) -> InterruptCpus),
        ("smp_affinity_list", InterruptCpus::Allowed),
    ] {
        let mut cpus = CpuSet::new();
        for number in numbers {
            let path = format!("/proc/irq/{number}/{file}");
            match read.source.contents(&path) {
                FileContents::Denied => return InterruptCpus::NotReadable,
                FileContents::Absent => {}
                FileContents::Bytes(_) => {
                    cpus.extend(read.list(&path).unwrap_or_default().iter());
                }
            }
        }
        if !cpus.is_empty() {
            return of(cpus);
        }
    }
    InterruptCpus::Absent
}
