//! The machine's parts as its kernel lists them, with the links that were measured.

mod device_tree;
mod devices;
mod equal_devices;
mod interrupts;
mod links;
mod node_facts;
mod parts;
mod slots;

use nearfar_model::{Bytes, CpuSet, NodeId};
use nearfar_survey::{ClaimedNode, Survey};
use nearfar_view::draw::{Heading, MachinePlan, PlanNode, PlanPackage};

use super::SurveyPictures;
use devices::Devices;
use interrupts::Interrupts;
use parts::SurveyParts;
pub(super) use parts::package_of_nodes;

/// What thick lines mean.
const NARROW: &str = "A thick line is a link that is narrower than both of its ends support.";

/// A plan of packages and nodes; nothing where the document lists neither.
pub(super) fn draw(survey: &Survey) -> SurveyPictures {
    let parts = SurveyParts::from_survey(survey);
    if let Some(why) = parts.obstacle(&survey.claims.nodes) {
        return SurveyPictures::default().with_note(why);
    }
    let devices = Devices::from_survey(survey);
    let (mut packages, apart, divided) = places(survey, &parts, &devices);
    if packages.is_empty() && apart.is_empty() {
        return SurveyPictures::default();
    }
    let slots = slots::placed(&survey.claims.memory_slots, &mut packages);
    let (links, what_links) = links::links(survey);
    let interrupts = Interrupts::from_survey(survey).sentence();
    let narrow = devices.have_thick_lines().then_some(NARROW);
    let shared = parts::shared_note(&survey.claims.nodes);
    let offline = parts.offline_note();
    let disallowed = parts.disallowed_note();
    let marks = [
        what_links.as_deref(),
        narrow,
        interrupts.as_deref(),
        shared.as_deref(),
        offline.as_deref(),
        disallowed.as_deref(),
    ];
    let plan = SurveyPictures::one(MachinePlan {
        heading: Heading::with_marks(
            "The machine, as its kernel lists it",
            shows(survey, &parts, &devices),
            marks.into_iter().flatten(),
        ),
        packages,
        apart,
        elsewhere: devices.elsewhere(&divided),
        slots,
        links,
    });
    SurveyPictures { notes: devices.note().into_iter().collect(), ..plan }
}

/// What the plan shows, of what there is.
fn shows(survey: &Survey, parts: &SurveyParts, devices: &Devices<'_>) -> String {
    let mut kinds = parts.kinds();
    if !survey.claims.nodes.is_empty() {
        kinds.insert(kinds.len().min(1), "nodes");
    }
    let name = legend(survey);
    let devices = if devices.is_empty() { "" } else { ", with their devices" };
    match &kinds[..] {
        [] => format!("CPUs and memory of {name}{devices}"),
        kinds => format!("{} of {name}, as its kernel lists them{devices}", listed(kinds)),
    }
}

/// The machine, its kernel, memory and the day: "EPYC-7451-2P (node07, Linux 6.12, 64 GiB in all,
/// 2026-11-29)".
fn legend(survey: &Survey) -> String {
    let machine = &survey.machine;
    let kernel = machine.kernel.as_ref().map(|kernel| format!("Linux {kernel}"));
    // A replay has no day.
    let day = survey.provenance.started.get(..10).filter(|day| day.starts_with("20"));
    // One node's is beside its name.
    let memory = machine.memory_bytes.filter(|_| survey.claims.nodes.len() > 1);
    let memory = memory.map(|bytes| format!("{bytes} in all"));
    let host = machine.host.clone().into_iter();
    let facts: Vec<String> =
        host.chain(kernel).chain(memory).chain(day.map(str::to_owned)).collect();
    match facts.is_empty() {
        true => machine.short_name(),
        false => format!("{} ({})", machine.short_name(), facts.join(", ")),
    }
}

/// "Packages, nodes and dies".
fn listed(kinds: &[&str]) -> String {
    let words = match kinds {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => kinds.concat(),
    };
    words[..1].to_uppercase() + &words[1..]
}

