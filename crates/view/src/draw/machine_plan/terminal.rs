//! A plan as an indented tree.

use super::node::summary;
use super::{DeviceBranch, MachinePlan, PlanNode, PlanSlot, slots};
use crate::draw::Screen;
use crate::draw::characters::fitted;

/// More groups than these in a node are summed up.
const GROUPS: usize = 16;

/// Packages, nodes, cache groups and links, a line each.
pub(crate) fn shown(plan: &MachinePlan, screen: &Screen) -> String {
    let mut lines = Vec::new();
    for package in &plan.packages {
        lines.push(package.name.clone());
        package.nodes.iter().for_each(|node| show(&mut lines, "  ", node));
        show_slots(&mut lines, "  ", &package.slots);
    }
    show_slots(&mut lines, "", &plan.slots);
    plan.apart.iter().chain(&plan.elsewhere).for_each(|node| show(&mut lines, "", node));
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

fn show(lines: &mut Vec<String>, indent: &str, node: &PlanNode) {
    let served = node.interrupts.iter().map(|served| format!(" · {}", served.text));
    let served: String = served.collect();
    lines.push(format!("{indent}{}{served}", node.titled_with_cpus()));
    if node.groups().count() > GROUPS {
        lines.extend(summary(node).into_iter().map(|words| format!("{indent}  {words}")));
    } else {
        for die in &node.dies {
            let named = !die.name.is_empty();
            if named {
                lines.push(format!("{indent}  {}", die.name));
            }
            let deeper = if named { "    " } else { "  " };
            for group in &die.groups {
                lines.push(format!("{indent}{deeper}CPUs {}  {}", group.list(), group.cache));
                let inner = group.inner.iter();
                lines.extend(inner.map(|caches| format!("{indent}{deeper}  {caches}")));
            }
        }
    }
    node.devices.iter().for_each(|branch| show_branch(lines, &format!("{indent}  "), branch));
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
