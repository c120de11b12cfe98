//! Wrong claims of firmware tables: the claim, the measurement, and what to do.

mod off;

use nearfar_infer::claims::{ClaimFinding, ClaimKind, ClaimPlacement, Contradiction};

use crate::survey::Verbosity;
use nearfar_view::text::percent::share;

/// A contradiction of a table, as a sentence.
pub(crate) fn sentence(wrong: &Contradiction, verbosity: Verbosity) -> String {
    use ClaimFinding::*;
    let table = if wrong.kind == ClaimKind::Slit { "SLIT" } else { "HMAT" };
    let is_bandwidth = wrong.kind == ClaimKind::HmatBandwidth;
    match wrong.finding {
        Uniform { claimed, measured } => uniform(table, is_bandwidth, *claimed, *measured),
        Placeholder { figure, costs, nearer } => format!(
            "{table} has the figure {figure:.0} for all remote memory, which takes {}. The table \
             is a placeholder: use the measured matrix.{}",
            list(costs),
            among_the_nearer(*nearer, wrong.placement)
        ),
        LocalNotNearest { node, nearer, ratio, ci95 } => {
            let (by, run) = (percent(*ratio, *ci95), command(": ", wrong.placement));
            if is_bandwidth {
                return format!(
                    "The CPUs of node {node} get more bandwidth from node {nearer} than from their \
                     own memory, by {by}{run}."
                );
            }
            format!(
                "For the CPUs of node {node}, memory of node {nearer} is nearer than their own, \
                 which costs {by} more{run}."
            )
        }
        ClassesMerged { figure, costs, nearer } => format!(
            "{table} has the same figure, {figure:.0}, for memory of {}. Programs that use it \
             cannot distinguish near from far.{}",
            list(costs),
            among_the_nearer(*nearer, wrong.placement)
        ),
        OrderInverted { cpus, claimed_nearer, nearer, ratio, ci95 } => {
            inverted(wrong, table, *cpus, [*claimed_nearer, *nearer], &percent(*ratio, *ci95))
        }
        EqualDiffers { cpus, nearer, farther, ratio, ci95 } => {
            differing(wrong, table, *cpus, [*nearer, *farther], &percent(*ratio, *ci95))
        }
        Off { claimed, cells, .. } => off::sentence(wrong, table, *claimed, cells),
        NoPathClaimed { cpus, memory } => format!(
            "{table} claims that node {cpus} cannot reach the memory of node {memory}, but it can."
        ),
        OrderByChance { rank } => {
            let what = if is_bandwidth { "bandwidths" } else { "distances" };
            let tau = match verbosity {
                Verbosity::Brief => String::new(),
                Verbosity::Verbose => format!(" (Kendall's tau {:.2})", rank.tau),
            };
            format!(
                "The order of the {what} in {table} is no better than chance{tau}. Use the \
                 measured matrix."
            )
        }
    }
}

/// A placement as a command, after these words; nothing without one.
fn command(before: &str, placement: Option<&ClaimPlacement>) -> String {
    placement.map_or_else(String::new, |placement| {
        let memory: Vec<String> = placement.memory().iter().map(ToString::to_string).collect();
        format!("{before}'nearfar run -N {} -m {} PROGRAM'", placement.cpus, memory.join(","))
    })
}

fn uniform(table: &str, is_bandwidth: bool, claimed: f64, measured: f64) -> String {
    let within = share(measured - 1.0);
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
fn among_the_nearer(nearer: Option<[u32; 2]>, placement: Option<&ClaimPlacement>) -> String {
    let Some(([cpus, memory], placement)) = nearer.zip(placement) else { return String::new() };
    let run = command(": ", Some(placement));
    format!(" For example, node {memory} is near node {cpus}{run}.")
}

fn inverted(
    wrong: &Contradiction,
    table: &str,
    cpus: u32,
    [claimed, nearer]: [u32; 2],
    by: &str,
) -> String {
    if wrong.kind == ClaimKind::HmatBandwidth {
        return format!(
            "{table} claims that node {cpus} gets more bandwidth from node {claimed} than from \
             node {nearer}. Measured, node {nearer} has {by} more."
        );
    }
    let run = command("; use ", wrong.placement);
    format!(
        "{table} claims that node {claimed} is nearer to node {cpus} than node {nearer}. Measured, \
         node {claimed} costs {by} more. When memory is short, the kernel uses the wrong node{run}."
    )
}

fn differing(
    wrong: &Contradiction,
    table: &str,
    cpus: u32,
    [nearer, farther]: [u32; 2],
    by: &str,
) -> String {
    if wrong.kind == ClaimKind::HmatBandwidth {
        return format!(
            "{table} claims that node {cpus} gets equal bandwidth from nodes {farther} and \
             {nearer}. Measured, node {nearer} has {by} more."
        );
    }
    let run = command(" Avoid it: ", wrong.placement);
    let end = if run.is_empty() { "" } else { "." };
    format!(
        "{table} claims that nodes {nearer} and {farther} are equally far from node {cpus}. \
         Measured, node {farther} costs {by} more.{run}{end}"
    )
}

/// A ratio as what it exceeds 1 by, with its interval.
fn percent(ratio: f64, [low, high]: [f64; 2]) -> String {
    format!(
        "{} (95 % interval {:.1} to {:.1})",
        share(ratio - 1.0),
        100.0 * (low - 1.0),
        100.0 * (high - 1.0)
    )
}

fn list(costs: &[f64]) -> String {
    let costs: Vec<String> = costs.iter().map(|cost| format!("{cost:.0}")).collect();
    match costs.split_last() {
        Some((last, others)) if !others.is_empty() => {
            format!("{} and {last} ns", others.join(", "))
        }
        _ => format!("{} ns", costs.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(
        finding: &ClaimFinding,
        kind: ClaimKind,
        placement: Option<&ClaimPlacement>,
    ) -> String {
        let wrong = Contradiction { kind, finding, cells: &[], placement, strength: 0.0 };
        sentence(&wrong, Verbosity::Brief)
    }

    #[test]
    fn findings_have_both_figures_and_advice() {
        let uniform = ClaimFinding::Uniform { claimed: 2.1, measured: 1.01 };
        assert!(found(&uniform, ClaimKind::Slit, None).starts_with(
            "SLIT claims latencies that differ up to 2.10 times, but all are equal within 1.0 %."
        ));
        let merged = ClaimFinding::ClassesMerged {
            figure: 32.0,
            costs: vec![120.0, 160.0],
            nearer: Some([2, 1]),
        };
        let beside = ClaimPlacement { cpus: 2, first: 2, overflow: Some(1) };
        assert!(
            found(&merged, ClaimKind::HmatLatency, Some(&beside)).ends_with(
                " For example, node 1 is near node 2: 'nearfar run -N 2 -m 1,2 PROGRAM'."
            )
        );
        assert!(found(&merged, ClaimKind::Slit, None).ends_with(" near from far."));
    }

    #[test]
    fn what_exceeds_one_is_what_the_other_memory_costs_more() {
        let finding =
            ClaimFinding::LocalNotNearest { node: 0, nearer: 1, ratio: 1.5, ci95: [1.48, 1.52] };
        let alone = ClaimPlacement { cpus: 0, first: 1, overflow: None };
        assert_eq!(
            found(&finding, ClaimKind::Slit, Some(&alone)),
            "For the CPUs of node 0, memory of node 1 is nearer than their own, which costs 50.0 \
             % (95 % interval 48.0 to 52.0) more: 'nearfar run -N 0 -m 1 PROGRAM'."
        );
        assert!(found(&finding, ClaimKind::Slit, None).ends_with(" more."));
    }
}
