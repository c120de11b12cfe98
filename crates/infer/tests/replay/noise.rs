//! Deviations of samples from the truth, recorded or invented to be difficult.

use super::recording::Probe;

/// A model of noise. All parts add, on the scale of logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Its name in tables.
    pub name: &'static str,
    /// Replays the recording of this probe on one of the real machines, scaled by a factor.
    pub recorded: Option<(Probe, f64)>,
    /// Log-normal scatter of single samples. One in twenty has a positive outlier, exponential with
    /// a mean of four times the scatter.
    pub scatter: f64,
    /// Scatter of a column's pages from process to process, the same for all rows.
    pub pages: f64,
    /// Scatter of a row's level from process to process.
    pub process_drift: f64,
    /// Drift of the whole machine from one visit to the next: a random walk.
    pub drift: f64,
    /// The share of visits at which a burst of another program begins: the next few visits cost 30
    /// to 100 % more.
    pub bursts: f64,
    /// The share of visits at which a row's virtual CPU moves to another CPU of the host: one that
    /// is some percent faster or slower, or, where rows differ in distances, to another row's
    /// place.
    pub moves: f64,
    /// Drift of one column from round to round: a random walk.
    pub column_walk: f64,
    /// Extra cost of one column for a part of the survey: 10 to 20 consecutive rounds.
    pub column_step: f64,
    /// The share of rounds at which a neighbour begins to load one column's memory: it costs 30 to
    /// 100 % more for up to four rounds.
    pub column_bursts: f64,
    /// Rows (the first ones) whose CPUs differ: half of them are a fifth slower than the others,
    /// and each process draws one.
    pub uneven_rows: usize,
}

impl Noise {
    const NONE: Self = Self {
        name: "none",
        recorded: None,
        scatter: 0.0,
        pages: 0.0,
        process_drift: 0.0,
        drift: 0.0,
        bursts: 0.0,
        moves: 0.0,
        column_walk: 0.0,
        column_step: 0.0,
        column_bursts: 0.0,
        uneven_rows: 0,
    };
    /// The ratio of costs between the CPUs of an uneven row.
    pub const UNEVEN: f64 = 1.2;
    /// As on busy machines: 2.5 % per sample, and one-sided tails.
    const SCATTER: f64 = 0.025;

    /// As recorded on a real machine, scaled by a factor.
    pub const fn recorded(times: f64) -> Self {
        Self { name: "recorded", recorded: Some((Probe::Page, times)), ..Self::NONE }
    }

    /// As recorded on one with a pointer chase through 256 MiB.
    pub const fn recorded_chase() -> Self {
        Self { name: "recorded chase", recorded: Some((Probe::Chase, 1.0)), ..Self::NONE }
    }

    /// One-sided tails.
    pub const fn tails() -> Self {
        Self { name: "tails", scatter: Self::SCATTER, ..Self::NONE }
    }

    /// Fresh pages differ from process to process.
    pub const fn pages() -> Self {
        Self { name: "pages", pages: 0.015, ..Self::tails() }
    }

    /// Drift: of each row between processes, of the whole machine between visits.
    pub const fn drift() -> Self {
        Self { name: "drift", process_drift: 0.02, drift: 0.002, ..Self::tails() }
    }

    /// Bursts of neighbours.
    pub const fn bursts() -> Self {
        Self { name: "bursts", bursts: 0.01, ..Self::tails() }
    }

    /// A hypervisor moves virtual CPUs.
    pub const fn moves() -> Self {
        Self { name: "moves", moves: 0.01, ..Self::tails() }
    }

    /// A neighbour's varying load on one node: a random walk with steps of this share per round.
    pub const fn column_walk(step: f64) -> Self {
        Self { name: "one column walks", column_walk: step, ..Self::tails() }
    }

    /// One node is slower by a tenth for a part of the survey.
    pub const fn column_step() -> Self {
        Self { name: "one column steps", column_step: 0.1, ..Self::tails() }
    }

    /// A neighbour loads one node in bursts.
    pub const fn column_bursts() -> Self {
        Self { name: "bursts on one column", column_bursts: 0.05, ..Self::tails() }
    }

    /// The CPUs of some rows differ.
    pub const fn uneven(rows: usize) -> Self {
        Self { name: "uneven CPUs", uneven_rows: rows, ..Self::tails() }
    }

    /// Noise under which columns are not exchangeable: permutation tests do not hold by
    /// construction.
    pub const fn for_one_column() -> [Self; 4] {
        [
            Self { name: "one column walks, 1 %", ..Self::column_walk(0.01) },
            Self { name: "one column walks, 2 %", ..Self::column_walk(0.02) },
            Self::column_step(),
            Self::column_bursts(),
        ]
    }

    /// All models under which a uniform machine must stay uniform, by construction: columns stay
    /// exchangeable.
    pub const fn all() -> [Self; 7] {
        [
            Self::recorded(1.0),
            Self { name: "recorded, threefold", ..Self::recorded(3.0) },
            Self::tails(),
            Self::pages(),
            Self::drift(),
            Self::bursts(),
            Self::moves(),
        ]
    }

    /// Whether one column has a level of its own.
    pub(super) fn has_own_column(&self) -> bool {
        self.column_walk > 0.0 || self.column_step > 0.0 || self.column_bursts > 0.0
    }
}
