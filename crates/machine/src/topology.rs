//! The machine's topology: CPUs, cores, packages, caches, nodes.

mod allowed;
mod cpu;
mod cpu_family;
mod cpu_kind;
mod crossing;
mod group;
mod identity;
mod last_level;
mod node;
mod node_table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use nearfar_model::{Bytes, CpuId, CpuSet, DistanceMatrix, NodeId, NodeSet};
use serde::Serialize;

use crate::attribute::{Attributes, shorten};
use crate::error::MachineError;
use crate::inventory::{MachineDevice, machine_devices};
use crate::node_access::NodeAccess;
use crate::source::Source;

pub use allowed::AllowedResources;
pub(crate) use allowed::cpuset_cpus;
pub use cpu::Cpu;
pub use cpu_family::CpuFamily;
pub use cpu_kind::CpuKind;
pub use crossing::{CrossedGroup, NodeCrossing};
pub use group::{Package, PackagePart};
pub use identity::MachineIdentity;
pub use node::{HugePages, Node, NodeMemory, SideCache};
pub use node_table::NodeTable;

/// A machine's topology as its kernel reports it. What the kernel does not report is `None`;
/// malformed values are absent too, with a line in [`oddities`](Self::oddities).
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Topology {
    /// Names of the machine.
    #[serde(flatten)]
    pub identity: MachineIdentity,
    /// The numbers of an x86 CPU; documents of surveys have them.
    #[serde(skip)]
    pub cpu_family: Option<CpuFamily>,
    /// Present CPUs, online or not, ascending.
    pub cpus: Vec<Cpu>,
    /// Kinds of CPUs, the fastest first. Empty where all are alike, or where the kernel does not
    /// show kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_kinds: Vec<CpuKind>,
    /// Possible CPUs, present or not; hypervisors often report many.
    pub possible: CpuSet,
    packages: Vec<Package>,
    dies: Vec<PackagePart>,
    clusters: Vec<PackagePart>,
    cores: Vec<PackagePart>,
    /// The distinct caches, by level, then by first CPU.
    pub caches: Vec<Cache>,
    /// Whether the kernel supports NUMA (`CONFIG_NUMA`). Without it there are no nodes, only
    /// memory.
    pub numa_supported: bool,
    /// Whether another program's file is all that is known: what it lacks is unknown, not absent.
    #[serde(skip)]
    pub is_partial: bool,
    /// Memory nodes that are online or possible, ascending.
    pub nodes: Vec<Node>,
    /// Latency and bandwidth of nodes as claimed by firmware's HMAT, for their nearest CPUs.
    pub access: Vec<NodeAccess>,
    /// Distances between online nodes as claimed by firmware, if the kernel shows them.
    pub distances: Option<DistanceMatrix>,
    /// Total memory of the machine (`MemTotal` of `/proc/meminfo`, else the sum over nodes).
    #[serde(rename = "memory_total_bytes")]
    pub memory_total: Option<Bytes>,
    /// Free memory of the machine (`MemFree`).
    #[serde(rename = "memory_free_bytes")]
    pub memory_free: Option<Bytes>,
    /// Memory of the machine that programs can still get without swapping (`MemAvailable`).
    #[serde(rename = "memory_available_bytes")]
    pub memory_available: Option<Bytes>,
    /// Huge-page pools of the whole machine, by page size.
    pub huge_pages: Vec<HugePages>,
    /// Network cards, disks, InfiniBand and graphics cards, with their nodes.
    pub devices: Vec<MachineDevice>,
    /// What this process may use.
    pub allowed: AllowedResources,
    /// Malformed values, one line each.
    pub oddities: Vec<String>,
}

