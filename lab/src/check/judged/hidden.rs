//! Hidden nodes: how many kinds of pages there are, and what each costs.

use nearfar_infer::hidden::MIN_GAP;
use nearfar_model::CpuSet;
use nearfar_survey::HiddenFinding;

use super::super::CELL_TOLERANCE;
use super::{FoundKind, HiddenSearch, Judged, is_interleaved};
use crate::machine::LabMachine;

/// What these statements are about.
pub(crate) const WHAT: &str = "hidden nodes";

/// Memories at a smaller distance for all CPUs alike, as a logarithm (8 %), are one kind.
const LEVEL_GAP: f64 = 0.077;

/// Costs of the memories that CPUs can distinguish: one for each kind of pages, by nodes with CPUs,
/// in the guest's nanoseconds. One kind where the kernel shows nodes, or lines are interleaved over
/// them.
pub(super) fn kinds_put_in(machine: &LabMachine) -> Vec<Vec<f64>> {
    let costs = machine.slowed(&machine.latency_ns());
    let homes = costs.first().map_or(0, Vec::len);
    let of_home = |home: usize| costs.iter().map(|row| row[home]).collect::<Vec<f64>>();
    let mut kinds: Vec<Vec<f64>> = Vec::new();
    for home in (0..homes).map(of_home) {
        let is_apart = |known: &Vec<f64>| {
            turns_between(known, &home) >= MIN_GAP || level_between(known, &home) >= LEVEL_GAP
        };
        if kinds.iter().all(is_apart) {
            kinds.push(home);
        }
    }
    if machine.shows_nodes() || is_interleaved(machine) {
        kinds.truncate(1);
    }
    kinds
}

/// How far the contrast of two memories is from the same to all CPUs: what slow memory alone does
/// not do.
fn turns_between(a: &[f64], b: &[f64]) -> f64 {
    let logs: Vec<f64> = a.iter().zip(b).map(|(a, b)| (b / a).ln()).collect();
    let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    logs.iter().map(|log| (log - mean).abs()).fold(0.0, f64::max)
}

/// How far two memories are apart for all CPUs together, as a logarithm.
fn level_between(a: &[f64], b: &[f64]) -> f64 {
    let logs = a.iter().zip(b).map(|(a, b)| (b / a).ln());
    (logs.sum::<f64>() / a.len().max(1) as f64).abs()
}

pub(super) fn judge(search: Option<&HiddenSearch>, machine: &LabMachine) -> Judged {
    let mut judged = Judged::new(WHAT);
    let kinds = kinds_put_in(machine);
    let are_hidden = kinds.len() > 1;
    let finding = search.map_or(HiddenFinding::Undetermined, |search| search.finding);
    let there_are = || match kinds.len() {
        1 => "whole pages are of one kind".to_owned(),
        kinds => format!("there are {kinds} kinds of pages"),
    };
    match finding {
        HiddenFinding::Found => {
            let found = search.map_or(&[][..], |search| &search.kinds);
            let is_least = search.is_some_and(|search| search.is_least);
            let holds =
                found.len() == kinds.len() || is_least && (2..kinds.len()).contains(&found.len());
            judged.state(holds, || {
                let least = if is_least { "at least " } else { "" };
                format!("{least}{} kinds of pages were found, and {}", found.len(), there_are())
            });
            judge_kinds(&mut judged, found, &kinds, machine);
        }
        HiddenFinding::None => {
            let apart = largest_turn(&kinds).exp_m1();
            let promised = search.and_then(|search| search.down_to).unwrap_or(0.0);
            let is_wrong = are_hidden && apart >= promised;
            judged.state(!is_wrong, || {
                format!(
                    "nothing hidden is reported down to {:.1} %, and {}",
                    100.0 * promised,
                    there_are()
                )
            });
            if are_hidden && !is_wrong {
                judged.missed.push(there_are());
            }
        }
        HiddenFinding::Interleaved => {
            judged.state(is_interleaved(machine), || {
                format!("lines are called interleaved, and {}", there_are())
            });
        }
        HiddenFinding::Undetermined if are_hidden => judged.missed.push(there_are()),
        HiddenFinding::Undetermined => {}
    }
    judged
}

fn largest_turn(kinds: &[Vec<f64>]) -> f64 {
    let pairs = kinds
        .iter()
        .enumerate()
        .flat_map(|(at, a)| kinds[at + 1..].iter().map(move |b| turns_between(a, b)));
    pairs.fold(0.0, f64::max)
}

/// What kinds cost each group of CPUs: each against a memory of its own, as well as all of them can
/// be matched.
fn judge_kinds(
    judged: &mut Judged,
    found: &[FoundKind],
    put_in: &[Vec<f64>],
    machine: &LabMachine,
) {
    let errors: Vec<Vec<f64>> = found
        .iter()
        .map(|kind| put_in.iter().map(|truth| error(kind, truth, machine)).collect())
        .collect();
    let matched = matched(&errors, &mut vec![false; put_in.len()]);
    judged.right += matched;
    for _ in matched..found.len() {
        let within = 100.0 * CELL_TOLERANCE;
        judged.wrong.push(format!(
            "a kind of pages costs what no memory of its own does, within {within:.0} %"
        ));
    }
}

/// How many kinds (rows of errors) can have a memory of their own within tolerance. There are few.
fn matched(errors: &[Vec<f64>], taken: &mut Vec<bool>) -> usize {
    let Some((kind, others)) = errors.split_first() else { return 0 };
    let mut most = matched(others, taken);
    for (memory, error) in kind.iter().enumerate() {
        if *error <= CELL_TOLERANCE && !taken[memory] {
            taken[memory] = true;
            most = most.max(1 + matched(others, taken));
            taken[memory] = false;
        }
    }
    most
}

/// How far the farthest of a kind's costs lies outside of what a memory costs the CPUs of its row,
/// as a fraction: a row may hold CPUs of several nodes.
fn error(kind: &FoundKind, truth: &[f64], machine: &LabMachine) -> f64 {
    let row_error = |(cpus, cost): &(CpuSet, f64)| {
        let nodes = machine
            .cpu_nodes()
            .zip(truth)
            .filter(|(node, _)| !node.cpus.intersection(cpus).is_empty());
        let costs: Vec<f64> = nodes.map(|(_, truth)| *truth).collect();
        let low = costs.iter().copied().reduce(f64::min)?;
        let high = costs.into_iter().reduce(f64::max)?;
        Some((cost / cost.clamp(low, high) - 1.0).abs())
    };
    let errors: Option<Vec<f64>> = kind.costs.iter().map(row_error).collect();
    errors.and_then(|errors| errors.into_iter().reduce(f64::max)).unwrap_or(f64::INFINITY)
}
