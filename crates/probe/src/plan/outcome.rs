//! The result of a plan.

use std::collections::BTreeMap;

use nearfar_infer::SampleMatrix;
use nearfar_model::{CellIndex, CpuId, Sample};

use super::BatchResult;
use crate::io::IoRecord;
use crate::{DropReason, Dropped, LoadFills, PlacedMemory, PlanScope};

/// Everything that a plan has measured, and why it stopped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanOutcome {
    /// Undisturbed samples, in order of arrival, without those of rows, columns and cells that
    /// became unavailable.
    pub samples: Vec<Sample>,
    /// Disturbed attempts, in order of arrival.
    pub dropped: Vec<Dropped>,
    /// Disturbed windows of visits that have a sample, by reason.
    pub windows_dropped: BTreeMap<DropReason, u32>,
    /// The page size under each column, by column and treatment, from the last process.
    pub placed: BTreeMap<(usize, usize), PlacedMemory>,
    /// What is unavailable, and why: it failed in the first process that tried it, or in two in a
    /// row.
    pub unavailable: BTreeMap<PlanScope, String>,
    /// What temporary failures lost, one line each: all samples of a process that died, or its
    /// samples of one row, column or cell that others could measure. Rows and columns are named by
    /// their index.
    pub lost: Vec<String>,
    /// Speeds of the CPUs, once settled.
    pub frequencies: Vec<Frequency>,
    /// Latencies of disks by process and place, without those of unavailable places.
    pub io: Vec<IoRecord>,
    /// Fills of each place, where the PMU counts them, without those of unavailable places.
    pub fills: BTreeMap<CellIndex, LoadFills>,
    /// Rounds finished; for appended plans including interrupted ones.
    pub rounds: u32,
    /// Processes started, lost ones too.
    pub processes: u32,
    /// Why it stopped.
    pub stopped: PlanStopReason,
}

/// The speed of a CPU.
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
pub enum PlanStopReason {
    /// Every cell reached the target precision.
    Precise,
    /// The round limit was reached.
    RoundLimit,
    /// The time limit was reached.
    TimeLimit,
    /// The user interrupted it.
    Interrupted,
    /// No cell can be measured.
    #[default]
    NothingToMeasure,
}

impl PlanStopReason {
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

impl PlanOutcome {
    /// The worst standard error of these places, as a fraction of their medians; `None` while
    /// unknown.
    pub fn worst_standard_error(&self, places: &[CellIndex], seed: u64) -> Option<f64> {
        let readings = SampleMatrix::from_places(places, self.samples.iter()).ok()?;
        nearfar_infer::worst_standard_error(&readings, seed)
    }

    /// Appends the result of another plan over the same rows, columns and treatments. Its processes
    /// and rounds are numbered after these.
    pub fn append(&mut self, next: Self) {
        let (processes, rounds) = (self.processes, self.reached());
        self.samples.extend(next.samples.into_iter().map(|sample| Sample {
            process: sample.process.saturating_add(processes),
            round: sample.round.saturating_add(rounds),
            ..sample
        }));
        self.dropped.extend(next.dropped.into_iter().map(|mut dropped| {
            dropped.visit.process = dropped.visit.process.saturating_add(processes);
            dropped.visit.round = dropped.visit.round.saturating_add(rounds);
            dropped
        }));
        for (reason, windows) in next.windows_dropped {
            *self.windows_dropped.entry(reason).or_default() += windows;
        }
        self.placed.extend(next.placed);
        self.unavailable.extend(next.unavailable);
        self.lost.extend(next.lost);
        let later = |frequency: Frequency| Frequency {
            process: frequency.process + processes,
            ..frequency
        };
        self.frequencies.extend(next.frequencies.into_iter().map(later));
        self.io.extend(next.io.into_iter().map(|record| IoRecord {
            process: record.process.saturating_add(processes),
            ..record
        }));
        self.add_fills(next.fills);
        self.processes = processes.saturating_add(next.processes);
        self.rounds = rounds.saturating_add(next.rounds);
        self.stopped = next.stopped;
    }

    /// Rounds, including an interrupted one.
    pub fn reached(&self) -> u32 {
        self.attempts().map(|(round, _)| round.saturating_add(1)).fold(self.rounds, u32::max)
    }

    /// Round and process of every attempt, kept or dropped.
    pub fn attempts(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let samples = self.samples.iter().map(|sample| (sample.round, sample.process));
        samples
            .chain(self.dropped.iter().map(|dropped| (dropped.visit.round, dropped.visit.process)))
    }

    /// Dropped attempts at each place, by reason.
    pub fn dropped_by_place(&self) -> BTreeMap<CellIndex, BTreeMap<DropReason, u32>> {
        by_place(&self.dropped)
    }

    /// Why a place is unavailable: it, its row or its column failed.
    pub fn why_not(&self, place: CellIndex) -> Option<&String> {
        PlanScope::containing(place).iter().find_map(|scope| self.unavailable.get(scope))
    }

    pub(super) fn is_available(&self, place: CellIndex) -> bool {
        self.why_not(place).is_none()
    }

