//! Wrong claims of firmware tables: the claim, the measurement, and what to do.

use nearfar_infer::claims::{ClaimFinding, ClaimKind};

use crate::percent::share;
use crate::survey::cell::GB;

/// A finding about a table of this kind, as a sentence.
pub(crate) fn sentence(finding: &ClaimFinding, kind: ClaimKind) -> String {
    use ClaimFinding::*;
    let table = if kind == ClaimKind::Slit { "SLIT" } else { "HMAT" };
    let is_bandwidth = kind == ClaimKind::HmatBandwidth;
    match finding {
        Uniform { claimed, measured } => uniform(table, is_bandwidth, *claimed, *measured),
        Placeholder { figure, costs, nearer } => {
            let (costs, which) = (list(costs), among_the_nearer(*nearer));
            format!(
                "{table} has the figure {figure:.0} for all remote memory, which takes {costs}. \
                 The table is a placeholder: use the measured matrix.{which}"
            )
        }
        LocalNotNearest { node, nearer, ratio, .. } => {
            let more = if is_bandwidth { "more bandwidth" } else { "lower latency" };
            let (by, run) = (percent(*ratio), run(*node, &nearer.to_string()));
            format!(
                "The CPUs of node {node} get {more} from node {nearer} than from their own memory, \
                 by {by}: {run}."
            )
        }
        ClassesMerged { figure, costs, nearer } => {
            let (costs, which) = (list(costs), among_the_nearer(*nearer));
            format!(
                "{table} has the same figure, {figure:.0}, for memory of {costs}. Programs that \
                 use it cannot distinguish near from far.{which}"
            )
        }
        OrderInverted { cpus, claimed_nearer, nearer, ratio, .. } => {
            inverted(table, is_bandwidth, *cpus, [*claimed_nearer, *nearer], *ratio)
        }
        EqualDiffers { cpus, nearer, farther, ratio, .. } => {
            differing(table, is_bandwidth, *cpus, [*nearer, *farther], *ratio)
        }
        Off { claimed, measured, cells } => off(table, kind, *claimed, *measured, cells),
        NoPathClaimed { cpus, memory } => {
            let run = run(*cpus, &memory.to_string());
            format!(
                "{table} claims that node {cpus} cannot reach the memory of node {memory}, but it \
                 can: {run}."
            )
        }
        OrderByChance { rank } => {
            let what = if is_bandwidth { "bandwidths" } else { "distances" };
            format!(
                "The order of the {what} in {table} is no better than chance (Kendall's tau \
                 {:.2}). Use the measured matrix.",
                rank.tau
            )
        }
        Sentence(sentence) => sentence.clone(),
    }
}

/// A command that puts a program's CPUs on one node and its memory on others.
fn run(cpus: u32, memory: &str) -> String {
    format!("'nearfar run -N {cpus} -m {memory} PROGRAM'")
}

/// The same with a second node for memory that does not fit into the first.
fn run_beside(cpus: u32, second: u32) -> String {
    let memory = if cpus == second {
        cpus.to_string()
    } else {
        format!("{},{}", cpus.min(second), cpus.max(second))
    };
    run(cpus, &memory)
}

fn uniform(table: &str, is_bandwidth: bool, claimed: f64, measured: f64) -> String {
    let within = percent(measured);
    if is_bandwidth {
        return format!(
            "{table} claims bandwidths that differ up to {claimed:.2} times, but all are equal \
             within {within}. Placement by bandwidth gains nothing."
        );
    }
    format!(
        "{table} claims latencies that differ up to {claimed:.2} times, but all are equal within \
         {within}. Placement gains nothing: use the kernel's default."
    )
}

/// One of the nearer memories, and how to use it.
fn among_the_nearer(nearer: Option<[u32; 2]>) -> String {
    nearer.map_or_else(String::new, |[cpus, memory]| {
        format!(" For example, node {memory} is near node {cpus}: {}.", run_beside(cpus, memory))
    })
}

