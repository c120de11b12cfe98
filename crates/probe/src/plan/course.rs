//! Where a plan stands between two processes: what it has heard, and what it makes of failures.

use std::collections::BTreeSet;
use std::fmt::Display;

use super::heard::Heard;
use super::record::Record;
use super::{Outcome, Plan, Progress, Stop};
use crate::{Batch, Visit};

/// A plan on its way.
#[derive(Debug, Default)]
pub(super) struct Course {
    pub(super) outcome: Outcome,
    /// The worst standard error of a cell; `None` while it is unknown.
    pub(super) worst: Option<f64>,
    rows: Record<usize>,
    columns: Record<usize>,
    cells: Record<(usize, usize)>,
    lost_the_last: bool,
}

impl Course {
    pub(super) fn progress(&self) -> Progress {
        let Outcome { rounds, processes, .. } = self.outcome;
        Progress { rounds, processes, samples: self.outcome.readings.len(), worst_standard_error: self.worst }
    }

    /// Takes what a process has said that ended in order, or was cut short.
    pub(super) fn add(&mut self, batch: &Batch, heard: Heard) {
        self.lost_the_last = false;
        let rows = self.rows.note(&tried(batch, |visit| visit.row), heard.failed_rows.clone());
        let columns = self.columns.note(&tried(batch, |visit| visit.column), heard.failed_columns.clone());
        let cells = self.cells.note(&tried(batch, |visit| (visit.row, visit.column)), heard.failed_cells.clone());
        self.outcome.add(batch.process, heard);
        let rows_lost = rows.passing.into_iter().map(|(row, why)| (format!("row {row}"), why));
        let columns_lost = columns.passing.into_iter().map(|(column, why)| (format!("column {column}"), why));
        let cell = |((row, column), why)| (format!("row {row}, column {column}"), why);
        let lost = rows_lost.chain(columns_lost).chain(cells.passing.into_iter().map(cell));
        let line = |(what, why)| format!("process {} lost its samples of {what}: {why}", batch.process);
        self.outcome.lost.extend(lost.map(line));
        self.outcome.unavailable_rows.extend(rows.for_good);
        self.outcome.unavailable_columns.extend(columns.for_good);
        self.outcome.unavailable_cells.extend(cells.for_good);
    }

    /// The rounds of a batch are done.
    pub(super) fn end_of(&mut self, batch: &Batch, plan: &Plan) {
        self.outcome.rounds = batch.visits.last().map_or(self.outcome.rounds, |visit| visit.round + 1);
        self.worst = self.outcome.worst_standard_error(plan);
    }

    pub(super) fn finish(mut self, stop: Stop) -> Outcome {
        self.outcome.finish(stop);
        self.outcome
    }

    /// Goes on without a process that died; `false` when that makes no sense: it was the second in a row, or nothing has been measured yet.
    pub(super) fn survives(&mut self, batch: &Batch, death: &dyn Display) -> bool {
        if self.lost_the_last || self.outcome.readings.is_empty() {
            return false;
        }
        self.lost_the_last = true;
        self.outcome.lost.push(format!("process {} was lost with all its samples: {death}", batch.process));
        true
    }
}

/// What a process was to try: rows, columns or cells.
fn tried<K: Ord>(batch: &Batch, what: impl FnMut(&Visit) -> K) -> BTreeSet<K> {
    batch.visits.iter().map(what).collect()
}
