//! The topology that a machine reports: parts, nodes, distances, limits, settings.

mod access;
mod distances;
mod maps;
mod nodes;
mod part;
mod parts;
mod settings;

use nearfar_model::{Bytes, CpuSet, NodeSet};
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::count;
use nearfar_view::text::first_lines;
use nearfar_view::text::fitted::{ScreenParts, ToDo};

use crate::{Environment, Topology};

/// What the text shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct TopologyText {
    /// Also map every logical CPU to its core, package, node and caches.
    pub maps: bool,
}

/// How many oddities are shown; the JSON document has them all.
const MAX_ODDITIES: usize = 10;

/// What a machine reports: its size first, then nodes, distances, parts and settings.
pub fn text(topology: &Topology, environment: &Environment, options: TopologyText) -> Screen {
    let maps = if options.maps { maps::text(topology) } else { String::new() };
    let sections = [
        nodes::text(topology),
        distances::text(topology, environment),
        crossings(topology),
        allowed(topology),
        parts::text(topology),
        access::text(topology),
        settings::text(topology, environment),
        oddities(topology, environment),
        maps,
    ];
    let counts = counts(topology);
    let mut answer = vec![format!("{counts}."), identity(topology, environment)];
    answer.extend(distances::sentence(topology, environment));
    let is_crossed = !topology.nodes_that_cross().is_empty();
    answer.extend(is_crossed.then(|| "Nodes do not follow the hardware.".to_owned()));
    answer.extend(not_running(topology));
    let explains = ToDo::new("nearfar diagnose", "explains nodes that do not follow the hardware");
    let mut to_do: Vec<ToDo> = is_crossed.then_some(explains).into_iter().collect();
    to_do.extend([
        ToDo::new("nearfar survey", "measures what remote memory costs"),
        ToDo::new("nearfar plot machine -o machine.svg", "draws it, with its devices"),
        ToDo::new("nearfar topology --maps", "core, node and caches of each CPU"),
    ]);
    ScreenParts {
        answer,
        to_do,
        sections: sections.iter().map(|section| printable::lines(section)).collect(),
        verdict: format!("Topology: {counts}"),
    }
    .screen()
}

/// The processor, the kernel, the product and the hypervisor.
pub fn identity(topology: &Topology, environment: &Environment) -> String {
    let identity = &topology.identity;
    let kernel = identity.kernel.as_ref().map(|kernel| format!("Linux {kernel}"));
    let model = identity.model.clone().unwrap_or_else(|| "unknown CPU model".to_owned());
    let hypervisor = environment.hypervisor.as_ref();
    let hypervisor = hypervisor.map(|name| format!("a virtual machine (hypervisor: {name})"));
    let facts = [Some(model), identity.arch.clone(), kernel, identity.product.clone(), hypervisor];
    facts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Numbers of packages, cores, CPUs and nodes, and the memory.
pub fn counts(topology: &Topology) -> String {
    let mut counts = vec![
        match topology.packages().len() {
            // CPUs are in one.
            0 => "packages unknown".to_owned(),
            packages => count(packages, "package"),
        },
        count(topology.cores().len(), "core"),
        count(topology.online().len(), "CPU"),
    ];
    counts.push(match topology.numa_supported {
        true => count(topology.online_nodes().len(), "node"),
        false if topology.is_partial => "nodes unknown (no list of all was sent)".to_owned(),
        false => "no nodes (this kernel has no NUMA support)".to_owned(),
    });
    counts.extend(topology.memory_total.map(|memory| format!("{memory} memory{}", gpus(topology))));
    counts.join(", ")
}

/// " (95 GiB of GPUs)".
fn gpus(topology: &Topology) -> String {
    let of_gpus = topology.nodes.iter().filter(|node| node.gpu.is_some());
    let all: Bytes = of_gpus.filter_map(|node| Some(node.memory?.total)).sum();
    if all.0 > 0 { format!(" ({all} of GPUs)") } else { String::new() }
}

/// CPUs that are there and not for everybody.
fn not_running(topology: &Topology) -> Vec<String> {
    let offline: CpuSet =
        topology.cpus.iter().filter(|cpu| !cpu.online).map(|cpu| cpu.id).collect();
    let isolated = topology.cpus.iter().filter(|cpu| cpu.isolated).map(|cpu| cpu.id).collect();
    let sets = [("offline CPUs", offline), ("isolated CPUs", isolated)];
    sets.iter()
        .filter(|(_, set)| !set.is_empty())
        .map(|(what, set)| format!("{what}: {}", short_list(set)))
        .collect()
}

/// Only when there is less than what is online.
fn allowed(topology: &Topology) -> String {
    let allowed = &topology.allowed;
    let with_memory =
        topology.nodes.iter().filter(|node| node.may_have_memory()).map(|node| node.id).collect();
    if topology.online().is_subset(&allowed.cpus)
        && NodeSet::is_subset(&with_memory, &allowed.nodes)
    {
        return String::new();
    }
    let nodes = if allowed.nodes.is_empty() {
        String::new()
    } else {
        format!(" and nodes {}", allowed.nodes)
    };
    format!(
        "This process may use CPUs {}{nodes} only ({}).\n",
        short_list(&allowed.cpus),
        allowed.from
    )
}

/// Nodes that do not follow the hardware.
fn crossings(topology: &Topology) -> String {
    let crossed = topology.nodes_that_cross();
    let lines = crossed.iter().map(|one| {
        let (group, cpus, nodes) = (&one.group, short_list(&one.cpus), &one.nodes);
        match nodes.len() {
            1 => format!("  {group} CPUs {cpus}: node {nodes} has a part of them, and others\n"),
            _ => format!("  {group} CPUs {cpus} are split over nodes {nodes}\n"),
        }
    });
    if crossed.is_empty() {
        return String::new();
    }
    "Nodes do not follow the hardware\n".to_owned() + &first_lines(lines, MAX_ODDITIES, "  ")
}

fn oddities(topology: &Topology, environment: &Environment) -> String {
    let all: Vec<&String> = topology.oddities.iter().chain(&environment.oddities).collect();
    if all.is_empty() {
        return String::new();
    }
    let lines = all.iter().map(|line| format!("  {line}\n"));
    "Odd, and left out:\n".to_owned() + &first_lines(lines, MAX_ODDITIES, "  ")
}

/// CPUs on a line of their own.
fn short_list(set: &CpuSet) -> String {
    nearfar_view::text::short_list(set, nearfar_view::text::IN_A_LINE)
}

#[cfg(test)]
mod tests;
