//! Firmware's claims.

use super::super::NumberMatrix;
use super::super::arch::Arch;
use super::super::description::{Describes, Description};
use super::{Checked, DescriptionContradiction, cpu_side, matrix, memory_side, require, shape};

/// QEMU's and the kernel's distance of a node to itself.
const LOCAL: u8 = 10;

pub(super) fn check(description: &Description) -> Vec<Checked> {
    let mut checks = claims_without_nodes(description);
    checks.push(slit(description));
    checks.extend(hmat(description));
    checks.extend(only_with_acpi(description));
    checks
}

fn claims_without_nodes(description: &Description) -> Vec<Checked> {
    let firmware = &description.firmware;
    let describes_nodes = firmware.describes == Describes::Nodes;
    let wrong = "firmware describes one node, and this speaks of nodes";
    let remedy = "leave it out, or set firmware.describes = \"nodes\"";
    let claimed_tables =
        [("firmware.slit", firmware.slit.is_some()), ("firmware.hmat", firmware.hmat)];
    claimed_tables.map(|(key, given)| require(describes_nodes || !given, key, wrong, remedy)).into()
}

fn slit(description: &Description) -> Checked {
    let Some(slit) = &description.firmware.slit else { return Ok(()) };
    let nodes = (description.nodes.len(), "nodes");
    shape("firmware.slit", slit, nodes, nodes)?;
    for (i, row) in slit.iter().enumerate() {
        for (j, &distance) in row.iter().enumerate() {
            let key = format!("firmware.slit: row {i}, column {j}");
            let wrong =
                format!("a node is at {distance} from itself, and QEMU writes only {LOCAL} there");
            let remedy = "write 10, or inject a table of your own (firmware.tables)";
            require(i != j || distance == LOCAL, &key, wrong, remedy)?;
            let wrong = format!("{distance} is nearer than local memory, which is at {LOCAL}");
            require(distance >= LOCAL, key, wrong, "write 10 to 255")?;
        }
    }
    Ok(())
}

fn hmat(description: &Description) -> Vec<Checked> {
    let firmware = &description.firmware;
    let (rows, columns) = (cpu_side(description), memory_side(description));
    let claims = [
        ("firmware.hmat_latency_ns", &firmware.hmat_latency_ns),
        ("firmware.hmat_bandwidth_gb_s", &firmware.hmat_bandwidth_gb_s),
    ];
    let wrong = "it is what an HMAT claims, and there is none";
    let claimed = |(key, claim): (&str, &Option<NumberMatrix>)| match (claim, firmware.hmat) {
        (None, _) => Ok(()),
        (Some(_), false) => Err(DescriptionContradiction::new(
            key,
            wrong,
            "set firmware.hmat = true, or leave it out",
        )),
        (Some(claim), true) => matrix(key, claim, rows, columns),
    };
    claims.map(claimed).into()
}

fn only_with_acpi(description: &Description) -> Vec<Checked> {
    let firmware = &description.firmware;
    let has_acpi = description.arch == Arch::X86_64;
    let asked = [
        ("firmware.hmat", firmware.hmat),
        ("firmware.tables", !firmware.tables.is_empty()),
        ("host_bridge", !description.host_bridges.is_empty()),
    ];
    let wrong = "it needs ACPI, and the lab's aarch64 machines have a device tree";
    let remedy = "leave it out, or describe an x86_64 machine";
    asked.map(|(key, asked)| require(has_acpi || !asked, key, wrong, remedy)).into()
}
