//! The machine's parts as the kernel lists them: packages, dies, groups of CPUs that share a cache,
//! cores.
//!
//! Kept as sets of CPUs, so that a picture of the machine can be drawn beside what was measured.
//! Hardware's ids repeat between packages and may be missing: sets distinguish parts.

use std::collections::HashSet;

use nearfar_machine::{CacheKind, Topology};
use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};
use serde::{Deserialize, Serialize};

/// Parts of the machine that hold online CPUs, each kind by its first CPU. Within a kind no CPU
/// stands in two parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct ClaimedParts {
    /// Packages (sockets). Empty where the kernel lists none.
    pub packages: Vec<ClaimedPackage>,
    /// Dies, where the kernel lists more than one in some package; else empty.
    pub dies: Vec<DiePart>,
    /// Groups of CPUs that share their last-level cache; together all online CPUs.
    pub cache_groups: Vec<CacheGroupPart>,
    /// Cores: each the CPUs that are hardware threads of one pipeline (SMT). Together all online
    /// CPUs.
    pub cores: Vec<CorePart>,
    /// Caches of all levels, equal ones together.
    pub caches: Vec<EqualCaches>,
    /// CPUs that are present and offline, in list form. Absent where there is none.
    #[serde(default, skip_serializing_if = "CpuSet::is_empty")]
    #[schemars(with = "String")]
    pub offline: CpuSet,
    /// Kinds of CPUs, the fastest first. Absent where all are alike, or where the kernel does not
    /// show kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_kinds: Vec<CpuKindPart>,
    /// Online CPUs that programs of this user may not use (cpusets, affinity), in list form.
    /// Absent where there is none.
    #[serde(default, skip_serializing_if = "CpuSet::is_empty")]
    #[schemars(with = "String")]
    pub disallowed_cpus: CpuSet,
    /// Nodes whose memory they may not use, in list form. Absent where there is none.
    #[serde(default, skip_serializing_if = "NodeSet::is_empty")]
    #[schemars(with = "String")]
    pub disallowed_nodes: NodeSet,
    /// Memory-side caches of nodes. Absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub side_caches: Vec<SideCachePart>,
}

/// A cache in front of a node's memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SideCachePart {
    /// The node.
    #[schemars(with = "u32")]
    pub node: NodeId,
    /// Its size in bytes. Null where firmware does not report it.
    #[schemars(with = "Option<u64>")]
    pub bytes: Option<Bytes>,
}

/// CPUs of one kind, of a machine with several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CpuKindPart {
    /// "P-cores", "E-cores", "LP-E-cores", "capacity 446" (Arm; the fastest have 1024) or
    /// "base 1.9 GHz".
    pub name: String,
    /// Its CPUs, in list form.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
}

/// A package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClaimedPackage {
    /// The hardware's number. Null where it has none.
    pub id: Option<u32>,
    /// Its CPUs, in list form.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
}

/// A die of a package.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DiePart {
    /// The hardware's number of its package. Null where it has none.
    pub package: Option<u32>,
    /// The hardware's number, within the package. Null where it has none.
    pub id: Option<u32>,
    /// Its CPUs, in list form.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
}

/// CPUs that share their last-level cache. Where the kernel lists no cache: the CPUs of a
/// package, or all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CacheGroupPart {
    /// Its CPUs, in list form.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// The cache's level. Null where the kernel lists no cache that these CPUs share.
    pub level: Option<u32>,
    /// What the cache holds: "unified" (data and instructions) or "data". Null as the level.
    pub kind: Option<String>,
    /// The cache's size in bytes, as the kernel (in a guest: the hypervisor) reports it. Null where
    /// it does not.
    #[schemars(with = "Option<u64>")]
    pub bytes: Option<Bytes>,
}

/// A core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CorePart {
    /// Its CPUs, in list form.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
}

/// Caches of one level, kind and size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EqualCaches {
    /// Their level.
    pub level: u32,
    /// What they hold: "unified", "data" or "instruction".
    pub kind: String,
    /// The size of each in bytes. Null where the kernel does not report it.
    #[schemars(with = "Option<u64>")]
    pub bytes: Option<Bytes>,
    /// The number of online CPUs that share each.
    pub shared_by: usize,
    /// The CPUs of all of them, in list form.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// The CPUs of each, in list form. Absent where each is a core's, or a group's in
    /// `cache_groups`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub each: Vec<CpuSet>,
}

