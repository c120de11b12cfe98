//! A PC of the lab: a Q35 board with ACPI.

use std::ffi::OsString;
use std::path::Path;

use super::{Words, devices, hmat, in_a_value, numa};
use crate::machine::{Describes, LabMachine};

/// The CPU. Of the kinds that QEMU emulates, an Intel one with the CPUID leaf of dies (0x1f) lets
/// the guest see each part as it is described: threads of a core, one L3 cache a die, packages.
/// (AMD's leaf for this is not emulated without KVM.)
const CPU: &str = "max,vendor=GenuineIntel,level=0x1f";

pub(super) fn arguments(machine: &LabMachine, scratch: &Path) -> Vec<OsString> {
    let mut words = Words::default();
    let firmware = &machine.description.firmware;
    words.option("-M", if firmware.hmat { "q35,hmat=on" } else { "q35" });
    let (dies, share_caches) = dies(machine);
    words.option("-cpu", format!("{CPU}{}", if share_caches { "" } else { ",l3-cache=off" }));
    words.option("-smp", processors(machine, dies));
    words.option("-m", format!("{}M", machine.memory().0 >> 20));
    if firmware.describes == Describes::Nodes {
        numa::nodes(machine, &mut words);
        numa::distances(machine, &mut words);
        hmat::claims(machine, &mut words);
    }
    devices::below_host_bridges(machine, scratch, &mut words);
    for table in machine.tables() {
        words.option("-acpitable", format!("file={}", in_a_value(&table).to_string_lossy()));
    }
    words.0
}

/// The dies of a package, and whether each has an L3 cache, which its CPUs share: a die for each
/// node of a package. Linux 6.1 takes a die with a single CPU for a package of its own; where nodes
/// have one CPU, none has an L3 cache, so that no two nodes share one.
fn dies(machine: &LabMachine) -> (usize, bool) {
    let dies = machine.nodes_per_package();
    let lonely = dies > 1 && machine.cpus() == machine.description.packages * dies;
    if lonely { (1, false) } else { (dies, true) }
}

/// The APIC id of a CPU: a field of bits for each of package, die, core and thread.
pub(super) fn apic_id(machine: &LabMachine, cpu: usize) -> u32 {
    let (dies, _) = dies(machine);
    let (packages, threads) = (machine.description.packages, machine.description.threads_per_core);
    let cores = machine.cpus() / (packages * dies * threads);
    let (mut rest, mut shift, mut id) = (cpu, 0, 0);
    for count in [threads, cores, dies] {
        id |= (rest % count) << shift;
        rest /= count;
        shift += count.next_power_of_two().trailing_zeros();
    }
    (id | rest << shift) as u32
}

/// CPUs by package, die, core and thread; QEMU numbers them so that threads of a core are
/// neighbours.
fn processors(machine: &LabMachine, dies: usize) -> String {
    let (cpus, packages) = (machine.cpus(), machine.description.packages);
    let threads = machine.description.threads_per_core;
    let cores = cpus / (packages * dies * threads);
    format!("{cpus},sockets={packages},dies={dies},cores={cores},threads={threads}")
}
