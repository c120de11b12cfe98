//! `nearfar where --json`: the document `nearfar.where/1`.

use nearfar_machine::process::NumaPolicy;
use nearfar_model::CpuSet;
use serde::Serialize;

use crate::advice::{Advice, advise};
use crate::by_node::ByNode;
use crate::kind::Kind;
use crate::mapping::MappingMemory;
use crate::memory::{ProcessMemory, Subtotal};
use crate::threads::{ThreadNode, ThreadPlace, remote_share};

/// The schema's name. Parts may be added, never changed, within a number.
pub const WHERE_SCHEMA: &str = "nearfar.where/1";

/// Where the memory of one process is, or of several.
#[derive(Debug, Serialize)]
pub struct WhereDocument {
    schema: &'static str,
    processes: Vec<Located>,
    unreadable: Vec<Unreadable>,
}

/// A process that could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// Its number.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Why not.
    pub why: String,
}

#[derive(Debug, Serialize)]
struct Located {
    pid: u32,
    name: String,
    command: String,
    nodes: String,
    allowed_nodes: Option<String>,
    total_bytes: u64,
    swapped_bytes: Option<u64>,
    by_node: ByNode,
    remote_share: Option<f64>,
    /// Why there is no `remote_share`.
    why: Option<&'static str>,
    kinds: Vec<OfKind>,
    policies: Vec<OfPolicy>,
    thread_nodes: Vec<OnNode>,
    threads: Vec<Thread>,
    mappings: Vec<Mapping>,
    advice: Advice,
    oddities: Vec<String>,
}

#[derive(Debug, Serialize)]
struct OfKind {
    kind: Kind,
    mappings: usize,
    bytes: u64,
    by_node: ByNode,
    remote_share: Option<f64>,
}

#[derive(Debug, Serialize)]
struct OfPolicy {
    policy: NumaPolicy,
    mappings: usize,
    bytes: u64,
    by_node: ByNode,
}

#[derive(Debug, Serialize)]
struct OnNode {
    node: u32,
    threads: usize,
    cpu_time_share: f64,
}

#[derive(Debug, Serialize)]
struct Thread {
    tid: u32,
    name: String,
    cpu: Option<u32>,
    node: Option<u32>,
    allowed_cpus: Option<CpuSet>,
    remote_share: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Mapping {
    /// Hexadecimal, as the kernel writes it: JSON's numbers do not hold every address.
    start: String,
    end: Option<String>,
    kind: Kind,
    name: Option<String>,
    shared: bool,
    policy: NumaPolicy,
    page_bytes: Option<u64>,
    bytes: u64,
    by_node: ByNode,
    remote_share: Option<f64>,
}

impl WhereDocument {
    /// The document of these processes, and of those that could not be looked at.
    pub fn new(processes: &[ProcessMemory], unreadable: Vec<Unreadable>) -> Self {
        Self { schema: WHERE_SCHEMA, processes: processes.iter().map(Located::of).collect(), unreadable }
    }
}

impl Located {
    fn of(memory: &ProcessMemory) -> Self {
        let (by_node, threads) = (memory.by_node(), memory.threads.by_node());
        let remote = remote_share(&threads, &by_node);
        Self {
            pid: memory.pid,
            name: memory.name.clone(),
            command: memory.command.clone(),
            nodes: memory.around.ids().to_string(),
            allowed_nodes: memory.allowed_nodes.as_ref().map(ToString::to_string),
            total_bytes: by_node.total().0,
            swapped_bytes: memory.swapped.map(|size| size.0),
            remote_share: remote,
            why: remote.is_none().then_some("no page is in memory, or no thread's node is known"),
            kinds: memory.kinds().iter().map(|of| OfKind::of(of, &threads)).collect(),
            policies: memory.policies().into_iter().map(OfPolicy::of).collect(),
            threads: memory.threads.0.iter().map(|thread| Thread::of(thread, &by_node)).collect(),
            mappings: memory.mappings.iter().map(|mapping| Mapping::of(mapping, &threads)).collect(),
            thread_nodes: threads.iter().map(OnNode::of).collect(),
            advice: advise(memory),
            oddities: memory.oddities.clone(),
            by_node,
        }
    }
}

impl OfKind {
    fn of(subtotal: &Subtotal<Kind>, threads: &[ThreadNode]) -> Self {
        Self {
            kind: subtotal.of,
            mappings: subtotal.mappings,
            bytes: subtotal.by_node.total().0,
            by_node: subtotal.by_node.clone(),
            remote_share: remote_share(threads, &subtotal.by_node),
        }
    }
}

impl OfPolicy {
    fn of(subtotal: Subtotal<NumaPolicy>) -> Self {
        let Subtotal { of, mappings, by_node } = subtotal;
        Self { policy: of, mappings, bytes: by_node.total().0, by_node }
    }
}

impl OnNode {
    fn of(on: &ThreadNode) -> Self {
        Self { node: on.node.0, threads: on.threads, cpu_time_share: on.share }
    }
}

impl Thread {
    fn of(thread: &ThreadPlace, memory: &ByNode) -> Self {
        Self {
            tid: thread.tid,
            name: thread.name.clone(),
            cpu: thread.cpu.map(|cpu| cpu.0),
            node: thread.node.map(|node| node.0),
            allowed_cpus: thread.allowed.clone(),
            remote_share: thread.remote_share(memory),
        }
    }
}

impl Mapping {
    fn of(mapping: &MappingMemory, threads: &[ThreadNode]) -> Self {
        Self {
            start: format!("{:x}", mapping.start),
            end: mapping.end.map(|end| format!("{end:x}")),
            kind: mapping.kind,
            name: mapping.name.clone(),
            shared: mapping.shared,
            policy: mapping.policy.clone(),
            page_bytes: mapping.page_size.map(|size| size.0),
            bytes: mapping.by_node.total().0,
            remote_share: remote_share(threads, &mapping.by_node),
            by_node: mapping.by_node.clone(),
        }
    }
}
