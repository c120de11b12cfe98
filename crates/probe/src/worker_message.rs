//! Messages between a plan and the executor of its batches: worker processes, or a replayed matrix.

use std::fmt;

use nearfar_model::{CellIndex, CpuId, Sample};
use serde::{Deserialize, Serialize};

use crate::io::IoRecord;
use crate::load_fills::LoadFills;

/// One visit to one place: CPUs of a row access memory of a column, with a treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// The process that makes it, counted over the whole plan.
    pub process: u32,
    /// The block that it belongs to, counted over the whole plan. Each round visits every place
    /// once.
    pub round: u32,
    /// The place.
    pub place: CellIndex,
    /// A random number that chooses one of the column's pages: page `draw % pages`.
    pub draw: u32,
}

impl Visit {
    /// The sample of this visit.
    pub fn sample(self, cpu: CpuId, page: u32, value: f64) -> Sample {
        let Self { process, round, place, .. } = self;
        Sample { cpu, page, ..Sample::new(process, round, place, value) }
    }
}

/// The work of one fresh process: some whole rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Index of the process over the whole plan.
    pub process: u32,
    /// The seed of the process's own random choices (its CPU of each row, its cycles through
    /// pages).
    pub seed: u64,
    /// The visits, in the order to make them.
    pub visits: Vec<Visit>,
}

/// An attempt that was disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// The visit.
    pub visit: Visit,
    /// Why its sample was dropped.
    pub reason: DropReason,
    /// The sample's value all the same, where the right CPU accessed the right memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rough: Option<f64>,
}

impl Dropped {
    /// An attempt without a value.
    pub fn new(visit: Visit, reason: DropReason) -> Self {
        Self { visit, reason, rough: None }
    }
}

/// A part of a plan that cannot be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanScope {
    /// A row, by its index.
    Row(usize),
    /// A column, by its index, with every treatment.
    Column(usize),
    /// One place; others of its row and column can be measured.
    Cell(CellIndex),
}

impl PlanScope {
    /// The scopes of a place: its row, its column and itself.
    pub fn containing(place: CellIndex) -> [Self; 3] {
        [Self::Row(place.row), Self::Column(place.column), Self::Cell(place)]
    }

    /// The plural of its kind.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Self::Row(_) => "rows",
            Self::Column(_) => "columns",
            Self::Cell(_) => "cells",
        }
    }
}

impl fmt::Display for PlanScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Row(row) => write!(f, "row {row}"),
            Self::Column(column) => write!(f, "column {column}"),
            Self::Cell(place) => place.fmt(f),
        }
    }
}

/// Why a sample was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DropReason {
    /// The thread was taken off its CPU during the sample (`ru_nivcsw` rose).
    Descheduled,
    /// The thread ran on another CPU than it was pinned to.
    MovedCpu,
    /// The page was no longer on its node after the sample.
    PageMoved,
    /// The clock advanced while the CPU was stalled: a hypervisor or firmware took it.
    Stalled,
    /// The CPU's frequency did not settle before the sample.
    Unsettled,
    /// Two CPUs that should run at the same time were time-shared.
    TimeShared,
    /// The second thread of a sample could not be started (`pids.max`, RLIMIT_NPROC).
    NoThread,
    /// Other programs used the disk during the visit.
    OtherIo,
    /// The disk's interrupts ran on other CPUs than they were set to.
    InterruptElsewhere,
    /// A copy took another time by the GPU driver's events than by the host's clock.
    ClocksDisagree,
    /// The cgroup had used up its CPU time (`nr_throttled` rose); detected if cgroups are readable.
    Throttled,
}

impl DropReason {
    /// The reason's name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Descheduled => "descheduled",
            Self::MovedCpu => "moved-cpu",
            Self::PageMoved => "page-moved",
            Self::Stalled => "stalled",
            Self::Unsettled => "unsettled",
            Self::TimeShared => "time-shared",
            Self::OtherIo => "other-io",
            Self::InterruptElsewhere => "interrupt-elsewhere",
            Self::ClocksDisagree => "clocks-disagree",
            Self::NoThread => "no-thread",
            Self::Throttled => "throttled",
        }
    }
}

/// The placed memory of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedMemory {
    /// The number of pages (or buffers).
    pub pages: u32,
    /// Its page size: "thp", "hugetlb" or "4k".
    pub backing: String,
    /// A remark for the user ("huge pages refused: ..."), if any: the first of any process.
    pub note: Option<String>,
}

/// A message from an executor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkerMessage {
    /// A sample.
    Sample(Sample),
    /// A disturbed attempt. The visit may be retried and get a sample.
    Dropped(Dropped),
    /// Disturbed windows of a visit that has its sample.
    WindowsDropped {
        /// The visit.
        visit: Visit,
        /// Why they were dropped.
        reason: DropReason,
        /// Their number.
        windows: u32,
    },
    /// A column's memory is placed and verified page by page.
    Placed {
        /// Index of the column.
        column: usize,
        /// Index of the treatment, if treatments have their own memory; otherwise 0.
        treatment: usize,
        /// The memory.
        placed: PlacedMemory,
    },
    /// A row, a column or a cell cannot be measured, or not to the end: visits have no samples, and
    /// earlier samples of this batch do not count.
    Unavailable {
        /// The part.
        scope: PlanScope,
        /// Why, and what would help.
        why: String,
    },
    /// All latencies of a visit to a disk, and who served its interrupts.
    Io(IoRecord),
    /// Fills of a visit, where the PMU counts them.
    Fills {
        /// The place.
        place: CellIndex,
        /// What was counted.
        counted: LoadFills,
    },
    /// The speed of a row's CPU once settled, from a chain of dependent additions.
    Frequency {
        /// Index of the row.
        row: usize,
        /// The CPU.
        cpu: CpuId,
        /// Cycles per nanosecond.
        ghz: f64,
    },
}

impl WorkerMessage {
    /// Round and place of the visit that it answers.
    pub(crate) fn visit(&self) -> Option<(u32, CellIndex)> {
        match self {
            Self::Sample(sample) => Some((sample.round, sample.place)),
            Self::Dropped(Dropped { visit, .. }) => Some((visit.round, visit.place)),
            _ => None,
        }
    }

    pub(crate) fn dropped(visit: Visit, reason: DropReason) -> Self {
        Self::Dropped(Dropped::new(visit, reason))
    }
}

/// Executes batches of visits: worker processes on this machine, or a replayed matrix.
pub trait BatchExecutor {
    /// Why a batch failed as a whole.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Executes one batch in a fresh process (or a simulated one). Passes on each message, and
    /// `None` at intervals without one, so that the caller can stop. Ends early, without an error,
    /// when `on_message` returns `false`, and does not call it again.
    fn execute(
        &mut self,
        batch: &Batch,
        on_message: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
    ) -> Result<(), Self::Error>;
}
