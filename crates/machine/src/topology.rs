//! What is in the machine, and what belongs to what: CPUs, cores, packages, caches, nodes.

mod allowed;
mod cache;
mod cpu;
mod group;
mod identity;
mod last_level;
mod node;
mod node_table;

use nearfar_model::{Bytes, CpuId, CpuSet, DistanceMatrix, NodeId, NodeSet};
use serde::Serialize;

pub use allowed::AllowedResources;
pub(crate) use allowed::cpuset_cpus;
pub use cache::{Cache, CacheKind};
pub use cpu::Cpu;
pub use group::{Package, PackagePart};
pub use identity::MachineIdentity;
pub use node::{HugePages, Node, NodeMemory, SideCache};
pub use node_table::NodeTable;

use crate::attribute::Attributes;
use crate::devices::{self, MachineDevice};
use crate::error::MachineError;
use crate::source::Source;

/// A machine as its kernel describes it. What the kernel does not tell is `None`; what it tells and
/// makes no sense is absent too, with a line in [`oddities`](Self::oddities).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Topology {
    /// What the machine is called.
    #[serde(flatten)]
    pub identity: MachineIdentity,
    /// CPUs that are present, online or not, ascending.
    pub cpus: Vec<Cpu>,
    /// CPUs that the kernel has room for, present or not; hypervisors like to promise many.
    pub possible: CpuSet,
    packages: Vec<Package>,
    dies: Vec<PackagePart>,
    clusters: Vec<PackagePart>,
    cores: Vec<PackagePart>,
    /// The distinct caches, by level, then by first CPU.
    pub caches: Vec<Cache>,
    /// Whether the kernel knows of NUMA at all (`CONFIG_NUMA`). Without it there are no nodes,
    /// only memory.
    pub numa_supported: bool,
    /// Memory nodes that are online or possible, ascending.
    pub nodes: Vec<Node>,
    /// What firmware claims about online nodes, where the kernel shows it.
    pub distances: Option<DistanceMatrix>,
    /// Memory of the whole machine (`MemTotal` of `/proc/meminfo`, else the sum over nodes).
    #[serde(rename = "memory_total_bytes")]
    pub memory_total: Option<Bytes>,
    /// Memory free in the whole machine (`MemFree`).
    #[serde(rename = "memory_free_bytes")]
    pub memory_free: Option<Bytes>,
    /// Huge-page pools of the whole machine, by page size.
    pub huge_pages: Vec<HugePages>,
    /// Network cards, disks, InfiniBand and graphics cards, and the node of each.
    pub devices: Vec<MachineDevice>,
    /// What this process may use.
    pub allowed: AllowedResources,
    /// What was there and could not be understood, one line each.
    pub oddities: Vec<String>,
}

impl Topology {
    /// Reads a machine. Fails only when it shows no CPU.
    pub fn read(source: &Source) -> Result<Self, MachineError> {
        let read = Attributes::new(source);
        let mut told = cpu::read_all(&read);
        if told.cpus.is_empty() {
            return Err(MachineError::NoCpus { origin: source.origin().to_owned() });
        }
        let online: CpuSet = told.online();
        let mut nodes = node::read_all(&read);
        node::assign(&read, &mut nodes, &mut told.cpus);
        let groups = group::of(&told);
        let memory = node::machine_memory(&read, &nodes);
        Ok(Self {
            identity: identity::read(&read),
            caches: cache::read_all(&read, &told.cpus),
            distances: node::distances(&read, &nodes),
            devices: devices::read(&read),
            allowed: allowed::read(&read, &online, &nodes),
            huge_pages: node::huge_pages(&read, "/sys/kernel/mm/hugepages"),
            numa_supported: node::supported(source),
            memory_total: memory.map(|memory| memory.total),
            memory_free: memory.map(|memory| memory.free),
            possible: told.possible,
            packages: groups.packages,
            dies: groups.dies,
            clusters: groups.clusters,
            cores: groups.cores,
            cpus: told.cpus,
            nodes,
            oddities: read.into_oddities(),
        })
    }

    /// The CPUs that are online.
    pub fn online(&self) -> CpuSet {
        self.cpus.iter().filter(|cpu| cpu.online).map(|cpu| cpu.id).collect()
    }

    /// The nodes that are online.
    pub fn online_nodes(&self) -> NodeSet {
        self.nodes.iter().filter(|node| node.online).map(|node| node.id).collect()
    }

    /// Packages (sockets) with online CPUs, by first CPU. Disjoint.
    pub fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// Dies with online CPUs, by first CPU. Disjoint; empty where the kernel tells of none (before
    /// Linux 5.2).
    pub fn dies(&self) -> &[PackagePart] {
        &self.dies
    }

    /// Clusters of cores (shared L2 or L3 tags) with online CPUs, by first CPU. Disjoint; empty
    /// where the kernel tells of none.
    pub fn clusters(&self) -> &[PackagePart] {
        &self.clusters
    }

    /// Cores with online CPUs, by first CPU. Disjoint, and together all online CPUs: a CPU that
    /// tells nothing of its core counts as a core of its own.
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
    /// Each CPU goes by its own highest cache for data, so cores without the L3 that others have
    /// form groups of their own. CPUs that tell of no cache are taken by package, and without
    /// packages as one group. A cache may span nodes (sub-NUMA clustering): who wants CPUs of one
    /// node intersects.
    pub fn last_level_groups(&self) -> Vec<CpuSet> {
        last_level::groups(&self.online(), &self.caches, &self.packages)
    }
}

#[cfg(test)]
mod tests;
