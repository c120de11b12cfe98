//! Which device has which interrupt, by numbers: `msi_irqs/N` and `irq` of PCI functions.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::attribute::Attributes;
use crate::inventory::Inventory;
use crate::pci::PciAddress;

/// The largest number of MSI-X vectors of a function (PCIe 6.0, section 7.7.2).
const MAX_VECTORS: usize = 2048;

/// How a device signals an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VectorKind {
    /// A message, MSI.
    Msi,
    /// A message, MSI-X.
    MsiX,
    /// A message; the kernel does not show which of the two.
    Message,
    /// A line, which devices may share.
    Line,
}

/// The devices of an interrupt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IrqVector {
    /// How it is signalled.
    pub kind: VectorKind,
    /// The functions: several only for lines.
    pub functions: Vec<PciAddress>,
}

/// The functions of each interrupt.
pub(super) fn read(read: &Attributes<'_>, inventory: &Inventory) -> BTreeMap<u32, IrqVector> {
    let mut vectors: BTreeMap<u32, IrqVector> = BTreeMap::new();
    for function in &inventory.functions {
        let folder = format!("/sys/bus/pci/devices/{}", function.address);
        let messages = read.source.numbered(&format!("{folder}/msi_irqs"), "");
        let first = messages.first().map(|number| format!("{folder}/msi_irqs/{number}"));
        // The kernel does not let a function use both.
        let kind = match first.and_then(|file| read.source.text(&file)).as_deref() {
            Some("msi") => VectorKind::Msi,
            Some("msix") => VectorKind::MsiX,
            _ => VectorKind::Message,
        };
        for number in messages.iter().take(MAX_VECTORS) {
            vectors.insert(*number, IrqVector { kind, functions: vec![function.address] });
        }
        // Without a driver the line's number is what firmware wrote: the kernel does not use it.
        let has_line = messages.is_empty() && function.driver.is_some();
        let line = || read.parsed::<u32>(&format!("{folder}/irq")).filter(|number| *number > 0);
        if let Some(number) = has_line.then(line).flatten() {
            let empty = || IrqVector { kind: VectorKind::Line, functions: Vec::new() };
            let vector = vectors.entry(number).or_insert_with(empty);
            if vector.kind == VectorKind::Line {
                vector.functions.push(function.address);
            }
        }
    }
    vectors
}
