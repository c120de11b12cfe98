//! Questions a plan asks and answers it hears, whether silicon or a replayed matrix speaks.

use nearfar_model::{CpuId, Nanoseconds};
use serde::{Deserialize, Serialize};

/// One visit to one cell: CPUs of a row access memory of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// The block that this visit belongs to, counted over the whole plan. Each round visits every cell once.
    pub round: u32,
    /// Index of the row (CPU group).
    pub row: usize,
    /// Index of the column (memory).
    pub column: usize,
    /// A random number that chooses one of the column's pages: page `draw % pages`.
    pub draw: u32,
}

/// What one fresh process is asked: some whole rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Index of the process over the whole plan.
    pub process: u32,
    /// Seed of everything the process draws for itself (its CPU of each row, its cycles through pages).
    pub seed: u64,
    /// The visits, in the order to make them.
    pub visits: Vec<Visit>,
}

/// One undisturbed sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The visit it answers.
    pub visit: Visit,
    /// The CPU it was taken on.
    pub cpu: CpuId,
    /// Index of the page within the column.
    pub page: u32,
    /// Cost of one access.
    pub ns: Nanoseconds,
    /// What other CPUs moved meanwhile, where that was arranged: bytes a second, as memory sees them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic_bytes_per_s: Option<f64>,
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
    /// The cgroup had used up its share of the CPUs' time (`nr_throttled` rose), which those who read cgroups can tell.
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

/// What a respondent says, one message at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// A sample.
    Reading(Reading),
    /// An attempt that was disturbed. A visit may be tried again and be followed by a reading.
    Dropped {
        /// The visit that was tried.
        visit: Visit,
        /// Why its sample was dropped.
        reason: DropReason,
    },
    /// Windows of a visit that were disturbed, beside one that is believed: the visit has its sample.
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
        /// How many pages (or buffers) it has.
        pages: u32,
        /// What carries it: "thp", "hugetlb" or "4k".
        backing: String,
        /// What the reader should know ("huge pages refused: ..."), if anything.
        note: Option<String>,
    },
    /// A column cannot be measured, or not to the end: visits stay unanswered, and those answered in this batch do not count.
    ColumnUnavailable {
        /// Index of the column.
        column: usize,
        /// Why, and what would help.
        why: String,
    },
    /// A row cannot be measured: as with a column.
    RowUnavailable {
        /// Index of the row.
        row: usize,
        /// Why, and what would help.
        why: String,
    },
    /// One cell cannot be measured, others of its row and column can: as with a column.
    CellUnavailable {
        /// Index of the row.
        row: usize,
        /// Index of the column.
        column: usize,
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

impl Answer {
    /// The cell of this visit cannot be measured.
    pub(crate) fn cell_unavailable(visit: Visit, why: String) -> Self {
        Self::CellUnavailable { row: visit.row, column: visit.column, why }
    }
}

/// Something that answers visits: silicon, or a replayed matrix.
pub trait Respondent {
    /// Why it could not answer at all.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Answers one batch in a fresh process (or as if), handing over each answer as it comes, and `None` every now and then while there is
    /// none: the listener may have lost patience. Ends early, without an error, when `heard` returns `false`, and does not ask again.
    fn answer(&mut self, batch: &Batch, heard: &mut dyn FnMut(Option<Answer>) -> bool) -> Result<(), Self::Error>;
}