/// Packages with their nodes, the nodes that are in none of them, and those that reach beyond one;
/// without nodes, all memory as one.
fn places(
    survey: &Survey,
    parts: &SurveyParts,
    devices: &Devices<'_>,
) -> (Vec<PlanPackage>, Vec<PlanNode>, Vec<NodeId>) {
    let claimed = &survey.claims.nodes;
    let with_cpus: Vec<&ClaimedNode> =
        claimed.iter().filter(|node| !node.cpus.is_empty()).collect();
    let packages = parts.packages(&with_cpus, survey);
    let drawn = packages.iter().map(|(name, cpus)| PlanPackage {
        name: name.clone(),
        nodes: nodes_in(cpus, &with_cpus, parts, devices),
        slots: Vec::new(),
    });
    let is_placed = |node: &ClaimedNode| {
        packages.iter().any(|(_, cpus)| !node.cpus.intersection(cpus).is_empty())
    };
    let is_divided = |node: &ClaimedNode| {
        let mut here = packages.iter().map(|(_, cpus)| node.cpus.intersection(cpus));
        here.any(|here| !here.is_empty() && here != node.cpus)
    };
    let divided = claimed.iter().filter(|node| is_divided(node)).map(|node| node.id).collect();
    let apart = claimed
        .iter()
        .filter(|node| !is_placed(node))
        .map(|node| plan_node(node, &node.cpus, parts, devices));
    let memory = (claimed.is_empty() && !packages.is_empty()).then(|| all_memory(survey, devices));
    (drawn.collect(), apart.chain(memory).collect(), divided)
}

/// The nodes of a package: whole ones, and shares of those that reach beyond it.
fn nodes_in(
    package: &CpuSet,
    nodes: &[&ClaimedNode],
    parts: &SurveyParts,
    devices: &Devices<'_>,
) -> Vec<PlanNode> {
    let here = nodes.iter().filter_map(|node| {
        let cpus = node.cpus.intersection(package);
        if cpus.is_empty() {
            return None;
        }
        let mut drawn = plan_node(node, &cpus, parts, devices);
        if cpus != node.cpus {
            // No link has its end at a part.
            drawn.id = u32::MAX;
            drawn.facts.clear();
            drawn.name = format!("part of {}", drawn.name);
            drawn.memory = format!("of {}", drawn.memory);
            drawn.devices.clear();
            drawn.interrupts = None;
        }
        Some(drawn)
    });
    let mut here: Vec<PlanNode> = here.collect();
    // Kernels without NUMA have none; a cpuset may hide some.
    let in_nodes: CpuSet = nodes.iter().flat_map(|node| node.cpus.iter()).collect();
    let others = package.difference(&in_nodes);
    if !others.is_empty() {
        let (id, name) = (u32::MAX, "no node".to_owned());
        here.push(PlanNode { id, name, dies: parts.dies(&others), ..PlanNode::default() });
    }
    here
}

/// What a kernel without NUMA has: all memory is one.
fn all_memory(survey: &Survey, devices: &Devices<'_>) -> PlanNode {
    let memory = survey
        .machine
        .memory_bytes
        .map_or_else(|| "size not known".to_owned(), |bytes| bytes.to_string());
    PlanNode {
        id: 0,
        name: "all memory".to_owned(),
        memory,
        devices: devices.without_node(),
        ..PlanNode::default()
    }
}

fn plan_node(
    node: &ClaimedNode,
    cpus: &CpuSet,
    parts: &SurveyParts,
    devices: &Devices<'_>,
) -> PlanNode {
    let memory = match node.memory_bytes {
        None => "size not known".to_owned(),
        Some(Bytes(0)) => "no memory".to_owned(),
        Some(bytes) => bytes.to_string(),
    };
    PlanNode {
        id: node.id.0,
        name: format!("node {}", node.id.0),
        memory,
        facts: parts.facts(node),
        dies: parts.dies(cpus),
        devices: devices.at(node.id),
        interrupts: devices.interrupts_of(node.id),
    }
}
