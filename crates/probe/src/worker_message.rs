//! Messages between a plan and what executes its batches: worker processes, or a replayed matrix.

use std::fmt;

use nearfar_model::{CellIndex, CpuId, Sample};
use serde::{Deserialize, Serialize};

/// One visit to one place: CPUs of a row access memory of a column, with a treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// The process that makes it, counted over the whole plan.
    pub process: u32,
    /// The block that it belongs to, counted over the whole plan. Each round visits every place
    /// once.
    pub round: u32,
    /// Where.
    pub place: CellIndex,
    /// A random number that chooses one of the column's pages: page `draw % pages`.
    pub draw: u32,
}

impl Visit {
    /// What was measured there.
    pub fn sample(self, cpu: CpuId, page: u32, value: f64) -> Sample {
        let Self { process, round, place, .. } = self;
        Sample { cpu, page, ..Sample::new(process, round, place, value) }
    }
}

/// What one fresh process is asked: some whole rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Index of the process over the whole plan.
    pub process: u32,
    /// Seed of everything the process draws for itself (its CPU of each row, its cycles through
    /// pages).
    pub seed: u64,
    /// The visits, in the order to make them.
    pub visits: Vec<Visit>,
}

/// An attempt that was disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The visit that was tried.
    pub visit: Visit,
    /// Why its sample was dropped.
    pub reason: DropReason,
}

/// What cannot be measured.
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
    /// Those that a place is in: its row, its column and itself.
    pub fn containing(place: CellIndex) -> [Self; 3] {
        [Self::Row(place.row), Self::Column(place.column), Self::Cell(place)]
    }

    /// What several of its kind are called.
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

/// Why a sample was not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DropReason {
    /// The thread was taken off its CPU during the sample (`ru_nivcsw` rose).
    Descheduled,
    /// The thread ran on another CPU than it was pinned to.
    MovedCpu,
    /// The page was no longer on its node after the sample.
    PageMoved,
    /// The clock went on while the CPU stood still: a hypervisor or firmware took it.
    Stalled,
    /// The CPU's frequency did not settle before the sample.
    Unsettled,
    /// Two CPUs that were to run at the same time ran in turns.
    TimeShared,
    /// The second thread of a sample could not be started (`pids.max`, RLIMIT_NPROC).
    NoThread,
    /// The cgroup had used up its share of the CPUs' time (`nr_throttled` rose), which those who
    /// read cgroups can tell.
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
            Self::NoThread => "no-thread",
            Self::Throttled => "throttled",
        }
    }
}

/// The memory of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// How many pages (or buffers) it has.
    pub pages: u32,
    /// What carries it: "thp", "hugetlb" or "4k".
    pub backing: String,
    /// What the reader should know ("huge pages refused: ..."), if anything: the first note that
    /// any process made.
    pub note: Option<String>,
}

/// What an executor reports, one message at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkerMessage {
    /// A sample.
    Sample(Sample),
    /// An attempt that was disturbed. A visit may be tried again and be followed by a sample.
    Dropped(Dropped),
    /// Windows of a visit that were disturbed, beside one that is believed: the visit has its
    /// sample.
    WindowsDropped {
        /// The visit.
        visit: Visit,
        /// Why they were not believed.
        reason: DropReason,
        /// How many.
        windows: u32,
    },
    /// A column's memory stands where it should, proven page by page.
    Placed {
        /// Index of the column.
        column: usize,
        /// Index of the treatment, where treatments have memory of their own; else 0.
        treatment: usize,
        /// What carries it.
        placed: Placed,
    },
    /// A row, a column or a cell cannot be measured, or not to the end: visits stay unanswered, and
    /// those answered in this batch do not count.
    Unavailable {
        /// What.
        scope: PlanScope,
        /// Why, and what would help.
        why: String,
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
    pub(crate) fn dropped(visit: Visit, reason: DropReason) -> Self {
        Self::Dropped(Dropped { visit, reason })
    }
}

/// Executes batches of visits: worker processes on this machine, or a replayed matrix.
pub trait BatchExecutor {
    /// Why it could not answer at all.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Answers one batch in a fresh process (or as if), handing over each answer as it comes, and
    /// `None` every now and then while there is none: the listener may have lost patience. Ends
    /// early, without an error, when `on_message` returns `false`, and does not ask again.
    fn execute(
        &mut self,
        batch: &Batch,
        on_message: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
    ) -> Result<(), Self::Error>;
}