impl ClaimedParts {
    /// The parts in a topology.
    pub fn from_topology(topology: &Topology) -> Self {
        let packages = topology.packages().iter();
        let groups = topology.last_level_groups();
        Self {
            packages: packages
                .map(|part| ClaimedPackage { id: part.id, cpus: part.cpus.clone() })
                .collect(),
            dies: dies(topology),
            cache_groups: groups
                .into_iter()
                .map(|cpus| CacheGroupPart::new(cpus, topology))
                .collect(),
            cores: topology
                .cores()
                .iter()
                .map(|core| CorePart { cpus: core.cpus.clone() })
                .collect(),
            caches: equal_caches(topology),
            offline: topology.cpus.iter().filter(|cpu| !cpu.online).map(|cpu| cpu.id).collect(),
            cpu_kinds: topology
                .cpu_kinds
                .iter()
                .map(|kind| CpuKindPart { name: kind.name.clone(), cpus: kind.cpus.clone() })
                .collect(),
            disallowed_cpus: topology.online().difference(&topology.allowed.cpus),
            disallowed_nodes: disallowed_nodes(topology),
            side_caches: side_caches(topology),
        }
    }
}

/// Nodes with memory that is not allowed.
fn disallowed_nodes(topology: &Topology) -> NodeSet {
    let nodes = topology.nodes.iter().filter(|node| node.may_have_memory()).map(|node| node.id);
    nodes.filter(|id| !topology.allowed.nodes.contains(*id)).collect()
}

fn side_caches(topology: &Topology) -> Vec<SideCachePart> {
    let nodes = topology.nodes.iter().filter(|node| node.online);
    let caches = nodes.flat_map(|node| node.side_caches.iter().map(|cache| (node.id, cache.size)));
    caches.map(|(node, bytes)| SideCachePart { node, bytes }).collect()
}

/// Dies, unless each package is one.
fn dies(topology: &Topology) -> Vec<DiePart> {
    let dies = topology.dies();
    let is_package =
        |cpus: &CpuSet| topology.packages().iter().any(|package| package.cpus == *cpus);
    if dies.len() < 2 || dies.iter().all(|die| is_package(&die.cpus)) {
        return Vec::new();
    }
    dies.iter()
        .map(|die| DiePart { package: die.package, id: die.id, cpus: die.cpus.clone() })
        .collect()
}

/// The caches, by level and kind.
fn equal_caches(topology: &Topology) -> Vec<EqualCaches> {
    let mut caches: Vec<EqualCaches> = Vec::new();
    for cache in &topology.caches {
        let kind = match cache.kind {
            CacheKind::Data => "data",
            CacheKind::Instruction => "instruction",
            CacheKind::Unified => "unified",
        };
        let (level, bytes, shared_by) = (cache.level, cache.size, cache.cpus.len());
        let is_equal = |one: &&mut EqualCaches| {
            (one.level, one.kind.as_str(), one.bytes, one.shared_by)
                == (level, kind, bytes, shared_by)
        };
        match caches.iter_mut().find(is_equal) {
            Some(equal) => {
                equal.cpus.extend(cache.cpus.iter());
                equal.each.push(cache.cpus.clone());
            }
            None => caches.push(EqualCaches {
                level,
                kind: kind.to_owned(),
                bytes,
                shared_by,
                cpus: cache.cpus.clone(),
                each: vec![cache.cpus.clone()],
            }),
        }
    }
    let cores = topology.cores().iter().map(|core| &core.cpus);
    let groups = topology.last_level_groups();
    let known: HashSet<&CpuSet> = cores.chain(&groups).collect();
    for equal in &mut caches {
        if equal.each.iter().all(|cpus| known.contains(cpus)) {
            equal.each.clear();
        }
    }
    caches
}

