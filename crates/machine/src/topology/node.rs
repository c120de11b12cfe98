//! Memory nodes (`/sys/devices/system/node`): CPUs, memory, huge pages, tiers, and firmware's
//! distances.

use std::collections::BTreeMap;

use nearfar_model::{Bytes, CpuId, CpuSet, DistanceMatrix, NodeId, NodeSet};
use serde::Serialize;

use super::cpu::Cpu;
use crate::attribute::{Attributes, shorten};
use crate::available_memory;
use crate::gpu_memory::gpu_nodes;
use crate::memory_tier;
use crate::pci::PciAddress;
use crate::source::Source;

const FOLDER: &str = "/sys/devices/system/node";
/// The most blocks of memory of a node that are read: 128 TiB in blocks of 2 GiB.
const MAX_BLOCKS: usize = 65_536;

/// A memory node. Nodes without CPUs (memory behind CXL, HBM) and nodes without memory are normal.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Node {
    /// The kernel's number; numbers may have gaps.
    pub id: NodeId,
    /// Whether it is online. Offline nodes have neither CPUs nor memory.
    pub online: bool,
    /// Its online CPUs.
    pub cpus: CpuSet,
    /// Its memory; `None` if unknown.
    pub memory: Option<NodeMemory>,
    /// Its memory that is present and offline; 0 where the kernel lists no such blocks.
    #[serde(rename = "offline_bytes")]
    pub offline_memory: Bytes,
    /// Its memory in the zone Movable, which can be taken offline or removed; 0 where unknown.
    #[serde(rename = "movable_bytes")]
    pub movable_memory: Bytes,
    /// The GPU whose memory it is. The host's programs have none of it available.
    pub gpu: Option<PciAddress>,
    /// Its pools of huge pages, by page size.
    pub huge_pages: Vec<HugePages>,
    /// Its memory-side caches, by level.
    #[serde(rename = "memory_side_caches")]
    pub side_caches: Vec<SideCache>,
    /// Its memory tier (Linux 6.1 and later); lower is faster.
    pub tier: Option<u32>,
}

/// Memory of a node, or of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NodeMemory {
    /// Total memory managed by the kernel.
    #[serde(rename = "total_bytes")]
    pub total: Bytes,
    /// Free memory; 0 in captures without it.
    #[serde(rename = "free_bytes")]
    pub free: Bytes,
    /// What programs can still get without swapping: free memory, and what the kernel gives back,
    /// less what it keeps. `None` if unknown.
    #[serde(rename = "available_bytes")]
    pub available: Option<Bytes>,
}

/// A pool of huge pages reserved at boot or by `nr_hugepages` (not transparent ones).
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct HugePages {
    /// The size of one page.
    #[serde(rename = "size_bytes")]
    pub size: Bytes,
    /// Pages in the pool.
    pub total: u64,
    /// Free pages.
    pub free: u64,
}

/// A memory-side cache: DRAM in front of persistent memory, or HBM in front of DRAM (from the HMAT,
/// Linux 5.1 and later).
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SideCache {
    /// Its level: 1 is nearest to the CPUs.
    pub level: u32,
    /// Its size.
    #[serde(rename = "size_bytes")]
    pub size: Option<Bytes>,
    /// Line size in bytes.
    #[serde(rename = "line_bytes")]
    pub line: Option<u32>,
    /// "direct-mapped" or "indexed"; `None` if firmware does not report it.
    pub indexing: Option<&'static str>,
    /// "write-back" or "write-through"; `None` if firmware does not report it.
    pub write_policy: Option<&'static str>,
}

impl Node {
    /// Whether it is known to have memory.
    pub fn has_memory(&self) -> bool {
        self.memory.is_some_and(|memory| memory.total.0 > 0)
    }

    /// Whether it is online and not known to be without memory.
    pub fn may_have_memory(&self) -> bool {
        self.online && self.memory.is_none_or(|memory| memory.total.0 > 0)
    }
}

/// Whether the kernel was built with NUMA.
pub(super) fn supported(source: &Source) -> bool {
    source.exists(FOLDER)
}

