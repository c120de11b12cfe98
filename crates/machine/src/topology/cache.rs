//! Caches and who shares them (`/sys/devices/system/cpu/cpuN/cache/indexM`).

use std::collections::BTreeMap;

use nearfar_model::{Bytes, CpuSet};
use serde::Serialize;

use super::cpu::Cpu;
use crate::attribute::{Attributes, shorten};

/// A cache: one entry for each that exists, however many CPUs share it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u32,
    /// What it holds.
    pub kind: CacheKind,
    /// Its size. In a virtual machine this is what the hypervisor says, which may be far from
    /// true.
    #[serde(rename = "size_bytes")]
    pub size: Option<Bytes>,
    /// Its line.
    #[serde(rename = "line_bytes")]
    pub line: Option<Bytes>,
    /// Its associativity.
    pub ways: Option<u32>,
    /// Its sets.
    pub sets: Option<u32>,
    /// The online CPUs that share it.
    pub cpus: CpuSet,
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

/// Reads all caches of online CPUs. As with other parts, the first CPU of a cache speaks for it.
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
            read.odd(format!("{folder}/type: '{}' is no kind of cache", shorten(other)));
            return None;
        }
    };
    Some((level, kind))
}

/// A cache that does not tell who shares it is taken for its core's: Itanium kernels leave the map
/// of such caches empty.
fn sharers(read: &Attributes<'_>, folder: &str, cpu: &Cpu) -> CpuSet {
    let told = read.sharers(
        &format!("{folder}/shared_cpu_list"),
        &format!("{folder}/shared_cpu_map"),
        cpu.id,
    );
    told.unwrap_or_else(|| cpu.siblings.clone())
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
