//! Comparison of two surveys of one kind of machine: which cells changed, and by how much?
//!
//! A cell's standard error holds within one survey, whose processes it resamples. Between two
//! surveys of an unchanged machine, a row's level drifts as well. This drift does not decrease with
//! the number of processes (see the module `process_drift`). Further differences between surveys
//! are invisible within one: neighbours on the host, physical pages, temperature. [`BETWEEN`]
//! stands for those. There are two questions for each cell, and one for all of them:
//!
//! - *By itself*: the logarithm of its ratio against all three, by Welch's test (*Biometrika* 34,
//!   1947).
//! - *Beside the rest of its row*: its change relative to the others, in which the row's drift
//!   cancels. It needs three others, so that one changed cell does not distort their median.
//! - *All together*: do the cells share a shift, for instance by clocks or drift?
//!
//! The cells' questions are one family at [`CELLS`] (Holm, *Scandinavian Journal of Statistics* 6,
//! 1979). The question for all cells has the level [`COMMON`]. On an unchanged machine, at most one
//! survey part in twenty has any false change.

mod effort;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use nearfar_model::is_cost;
use serde::{Deserialize, Serialize};

use crate::cell::median;
use crate::many_tests::holm;
use crate::process_drift::MEDIAN_OVER_MEAN;
use crate::student::{NORMAL_95, as_rare_as};

pub use crate::ratio_change::RatioChange;
pub use effort::{OpenReason, RoundsNeeded, rounds_needed};

/// Probability of any false cell in one part.
pub const CELLS: f64 = 0.04;
/// Probability of a false shift of all cells.
pub const COMMON: f64 = 0.01;

/// Standard deviation between surveys of an unchanged machine, of each cell in each survey, beyond
/// the variation within one.
pub const BETWEEN: f64 = 0.01;
/// The same on a hypervisor, which moves CPUs and runs other guests. (24 quick surveys in turn on a
/// shared guest of two CPUs, within a quarter of an hour: latency 0.6 %, bandwidth 1 to 2 %.)
pub const BETWEEN_GUESTS: f64 = 0.02;
/// The same as [`BETWEEN`] of latencies alone. Their surveys on that guest showed no variation
/// beyond their own: without any allowance, 1 of 100 pairs had a false change.
pub const BETWEEN_LATENCIES: f64 = 0.004;
/// The same as [`BETWEEN_GUESTS`] of latencies alone.
pub const BETWEEN_LATENCIES_GUESTS: f64 = 0.008;

/// Minimum number of other cells in the row, for a relative change.
const MIN_OTHERS: usize = 3;
/// Minimum number of cells for a common shift.
const MIN_SHARING: usize = 3;
/// The share of cells that move by at least half of a common shift.
const MAX_CELLS: f64 = 0.75;
/// Resolution of ratios between surveys: a hundredth of a percent.
const FINEST: f64 = 1e-4;
/// Largest standard error of a figure, as a fraction. Beyond it, an interval of ratios covers all.
const MAX_ERROR: f64 = 3.0;

/// A cell's estimate in one survey.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellEstimate {
    /// The median, in any unit.
    pub median: f64,
    /// Its standard error within the survey, as a fraction.
    pub se: f64,
    /// Drift of its row between processes: a standard deviation, as a fraction.
    pub drift: f64,
    /// Number of processes.
    pub processes: usize,
}

impl CellEstimate {
    /// The variance of its median relative to its row. Drift of processes is common to the row, and
    /// part of each standard error. Drift estimates are imprecise, so at least half of the error
    /// remains.
    fn own_variance(&self) -> f64 {
        let se = self.se.max(FINEST);
        (se.powi(2) - self.drift.powi(2) / self.processes.max(1) as f64).max((se / 2.0).powi(2))
    }
}

/// A cell in both surveys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellPair {
    /// Cells with common drift have the same number.
    pub row: usize,
    /// In the first survey.
    pub first: CellEstimate,
    /// In the second.
    pub second: CellEstimate,
}

