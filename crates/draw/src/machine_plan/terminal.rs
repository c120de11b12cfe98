//! A plan as an indented tree.

use super::node::summary;
use super::{MachinePlan, PlanNode};
use crate::Screen;
use crate::characters::fitted;

/// More groups than these in a node are summed up.
const GROUPS: usize = 16;

/// Packages, nodes, cache groups and links, a line each.
pub(crate) fn shown(plan: &MachinePlan, screen: &Screen) -> String {
    let mut lines = Vec::new();
    for package in &plan.packages {
        lines.push(package.name.clone());
        package.nodes.iter().for_each(|node| show(&mut lines, "  ", node));
    }
    plan.apart.iter().for_each(|node| show(&mut lines, "", node));
    if !plan.links.is_empty() {
        lines.push("links".to_owned());
        lines.extend(plan.links.iter().map(|link| format!("  {}", link.text())));
    }
    lines.iter().map(|line| written(line, screen)).collect()
}

fn show(lines: &mut Vec<String>, indent: &str, node: &PlanNode) {
    let count = node.groups().count();
    let without = if count == 0 { " · no CPUs" } else { "" };
    lines.push(format!("{indent}{}{without}", node.titled()));
    if count > GROUPS {
        lines.extend(summary(node).into_iter().map(|words| format!("{indent}  {words}")));
    } else {
        for die in &node.dies {
            let named = !die.name.is_empty();
            if named {
                lines.push(format!("{indent}  {}", die.name));
            }
            let deeper = if named { "    " } else { "  " };
            lines.extend(
                die.groups.iter().map(|g| format!("{indent}{deeper}CPUs {}  {}", g.cpus, g.cache)),
            );
        }
    }
    if !node.devices.is_empty() {
        lines.push(format!("{indent}  {}", node.devices.join(", ")));
    }
}

/// A clean line that fits, in ASCII where the terminal knows nothing else.
pub(crate) fn written(line: &str, screen: &Screen) -> String {
    fitted(line.trim_end(), screen.columns.max(20), screen) + "\n"
}