/// Reads all online and possible nodes.
pub(super) fn read_all(read: &Attributes<'_>) -> Vec<Node> {
    let folders: NodeSet = read.source.ids(FOLDER, "node");
    let online = read.list(&format!("{FOLDER}/online")).unwrap_or_else(|| folders.clone());
    let possible = read.list(&format!("{FOLDER}/possible")).unwrap_or_default();
    let all = folders.union(&online).union(&possible);
    let mut nodes: Vec<Node> =
        all.iter().map(|id| read_one(read, id, online.contains(id))).collect();
    for tier in memory_tier::read_all(read) {
        for node in nodes.iter_mut().filter(|node| tier.nodes.contains(node.id)) {
            node.tier = Some(tier.id);
        }
    }
    nodes
}

fn read_one(read: &Attributes<'_>, id: NodeId, online: bool) -> Node {
    let folder = format!("{FOLDER}/node{id}");
    Node {
        id,
        online,
        cpus: read
            .list_or_mask(&format!("{folder}/cpulist"), &format!("{folder}/cpumap"))
            .unwrap_or_default(),
        memory: memory(read, &format!("{folder}/meminfo")),
        offline_memory: Bytes(0),
        movable_memory: Bytes(0),
        gpu: None,
        huge_pages: huge_pages(read, &format!("{folder}/hugepages")),
        side_caches: side_caches(read, &format!("{folder}/memory_side_cache")),
        tier: None,
    }
}

/// The blocks of memory that are present and offline: CXL, dax and hot-added memory that nothing
/// has put online (Documentation/admin-guide/mm/memory-hotplug.rst).
pub(super) fn read_offline_memory(read: &Attributes<'_>, nodes: &mut [Node]) {
    let block = read.text("/sys/devices/system/memory/block_size_bytes");
    let Some(block) = block.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()) else {
        return;
    };
    for node in nodes {
        let folder = format!("{FOLDER}/node{}", node.id);
        let blocks = read.source.numbered(&folder, "memory").into_iter().take(MAX_BLOCKS);
        let is_offline = |number: &u32| {
            read.text(&format!("{folder}/memory{number}/state")).as_deref() == Some("offline")
        };
        let offline = blocks.filter(is_offline).count() as u64;
        node.offline_memory = Bytes(offline.saturating_mul(block));
    }
}

/// Assigns each CPU its node, and removes offline CPUs from nodes: kernels before 2.6.36 list them
/// too.
pub(super) fn assign(read: &Attributes<'_>, nodes: &mut [Node], cpus: &mut [Cpu]) {
    let mut owners: BTreeMap<CpuId, NodeId> = BTreeMap::new();
    for node in nodes.iter() {
        let twice: CpuSet = node
            .cpus
            .iter()
            .filter(|&cpu| *owners.entry(cpu).or_insert(node.id) != node.id)
            .collect();
        if !twice.is_empty() {
            read.odd(format!("{FOLDER}/node{}: CPUs {twice} are in an earlier node too", node.id));
        }
    }
    for cpu in cpus.iter_mut() {
        cpu.node = owners.get(&cpu.id).copied();
    }
    let online: CpuSet = cpus.iter().filter(|cpu| cpu.online).map(|cpu| cpu.id).collect();
    for node in nodes {
        node.cpus = node.cpus.intersection(&online);
    }
}

/// The memory of the machine: `/proc/meminfo`, else the sum over nodes.
/// What GPUs have available is not.
pub(super) fn machine_memory(read: &Attributes<'_>, nodes: &[Node]) -> Option<NodeMemory> {
    let of_gpus = available_memory::read_of_gpus(read.source, total(nodes));
    let without_gpus = |memory: NodeMemory| NodeMemory {
        available: memory.available.map(|all| Bytes(all.0.saturating_sub(of_gpus.0))),
        ..memory
    };
    memory(read, "/proc/meminfo").map(without_gpus).or_else(|| {
        nodes.iter().filter_map(|node| node.memory).reduce(|sum, one| NodeMemory {
            total: sum.total + one.total,
            free: sum.free + one.free,
            available: sum.available.zip(one.available).map(|(sum, one)| sum + one),
        })
    })
}

