//! Where a program would run, in words.

use nearfar_machine::Topology;
use nearfar_model::{CpuSet, NodeSet};

use super::{CpusExplained, format_set, nodes_of};
use crate::launch::placement::CpuChoice;

pub(super) fn explain(choice: Option<&CpuChoice>, topology: &Topology) -> CpusExplained {
    let allowed = &topology.allowed.cpus;
    let cpus = choice.map_or(allowed, |choice| &choice.cpus).clone();
    let nodes = nodes_of(&cpus, topology);
    let sentence = match choice {
        None => format!("It runs where this shell may: on {}.", on(&cpus, &nodes)),
        Some(choice) => chosen(choice, &cpus, &nodes, allowed),
    };
    CpusExplained { cpus, nodes, chosen: choice.is_some(), sentence }
}

fn chosen(choice: &CpuChoice, cpus: &CpuSet, nodes: &NodeSet, allowed: &CpuSet) -> String {
    let sentence = match &choice.nodes {
        Some(named) => {
            format!("It runs on {} only: those of {}.", format_set(cpus), format_set(named))
        }
        None => format!("It runs on {} only.", on(cpus, nodes)),
    };
    match cpus.difference(allowed) {
        outside if outside.is_empty() => sentence,
        outside => format!(
            "{sentence} {} are outside what this shell may use: the kernel leaves out what the \
             cpuset forbids.",
            format_set(&outside)
        ),
    }
}

fn on(cpus: &CpuSet, nodes: &NodeSet) -> String {
    match nodes.is_empty() {
        true => format_set(cpus),
        false => format!("{} ({})", format_set(cpus), format_set(nodes)),
    }
}
