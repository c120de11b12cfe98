//! `nearfar where --json`: the document `nearfar.where/1`.

use nearfar_machine::process::NumaPolicy;
use nearfar_model::{Bytes, NodeSet};
use serde::Serialize;

use crate::by_node::BytesByNode;
use crate::condition::ConditionResult;
use crate::device_nearness::ProcessDevices;
use crate::gpu_memory::{GpuNode, gpu_nodes};
use crate::killed::KilledProcess;
use crate::kind::MappingKind;
use crate::mapping::MappingMemory;
use crate::memory::{ProcessMemory, Subtotal};
use crate::text::advice::{PlacementAdvice, advise};
use crate::threads::{ThreadNode, ThreadPlace, remote_share};
use crate::unique_memory::UniqueMemory;
use crate::where_result::{UnreadableProcess, WhereResult};
use crate::worker::Worker;

/// The schema's name. Parts may be added, never changed, within a number.
pub const WHERE_SCHEMA: &str = "nearfar.where/1";

/// Where the memory of processes is.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct WhereDocument<'m> {
    schema: &'static str,
    /// The memory of all these processes, shared memory once.
    together: &'m UniqueMemory,
    processes: Vec<ProcessEntry<'m>>,
    unreadable: &'m [UnreadableProcess],
    /// The same by worker: by rank where a launcher sets one, else by process.
    workers: &'m [Worker],
    /// What became of the conditions of `--fail-if`.
    conditions: &'m [ConditionResult],
    /// Nodes whose memory is a GPU's.
    gpu_nodes: Vec<GpuNode>,
    /// Processes of this name or control group that the kernel killed since nodes were full.
    killed: &'m [KilledProcess],
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct ProcessEntry<'m> {
    pid: u32,
    name: &'m str,
    command: &'m str,
    nodes: NodeSet,
    allowed_nodes: Option<&'m NodeSet>,
    total_bytes: Bytes,
    swapped_bytes: Option<Bytes>,
    by_node: BytesByNode,
    remote_share: Option<f64>,
    /// Why there is no `remote_share`.
    why: Option<&'static str>,
    kinds: Vec<KindEntry>,
    policies: Vec<PolicyEntry>,
    thread_nodes: Vec<ThreadNode>,
    threads: Vec<Thread<'m>>,
    mappings: Vec<MappingRecord<'m>>,
    devices: &'m ProcessDevices,
    advice: PlacementAdvice,
    oddities: &'m [String],
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct KindEntry {
    kind: MappingKind,
    mappings: usize,
    #[serde(flatten)]
    sizes: MemorySizes,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct PolicyEntry {
    policy: NumaPolicy,
    mappings: usize,
    bytes: Bytes,
    by_node: BytesByNode,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct Thread<'m> {
    #[serde(flatten)]
    thread: &'m ThreadPlace,
    remote_share: Option<f64>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct MappingRecord<'m> {
    /// In hexadecimal, as in `maps`: JSON numbers cannot hold every address.
    start: String,
    end: Option<String>,
    kind: MappingKind,
    name: Option<&'m str>,
    shared: bool,
    policy: &'m NumaPolicy,
    page_bytes: Option<Bytes>,
    #[serde(flatten)]
    sizes: MemorySizes,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct MemorySizes {
    bytes: Bytes,
    by_node: BytesByNode,
    remote_share: Option<f64>,
}

impl<'m> WhereDocument<'m> {
    /// The document of what was found.
    pub fn new(found: &'m WhereResult) -> Self {
        let WhereResult { processes, workers, together, unreadable, killed, conditions } = found;
        let around = processes.first().map(|(memory, _)| &memory.around);
        Self {
            schema: WHERE_SCHEMA,
            together,
            processes: processes
                .iter()
                .map(|(memory, devices)| ProcessEntry::new(memory, devices))
                .collect(),
            unreadable,
            workers,
            conditions,
            gpu_nodes: around.map(gpu_nodes).unwrap_or_default(),
            killed,
        }
    }
}

impl<'m> ProcessEntry<'m> {
    fn new(memory: &'m ProcessMemory, devices: &'m ProcessDevices) -> Self {
        let (by_node, threads) = (memory.by_node(), memory.threads.by_node());
        let remote = remote_share(&threads, &by_node);
        let kinds = memory.kinds().into_iter().map(|Subtotal { of, mappings, by_node }| {
            KindEntry { kind: of, mappings, sizes: MemorySizes::new(by_node, &threads) }
        });
        let policies = memory.policies().into_iter().map(|Subtotal { of, mappings, by_node }| {
            PolicyEntry { policy: of, mappings, bytes: by_node.total(), by_node }
        });
        let thread = |thread: &'m ThreadPlace| Thread {
            thread,
            remote_share: thread.remote_share(&by_node),
        };
        Self {
            pid: memory.pid,
            name: &memory.name,
            command: &memory.command,
            nodes: memory.around.ids(),
            allowed_nodes: memory.allowed_nodes.as_ref(),
            total_bytes: by_node.total(),
            swapped_bytes: memory.swapped,
            remote_share: remote,
            why: remote.is_none().then_some("no page is in memory, or no thread's node is known"),
            kinds: kinds.collect(),
            policies: policies.collect(),
            threads: memory.threads.0.iter().map(thread).collect(),
            mappings: memory
                .mappings
                .iter()
                .map(|mapping| MappingRecord::new(mapping, &threads))
                .collect(),
            thread_nodes: threads,
            devices,
            advice: advise(memory),
            oddities: &memory.oddities,
            by_node,
        }
    }
}

impl<'m> MappingRecord<'m> {
    fn new(mapping: &'m MappingMemory, threads: &[ThreadNode]) -> Self {
        Self {
            start: format!("{:x}", mapping.start),
            end: mapping.end.map(|end| format!("{end:x}")),
            kind: mapping.kind,
            name: mapping.name.as_deref(),
            shared: mapping.shared,
            policy: &mapping.policy,
            page_bytes: mapping.page_size,
            sizes: MemorySizes::new(mapping.by_node.clone(), threads),
        }
    }
}

impl MemorySizes {
    fn new(by_node: BytesByNode, threads: &[ThreadNode]) -> Self {
        Self { bytes: by_node.total(), remote_share: remote_share(threads, &by_node), by_node }
    }
}
