//! Which node is nearest to each GPU, in sentences.

use nearfar_infer::NearestVerdict;
use nearfar_survey::{Gpu, GpuFacts, GpuNearest, PlacementFactor};
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::{changes, share};

use super::names;

/// The sentences below a heading, each command on a line of its own.
pub(super) fn text(gpu: &Gpu) -> String {
    let remark = |verdict: &GpuNearest| {
        let run = run_by(gpu, verdict).map(|run| paragraph::of(&run, "   ", "     "));
        paragraph::remark(&of_gpu(gpu, verdict)) + &run.unwrap_or_default()
    };
    let remarks: String = gpu.verdicts.iter().map(remark).collect();
    if remarks.is_empty() { remarks } else { format!("Nearest nodes\n{remarks}") }
}

/// What is known of each GPU's node, and the command that places a program there.
pub(super) fn sentences(gpu: &Gpu) -> Vec<String> {
    let sentence = |verdict: &GpuNearest| {
        let run = run_by(gpu, verdict).map_or_else(String::new, |run| format!(" {run}"));
        format!("{}{run}", of_gpu(gpu, verdict))
    };
    gpu.verdicts.iter().map(sentence).collect()
}

fn of_gpu(gpu: &Gpu, verdict: &GpuNearest) -> String {
    let facts = gpu.gpus.iter().find(|gpu| gpu.label == verdict.gpu);
    sentence(gpu, verdict, facts)
}

/// "GPU0: node 0; GPU1: node 0 (sysfs: node 1)".
pub(super) fn in_a_line(gpu: &Gpu) -> Option<String> {
    let short = |verdict: &GpuNearest| {
        let nodes = match verdict.nearest.verdict {
            NearestVerdict::Nearest => nodes(verdict),
            NearestVerdict::Same => "all nodes equally near".to_owned(),
            NearestVerdict::OneNode => "one node was measured".to_owned(),
            NearestVerdict::Contradiction | NearestVerdict::Undetermined => {
                "undetermined".to_owned()
            }
        };
        let facts = gpu.gpus.iter().find(|gpu| gpu.label == verdict.gpu);
        let wrong = facts.and_then(|facts| facts.kernel_node);
        let wrong = wrong.filter(|_| verdict.kernel_is_right == Some(false));
        let wrong = wrong.map_or_else(String::new, |node| format!(" (sysfs: node {node})"));
        format!("{}: {nodes}{wrong}", verdict.gpu)
    };
    let is_one = |verdict: &GpuNearest| verdict.nearest.verdict == NearestVerdict::OneNode;
    if !gpu.verdicts.is_empty() && gpu.verdicts.iter().all(is_one) {
        return Some("one node was measured, and there is no other to compare it with".to_owned());
    }
    let all: Vec<String> = gpu.verdicts.iter().map(short).collect();
    (!all.is_empty()).then(|| format!("nearest to {}", all.join("; ")))
}

/// "node 0", "nodes 0 and 1".
fn nodes(verdict: &GpuNearest) -> String {
    let names: Vec<String> = verdict.nearest.nodes.iter().map(u32::to_string).collect();
    match names.split_last() {
        None => "no node".to_owned(),
        Some((last, [])) => format!("node {last}"),
        Some((last, others)) => format!("nodes {} and {last}", others.join(", ")),
    }
}

fn sentence(gpu: &Gpu, verdict: &GpuNearest, facts: Option<&GpuFacts>) -> String {
    let label = &verdict.gpu;
    match verdict.nearest.verdict {
        NearestVerdict::Nearest => {
            format!(
                "{label}: nearest to {}{}.{}",
                nodes(verdict),
                measured(verdict),
                claims(verdict, facts)
            )
        }
        NearestVerdict::Same => {
            let hint = if has_groups(gpu) {
                ""
            } else {
                " Its link may be narrower than those between packages (--together loads all GPUs \
                 of a package)."
            };
            format!("{label}: no difference beyond 2 %, wherever memory and program are.{hint}")
        }
        NearestVerdict::Contradiction => format!(
            "{label}: undetermined, because some copies are faster from one node and others from \
             another."
        ),
        NearestVerdict::Undetermined => format!(
            "{label}: undetermined, because intervals are too wide. A longer --budget narrows them."
        ),
        NearestVerdict::OneNode => {
            format!("{label}: one node was measured, and there is no other to compare it with.")
        }
    }
}

fn has_groups(gpu: &Gpu) -> bool {
    let mut treatments = gpu.bandwidth.iter().flat_map(|table| &table.part.treatments);
    treatments.any(|treatment| treatment.0.gpus.len() > 1)
}

/// " (measured: 'to GPU, pinned, 4 B' takes 12.0 % longer with memory of the second nearest node,
/// 95 %: ...)".
fn measured(verdict: &GpuNearest) -> String {
    let (Some(ratio), Some(ci95), Some(copy)) =
        (verdict.nearest.ratio, verdict.nearest.ci95, &verdict.copy)
    else {
        return String::new();
    };
    let by = match verdict.factor {
        Some(PlacementFactor::Program) => "program",
        _ => "memory",
    };
    format!(
        " (measured: '{}' takes {} longer with the {by} on the second nearest node, 95 %: {})",
        names::kind(copy),
        share(ratio - 1.0),
        changes(ci95.map(|ratio| ratio - 1.0))
    )
}

/// " sysfs names it, too." and where it or the driver is wrong.
fn claims(verdict: &GpuNearest, facts: Option<&GpuFacts>) -> String {
    let Some(facts) = facts else { return String::new() };
    let kernel = match (facts.kernel_node, verdict.kernel_is_right) {
        (Some(_), Some(true)) => " sysfs names it, too.".to_owned(),
        (Some(node), Some(false)) => format!(" sysfs names node {node}: wrong."),
        (None, _) => " sysfs names no node.".to_owned(),
        (Some(_), None) => String::new(),
    };
    let driver = facts.driver_node.filter(|_| verdict.driver_is_right == Some(false));
    let driver =
        driver.map_or_else(String::new, |node| format!(" The driver names node {node}: wrong."));
    kernel + &driver
}

/// How programs are placed there.
fn run_by(gpu: &Gpu, verdict: &GpuNearest) -> Option<String> {
    let is_decided = verdict.nearest.verdict == NearestVerdict::Nearest;
    let &node = verdict.nearest.nodes.first().filter(|_| is_decided)?;
    let rows = gpu.bandwidth.as_ref().map(|table| &table.part.matrix.rows);
    let rows = rows.or_else(|| gpu.latency.as_ref().map(|table| &table.part.matrix.rows))?;
    let has_cpus = rows.iter().any(|row| row.node.is_some_and(|one| one.0 == node));
    let cpus = if has_cpus { format!("--cpunodebind {node} ") } else { String::new() };
    Some(format!("Run programs there: 'nearfar run {cpus}--membind {node} -- PROGRAM'"))
}
