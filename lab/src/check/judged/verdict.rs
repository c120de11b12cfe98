//! The verdict: does memory differ by more than matters?

use nearfar_infer::Numa;

use super::{Judged, Statements, is_interleaved, is_yes};
use crate::machine::LabMachine;

/// The largest ratio of two memories as one node's CPUs see them, minus 1: what a survey calls the
/// effect.
pub(crate) fn effect(machine: &LabMachine) -> f64 {
    machine.largest_ratio() - 1.0
}

pub(super) fn judge(statements: &Statements<'_>, machine: &LabMachine) -> Judged {
    let mut judged = Judged::new("verdict");
    let (verdict, truth) = (statements.verdict, effect(machine));
    let differs = truth > verdict.threshold && !is_interleaved(machine);
    match verdict.numa {
        Numa::Undetermined if differs => {
            judged.missed.push(format!("memory differs by {:.1} %", 100.0 * truth));
        }
        Numa::Undetermined => {}
        numa => judged.state(is_yes(verdict) == differs, || {
            format!(
                "the verdict is \"{numa}\", and memory differs by {:.1} % from page to page",
                if is_interleaved(machine) { 0.0 } else { 100.0 * truth }
            )
        }),
    }
    // Where the kernel does not report the node of pages, they may all be one node's.
    let is_known = machine.shows_nodes() || statements.found_hidden_nodes();
    if let Some(ci95) = verdict.ci95.filter(|_| is_known && !is_interleaved(machine)) {
        judged.interval(ci95.map(|end| 1.0 + end), 1.0 + truth);
    }
    judged
}