    /// Adds the samples of one process, without rows, columns and cells that failed in it.
    pub(crate) fn add(&mut self, process: u32, batch_result: BatchResult) {
        self.samples.extend(batch_result.believed());
        self.io.extend(batch_result.believed_io().cloned());
        self.add_fills(batch_result.believed_fills());
        let frequencies = batch_result.frequencies.iter();
        self.frequencies.extend(frequencies.map(|&(row, cpu, ghz)| Frequency {
            process,
            row,
            cpu,
            ghz,
        }));
        self.dropped.extend(batch_result.dropped);
        for (reason, windows) in batch_result.windows_dropped {
            *self.windows_dropped.entry(reason).or_default() += windows;
        }
        for (column, now) in batch_result.placed {
            let before = self.placed.remove(&column).and_then(|placed| placed.note);
            self.placed.insert(column, PlacedMemory { note: before.or(now.note), ..now });
        }
    }

    fn add_fills(&mut self, more: impl IntoIterator<Item = (CellIndex, LoadFills)>) {
        for (place, counted) in more {
            *self.fills.entry(place).or_default() += counted;
        }
    }

    /// Records why the plan stopped, and removes samples of unavailable places.
    pub(super) fn finish(&mut self, stop: PlanStopReason) {
        self.drop_unavailable();
        self.stopped = stop;
    }

    /// Removes samples of unavailable places, also those of earlier plans: a disk or a GPU that
    /// fails later is another one than was measured.
    pub fn drop_unavailable(&mut self) {
        let samples = std::mem::take(&mut self.samples);
        self.samples =
            samples.into_iter().filter(|sample| self.is_available(sample.place)).collect();
        let io = std::mem::take(&mut self.io);
        self.io = io.into_iter().filter(|record| self.is_available(record.place)).collect();
        let fills = std::mem::take(&mut self.fills);
        self.fills = fills.into_iter().filter(|(place, _)| self.is_available(*place)).collect();
    }
}

/// Dropped attempts at each place, by reason.
pub(crate) fn by_place(dropped: &[Dropped]) -> BTreeMap<CellIndex, BTreeMap<DropReason, u32>> {
    let mut counts: BTreeMap<CellIndex, BTreeMap<DropReason, u32>> = BTreeMap::new();
    for Dropped { visit, reason, .. } in dropped {
        *counts.entry(visit.place).or_default().entry(*reason).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WorkerMessage;
    use crate::tests::visit;

    #[test]
    fn what_fails_later_loses_its_earlier_samples() {
        let place = visit(0, 0, 0).place;
        let other = visit(0, 1, 0).place;
        let sample = |place| Sample::new(0, 0, place, 5.0);
        let mut outcome =
            PlanOutcome { samples: vec![sample(place), sample(other)], ..PlanOutcome::default() };
        let unavailable = BTreeMap::from([(PlanScope::Cell(place), "gone".to_owned())]);
        outcome.append(PlanOutcome { unavailable, ..PlanOutcome::default() });
        assert_eq!(outcome.samples.len(), 2, "a later turn may give up what others measured");
        outcome.drop_unavailable();
        assert_eq!(outcome.samples, [sample(other)]);
    }

    #[test]
    fn fills_add_up_over_processes_and_plans() {
        let (place, other) = (visit(0, 0, 0).place, visit(0, 1, 0).place);
        let result = |place, loads| {
            let mut batch_result = BatchResult::default();
            let counted = LoadFills { loads, ..LoadFills::default() };
            batch_result.take(WorkerMessage::Fills { place, counted });
            batch_result
        };
        let mut failed = result(place, 100);
        failed.failed.insert(PlanScope::Cell(place), "it moved".to_owned());
        let (mut outcome, mut next) = (PlanOutcome::default(), PlanOutcome::default());
        for batch_result in [result(place, 1), result(place, 2), failed, result(other, 3)] {
            outcome.add(0, batch_result);
        }
        next.add(0, result(place, 4));
        next.unavailable = BTreeMap::from([(PlanScope::Cell(other), "gone".to_owned())]);
        outcome.append(next);
        outcome.drop_unavailable();
        let loads: Vec<_> = outcome.fills.iter().map(|(at, all)| (*at, all.loads)).collect();
        assert_eq!(loads, [(place, 7)]);
    }

    #[test]
    fn dropped_windows_add_up_over_plans() {
        let visit = visit(0, 0, 0);
        let result = |windows| {
            let mut batch_result = BatchResult::default();
            batch_result.take(WorkerMessage::WindowsDropped {
                visit,
                reason: DropReason::Stalled,
                windows,
            });
            batch_result
        };
        let (mut outcome, mut next) = (PlanOutcome::default(), PlanOutcome::default());
        outcome.add(0, result(2));
        outcome.add(1, result(1));
        next.add(0, result(4));
        outcome.append(next);
        assert_eq!(outcome.windows_dropped, BTreeMap::from([(DropReason::Stalled, 7)]));
        assert!(outcome.dropped.is_empty(), "dropped windows are no dropped visits");
    }
}
