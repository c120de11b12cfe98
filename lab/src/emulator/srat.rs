//! An SRAT of the lab's own, for machines whose devices have generic initiator entries.
//!
//! QEMU cannot write these entries before release 9.1. The guest's first file system brings this
//! table, and Linux takes it instead of QEMU's: it has the same names and a higher revision
//! (Documentation/admin-guide/acpi/initrd_table_override.rst). CPUs and memory are those of QEMU's
//! table.

use super::x86_64;
use crate::machine::{LabMachine, NodeDescription, PciTree};

/// The names of QEMU's tables.
const OEM: &[u8; 14] = b"BOCHS BXPC    ";
/// Linux takes a table whose OEM revision is higher than QEMU's, which is 1.
const OEM_REVISION: u32 = 2;
/// Generic initiators need revision 3 (ACPI 6.3).
const REVISION: u8 = 3;
const ENABLED: u32 = 1;
/// No memory of a PC lies in between.
const LOW_END: u64 = 640 << 10;
const HIGH_START: u64 = 1 << 20;

/// The table, if a device has an entry.
pub(crate) fn own(machine: &LabMachine) -> Option<Vec<u8>> {
    let description = &machine.description;
    if description.devices.iter().all(|device| device.srat_node.is_none()) {
        return None;
    }
    // The specification reserves these 12 bytes; the first number is 1 for compatibility.
    let mut entries = [1_u32.to_le_bytes().as_slice(), &[0; 8]].concat();
    for node in machine.nodes() {
        for cpu in node.cpus.iter() {
            entries.extend(cpu_entry(node.id.0, x86_64::apic_id(machine, cpu.0 as usize)));
        }
    }
    for (node, start, end) in memory(machine.nodes()) {
        entries.extend(memory_entry(node, start, end));
    }
    for (device, place) in description.devices.iter().zip(PciTree::new(description).places()) {
        entries.extend(
            device.srat_node.map(|node| initiator_entry(node.0, place.bus)).unwrap_or_default(),
        );
    }
    Some(with_header(&entries))
}

/// Ranges of memory with their nodes: node after node, with a hole below 1 MiB.
fn memory(nodes: &[NodeDescription]) -> Vec<(u32, u64, u64)> {
    let (mut ranges, mut start) = (Vec::new(), 0);
    for node in nodes {
        let Some(size) = node.memory else { continue };
        let end = start + size.0;
        if start < LOW_END {
            ranges.push((node.id.0, start, LOW_END));
            start = HIGH_START;
        }
        ranges.push((node.id.0, start, end));
        start = end;
    }
    ranges
}

fn cpu_entry(node: u32, apic_id: u32) -> Vec<u8> {
    let domain = node.to_le_bytes();
    match u8::try_from(apic_id) {
        // Type 0. APIC id 255 means all CPUs.
        Ok(short) if short < u8::MAX => [
            [0, 16, domain[0], short].as_slice(),
            &ENABLED.to_le_bytes(),
            &[0, domain[1], domain[2], domain[3]],
            &[0; 4],
        ]
        .concat(),
        // Type 2: x2APIC.
        _ => [
            [2, 24, 0, 0].as_slice(),
            &domain,
            &apic_id.to_le_bytes(),
            &ENABLED.to_le_bytes(),
            &[0; 8],
        ]
        .concat(),
    }
}

fn memory_entry(node: u32, start: u64, end: u64) -> Vec<u8> {
    [
        [1, 40].as_slice(),
        &node.to_le_bytes(),
        &[0; 2],
        &start.to_le_bytes(),
        &(end - start).to_le_bytes(),
        &[0; 4],
        &ENABLED.to_le_bytes(),
        &[0; 8],
    ]
    .concat()
}

/// Type 5, with a PCI handle: segment, bus, device and function.
fn initiator_entry(node: u32, bus: usize) -> Vec<u8> {
    let mut handle = [0; 16];
    handle[2] = bus as u8;
    [[5, 32, 0, 1].as_slice(), &node.to_le_bytes(), &handle, &ENABLED.to_le_bytes(), &[0; 4]]
        .concat()
}

fn with_header(entries: &[u8]) -> Vec<u8> {
    let length = 36 + entries.len() as u32;
    let mut table = [
        b"SRAT".as_slice(),
        &length.to_le_bytes(),
        &[REVISION, 0],
        OEM,
        &OEM_REVISION.to_le_bytes(),
        b"NFAR",
        &1_u32.to_le_bytes(),
        entries,
    ]
    .concat();
    // All bytes of a table add up to zero.
    let sum = table.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    table[9] = sum.wrapping_neg();
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_without_initiator_entries_keep_qemus_table() {
        assert_eq!(own(&LabMachine::load("xeon-2s").unwrap()), None);
    }

    #[test]
    fn table_has_cpus_memory_and_initiators() {
        let table = own(&LabMachine::load("devices-2s").unwrap()).unwrap();
        assert_eq!(table.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)), 0);
        assert_eq!(table[4..8], (table.len() as u32).to_le_bytes());
        let mut entries = &table[48..];
        let mut kinds = Vec::new();
        while let [kind, length, ..] = entries {
            kinds.push(*kind);
            entries = &entries[usize::from(*length)..];
        }
        assert_eq!(kinds, [0, 0, 0, 0, 1, 1, 1, 1, 5, 5]);
    }

    #[test]
    fn first_node_has_a_hole_below_one_mebibyte() {
        let machine = LabMachine::load("xeon-2s").unwrap();
        let (end, all) = (384 << 20, 768 << 20);
        let ranges = [(0, 0, LOW_END), (0, HIGH_START, end), (1, end, all)];
        assert_eq!(memory(machine.nodes()), ranges);
    }

    #[test]
    fn large_apic_ids_need_the_longer_entry() {
        assert_eq!(cpu_entry(1, 254)[..4], [0, 16, 1, 254]);
        assert_eq!(cpu_entry(1, 255)[..12], [2, 24, 0, 0, 1, 0, 0, 0, 255, 0, 0, 0]);
    }
}