/// `MemTotal` and `MemFree` of a meminfo file; lines of a node's start with "Node N".
fn memory(read: &Attributes<'_>, path: &str) -> Option<NodeMemory> {
    let text = read.text(path)?;
    let value = |key: &str| {
        let line = text.lines().find(|line| line.contains(key))?;
        let size = line.split(key).nth(1)?.trim_start_matches(':').trim();
        size.parse().map_err(|error| read.odd(format!("{path}: {key}: {error}"))).ok()
    };
    let total = value("MemTotal");
    if total.is_none() {
        read.odd(format!("{path}: no MemTotal"));
    }
    let (free, available) = (value("MemFree").unwrap_or_default(), value("MemAvailable"));
    Some(NodeMemory { total: total?, free, available })
}

fn total(nodes: &[Node]) -> Bytes {
    nodes.iter().filter_map(|node| node.memory).map(|memory| memory.total).sum()
}

/// What each node has available, what can be removed, and the GPU whose memory it is.
pub(super) fn read_available(source: &Source, nodes: &mut [Node]) {
    let memory = total(nodes);
    let available = available_memory::read(source, memory);
    let (movable, gpus) = (available_memory::read_movable(source, memory), gpu_nodes(source));
    for node in nodes {
        node.movable_memory = movable.get(&node.id).copied().unwrap_or_default();
        node.gpu = gpus.get(&node.id).copied();
        if let Some(memory) = &mut node.memory {
            memory.available = available.get(&node.id).copied();
        }
    }
}

/// The caches in a `memory_side_cache` folder (Documentation/admin-guide/mm/numaperf.rst).
fn side_caches(read: &Attributes<'_>, folder: &str) -> Vec<SideCache> {
    let word = |path: String, words: [&'static str; 2]| {
        let number: usize = read.parsed(&path)?;
        words.get(number).copied()
    };
    let one = |level: u32| {
        let folder = format!("{folder}/index{level}");
        SideCache {
            level,
            size: read.parsed(&format!("{folder}/size")).map(Bytes),
            line: read.parsed(&format!("{folder}/line_size")),
            indexing: word(format!("{folder}/indexing"), ["direct-mapped", "indexed"]),
            write_policy: word(format!("{folder}/write_policy"), ["write-back", "write-through"]),
        }
    };
    read.source.numbered(folder, "index").into_iter().map(one).collect()
}

/// The pools in a `hugepages` folder.
pub(super) fn huge_pages(read: &Attributes<'_>, folder: &str) -> Vec<HugePages> {
    let pool = |name: &String| {
        let size = name.strip_prefix("hugepages-")?;
        let size =
            size.parse().map_err(|error| read.odd(format!("{folder}/{name}: {error}"))).ok()?;
        let count = |file: &str| read.parsed(&format!("{folder}/{name}/{file}"));
        Some(HugePages {
            size,
            total: count("nr_hugepages")?,
            free: count("free_hugepages").unwrap_or(0),
        })
    };
    let mut pools: Vec<HugePages> = read.source.list(folder).iter().filter_map(pool).collect();
    pools.sort_by_key(|pool| pool.size);
    pools
}

/// What firmware claims, from each online node's `distance`: a row with one number per online node,
/// in order.
pub(super) fn distances(read: &Attributes<'_>, nodes: &[Node]) -> Option<DistanceMatrix> {
    let online: Vec<NodeId> = nodes.iter().filter(|node| node.online).map(|node| node.id).collect();
    let rows: Vec<Vec<u32>> =
        online.iter().map(|&id| row(read, id, online.len())).collect::<Option<_>>()?;
    if rows.is_empty() {
        return None;
    }
    DistanceMatrix::new(online, rows).ok()
}

fn row(read: &Attributes<'_>, id: NodeId, wanted: usize) -> Option<Vec<u32>> {
    let path = format!("{FOLDER}/node{id}/distance");
    let text = read.text(&path)?;
    let numbers: Option<Vec<u32>> =
        text.split_whitespace().map(|number| number.parse().ok()).collect();
    let row = numbers.filter(|numbers| numbers.len() == wanted);
    if row.is_none() {
        let shown = shorten(&text);
        read.odd(format!(
            "{path}: '{shown}' is not {wanted} distances, one for each online node; no distances \
             are shown"
        ));
    }
    row
}
