//! What firmware claims, and the devices it tells of.

use super::super::arch::Arch;
use super::super::description::{Describes, Description};
use super::{Checked, Contradiction, WITH_CPUS, WITH_MEMORY, cpu_nodes, matrix, memory_nodes, shape};
use crate::emulator::MOST_DEVICES;

/// QEMU's and the kernel's distance of a node to itself.
const LOCAL: u8 = 10;

pub(super) fn check(description: &Description) -> Checked {
    where_nothing_is_told(description)?;
    slit(description)?;
    hmat(description)?;
    only_with_acpi(description)?;
    devices(description)
}

fn where_nothing_is_told(description: &Description) -> Checked {
    let firmware = &description.firmware;
    if firmware.describes == Describes::Nodes {
        return Ok(());
    }
    let told = [("firmware.slit", firmware.slit.is_some()), ("firmware.hmat", firmware.hmat)];
    match told.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((key, _)) => {
            let wrong = "firmware describes one node, and this speaks of nodes";
            Err(Contradiction::new(*key, wrong, "leave it out, or set firmware.describes = \"nodes\""))
        }
    }
}

fn slit(description: &Description) -> Checked {
    let Some(slit) = &description.firmware.slit else { return Ok(()) };
    let key = "firmware.slit";
    let nodes = (description.nodes.len(), "nodes");
    shape(key, slit, nodes, nodes)?;
    for (i, row) in slit.iter().enumerate() {
        for (j, &distance) in row.iter().enumerate() {
            let key = format!("{key}: row {i}, column {j}");
            if i == j && distance != LOCAL {
                let wrong = format!("a node is at {distance} from itself, and QEMU writes only {LOCAL} there");
                return Err(Contradiction::new(
                    key,
                    wrong,
                    "write 10, or inject a table of your own (firmware.tables)",
                ));
            }
            if distance < LOCAL {
                let wrong = format!("{distance} is nearer than local memory, which is at {LOCAL}");
                return Err(Contradiction::new(key, wrong, "write 10 to 255"));
            }
        }
    }
    Ok(())
}

fn hmat(description: &Description) -> Checked {
    let firmware = &description.firmware;
    let rows = (cpu_nodes(description).len(), WITH_CPUS);
    let columns = (memory_nodes(description).len(), WITH_MEMORY);
    let claims = [
        ("firmware.hmat_latency_ns", &firmware.hmat_latency_ns),
        ("firmware.hmat_bandwidth_gb_s", &firmware.hmat_bandwidth_gb_s),
    ];
    for (key, claim) in claims {
        let Some(claim) = claim else { continue };
        if !firmware.hmat {
            let wrong = "it is what an HMAT claims, and there is none";
            return Err(Contradiction::new(key, wrong, "set firmware.hmat = true, or leave it out"));
        }
        matrix(key, claim, rows, columns)?;
    }
    Ok(())
}

fn only_with_acpi(description: &Description) -> Checked {
    if description.arch == Arch::X86_64 {
        return Ok(());
    }
    let firmware = &description.firmware;
    let asked = [
        ("firmware.hmat", firmware.hmat),
        ("firmware.tables", !firmware.tables.is_empty()),
        ("device", !description.devices.is_empty()),
    ];
    match asked.iter().find(|(_, asked)| *asked) {
        None => Ok(()),
        Some((key, _)) => {
            let wrong = "it needs ACPI, and the lab's aarch64 machines have a device tree";
            Err(Contradiction::new(*key, wrong, "leave it out, or describe an x86_64 machine"))
        }
    }
}

fn devices(description: &Description) -> Checked {
    let count = description.devices.len();
    if count > MOST_DEVICES {
        let wrong = format!("there are {count}, and PCI has bus numbers for {MOST_DEVICES}");
        return Err(Contradiction::new("device", wrong, "leave some out"));
    }
    for (index, device) in description.devices.iter().enumerate() {
        let key = format!("device[{index}].node");
        if !description.nodes.iter().any(|node| node.id == device.node) {
            let wrong = format!("there is no node {}", device.node);
            return Err(Contradiction::new(key, wrong, "name a node that is described"));
        }
        if description.firmware.describes == Describes::OneNode {
            let wrong = "firmware describes one node, and a device's node would betray the others";
            return Err(Contradiction::new(key, wrong, "leave the device out"));
        }
    }
    Ok(())
}
