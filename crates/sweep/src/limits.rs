//! How long a sweep goes on, and why it stopped.

use std::time::Duration;

use nearfar_infer::trials::MIN_BLOCKS;
use serde::{Deserialize, Serialize};

/// What ends a sweep. It is kept with it, so that one that was interrupted goes on as it began.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Limits {
    /// Fewest blocks.
    pub fewest: u32,
    /// Most blocks.
    pub most: u32,
    /// Until half of each median's interval is at most this share of it; 0 for as many blocks as
    /// there may be.
    pub precision: f64,
    /// No block begins that would end later, counted anew each time that it goes on.
    pub budget_s: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { fewest: MIN_BLOCKS as u32, most: 20, precision: 0.01, budget_s: None }
    }
}

impl Limits {
    /// The time, where it is limited.
    pub fn budget(&self) -> Option<Duration> {
        self.budget_s.and_then(|time| Duration::try_from_secs_f64(time).ok())
    }

    /// These limits, replaced where options are given.
    pub fn with(self, asked: &LimitOptions) -> Self {
        let usual = Self { budget_s: self.budget_s, ..Self::default() };
        let limits = match (asked.runs, asked.precision) {
            // Exactly this many, whatever the precision of medians.
            (Some(runs), _) => Self { fewest: runs, most: runs, precision: 0.0, ..self },
            (None, Some(precision)) => Self { precision, ..usual },
            (None, None) => self,
        };
        Self {
            budget_s: asked.budget.map_or(limits.budget_s, |time| Some(time.as_secs_f64())),
            ..limits
        }
    }
}

/// Why a sweep stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SweepStopReason {
    /// Every median is known as well as was asked for.
    Precise,
    /// The blocks ran out.
    RunLimit,
    /// The time ran out.
    TimeLimit,
    /// The user interrupted it.
    Interrupted,
    /// Every configuration has failed so often that it was given up.
    NothingRuns,
}

impl SweepStopReason {
    /// The reason's name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::RunLimit => "run-limit",
            Self::TimeLimit => "time-limit",
            Self::Interrupted => "interrupted",
            Self::NothingRuns => "nothing-runs",
        }
    }
}

/// Options that limit a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitOptions {
    /// Exactly this many blocks.
    pub runs: Option<u32>,
    /// How well medians shall be known, as a fraction.
    pub precision: Option<f64>,
    /// No longer than this.
    pub budget: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: LimitOptions = LimitOptions { runs: None, precision: None, budget: None };

    #[test]
    fn without_options_limits_stay() {
        let begun = Limits { fewest: 3, most: 3, precision: 0.0, budget_s: Some(60.0) };
        assert_eq!(begun.with(&NOTHING), begun);
    }

    #[test]
    fn options_replace_limits() {
        let begun = Limits::default().with(&LimitOptions { runs: Some(3), ..NOTHING });
        assert_eq!(begun, Limits { fewest: 3, most: 3, precision: 0.0, budget_s: None });
        let precise = begun.with(&LimitOptions { precision: Some(0.002), ..NOTHING });
        assert_eq!(precise, Limits { precision: 0.002, ..Limits::default() });
        let timed = begun.with(&LimitOptions { budget: Some(Duration::from_secs(90)), ..NOTHING });
        assert_eq!(timed, Limits { budget_s: Some(90.0), ..begun });
    }

    #[test]
    fn no_time_panics() {
        for (written, expected) in
            [(-1.0, None), (f64::NAN, None), (1e300, None), (2.0, Some(Duration::from_secs(2)))]
        {
            assert_eq!(Limits { budget_s: Some(written), ..Limits::default() }.budget(), expected);
        }
    }
}
