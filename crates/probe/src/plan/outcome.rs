//! What a plan has heard.

use std::collections::BTreeMap;

use nearfar_infer::{InferError, Readings};
use nearfar_model::CpuId;

use super::Plan;
use super::heard::Heard;
use super::placed::Placed;
use crate::{DropReason, Reading, Visit};

/// Everything that a plan has heard, and why it stopped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Undisturbed samples, in the order they came. Those of rows, columns and cells that were given up are left out.
    pub readings: Vec<Taken>,
    /// Dropped attempts by cell (row, column) and reason.
    pub dropped: BTreeMap<(usize, usize), BTreeMap<DropReason, u32>>,
    /// Dropped attempts by round, process and reason: the same attempts as in `dropped`, by time.
    pub disturbed: BTreeMap<(u32, u32, DropReason), u32>,
    /// Windows of samples that were disturbed beside the one that counts, by reason.
    pub windows_dropped: BTreeMap<DropReason, u32>,
    /// What carries each column, as the last process placed it.
    pub placed: BTreeMap<usize, Placed>,
    /// Columns that were given up, and why: they failed in the first process that tried them, or in two in a row.
    pub unavailable_columns: BTreeMap<usize, String>,
    /// Rows that were given up, and why: as columns.
    pub unavailable_rows: BTreeMap<usize, String>,
    /// Single cells (row, column) that were given up, and why: as columns.
    pub unavailable_cells: BTreeMap<(usize, usize), String>,
    /// What was left out for a trouble that passed, one line each: all that a process said before it died, or its samples of one
    /// row, column or cell that others could measure. Rows and columns are named by their index.
    pub lost: Vec<String>,
    /// Speeds of the CPUs, once settled.
    pub frequencies: Vec<Frequency>,
    /// Rounds finished.
    pub rounds: u32,
    /// Processes started, lost ones too.
    pub processes: u32,
    /// Why it stopped.
    pub stopped: Stop,
}

/// A sample and the process that took it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// Index of the process.
    pub process: u32,
    /// The sample.
    pub reading: Reading,
}

/// How fast a CPU ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frequency {
    /// Index of the process.
    pub process: u32,
    /// Index of the row.
    pub row: usize,
    /// The CPU.
    pub cpu: CpuId,
    /// Cycles per nanosecond.
    pub ghz: f64,
}

/// Why a plan stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// Every cell reached the precision asked for.
    Precise,
    /// The rounds ran out.
    RoundLimit,
    /// The time ran out.
    TimeLimit,
    /// Somebody interrupted it.
    Interrupted,
    /// No cell can be measured.
    #[default]
    NothingToMeasure,
}

impl Stop {
    /// The reason's name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::RoundLimit => "round-limit",
            Self::TimeLimit => "time-limit",
            Self::Interrupted => "interrupted",
            Self::NothingToMeasure => "nothing-to-measure",
        }
    }
}

impl Outcome {
    /// The samples of the first `rows` by `columns` cells, as inference takes them: controls stay outside.
    pub fn matrix(&self, rows: usize, columns: usize) -> Result<Readings, InferError> {
        let inside = self.readings.iter().filter(|taken| {
            let visit = taken.reading.visit;
            visit.row < rows && visit.column < columns && self.is_available((visit.row, visit.column))
        });
        Readings::new(rows, columns, inside.map(Taken::reading).collect())
    }

    /// The worst standard error of these cells, as a fraction of their medians, whatever else was heard; `None` while it is unknown.
    pub fn worst_standard_error_of(&self, cells: &[(usize, usize)], seed: u64) -> Option<f64> {
        let numbers: BTreeMap<(usize, usize), usize> = cells.iter().copied().zip(0..).collect();
        let inside = self.readings.iter().filter_map(|taken| {
            let column = *numbers.get(&(taken.reading.visit.row, taken.reading.visit.column))?;
            Some(nearfar_infer::Reading { row: 0, column, ..taken.reading() })
        });
        let readings = Readings::new(1, cells.len(), inside.collect()).ok()?;
        nearfar_infer::worst_standard_error(&readings, seed)
    }

    /// Goes on with what another plan over the same rows and columns heard: its processes and rounds count on from these.
    pub fn followed_by(mut self, next: Self) -> Self {
        let (processes, rounds) = (self.processes, self.rounds);
        self.readings.extend(next.readings.into_iter().map(|mut taken| {
            taken.process += processes;
            taken.reading.visit.round += rounds;
            taken
        }));
        for (cell, reasons) in next.dropped {
            let all = self.dropped.entry(cell).or_default();
            reasons.into_iter().for_each(|(reason, count)| *all.entry(reason).or_default() += count);
        }
        for ((round, process, reason), count) in next.disturbed {
            *self.disturbed.entry((round + rounds, process + processes, reason)).or_default() += count;
        }
        for (reason, windows) in next.windows_dropped {
            *self.windows_dropped.entry(reason).or_default() += windows;
        }
        self.placed.extend(next.placed);
        self.unavailable_columns.extend(next.unavailable_columns);
        self.unavailable_rows.extend(next.unavailable_rows);
        self.unavailable_cells.extend(next.unavailable_cells);
        self.lost.extend(next.lost);
        let later = |frequency: Frequency| Frequency { process: frequency.process + processes, ..frequency };
        self.frequencies.extend(next.frequencies.into_iter().map(later));
        Self { processes: processes + next.processes, rounds: rounds + next.rounds, stopped: next.stopped, ..self }
    }