/// The change of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MedianChange {
    /// The change by itself. It is also real where the relative change is real, and the change by
    /// itself is at least half as large.
    #[serde(flatten)]
    pub moved: RatioChange,
    /// The change relative to the median of the other cells of its row; none where these are fewer
    /// than three.
    pub beside: Option<RatioChange>,
}

/// The changes of all cells of one part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MedianChanges {
    /// Each cell, in the order of the input; none where a figure is invalid.
    pub cells: Vec<Option<MedianChange>>,
    /// The common shift; none with fewer than three cells. It is real only where three of four
    /// cells move by at least half of it.
    pub common: Option<RatioChange>,
}

/// Compares the second survey with the first. `between` is the standard deviation between surveys
/// of an unchanged machine; [`BETWEEN`] is the default.
pub fn changes(pairs: &[CellPair], between: f64) -> MedianChanges {
    let steps: Vec<Option<LogChange>> =
        pairs.iter().map(|pair| LogChange::new(pair, between)).collect();
    let known: Vec<LogChange> = steps.iter().flatten().copied().collect();
    let typical = median(known.iter().map(|step| step.own)).unwrap_or(0.0);
    let mut rows: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate().filter_map(|(at, step)| Some((at, (*step)?))) {
        rows.entry(step.row).or_default().push((at, step.log));
    }
    let change = |(at, step): (usize, &Option<LogChange>)| {
        let step = step.as_ref()?;
        let others = rows[&step.row].iter().filter(|(other, _)| *other != at);
        let others: Vec<f64> = others.map(|(_, log)| *log).collect();
        Some(MedianChange { moved: step.by_itself(), beside: step.beside(&others, typical) })
    };
    let mut cells: Vec<Option<MedianChange>> = steps.iter().enumerate().map(change).collect();
    call(&mut cells);
    MedianChanges { cells, common: common(&known, typical) }
}

/// A cell's change from one survey to the other: logarithms and variances.
#[derive(Clone, Copy, Debug)]
struct LogChange {
    row: usize,
    log: f64,
    /// Variance of both standard errors.
    sampling: f64,
    /// The same without the common part of the row's processes.
    own: f64,
    /// Variance of drift in both surveys.
    drift: f64,
    between: f64,
    freedom: f64,
}

impl LogChange {
    fn new(pair: &CellPair, between: f64) -> Option<Self> {
        let sides = [pair.first, pair.second];
        let are_figures = |known: &CellEstimate| {
            let is_error = |error: f64| (0.0..=MAX_ERROR).contains(&error);
            is_cost(known.median) && is_error(known.se) && is_error(known.drift)
        };
        if !sides.iter().all(are_figures) {
            return None;
        }
        let sampling = sides.map(|known| known.se.max(FINEST).powi(2));
        let drift = sides.map(|known| known.drift.powi(2));
        let freedom = |at: usize| sides[at].processes.saturating_sub(1).max(1) as f64;
        let of_side = |at: usize| sampling[at] + drift[at];
        let parts = (0..2).map(|at| of_side(at).powi(2) / freedom(at)).sum::<f64>();
        Some(Self {
            row: pair.row,
            log: (pair.second.median / pair.first.median).ln(),
            sampling: sampling[0] + sampling[1],
            own: sides.iter().map(CellEstimate::own_variance).sum(),
            drift: drift[0] + drift[1],
            between: 2.0 * between.powi(2),
            freedom: (of_side(0) + of_side(1)).powi(2) / parts,
        })
    }

    fn by_itself(&self) -> RatioChange {
        let seen = self.sampling + self.drift;
        moved(self.log, seen + self.between, self.freedom_of(seen))
    }

