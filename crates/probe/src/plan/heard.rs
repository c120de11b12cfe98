//! What one process has said, kept apart until it has ended.
//!
//! A process that dies takes its samples with it, and one that finds pages astray at its end takes those of that memory back. Neither
//! may touch what processes before it have proven.

use std::collections::BTreeMap;

use nearfar_model::CpuId;

use super::placed::Placed;
use crate::{Answer, DropReason, Reading, Visit};

/// Everything that one process has said.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Undisturbed samples.
    pub(super) readings: Vec<Reading>,
    /// Attempts that were disturbed.
    pub(super) dropped: Vec<(Visit, DropReason)>,
    /// Windows that were disturbed beside one that is believed.
    pub(super) windows_dropped: Vec<(DropReason, u32)>,
    /// What carries each column.
    pub(super) placed: BTreeMap<usize, Placed>,
    /// Speeds in cycles a nanosecond: row, CPU, speed.
    pub(super) frequencies: Vec<(usize, CpuId, f64)>,
    /// Columns that it could not measure, or not to the end, and why.
    pub(super) failed_columns: BTreeMap<usize, String>,
    /// Rows that it could not measure, and why.
    pub(super) failed_rows: BTreeMap<usize, String>,
    /// Single cells (row, column) that it could not measure, and why.
    pub(super) failed_cells: BTreeMap<(usize, usize), String>,
}

impl Heard {
    pub(super) fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Reading(reading) => self.readings.push(reading),
            Answer::Dropped { visit, reason } => self.dropped.push((visit, reason)),
            Answer::WindowsDropped { reason, windows, .. } => self.windows_dropped.push((reason, windows)),
            Answer::Placed { column, pages, backing, note } => {
                self.placed.insert(column, Placed { pages, backing, note });
            }
            Answer::ColumnUnavailable { column, why } => {
                self.failed_columns.entry(column).or_insert(why);
            }
            Answer::RowUnavailable { row, why } => {
                self.failed_rows.entry(row).or_insert(why);
            }
            Answer::CellUnavailable { row, column, why } => {
                self.failed_cells.entry((row, column)).or_insert(why);
            }
            Answer::Frequency { row, cpu, ghz } => self.frequencies.push((row, cpu, ghz)),
        }
    }

    /// The samples of rows and columns that did not fail.
    pub(super) fn believed(&self) -> impl Iterator<Item = Reading> + '_ {
        let failed = |Visit { row, column, .. }: Visit| {
            self.failed_rows.contains_key(&row)
                || self.failed_columns.contains_key(&column)
                || self.failed_cells.contains_key(&(row, column))
        };
        self.readings.iter().copied().filter(move |reading| !failed(reading.visit))
    }
}