impl Topology {
    /// Reads a machine's topology.
    ///
    /// # Errors
    ///
    /// [`MachineError::NoCpus`] if sysfs has no CPU, [`MachineError::CpusNotSent`] if outputs of
    /// programs have none.
    ///
    /// # References
    ///
    /// Documentation/admin-guide/cputopology.rst, Documentation/ABI/stable/sysfs-devices-node,
    /// Documentation/ABI/testing/sysfs-devices-system-cpu
    pub fn read(source: &Source) -> Result<Self, MachineError> {
        let read = Attributes::new(source);
        let mut table = cpu::read_all(&read);
        if table.cpus.is_empty() {
            let origin = source.origin().to_owned();
            return Err(match source.is_sent() {
                true => MachineError::CpusNotSent { origin },
                false => MachineError::NoCpus { origin },
            });
        }
        let online: CpuSet = table.online();
        let mut nodes = node::read_all(&read);
        node::assign(&read, &mut nodes, &mut table.cpus);
        node::read_offline_memory(&read, &mut nodes);
        node::read_available(source, &mut nodes);
        let groups = group::of(&table);
        let memory = node::machine_memory(&read, &nodes);
        Ok(Self {
            identity: identity::read(&read),
            cpu_family: CpuFamily::read(source),
            cpu_kinds: cpu_kind::read_all(&read, &online),
            caches: read_all(&read, &table.cpus),
            access: NodeAccess::read_all(source),
            distances: node::distances(&read, &nodes),
            devices: machine_devices(&read),
            allowed: allowed::read(&read, &online, &nodes),
            huge_pages: node::huge_pages(&read, "/sys/kernel/mm/hugepages"),
            numa_supported: node::supported(source),
            is_partial: source.is_sent(),
            memory_total: memory.map(|memory| memory.total),
            memory_free: memory.map(|memory| memory.free),
            memory_available: memory.and_then(|memory| memory.available),
            possible: table.possible,
            packages: groups.packages,
            dies: groups.dies,
            clusters: groups.clusters,
            cores: groups.cores,
            cpus: table.cpus,
            nodes,
            oddities: read.into_oddities(),
        })
    }

    /// Whether nothing is known about nodes, not even that there are none.
    pub fn are_nodes_unknown(&self) -> bool {
        self.is_partial && !self.numa_supported
    }

    /// Nodes that cross packages, caches or cores: the nodes do not follow the hardware.
    pub fn nodes_that_cross(&self) -> Vec<NodeCrossing> {
        crossing::all(&self.nodes, &self.packages, &self.caches, &self.cores)
    }

    /// The online CPUs.
    pub fn online(&self) -> CpuSet {
        self.cpus.iter().filter(|cpu| cpu.online).map(|cpu| cpu.id).collect()
    }

    /// The online nodes.
    pub fn online_nodes(&self) -> NodeSet {
        self.nodes.iter().filter(|node| node.online).map(|node| node.id).collect()
    }

    /// Packages (sockets) with online CPUs, by first CPU. Disjoint.
    pub fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// Dies with online CPUs, by first CPU. Disjoint; empty if the kernel reports none (before
    /// Linux 5.2).
    pub fn dies(&self) -> &[PackagePart] {
        &self.dies
    }

    /// Clusters of cores (shared L2 or L3 tags) with online CPUs, by first CPU. Disjoint; empty if
    /// the kernel reports none.
    pub fn clusters(&self) -> &[PackagePart] {
        &self.clusters
    }

    /// Cores with online CPUs, by first CPU. Disjoint, and together all online CPUs: a CPU without
    /// core information counts as its own core.
    pub fn cores(&self) -> &[PackagePart] {
        &self.cores
    }

    /// A node by its id.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// A CPU by its id.
    pub fn cpu(&self, id: CpuId) -> Option<&Cpu> {
        self.cpus.binary_search_by_key(&id, |cpu| cpu.id).ok().map(|index| &self.cpus[index])
    }

    /// The online CPUs of one core, the given one included; empty when that CPU is absent or
    /// offline.
    pub fn smt_siblings(&self, id: CpuId) -> CpuSet {
        let core = self.cores.iter().find(|core| core.cpus.contains(id));
        core.map(|core| core.cpus.clone()).unwrap_or_default()
    }

    /// Groups of online CPUs that share their last-level cache, by first CPU. Disjoint, and
    /// together all online CPUs.
    ///
    /// Each CPU is grouped by its own highest data cache, so cores without the L3 of others have
    /// their own groups. CPUs without cache information are grouped by package, and without
    /// packages as one group. A cache may span nodes (sub-NUMA clustering): intersect with a node's
    /// CPUs if needed.
    pub fn last_level_groups(&self) -> Vec<CpuSet> {
        last_level::groups(&self.online(), &self.caches, &self.packages)
    }
}

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
fn read_all(read: &Attributes<'_>, cpus: &[Cpu]) -> Vec<Cache> {
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
