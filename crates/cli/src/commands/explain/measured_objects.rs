//! `nearfar explain --objects`, `--threads`: which memory or thread of a program matters.

use std::path::Path;

use nearfar_live::explain::{
    Around, OBJECTS_SCHEMA, ObjectsDocument, ObjectsSettings, ObservedProcess, TrialEvent,
    measure_objects, measure_threads, text, thread_nodes,
};
use nearfar_machine::Source;
use nearfar_view::terminal::Interrupt;

use super::costs::KnownCosts;
use super::forecasting::read_document;
use super::responding::{
    check_running, far, near_and_far, print_and_save, settings, started_meanwhile,
};
use super::{ExplainCommand, OBJECT_BLOCKS, TrialProgress};

/// Moves objects, or binds threads, and puts them back. Locked memory is an object that does not
/// move.
pub(super) fn measured(
    command: &ExplainCommand,
    source: &Source,
    observed: &[ObservedProcess],
    around: &Around<'_>,
    interrupt: &Interrupt,
) -> anyhow::Result<ObjectsDocument> {
    let settings = ObjectsSettings {
        run: settings(command, OBJECT_BLOCKS)?,
        range: command.range,
        move_locked: command.move_locked,
    };
    let progress = TrialProgress::default();
    let report = |event: TrialEvent<'_>| progress.report(event);
    if command.is_threads {
        let nodes = thread_nodes(observed, around, far(command, source)?)?;
        let around = (&nodes[..], around.nodes);
        return Ok(measure_threads(source, around, &settings, interrupt, &report)?);
    }
    let nodes = near_and_far(command, source, observed, around, true)?;
    Ok(measure_objects(source, &nodes, &settings, interrupt, &report)?)
}

/// Names what it was measured with, saves and prints it.
pub(super) fn finish(
    command: &ExplainCommand,
    source: &Source,
    mut document: ObjectsDocument,
    known: Option<KnownCosts>,
) -> anyhow::Result<()> {
    document.started_meanwhile = started_meanwhile(command, source, &document.nodes);
    if let Some(known) = known {
        (document.survey, document.machine) = (Some(known.survey), Some(known.machine));
    }
    let screen = text::objects_screen(&document);
    print_and_save(command, &document, || text::objects_csv(&document), &screen)?;
    check_running(&document.processes)
}

/// A file of `--objects -o`.
pub(crate) fn read_objects(path: &Path) -> anyhow::Result<ObjectsDocument> {
    read_document(path, [OBJECTS_SCHEMA, "file of objects", "--objects"])
}
