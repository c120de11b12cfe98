//! Kinds of CPUs in hwloc's XML, as the files that hwloc read.

use nearfar_model::{CpuId, CpuSet};
use roxmltree::Node;

use super::{infos, set};
use crate::source::machine_files::{MachineFiles, SYSTEM};

/// CPUs with the same facts.
pub(super) fn put_cpu_kind(files: &mut MachineFiles, kind: Node<'_, '_>) {
    let cpus: CpuSet = set(kind.attribute("cpuset").unwrap_or_default());
    for (name, value) in infos(kind) {
        match (name, value) {
            ("CoreType", "IntelCore") => put_pmu(files, "cpu_core", &cpus),
            ("CoreType", "IntelAtom") => put_pmu(files, "cpu_atom", &cpus),
            ("LinuxCapacity", capacity) => put_each(files, &cpus, "cpu_capacity", capacity),
            ("FrequencyBaseMHz", mhz) => {
                let khz = format!("{mhz}000");
                put_each(files, &cpus, "cpufreq/base_frequency", &khz);
            }
            _ => {}
        }
    }
}

fn put_pmu(files: &mut MachineFiles, pmu: &str, cpus: &CpuSet) {
    files.put(&format!("/sys/devices/{pmu}/cpus"), cpus.to_string());
}

fn put_each(files: &mut MachineFiles, cpus: &CpuSet, file: &str, value: &str) {
    // A set may name CPUs that no object has.
    let known: Vec<CpuId> = cpus.intersection(&files.cpus).iter().collect();
    for cpu in known {
        files.put(&format!("{SYSTEM}/cpu/cpu{cpu}/{file}"), value);
    }
}
