//! A plan as rows of text.

use super::{CacheGroup, MachinePlan, PlanNode};
use crate::Table;

/// A row a cache group, or a node that has none; then a row a link.
pub(crate) fn told(plan: &MachinePlan) -> Table {
    let columns = ["node", "package", "memory", "die", "CPUs", "cores", "cache", "devices"].map(str::to_owned).to_vec();
    let mut rows = Vec::new();
    for package in &plan.packages {
        package.nodes.iter().for_each(|node| tell(&mut rows, &package.name, node));
    }
    plan.apart.iter().for_each(|node| tell(&mut rows, "", node));
    rows.extend(plan.links.iter().map(|link| {
        let mut row = vec![format!("link {}", link.said())];
        row.resize(columns.len(), String::new());
        row
    }));
    Table { columns, rows }
}

fn tell(rows: &mut Vec<Vec<String>>, package: &str, node: &PlanNode) {
    // In the node's first row.
    let mut devices = node.devices.join(", ");
    let mut row = |die: &str, group: &CacheGroup| {
        let cores = if group.cores == 0 { String::new() } else { group.cores.to_string() };
        let devices = std::mem::take(&mut devices);
        let cells = [&node.name, package, &node.memory, die, &group.cpus, &cores, &group.cache, &devices];
        rows.push(cells.map(str::to_owned).to_vec());
    };
    for die in &node.dies {
        die.groups.iter().for_each(|group| row(&die.name, group));
    }
    if node.groups().next().is_none() {
        row("", &CacheGroup { cpus: "none".to_owned(), ..CacheGroup::default() });
    }
}
