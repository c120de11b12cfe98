//! Packages, dies, clusters and cores: the parts that CPUs share.
//!
//! Parts are distinguished by their sets of CPUs, not by IDs: IDs repeat between packages, and some
//! machines give all packages the same ID or none (-1).

use nearfar_model::{CpuId, CpuSet};
use serde::Serialize;

use super::cpu::{Cpu, CpuTable};

/// A package (socket).
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Package {
    /// The hardware's number, where it has one.
    pub id: Option<u32>,
    /// Its online CPUs.
    pub cpus: CpuSet,
}

/// A part of a package: a die, a cluster (cores of a die that share some resource, mostly their L2
/// cache or the tags of the L3), or a core, whose CPUs are hardware threads of one pipeline (SMT).
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PackagePart {
    /// The hardware's number, within the package or die.
    pub id: Option<u32>,
    /// The package it is in.
    pub package: Option<u32>,
    /// Its online CPUs.
    pub cpus: CpuSet,
}

/// All parts of a machine.
pub(super) struct PackageParts {
    pub(super) packages: Vec<Package>,
    pub(super) dies: Vec<PackagePart>,
    pub(super) clusters: Vec<PackagePart>,
    pub(super) cores: Vec<PackagePart>,
}

/// Groups CPUs into parts.
pub(super) fn of(table: &CpuTable) -> PackageParts {
    let online = || table.cpus.iter().zip(&table.neighbours).filter(|(cpu, _)| cpu.online);
    let parts = |id: fn(&Cpu) -> Option<u32>, sets: Vec<(&Cpu, CpuSet)>| {
        sets.into_iter()
            .map(|(cpu, cpus)| PackagePart { id: id(cpu), package: cpu.package, cpus })
            .collect()
    };
    let mut packages = partition(online().map(|(cpu, around)| (cpu, around.package.as_ref())));
    if packages.is_empty() {
        packages = packages_by_id(table);
    }
    PackageParts {
        packages: packages
            .into_iter()
            .map(|(cpu, cpus)| Package { id: cpu.package, cpus })
            .collect(),
        dies: parts(
            |cpu| cpu.die,
            partition(online().map(|(cpu, around)| (cpu, around.die.as_ref()))),
        ),
        clusters: parts(
            |cpu| cpu.cluster,
            partition(online().map(|(cpu, around)| (cpu, around.cluster.as_ref()))),
        ),
        // `Cpu::siblings` of a CPU without information is the CPU itself.
        cores: parts(
            |cpu| cpu.core,
            partition(online().map(|(cpu, _)| (cpu, Some(&cpu.siblings)))),
        ),
    }
}

/// Disjoint sets: each is its first CPU's, without CPUs of earlier sets. Contradicting files still
/// give disjoint parts.
fn partition<'c>(
    sets: impl Iterator<Item = (&'c Cpu, Option<&'c CpuSet>)>,
) -> Vec<(&'c Cpu, CpuSet)> {
    let mut taken = CpuSet::new();
    let mut parts = Vec::new();
    for (cpu, set) in sets {
        let Some(set) = set else { continue };
        if taken.contains(cpu.id) {
            continue;
        }
        let part = set.difference(&taken);
        taken.extend(part.iter());
        parts.push((cpu, part));
    }
    parts
}

/// Packages of a capture that has only the IDs.
fn packages_by_id(table: &CpuTable) -> Vec<(&Cpu, CpuSet)> {
    let mut parts: Vec<(&Cpu, CpuSet)> = Vec::new();
    for cpu in table.cpus.iter().filter(|cpu| cpu.online && cpu.package.is_some()) {
        match parts.iter_mut().find(|(first, _)| first.package == cpu.package) {
            Some((_, cpus)) => cpus.extend::<[CpuId; 1]>([cpu.id]),
            None => parts.push((cpu, CpuSet::from_id(cpu.id))),
        }
    }
    parts
}
