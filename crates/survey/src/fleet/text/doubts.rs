//! Machines whose surveys may not be what they seem, as sentences.

use nearfar_view::text::count;

use crate::fleet::text::history::day;
use crate::fleet::text::short_names;
use crate::fleet::{DoubtKind, MachineDoubt};

/// A sentence for each machine; those without a time have one together.
pub fn doubts(all: &[MachineDoubt]) -> Vec<String> {
    let is_undated = |doubt: &&MachineDoubt| matches!(doubt.kind, DoubtKind::NoTime { .. });
    let undated: Vec<&MachineDoubt> = all.iter().filter(is_undated).collect();
    let others = all.iter().filter(|doubt| !is_undated(doubt)).map(sentence);
    without_time(&undated).into_iter().chain(others).collect()
}

fn without_time(undated: &[&MachineDoubt]) -> Option<String> {
    let DoubtKind::NoTime { started } = &undated.first()?.kind else { return None };
    let names: Vec<&str> = undated.iter().map(|doubt| &*doubt.machine).collect();
    let surveys = undated.iter().map(|doubt| doubt.surveys).sum();
    Some(format!(
        "No survey of {} has a time that can be read ('{started}'): {} used, without a history.",
        short_names(&names),
        match surveys {
            1 => "it is".to_owned(),
            _ => format!("{} are", count(surveys, "survey")),
        }
    ))
}

fn sentence(doubt: &MachineDoubt) -> String {
    let MachineDoubt { machine, surveys, kind } = doubt;
    let name = "'nearfar survey --host NAME' keeps another one.";
    let surveys = count(*surveys, "survey");
    match kind {
        DoubtKind::ClockWentBack { file, line, from, to, until } => format!(
            "{machine}: in {file}, line {line}, its clock went back from {} to {}, or the lines \
             are in another order: times of {surveys} are doubtful, and no change up to {} is \
             stated.",
            day(from),
            day(to),
            day(until)
        ),
        DoubtKind::Overlap { until } => format!(
            "{machine}: {surveys} of this name, some at the same time: machines may share it, and \
             no change up to {} is stated. {name}",
            day(until)
        ),
        DoubtKind::ShapesInTurn => format!(
            "{machine}: {surveys} of this name show two shapes or more in turn: machines may share \
             it. {name}"
        ),
        DoubtKind::BoardsInTurn => format!(
            "{machine}: {surveys} of this name show two boards or more in turn: machines may share \
             it. {name}"
        ),
        DoubtKind::UsualName | DoubtKind::NoTime { .. } => format!(
            "{machine}: {surveys} have this name, which systems have by default: machines may \
             share it. {name}"
        ),
    }
}