impl CacheGroupPart {
    /// The group and the highest cache for data that all of it shares.
    fn new(cpus: CpuSet, topology: &Topology) -> Self {
        let data = topology.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction);
        let shared = data
            .filter(|cache| cpus.difference(&cache.cpus).is_empty())
            .max_by_key(|cache| cache.level);
        let kind = |kind| if kind == CacheKind::Unified { "unified" } else { "data" };
        Self {
            level: shared.map(|cache| cache.level),
            kind: shared.map(|cache| kind(cache.kind).to_owned()),
            bytes: shared.and_then(|cache| cache.size),
            cpus,
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    const FOLDER: &str = "/sys/devices/system/cpu";

    /// CPUs 0 to 3 in two cores; CPU 5 is offline.
    fn machine(dies: [&str; 2], with_cache: bool) -> Topology {
        let mut files = vec![
            (format!("{FOLDER}/online"), "0-3".to_owned()),
            (format!("{FOLDER}/present"), "0-3,5".to_owned()),
        ];
        for cpu in 0..4 {
            let mut put = |name: &str, text: &str| {
                files.push((format!("{FOLDER}/cpu{cpu}/{name}"), text.to_owned()));
            };
            put("topology/physical_package_id", "0");
            put("topology/package_cpus_list", "0-3");
            put("topology/die_id", if cpu < 2 { "0" } else { "1" });
            put("topology/die_cpus_list", dies[cpu / 2]);
            put("topology/thread_siblings_list", ["0-1", "2-3"][cpu / 2]);
            if with_cache {
                put("cache/index3/level", "3");
                put("cache/index3/type", "Unified");
                put("cache/index3/size", "32768K");
                put("cache/index3/shared_cpu_list", ["0-1", "2-3"][cpu / 2]);
            }
        }
        Topology::read(&Source::from_files(files)).unwrap()
    }

    fn json(parts: &ClaimedParts) -> serde_json::Value {
        serde_json::to_value(parts).unwrap()
    }

    #[test]
    fn parts_are_sets_of_online_cpus() {
        let parts = ClaimedParts::from_topology(&machine(["0-1", "2-3"], true));
        let group = |cpus: &str| {
            serde_json::json!({
                "cpus": cpus, "level": 3, "kind": "unified", "bytes": 32 << 20
            })
        };
        let expected = serde_json::json!({
            "packages": [{"id": 0, "cpus": "0-3"}],
            "dies": [
                {"package": 0, "id": 0, "cpus": "0-1"},
                {"package": 0, "id": 1, "cpus": "2-3"},
            ],
            "cache_groups": [group("0-1"), group("2-3")],
            "cores": [{"cpus": "0-1"}, {"cpus": "2-3"}],
            "caches": [{
                "level": 3, "kind": "unified", "bytes": 32 << 20, "shared_by": 2, "cpus": "0-3"
            }],
            "offline": "5",
        });
        assert_eq!(json(&parts), expected);
        assert_eq!(serde_json::from_value::<ClaimedParts>(expected).unwrap(), parts);
    }

    #[test]
    fn caches_between_core_and_group_are_listed_each() {
        let mut files = vec![(format!("{FOLDER}/online"), "0-3".to_owned())];
        for cpu in 0..4 {
            let mut put = |index: u32, level: &str, kind: &str, cpus: &str| {
                let folder = format!("{FOLDER}/cpu{cpu}/cache/index{index}");
                for (name, text) in [("level", level), ("type", kind), ("shared_cpu_list", cpus)] {
                    files.push((format!("{folder}/{name}"), text.to_owned()));
                }
            };
            put(0, "1", "Data", &cpu.to_string());
            put(1, "2", "Unified", ["0,2", "1,3"][cpu % 2]);
            put(2, "3", "Unified", "0-3");
        }
        let topology = Topology::read(&Source::from_files(files)).unwrap();
        let parts = ClaimedParts::from_topology(&topology);
        let each = |level: u32| {
            let caches = parts.caches.iter().find(|cache| cache.level == level).unwrap();
            caches.each.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(each(2), ["0,2", "1,3"]);
        assert_eq!((each(1).len(), each(3).len()), (0, 0), "cores and groups have them");
    }

    #[test]
    fn dies_equal_to_packages_are_left_out() {
        let parts = ClaimedParts::from_topology(&machine(["0-3", "0-3"], false));
        assert_eq!(parts.dies, []);
        let group =
            serde_json::json!([{"cpus": "0-3", "level": null, "kind": null, "bytes": null}]);
        assert_eq!(json(&parts)["cache_groups"], group);
    }

    #[test]
    fn a_list_of_cpus_gives_cores_and_one_group() {
        let bare =
            Topology::read(&Source::from_files([(format!("{FOLDER}/online"), "0-1".to_owned())]))
                .unwrap();
        let parts = ClaimedParts::from_topology(&bare);
        assert_eq!(
            (parts.packages.len(), parts.dies.len(), parts.cache_groups.len(), parts.cores.len()),
            (0, 0, 1, 2)
        );
    }

    #[test]
    fn surveys_without_parts_are_read() {
        assert_eq!(crate::sketch::survey().claims.parts, None);
    }
}
