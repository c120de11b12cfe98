//! What is wrong with a table of claims, in words: what it says, what was measured, and what to do
//! about it.

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
                "{table} has one figure, {figure:.0}, for every other node's memory, and they \
                 cost {costs}: nobody filled the table in; trust the measured matrix.{which}"
            )
        }
        LocalNotNearest { node, nearer, ratio, .. } => {
            let sooner = if is_bandwidth { "faster" } else { "sooner" };
            let (by, run) = (percent(*ratio), run(*node, &nearer.to_string()));
            format!(
                "Node {node}'s CPUs reach the memory of node {nearer} {sooner} than their own, by \
                 {by}: {run} uses that."
            )
        }
        ClassesMerged { figure, costs, nearer } => {
            let (costs, which) = (list(costs), among_the_nearer(*nearer));
            format!(
                "{table} has one figure, {figure:.0}, for memories that cost {costs}: programs \
                 that go by it take far memory for near.{which}"
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
                "{table} says that node {cpus} cannot reach the memory of node {memory}, and it \
                 does: {run} takes it."
            )
        }
        OrderByChance { rank } => {
            let what = if is_bandwidth { "bandwidths" } else { "distances" };
            format!(
                "The order of {table}'s {what} is no better than chance (Kendall's tau {:.2}): \
                 trust the measured matrix.",
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

/// The same with a second node for what does not fit into the own one.
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
            "{table} claims up to {claimed:.2} times the bandwidth of others, and all deliver the \
             same within {within}: placing programs by bandwidth gains nothing."
        );
    }
    format!(
        "{table} claims memories up to {claimed:.2} times as far as others, and all are alike \
         within {within}: placing programs by it gains nothing; leave them to the kernel."
    )
}

/// From whom one of the nearer memories is which, and how to use it.
fn among_the_nearer(nearer: Option<[u32; 2]>) -> String {
    nearer.map_or_else(String::new, |[cpus, memory]| {
        format!(
            " Node {memory} is one of the nearer from node {cpus}: {}.",
            run_beside(cpus, memory)
        )
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
            "From node {cpus}, {table} claims more bandwidth of node {claimed} than of node \
             {nearer}, and node {nearer} delivers more, by {by}: {run} uses that."
        );
    }
    format!(
        "From node {cpus}, {table} claims node {claimed} to be nearer than node {nearer}, and \
         node {nearer} is, by {by}: the kernel falls back to the wrong one when memory is short; \
         {run} does not."
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
            "From node {cpus}, {table} claims as much bandwidth of node {farther} as of node \
             {nearer}, and node {nearer} delivers more, by {by}: {run} uses that."
        );
    }
    format!(
        "From node {cpus}, {table} claims nodes {nearer} and {farther} to be equally far, and \
         node {farther} is farther by {by}: {run} leaves it out."
    )
}

fn off(table: &str, kind: ClaimKind, claimed: f64, measured: f64, cells: &[[u32; 2]]) -> String {
    let Some(&[cpus, memory]) = cells.first() else { return String::new() };
    let more = if cells.len() > 1 {
        format!("{} cells; the first is ", cells.len())
    } else {
        String::new()
    };
    let figures = match kind {
        ClaimKind::Slit => {
            format!("{claimed:.2} times the own memory's cost, and it is {measured:.2} times")
        }
        ClaimKind::HmatLatency => format!("{claimed:.0} ns, and it is {measured:.0} ns"),
        ClaimKind::HmatBandwidth => {
            format!("{:.1} GB/s, and it is {:.1} GB/s", claimed / GB, measured / GB)
        }
    };
    let better = (measured < claimed) != (kind == ClaimKind::HmatBandwidth);
    let advice = match (better, cpus == memory) {
        (_, true) => "go by the measured figure.".to_owned(),
        (true, _) => format!(
            "rather let a program use it than run short: 'nearfar run -N {cpus} -p {cpus} \
             PROGRAM'."
        ),
        (false, _) => format!("keep programs off it: {}.", run(cpus, &cpus.to_string())),
    };
    format!("{table} claims {figures} ({more}node {memory}'s memory from node {cpus}): {advice}")
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
    fn findings_come_with_both_figures_and_what_to_do() {
        let off = ClaimFinding::Off { claimed: 3.2, measured: 1.5, cells: vec![[0, 1]] };
        assert_eq!(
            sentence(&off, ClaimKind::Slit),
            "SLIT claims 3.20 times the own memory's cost, and it is 1.50 times (node 1's memory \
             from node 0): rather let a program use it than run short: 'nearfar run -N 0 -p 0 \
             PROGRAM'."
        );
        let uniform = ClaimFinding::Uniform { claimed: 2.1, measured: 1.01 };
        assert!(sentence(&uniform, ClaimKind::Slit).starts_with(
            "SLIT claims memories up to 2.10 times as far as others, and all are alike within 1.0 \
             %: "
        ));
        let merged = ClaimFinding::ClassesMerged {
            figure: 32.0,
            costs: vec![120.0, 160.0],
            nearer: Some([2, 1]),
        };
        assert!(sentence(&merged, ClaimKind::HmatLatency).ends_with(
            " Node 1 is one of the nearer from node 2: 'nearfar run -N 2 -m 1,2 PROGRAM'."
        ));
    }
}
