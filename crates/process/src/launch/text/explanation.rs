//! Explains a placement: which CPUs, which nodes, what happens when memory runs out,
//! what the kernel lacks.
//!
//! A pure function of a [`Launch`], a [`Topology`] and what the kernel answered when asked: nothing
//! is run and nothing is set.

mod cpus;
mod memory;
mod near;
mod remarks;

use nearfar_machine::Topology;
use nearfar_model::{Bytes, CpuSet, Id, IdSet, NodeId, NodeSet};
use nearfar_place::{Feature, PlaceError, Policy};
use serde::Serialize;

use crate::launch::check::Launch;
use crate::launch::placement::MemoryChoice;
pub use near::{NearClaims, NearExplained};

/// What a program would get.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Explanation {
    /// Of this document: "nearfar.explanation/1".
    pub schema: &'static str,
    /// Where it would run.
    pub cpus: CpusExplained,
    /// Where its memory would come from.
    pub memory: MemoryExplained,
    /// The devices of `--near`; absent without it.
    pub near: Option<NearExplained>,
    /// Features of memory policy that this kernel lacks; absent where the call is denied.
    pub lacks: Option<Vec<MissingFeature>>,
    /// Why its missing features are unknown.
    pub lacks_why: Option<String>,
    /// Why the placement is refused; none when it is accepted.
    pub denied: Option<String>,
    /// Remarks, a sentence each.
    pub remarks: Vec<String>,
}

/// Where a program would run.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct CpusExplained {
    /// The CPUs.
    pub cpus: CpuSet,
    /// Their nodes.
    pub nodes: NodeSet,
    /// Whether they were chosen, or are what is inherited.
    pub chosen: bool,
    /// The same in words.
    pub sentence: String,
}

/// Where a program's memory would come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MemoryExplained {
    /// numactl's name of the policy; absent when the inherited policy is unknown.
    pub policy: Option<&'static str>,
    /// The nodes that it names; absent for default and local.
    pub nodes: Option<NodeSet>,
    /// Whether it was chosen, or is what is inherited.
    pub chosen: bool,
    /// The nodes' memory.
    pub node_memory: Vec<NodeMemoryExplained>,
    /// The same in words.
    pub sentence: String,
    /// What happens when that memory is used up.
    pub when_full: String,
}

/// A node's memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NodeMemoryExplained {
    /// The node.
    pub node: NodeId,
    /// All of it.
    pub total_bytes: Option<Bytes>,
    /// Free memory.
    pub free_bytes: Option<Bytes>,
}

/// A feature of memory policy that this kernel lacks.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MissingFeature {
    /// What it is.
    pub what: &'static str,
    /// The Linux release that brought it.
    pub since: &'static str,
}

/// What the kernel answered.
#[derive(Clone, Debug)]
pub struct KernelFacts {
    /// The policy that is inherited where none is chosen.
    pub inherited: Option<Policy>,
    /// Features that it does not have, or why they are unknown.
    pub lacks: Result<Vec<Feature>, PlaceError>,
    /// Why it refused the placement when it was tried.
    pub denied: Option<String>,
}

impl KernelFacts {
    /// Asks the running kernel. The placement is tried in a thread of its own, which ends with it.
    pub fn for_kernel(launch: &Launch) -> Self {
        let denied = std::thread::scope(|scope| {
            match std::thread::Builder::new().spawn_scoped(scope, || launch.placement.apply()) {
                Ok(thread) => {
                    thread.join().ok().and_then(Result::err).map(|error| error.to_string())
                }
                Err(error) => {
                    Some(format!("it was not tried: a thread cannot be started: {error}"))
                }
            }
        });
        Self { inherited: Policy::current().ok(), lacks: lacking(), denied }
    }
}

fn lacking() -> Result<Vec<Feature>, PlaceError> {
    let lacked = Feature::ALL.map(|feature| Ok((!feature.is_supported()?).then_some(feature)));
    lacked.into_iter().filter_map(Result::transpose).collect()
}

impl Explanation {
    /// The schema of these documents.
    pub const SCHEMA: &str = "nearfar.explanation/1";

    /// Puts it into words.
    pub fn new(launch: &Launch, topology: &Topology, facts: &KernelFacts) -> Self {
        let inherited = facts.inherited.as_ref().map(MemoryChoice::inherited);
        let choice = launch.placement.memory.as_ref();
        let cpus = cpus::explain(launch.placement.cpus.as_ref(), topology);
        let memory = memory::explain(choice, inherited.as_ref(), topology);
        let lack =
            |feature: &Feature| MissingFeature { what: feature.name(), since: feature.since() };
        let remarks = remarks::of(&cpus, &memory, choice.or(inherited.as_ref()), topology);
        Self {
            schema: Self::SCHEMA,
            remarks: remarks.into_iter().chain(launch.warnings.iter().cloned()).collect(),
            cpus,
            memory,
            near: launch.near.as_ref().map(|near| near::explain(near, topology)),
            lacks: facts.lacks.as_ref().ok().map(|lacks| lacks.iter().map(lack).collect()),
            lacks_why: facts.lacks.as_ref().err().map(ToString::to_string),
            denied: facts.denied.clone(),
        }
    }
}

impl MemoryChoice {
    fn inherited(policy: &Policy) -> Self {
        Self {
            policy: policy.clone(),
            flags: nearfar_place::PolicyFlags::default(),
            option: policy.name().to_owned(),
        }
    }
}

/// "node 3", "CPUs 0-1".
pub(crate) fn format_set<T: Id>(set: &IdSet<T>) -> String {
    format!("{}{} {set}", T::NOUN, if set.len() == 1 { "" } else { "s" })
}

/// The nodes of these CPUs.
fn nodes_of(cpus: &CpuSet, topology: &Topology) -> NodeSet {
    topology.nodes.iter().filter(|node| !node.cpus.is_disjoint(cpus)).map(|node| node.id).collect()
}

#[cfg(test)]
mod tests;
