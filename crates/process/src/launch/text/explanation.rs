//! Explains a placement: which CPUs, which nodes, what happens when memory runs out,
//! what the kernel lacks.
//!
//! A pure function of a [`Launch`], a [`Topology`] and what the kernel answered when asked: nothing
//! is run and nothing is set.

mod cpus;
mod memory;
mod remarks;
#[cfg(test)]
mod tests;

use nearfar_devices::DeviceNode;
use nearfar_machine::{HardwareNode, NearDevice, Topology};
use nearfar_model::{Bytes, CpuSet, Id, IdSet, NodeId, NodeSet};
use nearfar_place::{Feature, PlaceError, Policy};
use serde::Serialize;

use crate::launch::check::Launch;
use crate::launch::near::NearPlacement;
use crate::launch::placement::MemoryChoice;

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
            near: launch.near.as_ref().map(|near| explain(near, topology)),
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

/// The devices near which a program would run.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NearExplained {
    /// The devices, and the chosen nodes.
    #[serde(flatten)]
    pub placement: NearPlacement,
    /// The same in words.
    pub sentence: String,
    /// What firmware and the kernel claim about the nodes; empty until they are read.
    pub claims: Vec<NearClaims>,
}

/// The claims about the node of one piece of hardware.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct NearClaims {
    /// The hardware's name.
    pub name: String,
    /// The verdict, and the claim of each witness.
    #[serde(flatten)]
    pub node: DeviceNode,
}

fn explain(near: &NearPlacement, topology: &Topology) -> NearExplained {
    let devices = near.devices.iter().map(|device| placed(device, near.assumed_node, topology));
    let mut sentences: Vec<String> = devices.collect();
    sentences.extend(near.nodes.iter().filter_map(|node| without_cpus(node, near, topology)));
    NearExplained { placement: near.clone(), sentence: sentences.join(" "), claims: Vec::new() }
}

/// "disk:0 is nvme0 (0000:01:00.0): it is on node 0, as the kernel shows (numa_node)."
fn placed(device: &NearDevice, assumed: Option<NodeId>, topology: &Topology) -> String {
    let place = |one| place(one, assumed, topology);
    match &device.hardware[..] {
        [one] if one.name == device.asked => format!("{} {}.", named(one), place(one)),
        [one] => format!("{} is {}: it {}.", device.asked, named(one), place(one)),
        several => {
            let each = several.iter().map(|one| format!("{} {}", named(one), place(one)));
            let each: Vec<String> = each.collect();
            format!("{} is on several devices: {}.", device.asked, each.join("; "))
        }
    }
}

/// The name, with the PCI address unless that is the name.
fn named(one: &HardwareNode) -> String {
    let address = one.address.map(|address| address.to_string());
    match address.filter(|address| *address != one.name) {
        Some(address) => format!("{} ({address})", one.name),
        None => one.name.clone(),
    }
}

fn place(one: &HardwareNode, assumed: Option<NodeId>, topology: &Topology) -> String {
    match (one.node, assumed) {
        (Some(node), _) => {
            let source = match (&one.measured_by, &one.source) {
                (Some(by), _) => format!(", as copies showed ({by})"),
                (None, Some(_)) => ", as the kernel shows (numa_node)".to_owned(),
                (None, None) => String::new(),
            };
            format!("is on node {node}{source}")
        }
        _ if topology.online_nodes().len() == 1 => "is on the only node".to_owned(),
        (None, Some(node)) => {
            format!("is on a node that the kernel does not know; --near-anyway gives {node}")
        }
        (None, None) => "is on a node that the kernel does not know".to_owned(),
    }
}

/// Where a program goes that cannot be on the node of its device.
fn without_cpus(node: NodeId, near: &NearPlacement, topology: &Topology) -> Option<String> {
    let found = topology.nodes.iter().find(|one| one.id == node)?;
    let distances = topology.distances.as_ref()?;
    let claimed = |nodes: &NodeSet| {
        let far = nodes.iter().filter_map(|from| distances.between(from, node)).min();
        far.map(|far| format!(", at a claimed distance of {far}")).unwrap_or_default()
    };
    if found.cpus.is_empty() {
        let with_cpus = topology.nodes.iter().filter(|node| !node.cpus.is_empty());
        let nearest = distances.nearest(node, with_cpus.map(|node| node.id));
        return Some(format!(
            "Node {node} has no CPUs: the nearest with CPUs is {}{}.",
            format_set(&nearest),
            claimed(&nearest)
        ));
    }
    (!found.has_memory()).then(|| {
        format!("Node {node} has no memory: {} is nearest.", format_set(&near.memory_nodes))
    })
}
