//! What is wrong with a table of claims, in words: what it says, what was measured, and what to do about it.

use nearfar_infer::claims::{Finding, Kind};

/// A finding about a table of this kind, as a sentence.
pub(crate) fn sentence(finding: &Finding, kind: Kind) -> String {
    let table = if kind == Kind::Slit { "SLIT" } else { "HMAT" };
    match finding {
        Finding::Uniform { claimed, measured } => uniform(kind, *claimed, *measured),
        Finding::Placeholder { figure, costs, nearer } => format!(
            "{table} has one figure, {figure:.0}, for every other node's memory, and they cost {}: nobody filled the table in; trust the measured matrix.{}",
            list(costs),
            among_the_nearer(*nearer)
        ),
        Finding::LocalNotNearest { node, nearer, ratio, .. } => format!(
            "Node {node}'s CPUs reach the memory of node {nearer} {} than their own, by {}: {} uses that.",
            if kind == Kind::HmatBandwidth { "faster" } else { "sooner" },
            percent(*ratio),
            run(*node, &nearer.to_string())
        ),
        Finding::ClassesMerged { figure, costs, nearer } => format!(
            "{table} has one figure, {figure:.0}, for memories that cost {}: programs that go by it take far memory for near.{}",
            list(costs),
            among_the_nearer(*nearer)
        ),
        Finding::OrderInverted { cpus, claimed_nearer, nearer, ratio, .. } => {
            inverted(kind, *cpus, [*claimed_nearer, *nearer], *ratio)
        }
        Finding::EqualDiffers { cpus, nearer, farther, ratio, .. } => {
            differing(kind, *cpus, [*nearer, *farther], *ratio)
        }
        Finding::Off { claimed, measured, cells } => off(table, kind, *claimed, *measured, cells),
        Finding::NoWayClaimed { cpus, memory } => format!(
            "{table} says that node {cpus} cannot reach the memory of node {memory}, and it does: {} takes it.",
            run(*cpus, &memory.to_string())
        ),
        Finding::OrderByChance { rank } => format!(
            "The order of {table}'s {} is no better than chance (Kendall's tau {:.2}): trust the measured matrix.",
            if kind == Kind::HmatBandwidth { "bandwidths" } else { "distances" },
            rank.tau
        ),
        Finding::Sentence(sentence) => sentence.clone(),
    }
}

/// A command that puts a program's CPUs on one node and its memory on others.
fn run(cpus: u32, memory: &str) -> String {
    format!("'nearfar run -N {cpus} -m {memory} PROGRAM'")
}

/// The same with a second node for what does not fit into the own one.
fn run_beside(cpus: u32, second: u32) -> String {
    let memory = if cpus == second { cpus.to_string() } else { format!("{},{}", cpus.min(second), cpus.max(second)) };
    run(cpus, &memory)
}

fn uniform(kind: Kind, claimed: f64, measured: f64) -> String {
    let (claimed, measured) = (format!("{claimed:.2}"), percent(measured));
    match kind {
        Kind::HmatBandwidth => format!(
            "HMAT claims up to {claimed} times the bandwidth of others, and all deliver the same within {measured}: placing programs by bandwidth gains nothing."
        ),
        _ => format!(
            "{} claims memories up to {claimed} times as far as others, and all are alike within {measured}: placing programs by it gains nothing; leave them to the kernel.",
            if kind == Kind::Slit { "SLIT" } else { "HMAT" }
        ),
    }
}

/// From whom one of the nearer memories is which, and how to use it.
fn among_the_nearer(nearer: Option<[u32; 2]>) -> String {
    nearer.map_or_else(String::new, |[cpus, memory]| {
        format!(" Node {memory} is one of the nearer from node {cpus}: {}.", run_beside(cpus, memory))
    })
}

fn inverted(kind: Kind, cpus: u32, [claimed, nearer]: [u32; 2], ratio: f64) -> String {
    let (ratio, run) = (percent(ratio), run_beside(cpus, nearer));
    match kind {
        Kind::HmatBandwidth => format!(
            "From node {cpus}, HMAT claims more bandwidth of node {claimed} than of node {nearer}, and node {nearer} delivers more, by {ratio}: {run} uses that."
        ),
        _ => format!(
            "From node {cpus}, {} claims node {claimed} to be nearer than node {nearer}, and node {nearer} is, by {ratio}: the kernel falls back to the wrong one when memory is short; {run} does not.",
            if kind == Kind::Slit { "SLIT" } else { "HMAT" }
        ),
    }
}

fn differing(kind: Kind, cpus: u32, [nearer, farther]: [u32; 2], ratio: f64) -> String {
    let (ratio, run) = (percent(ratio), run_beside(cpus, nearer));
    match kind {
        Kind::HmatBandwidth => format!(
            "From node {cpus}, HMAT claims as much bandwidth of node {farther} as of node {nearer}, and node {nearer} delivers more, by {ratio}: {run} uses that."
        ),
        _ => format!(
            "From node {cpus}, {} claims nodes {nearer} and {farther} to be equally far, and node {farther} is farther by {ratio}: {run} leaves it out.",
            if kind == Kind::Slit { "SLIT" } else { "HMAT" }
        ),
    }
}

fn off(table: &str, kind: Kind, claimed: f64, measured: f64, cells: &[[u32; 2]]) -> String {
    let Some(&[cpus, memory]) = cells.first() else { return String::new() };
    let wherever = match cells.len() {
        1 => format!("node {memory}'s memory from node {cpus}"),
        count => format!("{count} cells; the first is node {memory}'s memory from node {cpus}"),
    };
    let figures = match kind {
        Kind::Slit => format!("{claimed:.2} times the own memory's cost, and it is {measured:.2} times"),
        Kind::HmatLatency => format!("{claimed:.0} ns, and it is {measured:.0} ns"),
        Kind::HmatBandwidth => format!("{:.1} GB/s, and it is {:.1} GB/s", claimed / 1e9, measured / 1e9),
    };
    let better = (measured < claimed) != (kind == Kind::HmatBandwidth);
    let advice = match (better, cpus == memory) {
        (_, true) => "go by the measured figure.".to_owned(),
        (true, _) => format!("rather let a program use it than run short: 'nearfar run -N {cpus} -p {cpus} PROGRAM'."),
        (false, _) => format!("keep programs off it: {}.", run(cpus, &cpus.to_string())),
    };
    format!("{table} claims {figures} ({wherever}): {advice}")
}

/// A ratio as what it exceeds 1 by.
fn percent(ratio: f64) -> String {
    format!("{:.1} %", 100.0 * (ratio - 1.0))
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
        let off = Finding::Off { claimed: 3.2, measured: 1.5, cells: vec![[0, 1]] };
        assert_eq!(
            sentence(&off, Kind::Slit),
            "SLIT claims 3.20 times the own memory's cost, and it is 1.50 times (node 1's memory from node 0): rather let a program use it than run short: 'nearfar run -N 0 -p 0 PROGRAM'."
        );
        let uniform = Finding::Uniform { claimed: 2.1, measured: 1.01 };
        assert!(
            sentence(&uniform, Kind::Slit).starts_with(
                "SLIT claims memories up to 2.10 times as far as others, and all are alike within 1.0 %: "
            )
        );
        let merged = Finding::ClassesMerged { figure: 32.0, costs: vec![120.0, 160.0], nearer: Some([2, 1]) };
        assert!(
            sentence(&merged, Kind::HmatLatency)
                .ends_with(" Node 1 is one of the nearer from node 2: 'nearfar run -N 2 -m 1,2 PROGRAM'.")
        );
    }
}
