//! What is wrong with a table of claims, in words: what it says, what was measured, and what to do about it.

use nearfar_infer::claims::{Finding, Kind};

/// One sentence.
pub(super) fn sentence(finding: &Finding, kind: Kind) -> String {
    let table = if kind == Kind::Slit { "SLIT" } else { "HMAT" };
    match finding {
        Finding::Uniform { claimed, measured } => format!(
            "{table} claims memories up to {claimed:.2} times as far as others, and all are alike within {}: placing programs by it gains nothing.",
            percent(*measured)
        ),
        Finding::Placeholder { figure, costs } => format!(
            "{table} says {figure:.0} of every other node's memory, which is of {} classes ({}): nobody filled the table in; trust the measured matrix.",
            costs.len(),
            list(costs)
        ),
        Finding::LocalNotNearest { node, nearer, ratio, .. } => format!(
            "Node {node}'s CPUs reach the memory of node {nearer} sooner than their own, by {}: 'nearfar run --cpunodebind {node} --membind {nearer} ...' uses that.",
            percent(*ratio)
        ),
        Finding::ClassesMerged { figure, costs } => format!(
            "{table} says {figure:.0} of memories of {} classes ({}): programs that go by it take far memory for near.",
            costs.len(),
            list(costs)
        ),
        Finding::OrderInverted { cpus, claimed_nearer, nearer, ratio, .. } => format!(
            "From node {cpus}, {table} claims node {claimed_nearer} to be nearer than node {nearer}, and node {nearer} is, by {}: the kernel falls back to the wrong one when memory is short.",
            percent(*ratio)
        ),
        Finding::EqualDiffers { cpus, nearer, farther, ratio, .. } => format!(
            "From node {cpus}, {table} claims nodes {nearer} and {farther} to be equally far, and node {farther} is farther by {}.",
            percent(*ratio)
        ),
        Finding::Off { claimed, measured, cells } => off(table, kind, *claimed, *measured, cells),
        Finding::NoWayClaimed { cpus, memory } => {
            format!("{table} says that node {cpus} cannot reach the memory of node {memory}, and it does.")
        }
        Finding::OrderByChance { rank } => format!(
            "The order of {table}'s distances is no better than chance (Kendall's tau {:.2}): trust the measured matrix.",
            rank.tau
        ),
    }
}

fn off(table: &str, kind: Kind, claimed: f64, measured: f64, cells: &[[u32; 2]]) -> String {
    let first = cells.first().map_or_else(String::new, |[cpus, memory]| match cells.len() {
        1 => format!(" (node {memory}'s memory from node {cpus})"),
        count => format!(" ({count} cells; the first is node {memory}'s memory from node {cpus})"),
    });
    match kind {
        Kind::Slit => {
            format!("{table} claims {claimed:.2} times the own memory's cost, and it is {measured:.2} times{first}.")
        }
        _ => format!("{table} claims {claimed:.0} ns, and it is {measured:.0} ns{first}."),
    }
}

/// A ratio as what it exceeds 1 by.
fn percent(ratio: f64) -> String {
    format!("{:.1} %", 100.0 * (ratio - 1.0))
}

fn list(costs: &[f64]) -> String {
    let costs: Vec<String> = costs.iter().map(|cost| format!("{cost:.0}")).collect();
    format!("{} ns", costs.join(", "))
}