    /// Relative to others of the row. A standard error below the typical one is raised half way to
    /// it.
    fn beside(&self, others: &[f64], typical: f64) -> Option<RatioChange> {
        if others.len() < MIN_OTHERS {
            return None;
        }
        let raised = self.own.max(f64::midpoint(self.own, typical));
        let of_others = MEDIAN_OVER_MEAN * (typical + self.between) / others.len() as f64;
        let variance = raised + self.between + of_others;
        Some(moved(self.log - median(others.iter().copied())?, variance, self.freedom_of(raised)))
    }

    /// Degrees of freedom, by the estimated share of the variance.
    fn freedom_of(&self, estimated: f64) -> f64 {
        self.freedom * ((estimated + self.between) / estimated).powi(2)
    }
}

/// The common shift. Drift counts in full: it may be common to all rows.
fn common(known: &[LogChange], typical: f64) -> Option<RatioChange> {
    if known.len() < MIN_SHARING {
        return None;
    }
    let count = known.len() as f64;
    let mean = |figure: fn(&LogChange) -> f64| known.iter().map(figure).sum::<f64>() / count;
    let shift = median(known.iter().map(|step| step.log))?;
    let seen = mean(|step| step.drift) + typical * (MEDIAN_OVER_MEAN / count).min(1.0);
    let between = mean(|step| step.between);
    let freedom = mean(|step| step.freedom) * ((seen + between) / seen).powi(2);
    let along =
        known.iter().filter(|step| step.log * shift.signum() >= shift.abs() / 2.0).count() as f64;
    let found = moved(shift, seen + between, freedom);
    Some(RatioChange { real: found.p <= COMMON && along >= MAX_CELLS * count, ..found })
}

fn moved(log: f64, variance: f64, freedom: f64) -> RatioChange {
    let moved = RatioChange::by(log, variance.sqrt(), freedom);
    RatioChange { p: moved.p.min(1.0), ..moved }
}

/// Decides which changes are real, as one family.
fn call(cells: &mut [Option<MedianChange>]) {
    let known = cells.iter_mut().flatten();
    let family: Vec<&mut RatioChange> = known
        .flat_map(|change| [Some(&mut change.moved), change.beside.as_mut()])
        .flatten()
        .collect();
    let ps: Vec<f64> = family.iter().map(|one| one.p).collect();
    family.into_iter().zip(holm(&ps, CELLS)).for_each(|(one, real)| one.real = real);
    for change in cells.iter_mut().flatten() {
        let against = change.beside.filter(|beside| beside.real).map_or(0.0, |beside| beside.ratio);
        let own = change.moved.ratio;
        change.moved.real |= against != 0.0 && own * against.signum() >= against.abs() / 2.0;
    }
}

/// Drift of a cell whose survey has only intervals: a standard deviation, as a fraction.
pub fn drift_of(median: f64, se: f64, ci95: [f64; 2], processes: usize) -> f64 {
    let half_width = (ci95[1] / median).ln().max(0.0);
    let stretch = as_rare_as(NORMAL_95, processes.saturating_sub(1).max(1) as f64);
    ((half_width / stretch).powi(2) - se.powi(2)).max(0.0).sqrt()
}

/// A limit: ratios above it, or below it, are not accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeLimit {
    /// Whether ratios above the limit are rejected, rather than those below.
    pub above: bool,
    /// The ratio minus 1: 0.05 for 5 % more.
    pub ratio: f64,
}

/// Whether a change exceeds a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitExceeded {
    /// The change is real, and its ratio exceeds the limit.
    Yes,
    /// The whole interval is within the limit.
    No,
    /// The interval includes the limit.
    Undetermined,
}

impl ChangeLimit {
    /// Compares a change, real or not, with the limit.
    pub fn judge(&self, moved: &RatioChange) -> LimitExceeded {
        let is_beyond =
            |ratio: f64| if self.above { ratio > self.ratio } else { ratio < self.ratio };
        if moved.real && is_beyond(moved.ratio) {
            LimitExceeded::Yes
        } else if is_beyond(moved.ci95[usize::from(self.above)]) {
            LimitExceeded::Undetermined
        } else {
            LimitExceeded::No
        }
    }
}
