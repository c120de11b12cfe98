//! Caches and the CPUs that share them (`/sys/devices/system/cpu/cpuN/cache/indexM`).

use std::collections::BTreeMap;

use nearfar_model::{Bytes, CpuSet};
use serde::Serialize;

use super::cpu::Cpu;
use crate::attribute::{Attributes, shorten};

/// A cache, listed once for all CPUs that share it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Cache {
    /// Level; 1 is nearest to the core.
    pub level: u32,
    /// What it holds.
    pub kind: CacheKind,
    /// Its size. In a virtual machine this is the hypervisor's claim, which may be wrong.
    #[serde(rename = "size_bytes")]
    pub size: Option<Bytes>,
    /// Line size.
    #[serde(rename = "line_bytes")]
    pub line: Option<Bytes>,
    /// Associativity.
    pub ways: Option<u32>,
    /// Number of sets.
    pub sets: Option<u32>,
    /// The online CPUs that share it.
    pub cpus: CpuSet,
}

/// The content of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

/// Reads all caches of online CPUs. The files of a cache's first CPU count.
pub(super) fn read_all(read: &Attributes<'_>, cpus: &[Cpu]) -> Vec<Cache> {
    let online: CpuSet = cpus.iter().filter(|cpu| cpu.online).map(|cpu| cpu.id).collect();
    let mut caches = Vec::new();
    let mut covered: BTreeMap<(u32, CacheKind), CpuSet> = BTreeMap::new();
    for cpu in cpus.iter().filter(|cpu| cpu.online) {
        let folder = format!("/sys/devices/system/cpu/cpu{}/cache", cpu.id);
        for index in read.source.numbered(&folder, "index") {
            let folder = format!("{folder}/index{index}");
            let Some((level, kind)) = level_and_kind(read, &folder) else { continue };
            let covered = covered.entry((level, kind)).or_default();
            if covered.contains(cpu.id) {
                continue;
            }
            let cpus = sharers(read, &folder, cpu).intersection(&online).difference(covered);
            covered.extend(cpus.iter());
            caches.push(read_one(read, &folder, (level, kind), cpus));
        }
    }
    caches.sort_by_key(|cache| (cache.level, cache.kind, cache.cpus.first()));
    caches
}

fn level_and_kind(read: &Attributes<'_>, folder: &str) -> Option<(u32, CacheKind)> {
    let level = read.parsed(&format!("{folder}/level"))?;
    let kind = match read.text(&format!("{folder}/type"))?.as_str() {
        "Data" => CacheKind::Data,
        "Instruction" => CacheKind::Instruction,
        "Unified" => CacheKind::Unified,
        other => {
            read.odd(format!("{folder}/type: '{}' is not a cache type", shorten(other)));
            return None;
        }
    };
    Some((level, kind))
}

/// The CPUs that share a cache, else those of its core: Itanium kernels leave this map empty. Both
/// files are read for a cache's first CPU alone.
fn sharers(read: &Attributes<'_>, folder: &str, cpu: &Cpu) -> CpuSet {
    let sharers = read.compared_sharers(
        &format!("{folder}/shared_cpu_list"),
        &format!("{folder}/shared_cpu_map"),
        cpu.id,
    );
    sharers.unwrap_or_else(|| cpu.siblings.clone())
}

fn read_one(
    read: &Attributes<'_>,
    folder: &str,
    (level, kind): (u32, CacheKind),
    cpus: CpuSet,
) -> Cache {
    let path = |name: &str| format!("{folder}/{name}");
    // 0 is the kernel's "unknown" in all of these.
    Cache {
        level,
        kind,
        size: read.size(&path("size")).filter(|size| size.0 > 0),
        line: read.size(&path("coherency_line_size")).filter(|line| line.0 > 0),
        ways: read.parsed(&path("ways_of_associativity")).filter(|&ways| ways > 0),
        sets: read.parsed(&path("number_of_sets")).filter(|&sets| sets > 0),
        cpus,
    }
}
