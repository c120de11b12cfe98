//! The device whose interrupts a sweep varies, and where they ran.

use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::{named_nodes, paragraph};

use crate::{Configuration, InterruptTarget, RunInterrupts, Sweep, SweepInterrupts, SystemSetting};

/// Sums by configuration and node; before the first run only what is set.
pub(super) fn section(sweep: &Sweep) -> String {
    let Some(facts) = &sweep.interrupts else { return String::new() };
    let all = sweep.configurations.iter().map(|configuration| &configuration.configuration);
    let set: Vec<&Configuration> =
        all.filter(|one| one.system.contains_key(&SystemSetting::Irq)).collect();
    let counted = |one: &Configuration| -> Vec<RunInterrupts> {
        one.runs.iter().filter_map(|run| run.interrupts.clone()).collect()
    };
    let mut nodes: NodeSet = set
        .iter()
        .flat_map(|one| counted(one))
        .flat_map(|run| run.by_node.into_iter().map(|sum| sum.node))
        .collect();
    let line = paragraph::of(&device(facts), "", "  ");
    if nodes.is_empty() {
        return line;
    }
    nodes.extend(facts.targets.values().flat_map(|target| target.nodes.iter()));
    let head = ["configuration".to_owned()]
        .into_iter()
        .chain(nodes.iter().map(|node| format!("node {node}")))
        .chain(["elsewhere".to_owned()]);
    let lines = set.iter().map(|one| {
        let runs = counted(one);
        let of = |node: NodeId| -> u64 {
            let sums = runs.iter().flat_map(|run| &run.by_node);
            sums.filter(|sum| sum.node == node).map(|sum| sum.count).sum()
        };
        let elsewhere: u64 = runs.iter().map(|run| run.elsewhere).sum();
        [one.id.clone()]
            .into_iter()
            .chain(nodes.iter().map(|node| of(node).to_string()))
            .chain([elsewhere.to_string()])
            .collect::<Vec<_>>()
    });
    let note = "elsewhere: served by other CPUs than those that were set\n";
    line + &headed(head, lines, &[Align::Left, Align::Right]) + note
}

/// "interrupt 76 of USB0 (node 1): far: CPUs 0-1 (node 0); near: CPUs 2-3 (node 1)"
pub fn device(facts: &SweepInterrupts) -> String {
    let numbers: CpuSet = facts.interrupts.iter().map(|number| CpuId(*number)).collect();
    let word = if numbers.len() == 1 { "interrupt" } else { "interrupts" };
    let target = |(name, target): (&String, &InterruptTarget)| {
        format!("{name}: CPUs {} ({})", target.cpus, named_nodes(&target.nodes))
    };
    let targets: Vec<String> = facts.targets.iter().map(target).collect();
    let targets = targets.join("; ");
    format!("{word} {numbers} of {} (node {}): {targets}", facts.device, facts.node)
}

/// The command that sets a value until the next boot.
pub(super) fn command(facts: &SweepInterrupts, value: &str) -> String {
    let target = match facts.targets.get(value).filter(|_| value != "near") {
        Some(target) => format!("--cpus {}", target.cpus),
        None => "--near".to_owned(),
    };
    format!("nearfar irq set {} {target}", facts.device)
}
