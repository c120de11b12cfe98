//! CPUs and their topology (`/sys/devices/system/cpu/cpuN/topology`).

use std::collections::BTreeMap;

use nearfar_model::{CpuId, CpuSet, MAX_ID, NodeId};
use serde::Serialize;

use crate::attribute::Attributes;

const FOLDER: &str = "/sys/devices/system/cpu";

/// A logical CPU. IDs of core, cluster, die and package are the hardware's: they repeat between
/// packages, have gaps, and are unknown for offline CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Cpu {
    /// The kernel's number.
    pub id: CpuId,
    /// Whether it is online.
    pub online: bool,
    /// Whether it is isolated from the scheduler (`isolcpus`).
    pub isolated: bool,
    /// Its core, numbered within the package or die.
    pub core: Option<u32>,
    /// The online CPUs of its core, itself included; empty when offline.
    pub siblings: CpuSet,
    /// Its cluster of cores.
    pub cluster: Option<u32>,
    /// Its die, numbered within the package.
    pub die: Option<u32>,
    /// Its package (socket).
    pub package: Option<u32>,
    /// Its memory node, when the node lists it.
    pub node: Option<NodeId>,
}

/// All CPUs in sysfs.
pub(super) struct CpuTable {
    pub(super) cpus: Vec<Cpu>,
    /// One for each of `cpus`.
    pub(super) neighbours: Vec<Neighbours>,
    pub(super) possible: CpuSet,
}

/// The online CPUs that share a part with a CPU; `None` if unknown.
#[derive(Default)]
pub(super) struct Neighbours {
    pub(super) cluster: Option<CpuSet>,
    pub(super) die: Option<CpuSet>,
    pub(super) package: Option<CpuSet>,
}

impl CpuTable {
    pub(super) fn online(&self) -> CpuSet {
        self.cpus.iter().filter(|cpu| cpu.online).map(|cpu| cpu.id).collect()
    }
}

/// Reads all CPUs that are present.
pub(super) fn read_all(read: &Attributes<'_>) -> CpuTable {
    let folders = folders(read);
    let online = online(read, &folders);
    let present =
        read.list(&format!("{FOLDER}/present")).unwrap_or_default().union(&folders).union(&online);
    let isolated: CpuSet = read.list(&format!("{FOLDER}/isolated")).unwrap_or_default();
    let possible = read.list(&format!("{FOLDER}/possible")).unwrap_or_default().union(&present);

    let (mut cpus, mut neighbours) = (Vec::new(), Vec::new());
    for id in present.iter() {
        let (mut cpu, around) = read_one(read, id, &online);
        cpu.isolated = isolated.contains(id);
        cpus.push(cpu);
        neighbours.push(around);
    }
    part_cores_of_modules(&mut cpus);
    CpuTable { cpus, neighbours, possible }
}

/// AMD's family 15h reports the two cores of a module as siblings, though their core IDs differ.
fn part_cores_of_modules(cpus: &mut [Cpu]) {
    let ids: BTreeMap<CpuId, Option<u32>> = cpus.iter().map(|cpu| (cpu.id, cpu.core)).collect();
    for cpu in cpus.iter_mut().filter(|cpu| cpu.core.is_some()) {
        cpu.siblings = cpu
            .siblings
            .iter()
            .filter(|sibling| ids.get(sibling).is_none_or(|id| *id == cpu.core))
            .collect();
    }
}

/// The CPUs with a folder.
fn folders(read: &Attributes<'_>) -> CpuSet {
    let (sane, absurd): (Vec<u32>, Vec<u32>) =
        read.source.numbered(FOLDER, "cpu").into_iter().partition(|&number| number <= MAX_ID);
    for number in absurd {
        read.odd(format!("{FOLDER}/cpu{number}: a CPU number above {MAX_ID}; skipped"));
    }
    sane.into_iter().map(CpuId).collect()
}

/// The kernel's list; before Linux 2.6.26 each CPU that can go offline has its own file.
fn online(read: &Attributes<'_>, folders: &CpuSet) -> CpuSet {
    if let Some(listed) = read.list(&format!("{FOLDER}/online")) {
        return listed;
    }
    let runs =
        |id: &CpuId| read.text(&format!("{FOLDER}/cpu{id}/online")).is_none_or(|text| text != "0");
    folders.iter().filter(runs).collect()
}

/// Reads a CPU and its neighbours; sysfs has nothing about offline CPUs.
fn read_one(read: &Attributes<'_>, id: CpuId, online: &CpuSet) -> (Cpu, Neighbours) {
    let folder = format!("{FOLDER}/cpu{id}/topology");
    let runs = online.contains(id);
    let number = |name: &str| if runs { read.id(&format!("{folder}/{name}")) } else { None };
    let set = |name: &str| {
        let sharers =
            || read.sharers(&format!("{folder}/{name}_list"), &format!("{folder}/{name}"), id);
        runs.then(sharers).flatten().map(|sharers| sharers.intersection(online))
    };
    // The second names are those from before Linux 5.3.
    let siblings = set("core_cpus").or_else(|| set("thread_siblings"));
    let is_unknown = |name: &str| {
        let path = format!("{folder}/{name}");
        runs && read.text(&path).is_some() && read.id(&path).is_none()
    };
    // A kernel that does not know a part shows the ID -1, and each CPU as its own neighbour: arm64
    // from Linux 5.3 to 5.16 does so. Larger parts without an ID are real, as packages on POWER.
    let is_own = |set: &CpuSet| set.len() == 1 && online.len() > 1;
    let known = |set: Option<CpuSet>, id: &str| set.filter(|set| !is_own(set) || !is_unknown(id));
    let package = set("package_cpus").or_else(|| set("core_siblings"));
    let around = Neighbours {
        cluster: known(set("cluster_cpus"), "cluster_id"),
        die: known(set("die_cpus"), "die_id"),
        package: known(package, "physical_package_id"),
    };
    let cpu = Cpu {
        id,
        online: runs,
        isolated: false,
        core: number("core_id"),
        siblings: siblings.unwrap_or_else(|| CpuSet::from_id(id)).intersection(online),
        cluster: number("cluster_id"),
        die: number("die_id"),
        package: number("physical_package_id"),
        node: None,
    };
    (cpu, around)
}
