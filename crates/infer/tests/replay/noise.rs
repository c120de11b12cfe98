//! How samples stray from the truth: what is recorded, and what is made up to be nasty.

use super::recording::Probe;

/// A model of noise. All parts add, on the scale of logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// What tables call it.
    pub name: &'static str,
    /// Replays what was recorded with this probe on one of the real machines, so many times as
    /// large.
    pub recorded: Option<(Probe, f64)>,
    /// Log-normal scatter of single samples; one in twenty goes up further, by an exponential
    /// amount of four of these on average.
    pub scatter: f64,
    /// Scatter of a column's pages from process to process, the same for all rows.
    pub pages: f64,
    /// Scatter of a row's level from process to process.
    pub process_drift: f64,
    /// What the whole machine drifts by from one visit to the next: a random walk.
    pub drift: f64,
    /// The share of visits at which somebody else's burst begins: it costs 30 to 100 % for the
    /// next few visits.
    pub bursts: f64,
    /// The share of visits at which a row's virtual CPU is moved to another CPU of the host: one
    /// that is some percent faster or slower, or, where rows differ in what is near them, another
    /// row's place.
    pub moves: f64,
    /// What one column drifts by from round to round: a random walk.
    pub column_walk: f64,
    /// What one column costs more for a part of the survey: 10 to 20 rounds on end.
    pub column_step: f64,
    /// The share of rounds at which a neighbour begins to load one column's memory: it costs 30 to
    /// 100 % more for up to four rounds.
    pub column_bursts: f64,
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
    };
    /// As busy machines are: 2.5 % a sample, and one-sided tails.
    const SCATTER: f64 = 0.025;

    /// As recorded on a real machine, so many times as large.
    pub const fn recorded(times: f64) -> Self {
        Self { name: "recorded", recorded: Some((Probe::Page, times)), ..Self::NONE }
    }

    /// As recorded on one with a chase through 256 MiB.
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

    /// Speed wanders: of each row by processes, of the whole machine by visits.
    pub const fn drift() -> Self {
        Self { name: "drift", process_drift: 0.02, drift: 0.002, ..Self::tails() }
    }

    /// Neighbours come in bursts.
    pub const fn bursts() -> Self {
        Self { name: "bursts", bursts: 0.01, ..Self::tails() }
    }

    /// A hypervisor moves virtual CPUs.
    pub const fn moves() -> Self {
        Self { name: "moves", moves: 0.01, ..Self::tails() }
    }

    /// A neighbour loads one node, more and less: its level walks by this share a round.
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

    /// Under these columns are not exchangeable: no test that deals them anew holds by
    /// construction.
    pub const fn of_one_column() -> [Self; 4] {
        [
            Self { name: "one column walks, 1 %", ..Self::column_walk(0.01) },
            Self { name: "one column walks, 2 %", ..Self::column_walk(0.02) },
            Self::column_step(),
            Self::column_bursts(),
        ]
    }

    /// All models that a uniform machine must stay uniform under, by construction: columns stay
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