    /// The same with its columns under other numbers, different ones for different ones.
    pub fn with_columns(mut self, number: impl Fn(usize) -> usize) -> Self {
        for taken in &mut self.readings {
            taken.reading.visit.column = number(taken.reading.visit.column);
        }
        let dropped = std::mem::take(&mut self.dropped).into_iter();
        self.dropped = dropped.map(|((row, column), reasons)| ((row, number(column)), reasons)).collect();
        let placed = std::mem::take(&mut self.placed).into_iter();
        self.placed = placed.map(|(column, placed)| (number(column), placed)).collect();
        let gone = std::mem::take(&mut self.unavailable_columns).into_iter();
        self.unavailable_columns = gone.map(|(column, why)| (number(column), why)).collect();
        let gone = std::mem::take(&mut self.unavailable_cells).into_iter();
        self.unavailable_cells = gone.map(|((row, column), why)| ((row, number(column)), why)).collect();
        self
    }

    /// Why a cell (row, column) was given up: it, its row or its column.
    pub fn why_not(&self, (row, column): (usize, usize)) -> Option<&String> {
        let whole = self.unavailable_rows.get(&row).or_else(|| self.unavailable_columns.get(&column));
        whole.or_else(|| self.unavailable_cells.get(&(row, column)))
    }

    pub(super) fn is_available(&self, cell: (usize, usize)) -> bool {
        self.why_not(cell).is_none()
    }

    /// The worst standard error of the plan's cells; `None` while it is unknown.
    pub(super) fn worst_standard_error(&self, plan: &Plan) -> Option<f64> {
        let readings = self.matrix(plan.rows, plan.columns).ok()?;
        nearfar_infer::worst_standard_error(&readings, plan.seed)
    }

    /// Adds what one process has said of rows and columns that did not fail in it.
    pub(super) fn add(&mut self, process: u32, heard: Heard) {
        self.readings.extend(heard.believed().map(|reading| Taken { process, reading }));
        let frequencies = heard.frequencies.iter();
        self.frequencies.extend(frequencies.map(|&(row, cpu, ghz)| Frequency { process, row, cpu, ghz }));
        for (visit, reason) in heard.dropped {
            *self.dropped.entry((visit.row, visit.column)).or_default().entry(reason).or_default() += 1;
            *self.disturbed.entry((visit.round, process, reason)).or_default() += 1;
        }
        for (reason, windows) in heard.windows_dropped {
            *self.windows_dropped.entry(reason).or_default() += windows;
        }
        for (column, now) in heard.placed {
            let before = self.placed.remove(&column).and_then(|placed| placed.note);
            self.placed.insert(column, Placed { note: before.or(now.note), ..now });
        }
    }

    /// Notes why the plan stopped, and leaves out what is no longer believed.
    pub(super) fn finish(&mut self, stop: Stop) {
        let readings = std::mem::take(&mut self.readings);
        let believed = |taken: &Taken| self.is_available((taken.reading.visit.row, taken.reading.visit.column));
        self.readings = readings.into_iter().filter(believed).collect();
        self.stopped = stop;
    }
}

impl Taken {
    /// As inference takes it.
    fn reading(&self) -> nearfar_infer::Reading {
        let Reading { visit, ns, .. } = self.reading;
        let Visit { round, row, column, .. } = visit;
        nearfar_infer::Reading { row, column, process: self.process, round, ns: ns.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Answer;

    #[test]
    fn windows_that_were_not_believed_add_up_over_processes_and_plans() {
        let visit = Visit { round: 0, row: 0, column: 0, draw: 0 };
        let heard = |windows| {
            let mut heard = Heard::default();
            heard.take(Answer::WindowsDropped { visit, reason: DropReason::Stalled, windows });
            heard
        };
        let (mut outcome, mut next) = (Outcome::default(), Outcome::default());
        outcome.add(0, heard(2));
        outcome.add(1, heard(1));
        next.add(0, heard(4));
        let all = outcome.followed_by(next);
        assert_eq!(all.windows_dropped, BTreeMap::from([(DropReason::Stalled, 7)]));
        assert!(all.dropped.is_empty(), "their visits have samples");
    }
}
