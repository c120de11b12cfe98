//! The messages of one process, kept apart until it has ended.
//!
//! A process that dies loses its samples, and one that finds moved pages at its end invalidates
//! those of that memory. Neither may affect the samples of earlier processes.

use std::collections::BTreeMap;

use nearfar_model::{CellIndex, CpuId, Sample};

use crate::io::IoRecord;
use crate::{DropReason, Dropped, LoadFills, PlacedMemory, PlanScope, WorkerMessage};

/// Everything that one process has sent.
#[derive(Debug, Default)]
pub(crate) struct BatchResult {
    pub(crate) samples: Vec<Sample>,
    /// Attempts that were disturbed.
    pub(crate) dropped: Vec<Dropped>,
    /// Disturbed windows of visits that have a sample.
    pub(super) windows_dropped: Vec<(DropReason, u32)>,
    /// The page size under each column, by column and treatment.
    pub(super) placed: BTreeMap<(usize, usize), PlacedMemory>,
    /// Speeds in cycles per nanosecond: row, CPU, speed.
    pub(super) frequencies: Vec<(usize, CpuId, f64)>,
    /// Latencies of disks, and who served their interrupts.
    pub(super) io: Vec<IoRecord>,
    /// Fills of each place, where the PMU counts them.
    fills: BTreeMap<CellIndex, LoadFills>,
    /// What it could not measure, or not to the end, and why.
    pub(crate) failed: BTreeMap<PlanScope, String>,
}

impl BatchResult {
    pub(crate) fn take(&mut self, answer: WorkerMessage) {
        match answer {
            WorkerMessage::Sample(sample) => self.samples.push(sample),
            WorkerMessage::Dropped(dropped) => self.dropped.push(dropped),
            WorkerMessage::WindowsDropped { reason, windows, .. } => {
                self.windows_dropped.push((reason, windows));
            }
            WorkerMessage::Placed { column, treatment, placed } => {
                self.placed.insert((column, treatment), placed);
            }
            WorkerMessage::Unavailable { scope, why } => {
                self.failed.entry(scope).or_insert(why);
            }
            WorkerMessage::Io(record) => record.collect(&mut self.io),
            WorkerMessage::Fills { place, counted } => {
                *self.fills.entry(place).or_default() += counted;
            }
            WorkerMessage::Frequency { row, cpu, ghz } => self.frequencies.push((row, cpu, ghz)),
        }
    }

    /// The samples of rows, columns and cells that did not fail.
    pub(super) fn believed(&self) -> impl Iterator<Item = Sample> + '_ {
        self.samples.iter().copied().filter(|sample| !self.has_failed(sample.place))
    }

    /// The records of rows, columns and cells that did not fail.
    pub(super) fn believed_io(&self) -> impl Iterator<Item = &IoRecord> + '_ {
        self.io.iter().filter(|record| !self.has_failed(record.place))
    }

    /// The fills of rows, columns and cells that did not fail.
    pub(super) fn believed_fills(&self) -> impl Iterator<Item = (CellIndex, LoadFills)> + '_ {
        let all = self.fills.iter().map(|(place, counted)| (*place, *counted));
        all.filter(|(place, _)| !self.has_failed(*place))
    }

    fn has_failed(&self, place: CellIndex) -> bool {
        PlanScope::containing(place).iter().any(|scope| self.failed.contains_key(scope))
    }
}