fn inverted(
    table: &str,
    is_bandwidth: bool,
    cpus: u32,
    [claimed, nearer]: [u32; 2],
    ratio: f64,
) -> String {
    let (by, run) = (percent(ratio), run_beside(cpus, nearer));
    if is_bandwidth {
        return format!(
            "{table} claims that node {cpus} gets more bandwidth from node {claimed} than from \
             node {nearer}. Measured, node {nearer} has {by} more: {run}."
        );
    }
    format!(
        "{table} claims that node {claimed} is nearer to node {cpus} than node {nearer}. Measured, \
         node {nearer} is nearer by {by}. When memory is short, the kernel uses the wrong node; \
         use {run}."
    )
}

fn differing(
    table: &str,
    is_bandwidth: bool,
    cpus: u32,
    [nearer, farther]: [u32; 2],
    ratio: f64,
) -> String {
    let (by, run) = (percent(ratio), run_beside(cpus, nearer));
    if is_bandwidth {
        return format!(
            "{table} claims that node {cpus} gets equal bandwidth from nodes {farther} and \
             {nearer}. Measured, node {nearer} has {by} more: {run}."
        );
    }
    format!(
        "{table} claims that nodes {nearer} and {farther} are equally far from node {cpus}. \
         Measured, node {farther} is farther by {by}. Avoid it: {run}."
    )
}

fn off(table: &str, kind: ClaimKind, claimed: f64, measured: f64, cells: &[[u32; 2]]) -> String {
    let Some(&[cpus, memory]) = cells.first() else { return String::new() };
    let others = match cells.len() {
        1 => String::new(),
        all => format!(", the first of {all} such cells"),
    };
    let figures = match kind {
        ClaimKind::Slit => {
            format!("{claimed:.2} times the local latency. Measured: {measured:.2} times")
        }
        ClaimKind::HmatLatency => format!("{claimed:.0} ns. Measured: {measured:.0} ns"),
        ClaimKind::HmatBandwidth => {
            format!("{:.1} GB/s. Measured: {:.1} GB/s", claimed / GB, measured / GB)
        }
    };
    let better = (measured < claimed) != (kind == ClaimKind::HmatBandwidth);
    let advice = match (better, cpus == memory) {
        (_, true) => "Use the measured figure.".to_owned(),
        (true, _) => format!(
            "Let programs use it when local memory is full: 'nearfar run -N {cpus} -p {cpus} \
             PROGRAM'."
        ),
        (false, _) => format!("Avoid it: {}.", run(cpus, &cpus.to_string())),
    };
    format!("For node {memory} from node {cpus}{others}, {table} claims {figures}. {advice}")
}

/// A ratio as what it exceeds 1 by.
fn percent(ratio: f64) -> String {
    share(ratio - 1.0)
}

fn list(costs: &[f64]) -> String {
    let costs: Vec<String> = costs.iter().map(|cost| format!("{cost:.0}")).collect();
    format!("{} ns", costs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_have_both_figures_and_advice() {
        let off = ClaimFinding::Off { claimed: 3.2, measured: 1.5, cells: vec![[0, 1]] };
        assert_eq!(
            sentence(&off, ClaimKind::Slit),
            "For node 1 from node 0, SLIT claims 3.20 times the local latency. Measured: 1.50 \
             times. Let programs use it when local memory is full: 'nearfar run -N 0 -p 0 PROGRAM'."
        );
        let uniform = ClaimFinding::Uniform { claimed: 2.1, measured: 1.01 };
        assert!(sentence(&uniform, ClaimKind::Slit).starts_with(
            "SLIT claims latencies that differ up to 2.10 times, but all are equal within 1.0 %."
        ));
        let merged = ClaimFinding::ClassesMerged {
            figure: 32.0,
            costs: vec![120.0, 160.0],
            nearer: Some([2, 1]),
        };
        assert!(
            sentence(&merged, ClaimKind::HmatLatency).ends_with(
                " For example, node 1 is near node 2: 'nearfar run -N 2 -m 1,2 PROGRAM'."
            )
        );
    }
}
