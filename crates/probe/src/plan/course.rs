//! Where a plan stands between two processes: what it has heard, and what it makes of failures.

use std::collections::{BTreeMap, BTreeSet};
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
        let process = batch.process;
        self.outcome.lost.extend(lost(process, rows.passing, |row| format!("row {row}"), "rows"));
        self.outcome.lost.extend(lost(process, columns.passing, |column| format!("column {column}"), "columns"));
        let cell = |(row, column): &(usize, usize)| format!("row {row}, column {column}");
        self.outcome.lost.extend(lost(process, cells.passing, cell, "cells"));
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

/// A sentence for each reason: a process that got no memory lost all its columns for one.
fn lost<K>(process: u32, passing: BTreeMap<K, String>, one: impl Fn(&K) -> String, all: &str) -> Vec<String> {
    let mut by_reason: BTreeMap<String, Vec<K>> = BTreeMap::new();
    for (what, why) in passing {
        by_reason.entry(why).or_default().push(what);
    }
    let sentence = |(why, whats): (String, Vec<K>)| match whats.as_slice() {
        [only] => format!("process {process} lost its samples of {}: {why}", one(only)),
        several => format!("process {process} lost its samples of {} {all}: {why}", several.len()),
    };
    by_reason.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_lost_for_one_reason_is_told_once() {
        let passing = [(1, "no memory"), (2, "no memory"), (5, "it moved")].map(|(index, why)| (index, why.to_owned()));
        let told = lost(3, BTreeMap::from(passing), |column| format!("column {column}"), "columns");
        assert_eq!(
            told,
            ["process 3 lost its samples of column 5: it moved", "process 3 lost its samples of 2 columns: no memory"]
        );
    }
}
