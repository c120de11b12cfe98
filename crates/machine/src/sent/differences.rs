//! What parts disagree about: then they are of different machines, or one of them is wrong.

use std::ptr;

use nearfar_model::{CpuSet, NodeSet};

use super::facts::PartFacts;
use super::forms::{self, NodeList};
use super::{ReadPart, SentError};

/// What two parts disagree about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// The number of nodes.
    Nodes,
    /// The CPUs of a node.
    NodeCpus,
    /// The number of packages.
    Packages,
    /// The number of cores.
    Cores,
    /// The size of caches.
    Caches,
    /// The size of memory.
    Memory,
    /// The node of a device.
    DeviceNode,
}

impl ConflictKind {
    /// Its name in documents.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::NodeCpus => "node-cpus",
            Self::Packages => "packages",
            Self::Cores => "cores",
            Self::Caches => "caches",
            Self::Memory => "memory",
            Self::DeviceNode => "device-node",
        }
    }
}

/// A disagreement of two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentConflict {
    /// What it is about.
    pub kind: ConflictKind,
    /// The part that counts, and what it has.
    pub left: (String, String),
    /// Another part, and what that has.
    pub right: (String, String),
}

/// Memory may differ by so much: programs round, and kernels take some after a boot.
const MEMORY_SHARE: f64 = 0.02;

/// All disagreements, by pairs.
pub(super) fn all(parts: &[ReadPart]) -> Result<Vec<SentConflict>, SentError> {
    let mut conflicts: Vec<SentConflict> = Vec::new();
    for (index, left) in parts.iter().enumerate() {
        for right in &parts[index + 1..] {
            same_machine(left, right)?;
            // The more exact one counts, and stands first.
            let is_less = right.form.rank < left.form.rank;
            let (left, right) = if is_less { (right, left) } else { (left, right) };
            for (kind, values) in conflict(left, right) {
                // Of several pairs that disagree, the first shows it.
                if conflicts.iter().all(|known| known.kind != kind) {
                    let (left, right) = ((name(left), values.0), (name(right), values.1));
                    conflicts.push(SentConflict { kind, left, right });
                }
            }
        }
    }
    Ok(conflicts)
}

fn name(part: &ReadPart) -> String {
    format!("{} ({})", part.file, part.form.name)
}

/// A pair of values.
type Values = (String, String);

/// A table with a line for each CPU, which ends before another part's CPUs do.
fn cut_table(part: &ReadPart, other: &ReadPart) -> Option<SentError> {
    let (has, all) = (part.facts.cpus()?, other.facts.cpus()?);
    let more = all.difference(&has);
    let is_beginning = has.difference(&all).is_empty() && more.first() > has.iter().last();
    let is_cut = part.form.has_a_line_for_each_cpu && other.form.has_all_cpus && is_beginning;
    is_cut.then(|| SentError::CutTable {
        file: part.file.clone(),
        form: part.form.name,
        line: part.last,
        has: has.to_string(),
        other: name(other),
        all: all.to_string(),
    })
}

fn same_machine(left: &ReadPart, right: &ReadPart) -> Result<(), SentError> {
    if let Some(cut) = cut_table(left, right).or_else(|| cut_table(right, left)) {
        return Err(cut);
    }
    let found = [
        ("the CPUs are", cpus(left, right)),
        ("the CPU's model is", differing(left, right, model)),
        ("the architecture is", differing(left, right, architecture)),
        ("the product is", differing(left, right, product)),
        ("the kernel's release is", differing(left, right, |facts| facts.release.clone())),
        ("the PCI functions are", functions(left, right)),
    ];
    match found.into_iter().find_map(|(what, values)| Some((what, values?))) {
        None => Ok(()),
        Some((what, (left_value, right_value))) => {
            let (left, right) = (name(left), name(right));
            Err(SentError::Different { what, left, left_value, right, right_value })
        }
    }
}

fn differing(
    left: &ReadPart,
    right: &ReadPart,
    value: impl Fn(&PartFacts) -> Option<String>,
) -> Option<Values> {
    let values = (value(&left.facts)?, value(&right.facts)?);
    (values.0 != values.1).then_some(values)
}

fn cpus(left: &ReadPart, right: &ReadPart) -> Option<Values> {
    let (here, there) = (left.facts.cpus()?, right.facts.cpus()?);
    let beyond =
        |has_all: bool, all: &CpuSet, other: &CpuSet| has_all && !other.difference(all).is_empty();
    let differ = beyond(left.form.has_all_cpus, &here, &there)
        || beyond(right.form.has_all_cpus, &there, &here);
    differ.then(|| (here.to_string(), there.to_string()))
}

