//! Nodes and distances, for QEMU's SRAT and SLIT.

use std::path::Path;

use super::Words;
use crate::machine::LabMachine;

/// Each node with its CPUs, and its memory as a block of its own.
pub(super) fn nodes(machine: &LabMachine, words: &mut Words) {
    // The server of a disk has the same memory in its own address space.
    let is_shared = !machine.served_disks(Path::new("")).is_empty();
    let backend =
        if is_shared { ("memory-backend-memfd", ",share=on") } else { ("memory-backend-ram", "") };
    for node in machine.nodes() {
        let id = node.id;
        let mut numa = format!("node,nodeid={id}");
        if let Some(memory) = node.memory {
            let size = memory.0 >> 20;
            words.option("-object", format!("{},id=m{id},size={size}M{}", backend.0, backend.1));
            numa += &format!(",memdev=m{id}");
        }
        for (first, last) in node.cpus.runs() {
            numa += &format!(",cpus={first}-{last}");
        }
        // With an HMAT, QEMU wants to know for each node whose CPUs it belongs to.
        if let Some(initiator) =
            machine.nearest_cpus(node).filter(|_| machine.description.firmware.hmat)
        {
            numa += &format!(",initiator={}", initiator.id);
        }
        words.option("-numa", numa);
    }
}

/// The distances that firmware claims.
pub(super) fn distances(machine: &LabMachine, words: &mut Words) {
    let Some(slit) = &machine.description.firmware.slit else { return };
    for (from, row) in machine.nodes().iter().zip(slit) {
        for (to, distance) in machine.nodes().iter().zip(row) {
            words.option("-numa", format!("dist,src={},dst={},val={distance}", from.id, to.id));
        }
    }
}
