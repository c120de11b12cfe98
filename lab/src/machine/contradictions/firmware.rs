//! What firmware claims, and the devices it tells of.

use super::super::arch::Arch;
use super::super::description::{Describes, Description, Device};
use super::super::matrix::Matrix;
use super::{Checked, Contradiction, WITH_CPUS, WITH_MEMORY, cpu_nodes, matrix, memory_nodes, shape};
use crate::emulator::MOST_DEVICES;

/// QEMU's and the kernel's distance of a node to itself.
const LOCAL: u8 = 10;

pub(super) fn check(description: &Description) -> Vec<Checked> {
    let mut checks = where_nothing_is_told(description);
    checks.push(slit(description));
    checks.extend(hmat(description));
    checks.extend(only_with_acpi(description));
    checks.extend(devices(description));
    checks
}

fn where_nothing_is_told(description: &Description) -> Vec<Checked> {
    let firmware = &description.firmware;
    if firmware.describes == Describes::Nodes {
        return Vec::new();
    }
    let wrong = "firmware describes one node, and this speaks of nodes";
    let remedy = "leave it out, or set firmware.describes = \"nodes\"";
    let told = [("firmware.slit", firmware.slit.is_some()), ("firmware.hmat", firmware.hmat)];
    let told = told.into_iter().filter(|(_, given)| *given);
    told.map(|(key, _)| Err(Contradiction::new(key, wrong, remedy))).collect()
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

fn hmat(description: &Description) -> Vec<Checked> {
    let firmware = &description.firmware;
    let rows = (cpu_nodes(description).len(), WITH_CPUS);
    let columns = (memory_nodes(description).len(), WITH_MEMORY);
    let claims = [
        ("firmware.hmat_latency_ns", &firmware.hmat_latency_ns),
        ("firmware.hmat_bandwidth_gb_s", &firmware.hmat_bandwidth_gb_s),
    ];
    let wrong = "it is what an HMAT claims, and there is none";
    let claimed = |(key, claim): (&str, &Option<Matrix>)| match (claim, firmware.hmat) {
        (None, _) => Ok(()),
        (Some(_), false) => Err(Contradiction::new(key, wrong, "set firmware.hmat = true, or leave it out")),
        (Some(claim), true) => matrix(key, claim, rows, columns),
    };
    claims.map(claimed).to_vec()
}

fn only_with_acpi(description: &Description) -> Vec<Checked> {
    if description.arch == Arch::X86_64 {
        return Vec::new();
    }
    let firmware = &description.firmware;
    let asked = [
        ("firmware.hmat", firmware.hmat),
        ("firmware.tables", !firmware.tables.is_empty()),
        ("device", !description.devices.is_empty()),
    ];
    let wrong = "it needs ACPI, and the lab's aarch64 machines have a device tree";
    let asked = asked.into_iter().filter(|(_, asked)| *asked);
    asked.map(|(key, _)| Err(Contradiction::new(key, wrong, "leave it out, or describe an x86_64 machine"))).collect()
}

fn devices(description: &Description) -> Vec<Checked> {
    let count = description.devices.len();
    if count > MOST_DEVICES {
        let wrong = format!("there are {count}, and PCI has bus numbers for {MOST_DEVICES}");
        return vec![Err(Contradiction::new("device", wrong, "leave some out"))];
    }
    let devices = description.devices.iter().enumerate();
    devices.map(|(index, each)| device(&format!("device[{index}].node"), each, description)).collect()
}

fn device(key: &str, device: &Device, description: &Description) -> Checked {
    if !description.nodes.iter().any(|node| node.id == device.node) {
        let wrong = format!("there is no node {}", device.node);
        return Err(Contradiction::new(key, wrong, "name a node that is described"));
    }
    if description.firmware.describes == Describes::OneNode {
        let wrong = "firmware describes one node, and a device's node would betray the others";
        return Err(Contradiction::new(key, wrong, "leave the device out"));
    }
    Ok(())
}