/// Of two captures: lists of programs may be parts. The first that one of them lacks is shown.
fn functions(left: &ReadPart, right: &ReadPart) -> Option<Values> {
    let is_capture = |part: &ReadPart| ptr::eq(part.form, forms::CAPTURE);
    let (here, there) = (&left.facts.functions, &right.facts.functions);
    if !is_capture(left) || !is_capture(right) || here.is_empty() || there.is_empty() {
        return None;
    }
    let odd = here.symmetric_difference(there).next()?;
    let shown = |has: bool| if has { format!("with {odd}") } else { format!("without {odd}") };
    Some((shown(here.contains(odd)), shown(there.contains(odd))))
}

/// Models of x86 alone have one name; those of other CPUs are each program's.
fn model(facts: &PartFacts) -> Option<String> {
    let model = facts.topology.as_ref()?.identity.model.as_ref()?;
    let is_x86 = ["Intel", "AMD", "Hygon", "ZHAOXIN"].iter().any(|vendor| model.contains(vendor));
    is_x86.then(|| model.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn architecture(facts: &PartFacts) -> Option<String> {
    facts.topology.as_ref()?.identity.arch.clone()
}

fn product(facts: &PartFacts) -> Option<String> {
    facts.topology.as_ref()?.identity.product.clone()
}

fn conflict(left: &ReadPart, right: &ReadPart) -> Vec<(ConflictKind, Values)> {
    let (here, there) = (&left.facts, &right.facts);
    let nodes = nodes(left, right);
    // Other nodes have other CPUs.
    let node_cpus = if nodes.is_none() { node_cpus(here, there) } else { None };
    let found = [
        (ConflictKind::Nodes, nodes),
        (ConflictKind::NodeCpus, node_cpus),
        (
            ConflictKind::Packages,
            differing(left, right, |facts| {
                count(facts.topology.as_ref()?.packages().len(), "packages")
            }),
        ),
        (ConflictKind::Cores, cores(left, right)),
        (ConflictKind::Caches, caches(here, there)),
        (ConflictKind::Memory, memory(here, there)),
        (ConflictKind::DeviceNode, device_node(here, there)),
    ];
    found.into_iter().filter_map(|(kind, values)| Some((kind, values?))).collect()
}

fn count(number: usize, noun: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} {noun}"))
}

fn nodes(left: &ReadPart, right: &ReadPart) -> Option<Values> {
    let (here, there) = (left.facts.node_set(), right.facts.node_set());
    if here.is_empty() || there.is_empty() {
        return None;
    }
    let lacks = |part: &ReadPart, all: &NodeSet, other: &NodeSet| {
        part.form.nodes == NodeList::All && !other.difference(all).is_empty()
    };
    let differ = lacks(left, &here, &there) || lacks(right, &there, &here);
    differ.then(|| (format!("nodes {here}"), format!("nodes {there}")))
}

fn node_cpus(here: &PartFacts, there: &PartFacts) -> Option<Values> {
    let both =
        here.nodes.iter().filter_map(|(node, cpus)| Some((node, cpus, there.nodes.get(node)?)));
    let known = both.filter(|(_, cpus, others)| !cpus.is_empty() && !others.is_empty());
    let (node, cpus, others) = known.into_iter().find(|(_, cpus, others)| cpus != others)?;
    Some((format!("node {node}: CPUs {cpus}"), format!("node {node}: CPUs {others}")))
}

/// Cores are known where a program names them, not each CPU alone.
fn cores(left: &ReadPart, right: &ReadPart) -> Option<Values> {
    let knows = |part: &ReadPart| {
        let cpus = part.facts.topology.as_ref()?;
        cpus.cpus.iter().any(|cpu| cpu.core.is_some()).then_some(part.form.has_all_cpus)
    };
    if knows(left) != Some(true) || knows(right) != Some(true) {
        return None;
    }
    differing(left, right, |facts| count(facts.topology.as_ref()?.cores().len(), "cores"))
}

/// Sizes alone: `lscpu` counts instances by firmware's numbers, which guests repeat.
fn caches(here: &PartFacts, there: &PartFacts) -> Option<Values> {
    let (left, right) = (here.caches(), there.caches());
    let (level, ours, theirs) = left.iter().find_map(|((level, kind), ours)| {
        let theirs = right.get(&(*level, *kind))?;
        (ours != theirs).then_some((level, ours, theirs))
    })?;
    Some((format!("L{level} {ours}"), format!("L{level} {theirs}")))
}

fn memory(here: &PartFacts, there: &PartFacts) -> Option<Values> {
    let (ours, theirs) = (here.memory?, there.memory?);
    let least = ours.0.min(theirs.0) as f64;
    let differ = ours.0.abs_diff(theirs.0) as f64 > least * MEMORY_SHARE;
    differ.then(|| (format!("{ours} of memory"), format!("{theirs} of memory")))
}

fn device_node(here: &PartFacts, there: &PartFacts) -> Option<Values> {
    let both = here
        .devices
        .iter()
        .filter_map(|(address, node)| Some((address, node, there.devices.get(address)?)));
    let (address, node, other) = both.into_iter().find(|(_, node, other)| node != other)?;
    Some((format!("{address}: node {node}"), format!("{address}: node {other}")))
}
