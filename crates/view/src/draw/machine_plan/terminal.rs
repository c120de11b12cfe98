//! A plan as an indented tree.

use super::cpu_lines::called;
use super::kinds::kinds;
use super::node::summary;
use super::{DeviceBranch, MachinePlan, PlanNode, PlanSlot, slots};
use crate::draw::Screen;
use crate::draw::characters::fitted;

/// More groups than these in a node are summed up.
const GROUPS: usize = 16;
/// Of more nodes than these, what is in those that are alike is listed once.
const NODES: usize = 8;

/// Packages, nodes, cache groups and links, a line each.
pub(crate) fn shown(plan: &MachinePlan, screen: &Screen) -> String {
    let mut lines = Vec::new();
    let kinds = kinds(plan);
    let is_short = plan.packages.iter().map(|package| package.nodes.len()).sum::<usize>() > NODES
        && kinds.iter().any(|kind| kind.nodes > 1);
    if is_short {
        for kind in kinds {
            lines.push(kind.title());
            show_groups(&mut lines, "  ", kind.first);
        }
    }
    for package in &plan.packages {
        lines.push(package.name.clone());
        package.nodes.iter().for_each(|node| show(&mut lines, "  ", node, is_short));
        show_slots(&mut lines, "  ", &package.slots);
    }
    show_slots(&mut lines, "", &plan.slots);
    let others = plan.apart.iter().chain(&plan.elsewhere);
    others.for_each(|node| show(&mut lines, "", node, is_short));
    if !plan.links.is_empty() {
        lines.push("links".to_owned());
        lines.extend(plan.links.iter().map(|link| format!("  {}", link.text())));
    }
    lines.iter().map(|line| written(line, screen)).collect()
}

fn show_slots(lines: &mut Vec<String>, indent: &str, slots: &[PlanSlot]) {
    if slots.is_empty() {
        return;
    }
    lines.push(format!("{indent}{}", slots::summary(slots)));
    lines.extend(slots.iter().map(|slot| format!("{indent}  {}", slots::words(slot))));
}

fn show(lines: &mut Vec<String>, indent: &str, node: &PlanNode, is_short: bool) {
    let served = node.interrupts.iter().map(|served| format!(" · {}", served.text));
    let served: String = served.collect();
    let has_cpus = node.groups().next().is_some();
    let cpus = (is_short && has_cpus).then(|| format!(" · {}", called(node.groups())));
    let cpus = cpus.unwrap_or_default();
    lines.push(format!("{indent}{}{cpus}{served}", node.titled_with_cpus()));
    lines.extend(node.facts.iter().map(|fact| format!("{indent}  {fact}")));
    if !is_short {
        show_groups(lines, &format!("{indent}  "), node);
    }
    node.devices.iter().for_each(|branch| show_branch(lines, &format!("{indent}  "), branch));
}

/// The cache groups of a node.
fn show_groups(lines: &mut Vec<String>, indent: &str, node: &PlanNode) {
    if node.groups().count() > GROUPS {
        lines.extend(summary(node).into_iter().map(|words| format!("{indent}{words}")));
        return;
    }
    for die in &node.dies {
        let named = !die.name.is_empty();
        if named {
            lines.push(format!("{indent}{}", die.name));
        }
        let deeper = if named { "  " } else { "" };
        for group in &die.groups {
            lines.push(format!("{indent}{deeper}CPUs {}  {}", group.list(), group.cache));
            let inner = group.inner.iter();
            lines.extend(inner.map(|caches| format!("{indent}{deeper}  {caches}")));
        }
    }
}

/// A branch, and beneath it what it connects.
fn show_branch(lines: &mut Vec<String>, indent: &str, branch: &DeviceBranch) {
    let mut deeper = indent.to_owned();
    if !branch.name.is_empty() {
        lines.push(format!("{indent}{}", branch.name));
        deeper += "  ";
    }
    for device in branch.boxed() {
        let parts = [device.title(), device.link_text(), device.interrupts_text().to_owned()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        lines.push(format!("{deeper}{}", parts.join("  ")));
    }
    let small = branch.small();
    if !small.is_empty() {
        lines.push(format!("{deeper}{small}"));
    }
    branch.branches.iter().for_each(|below| show_branch(lines, &deeper, below));
}

/// A clean line that fits, in ASCII where the terminal knows nothing else.
pub(crate) fn written(line: &str, screen: &Screen) -> String {
    fitted(line.trim_end(), screen.columns.max(20), screen) + "\n"
}
