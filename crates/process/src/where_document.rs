//! `nearfar where --json`: the document `nearfar.where/1`.

use nearfar_machine::process::NumaPolicy;
use nearfar_model::{Bytes, NodeSet};
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
pub struct WhereDocument<'m> {
    schema: &'static str,
    processes: Vec<Located<'m>>,
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
struct Located<'m> {
    pid: u32,
    name: &'m str,
    command: &'m str,
    nodes: NodeSet,
    allowed_nodes: Option<&'m NodeSet>,
    total_bytes: Bytes,
    swapped_bytes: Option<Bytes>,
    by_node: ByNode,
    remote_share: Option<f64>,
    /// Why there is no `remote_share`.
    why: Option<&'static str>,
    kinds: Vec<OfKind>,
    policies: Vec<OfPolicy>,
    thread_nodes: Vec<ThreadNode>,
    threads: Vec<Thread<'m>>,
    mappings: Vec<Mapping<'m>>,
    advice: Advice,
    oddities: &'m [String],
}

#[derive(Debug, Serialize)]
struct OfKind {
    kind: Kind,
    mappings: usize,
    #[serde(flatten)]
    sizes: Sizes,
}

#[derive(Debug, Serialize)]
struct OfPolicy {
    policy: NumaPolicy,
    mappings: usize,
    bytes: Bytes,
    by_node: ByNode,
}

#[derive(Debug, Serialize)]
struct Thread<'m> {
    #[serde(flatten)]
    thread: &'m ThreadPlace,
    remote_share: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Mapping<'m> {
    /// Hexadecimal, as the kernel writes it: JSON's numbers do not hold every address.
    start: String,
    end: Option<String>,
    kind: Kind,
    name: Option<&'m str>,
    shared: bool,
    policy: &'m NumaPolicy,
    page_bytes: Option<Bytes>,
    #[serde(flatten)]
    sizes: Sizes,
}

#[derive(Debug, Serialize)]
struct Sizes {
    bytes: Bytes,
    by_node: ByNode,
    remote_share: Option<f64>,
}

impl<'m> WhereDocument<'m> {
    /// The document of these processes, and of those that could not be looked at.
    pub fn new(processes: &'m [ProcessMemory], unreadable: Vec<Unreadable>) -> Self {
        Self {
            schema: WHERE_SCHEMA,
            processes: processes.iter().map(Located::of).collect(),
            unreadable,
        }
    }
}

impl<'m> Located<'m> {
    fn of(memory: &'m ProcessMemory) -> Self {
        let (by_node, threads) = (memory.by_node(), memory.threads.by_node());
        let remote = remote_share(&threads, &by_node);
        let kinds = memory.kinds().into_iter().map(|Subtotal { of, mappings, by_node }| OfKind {
            kind: of,
            mappings,
            sizes: Sizes::of(by_node, &threads),
        });
        let policies = memory.policies().into_iter().map(|Subtotal { of, mappings, by_node }| {
            OfPolicy { policy: of, mappings, bytes: by_node.total(), by_node }
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
                .map(|mapping| Mapping::of(mapping, &threads))
                .collect(),
            thread_nodes: threads,
            advice: advise(memory),
            oddities: &memory.oddities,
            by_node,
        }
    }
}

impl<'m> Mapping<'m> {
    fn of(mapping: &'m MappingMemory, threads: &[ThreadNode]) -> Self {
        Self {
            start: format!("{:x}", mapping.start),
            end: mapping.end.map(|end| format!("{end:x}")),
            kind: mapping.kind,
            name: mapping.name.as_deref(),
            shared: mapping.shared,
            policy: &mapping.policy,
            page_bytes: mapping.page_size,
            sizes: Sizes::of(mapping.by_node.clone(), threads),
        }
    }
}

impl Sizes {
    fn of(by_node: ByNode, threads: &[ThreadNode]) -> Self {
        Self { bytes: by_node.total(), remote_share: remote_share(threads, &by_node), by_node }
    }
}
