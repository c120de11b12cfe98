//! What a trial measured, and whether the cure paid.

use nearfar_infer::trials::Trials;
use serde::{Deserialize, Serialize};

use crate::Interval;
use crate::explain::Direction;
use crate::explain::FLOOR;
use crate::explain::TrialPlacement;

/// A period with pages in one placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TrialPeriod {
    /// The block, from 0.
    pub block: u32,
    /// The placement.
    pub placement: TrialPlacement,
    /// The metric: a value, or a rate per second.
    pub figure: Option<f64>,
    /// Why it does not count.
    pub dropped: Option<DroppedPeriod>,
}

/// Why a period does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DroppedPeriod {
    /// The metric did not give a positive number.
    NoFigure,
    /// Pages were on other nodes at its end: something else moves them.
    PagesMoved,
}

/// Whether a cure paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrialVerdict {
    /// The metric is better with it.
    Pays,
    /// The metric is worse with it.
    Costs,
    /// It differs by less than 2 %.
    NoGain,
    /// The interval is too wide.
    Undetermined,
    /// Fewer than three blocks have both figures.
    TooFewBlocks,
}

/// All periods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialRecord {
    /// In the order of time.
    pub periods: Vec<TrialPeriod>,
}

impl TrialRecord {
    /// Adds a period. A figure that is not finite and above 0 is none.
    pub fn add(
        &mut self,
        block: usize,
        placement: TrialPlacement,
        figure: Option<f64>,
        have_pages_moved: bool,
    ) {
        let figure = figure.filter(|figure| figure.is_finite() && *figure > 0.0);
        let dropped = match figure {
            None => Some(DroppedPeriod::NoFigure),
            Some(_) if have_pages_moved => Some(DroppedPeriod::PagesMoved),
            Some(_) => None,
        };
        let block = u32::try_from(block).unwrap_or(u32::MAX);
        self.periods.push(TrialPeriod { block, placement, figure, dropped });
    }

    /// Periods that do not count.
    pub fn dropped(&self) -> usize {
        self.periods.iter().filter(|period| period.dropped.is_some()).count()
    }

    /// By how much the metric is larger with the cure, as a fraction, and whether it paid.
    ///
    /// Figures are compared within blocks, on their logarithms, by Student's t
    /// ([`Trials::differences`]). The number of blocks is fixed before: no trial ends because its
    /// result pleases.
    pub fn result(&self, direction: Direction) -> (Option<Interval>, TrialVerdict) {
        let mut trials = Trials::new(2);
        for period in self.periods.iter().filter(|period| period.dropped.is_none()) {
            let at = usize::from(period.placement == TrialPlacement::AsItWas);
            trials.add(at, period.block, period.figure.unwrap_or(0.0));
        }
        let Some(difference) = trials.differences().into_iter().next() else {
            return (None, TrialVerdict::TooFewBlocks);
        };
        let (value, ci95) = (difference.compared.ratio, difference.compared.ci95);
        let [worst, best] = match direction {
            Direction::MoreIsBetter => ci95,
            Direction::LessIsBetter => [-ci95[1], -ci95[0]],
        };
        let verdict = if -FLOOR < worst && best < FLOOR {
            TrialVerdict::NoGain
        } else if worst > 0.0 {
            TrialVerdict::Pays
        } else if best < 0.0 {
            TrialVerdict::Costs
        } else {
            TrialVerdict::Undetermined
        };
        (Some(Interval { value, ci95 }), verdict)
    }
}
