//! `nearfar explain --response`: what remote memory costs a program, by doses.

use anyhow::bail;
use nearfar_live::explain::{
    Around, CureKind, DoseNodes, DosedProcess, ExplainError, ObservedProcess, ResponseDocument,
    ResponseSettings, TrialEvent, TrialledProcess, dose_nodes, measure_response, text,
    trial_refusals,
};
use nearfar_machine::Source;
use nearfar_model::{NodeId, write_indented_json};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::terminal::{Interrupt, output, screen};
use serde::Serialize;

use super::costs::KnownCosts;
use super::{BLOCKS, ExplainCommand, TrialProgress, processes, undo};
use crate::commands::measuring::this_program;
use crate::output_path::OutputPath;
use crate::whole_file::OutputFile;

/// `--max-cost` at most: a half.
const MOST: f64 = 0.5;

/// "3%" or "3": a share.
pub(super) fn cost(text: &str) -> Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    match number.map(|percent| percent / 100.0) {
        Ok(share) if share > 0.0 && share <= MOST => Ok(share),
        _ => Err("write a percentage above 0 and of at most 50, such as 3%".to_owned()),
    }
}

/// An unwritable file fails at once.
pub(super) fn check_output(command: &ExplainCommand) -> anyhow::Result<()> {
    if let Some(path) = command.output.as_ref().and_then(|output| output.file()) {
        OutputFile::create(path, command.force.if_exists())?;
    }
    Ok(())
}

/// Moves pages, and puts them back.
pub(super) fn measured(
    command: &ExplainCommand,
    source: &Source,
    observed: &[ObservedProcess],
    around: &Around<'_>,
    interrupt: &Interrupt,
) -> anyhow::Result<ResponseDocument> {
    let nodes = near_and_far(command, source, observed, around, command.move_locked)?;
    let settings = settings(command, BLOCKS)?;
    let progress = TrialProgress::default();
    let report = |event: TrialEvent<'_>| progress.report(event);
    let around = (around.nodes, &nodes);
    Ok(measure_response(source, around, None, &settings, interrupt, &report)?)
}

/// The nodes of each process.
///
/// # Errors
///
/// None is far, or pages may not move.
pub(super) fn near_and_far(
    command: &ExplainCommand,
    source: &Source,
    observed: &[ObservedProcess],
    around: &Around<'_>,
    move_locked: bool,
) -> anyhow::Result<DoseNodes> {
    let nodes = dose_nodes(observed, around, far(command, source)?)?;
    if let Some(why) = refusals(observed, around, &nodes, move_locked).first() {
        bail!("no page was moved: {why}");
    }
    Ok(nodes)
}

/// What was asked for, with this number of blocks if none is named.
pub(super) fn settings(command: &ExplainCommand, blocks: u32) -> anyhow::Result<ResponseSettings> {
    Ok(ResponseSettings {
        target: command.target.word().to_owned(),
        metric: command.chosen_metric(),
        blocks: command.blocks.unwrap_or(blocks),
        budget: command.budget.map(Into::into),
        period: command.period.into(),
        max_cost: command.max_cost,
        seed: command.seed.unwrap_or_else(|| fastrand::u64(..)),
        notes: undo::notes_folder()?,
        guard: || this_program("guard"),
    })
}

/// One far node, if the user names it.
pub(super) fn far(command: &ExplainCommand, source: &Source) -> anyhow::Result<Option<NodeId>> {
    let Some(nodes) = command.nodes(source)? else { return Ok(None) };
    let only = nodes.iter().next().filter(|_| nodes.len() == 1);
    match only {
        Some(node) => Ok(Some(node)),
        None => Err(WrongUsage("there is one far node: name one with --to".into()).into()),
    }
}

/// Why pages are not moved, a sentence each.
fn refusals(
    observed: &[ObservedProcess],
    around: &Around<'_>,
    nodes: &DoseNodes,
    move_locked: bool,
) -> Vec<String> {
    let mut all = Vec::new();
    for (process, dosed) in observed.iter().zip(&nodes.all) {
        for node in [dosed.near, dosed.far] {
            let cure = CureKind::MovePages { node };
            let one = std::slice::from_ref(process);
            all.extend(trial_refusals(one, around, &cure, move_locked));
        }
    }
    all
}

/// Names what it was measured with, saves and prints it.
pub(super) fn finish(
    command: &ExplainCommand,
    source: &Source,
    mut document: ResponseDocument,
    known: Option<KnownCosts>,
) -> anyhow::Result<()> {
    document.started_meanwhile = started_meanwhile(command, source, &document.nodes);
    if let Some(known) = known {
        (document.survey, document.machine) = (Some(known.survey), Some(known.machine));
    }
    let screen = text::response_screen(&document);
    print_and_save(command, &document, || text::response_csv(&document), &screen)?;
    check_running(&document.processes)
}

/// Processes of the target that did not take part.
pub(super) fn started_meanwhile(
    command: &ExplainCommand,
    source: &Source,
    took_part: &[DosedProcess],
) -> u32 {
    let now = processes(source, &command.target).unwrap_or_default();
    let is_new = |pid: &&u32| took_part.iter().all(|process| process.pid != **pid);
    now.iter().filter(is_new).count() as u32
}

/// # Errors
///
/// All have ended.
pub(super) fn check_running(all: &[TrialledProcess]) -> anyhow::Result<()> {
    match all.iter().all(|process| process.has_ended) {
        true => Err(ExplainError::Ended.into()),
        false => Ok(()),
    }
}

/// Prints a result in the form that was asked for, and saves it.
pub(super) fn print_and_save(
    command: &ExplainCommand,
    document: &impl Serialize,
    csv: impl FnOnce() -> String,
    text: &Screen,
) -> anyhow::Result<()> {
    let is_standard_output = command.output.as_ref().is_some_and(OutputPath::is_standard_output);
    let printed = if command.json || is_standard_output {
        output::json(document)
    } else if command.csv {
        output::data(&csv())
    } else {
        screen::print(text)
    };
    if let Some(path) = command.output.as_ref().and_then(|output| output.file()) {
        let file = OutputFile::create(path, command.force.if_exists())?;
        let path = file.keep(|out| Ok(write_indented_json(out, document)?))?;
        output::status(&format!("saved as {}", path.display()));
    }
    printed?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_percentages() {
        for (text, share) in [("3%", 0.03), ("3", 0.03), (" 0.5 % ", 0.005), ("50", 0.5)] {
            assert_eq!(cost(text), Ok(share), "{text}");
        }
        for nonsense in ["", "%", "0", "-1", "51%", "three", "NaN", "inf"] {
            assert!(cost(nonsense).is_err(), "{nonsense}");
        }
    }
}
