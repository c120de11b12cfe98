//! Hidden nodes: how many kinds of pages there are, and what each costs.

use nearfar_infer::hidden::LEAST_GAP;
use nearfar_survey::HiddenFinding;

use super::super::CELL_TOLERANCE;
use super::{Judged, Kind, Search, is_interleaved};
use crate::machine::Machine;

/// What these statements are about.
pub(super) const WHAT: &str = "hidden nodes";

/// What the memories that CPUs can tell apart cost: one for each kind of pages, by nodes with CPUs, in the guest's nanoseconds. One
/// kind where the kernel shows nodes, or lines are interleaved over them.
pub(super) fn kinds_put_in(machine: &Machine) -> Vec<Vec<f64>> {
    let costs = machine.slowed(&machine.latency_ns());
    let homes = costs.first().map_or(0, Vec::len);
    let of_home = |home: usize| costs.iter().map(|row| row[home]).collect::<Vec<f64>>();
    let mut kinds: Vec<Vec<f64>> = Vec::new();
    for home in (0..homes).map(of_home) {
        if kinds.iter().all(|known| turns_between(known, &home) >= LEAST_GAP) {
            kinds.push(home);
        }
    }
    if machine.shows_nodes() || is_interleaved(machine) {
        kinds.truncate(1);
    }
    kinds
}

/// How far the contrast of two memories is from the same to all CPUs: what slow memory alone does not do.
fn turns_between(a: &[f64], b: &[f64]) -> f64 {
    let logs: Vec<f64> = a.iter().zip(b).map(|(a, b)| (b / a).ln()).collect();
    let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    logs.iter().map(|log| (log - mean).abs()).fold(0.0, f64::max)
}

pub(super) fn judge(search: Option<&Search>, machine: &Machine) -> Judged {
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
            let found = search.map_or(0, |search| search.kinds.len());
            judged.state(found == kinds.len(), || format!("{found} kinds of pages were found, and {}", there_are()));
            search
                .into_iter()
                .flat_map(|search| &search.kinds)
                .for_each(|kind| judge_kind(&mut judged, kind, &kinds, machine));
        }
        HiddenFinding::None => {
            let apart = largest_turn(&kinds).exp_m1();
            let promised = search.and_then(|search| search.down_to).unwrap_or(f64::INFINITY);
            judged.state(apart < promised, || {
                format!("nothing is said to be hidden down to {:.1} %, and {}", 100.0 * promised, there_are())
            });
        }
        HiddenFinding::Interleaved => {
            judged.state(is_interleaved(machine), || format!("lines are called interleaved, and {}", there_are()));
        }
        HiddenFinding::Undetermined if are_hidden => judged.missed.push(there_are()),
        HiddenFinding::Undetermined => {}
    }
    judged
}

fn largest_turn(kinds: &[Vec<f64>]) -> f64 {
    let pairs = kinds.iter().enumerate().flat_map(|(at, a)| kinds[at + 1..].iter().map(move |b| turns_between(a, b)));
    pairs.fold(0.0, f64::max)
}

/// What a kind costs each group of CPUs, against the memory that it is nearest to.
fn judge_kind(judged: &mut Judged, kind: &Kind, kinds: &[Vec<f64>], machine: &Machine) {
    let groups: Vec<_> = machine.cpu_nodes().collect();
    let off = |truth: &Vec<f64>| {
        let of_row = |(cpus, cost): &(_, f64)| {
            let at = groups.iter().position(|node| !node.cpus.intersection(cpus).is_empty());
            at.map_or(f64::INFINITY, |at| (cost / truth[at] - 1.0).abs())
        };
        kind.costs.iter().map(of_row).fold(0.0, f64::max)
    };
    let nearest = kinds.iter().map(off).fold(f64::INFINITY, f64::min);
    judged.state(nearest <= CELL_TOLERANCE, || {
        format!("a kind of pages costs {:.0} % more or less than any that was put in", 100.0 * nearest)
    });
}
