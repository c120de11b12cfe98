//! When did a machine's cell change, over many surveys of it?
//!
//! A series is one cell of one machine, oldest survey first. All series of machines of one shape
//! are tested together.
//!
//! - *Noise*: the median difference of consecutive surveys, over all machines of a cell: changes of
//!   a few machines do not move it. Where neighbours correlate, it is wider; and for a machine that
//!   scatters more than others, in all of its cells.
//! - *Statistic* ([`scan`]): the largest standardised difference between the last few surveys and
//!   all before them, after each survey. A fault that was repaired still shows as it did then.
//! - *Chance* ([`null`]): the same of series without changes, made of the fleet's own residuals in
//!   blocks, so that tails and correlation of neighbours are its own.
//! - *At any time*: a fleet is judged again after each survey. The null has the length that the
//!   series will have at the next doubling, and each doubling has its share of the rate (Alpha
//!   spending; Lan and DeMets, *Biometrika* 70, 1983). So a series is ever reported by chance as
//!   rarely as its probability states, however often one looks.
//! - *Decision*: a false-discovery rate of 5 % over all series (Benjamini and Hochberg, 1995).
//! - *Date*: a likelihood-ratio set of 95 % for the survey that first has the new level.
//! - *Drift*: where a line explains the series better than steps (Bayesian information criterion).

mod null;
mod scan;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::cell::median;
use crate::fleet::{FALSE_DISCOVERY_RATE, FleetFigure};
use crate::many_tests::adjusted_by_benjamini_hochberg;
use crate::student::{NORMAL_95, as_rare_as};
use null::Null;
use scan::{Segments, largest_so_far};

/// Fewer surveys of a machine are no history: two before a change, and two after it.
pub const MIN_SURVEYS: usize = 4;

/// From a median absolute difference of two normal deviates to their standard deviation.
const DIFFERENCE_TO_SD: f64 = 1.4826 / std::f64::consts::SQRT_2;
/// The efficiency of that estimate.
const EFFICIENCY: f64 = 0.35;
/// Differences of a cell that are enough.
const MAX_DIFFERENCES: usize = 100_000;
/// Surveys that follow each other correlate at most this much.
const MAX_CORRELATION: f64 = 0.8;
/// A machine that scatters this many times as much as others has a noise of its own, which is known
/// by its own differences alone.
const NOISY: f64 = 1.4;
/// A survey counts at most this many standard deviations: one alone is no change.
const FARTHEST: f64 = 6.0;
/// Twice the logarithm of the likelihood ratio of surveys that may be the first after a change.
const MAY_BE_FIRST: f64 = 6.0;

/// One cell of one machine over time.
#[derive(Clone, Debug, PartialEq)]
pub struct CellSeries {
    /// Which machine: one that scatters more does so in all of its cells.
    pub machine: usize,
    /// Which cell: series of the same cell have the same noise.
    pub cell: usize,
    /// Figures, oldest survey first.
    pub figures: Vec<FleetFigure>,
}

/// How a level changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Between two surveys.
    Step,
    /// Slowly, over several surveys.
    Drift,
}

/// A change of a series. Surveys are indexes of its figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelChange {
    /// Index of the series.
    pub series: usize,
    /// Whether it is a step or a drift.
    pub kind: ChangeKind,
    /// The first survey with the new level. Of a drift, its last survey.
    pub first_after: usize,
    /// The last survey that is certainly before the change, and the first that is after it, at
    /// 95 %. Of a drift, where it begins and ends.
    pub between: [usize; 2],
    /// Ratio of the cost after it to the cost before it; above 1 it became slower.
    pub ratio: f64,
    /// Lower end of the ratio's 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether the level returned to that before the previous change, which is thereby undone.
    pub is_return: bool,
    /// Probability that a series without any change has as large a statistic, ever.
    pub p_value: f64,
    /// The smallest false-discovery rate at which the series has a change.
    pub q_value: f64,
}

/// Finds changes of these series. Those below `floor` (a fraction) are none. By series, then by
/// time.
pub fn level_changes(series: &[CellSeries], floor: f64) -> Vec<LevelChange> {
    let cells = CellNoise::of_cells(series);
    let machines = MachineNoise::of_machines(series, &cells);
    let scaled: Vec<ScaledSeries> = series
        .iter()
        .enumerate()
        .filter(|(_, one)| one.figures.len() >= MIN_SURVEYS)
        .filter_map(|(at, one)| {
            ScaledSeries::new(at, one, *cells.get(&one.cell)?, machines.get(&one.machine))
        })
        .collect();
    let null = Null::new(&scaled);
    let statistics: Vec<f64> =
        scaled.iter().map(|one| one.equivalent(largest_so_far(&one.scores))).collect();
    let lengths = || scaled.iter().map(|one| one.scores.len());
    let ps: Vec<f64> =
        statistics.iter().zip(lengths()).map(|(it, length)| null.p_value(*it, length)).collect();
    let qs = adjusted_by_benjamini_hochberg(&ps);
    let is_found = |at: &usize| qs[*at] <= FALSE_DISCOVERY_RATE;
    let count = (0..ps.len()).filter(is_found).count();
    let limit = FALSE_DISCOVERY_RATE * count as f64 / ps.len().max(1) as f64;
    let found = (0..ps.len()).filter(is_found).flat_map(|at| {
        let one = &scaled[at];
        let least = null.statistic(limit, one.scores.len());
        one.changes(least, floor.ln_1p()).into_iter().map(move |change| (at, change))
    });
    let with_p = |(at, change): (usize, LevelChange)| LevelChange {
        p_value: ps[at],
        q_value: qs[at],
        ..change
    };
    found.map(with_p).collect()
}

/// The ratio that is common to several machines, each with its own: the geometric mean, and its
/// 95 % interval (Student's t). None of fewer than two.
pub fn common_ratio(ratios: &[f64]) -> Option<(f64, [f64; 2])> {
    let count = ratios.len() as f64;
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / count;
    let squares: f64 = ratios.iter().map(|ratio| (ratio.ln() - mean).powi(2)).sum();
    let margin = as_rare_as(NORMAL_95, count - 1.0) * (squares / (count - 1.0) / count).sqrt();
    (count > 1.0).then(|| (mean.exp(), [-margin, margin].map(|side| (mean + side).exp())))
}

/// How a cell scatters between surveys of one machine.
#[derive(Clone, Copy, Debug)]
struct CellNoise {
    /// Of a difference of two consecutive surveys, over the root of two.
    sd: f64,
    /// How much wider means of several surveys scatter, where neighbours correlate.
    wider: f64,
    freedom: f64,
}

impl CellNoise {
    fn of_cells(series: &[CellSeries]) -> BTreeMap<usize, Self> {
        let mut differences: BTreeMap<usize, [Vec<f64>; 2]> = BTreeMap::new();
        for one in series {
            let [next, after_next] = differences.entry(one.cell).or_default();
            if next.len() < MAX_DIFFERENCES {
                next.extend(own_differences(one, 1));
                after_next.extend(own_differences(one, 2));
            }
        }
        let noise = |(cell, [next, after_next]): (usize, [Vec<f64>; 2])| {
            let freedom = (EFFICIENCY * next.len() as f64).max(1.0);
            let next = median(next.into_iter())?;
            let ratio = median(after_next.into_iter()).unwrap_or(next) / next;
            // Of a process of first order, the variance of the differences grows by 1 and this.
            let correlation = (ratio.powi(2) - 1.0).clamp(0.0, MAX_CORRELATION);
            let wider = (1.0 + correlation).sqrt() / (1.0 - correlation);
            Some((cell, Self { sd: DIFFERENCE_TO_SD * next, wider, freedom }))
        };
        differences.into_iter().filter_map(noise).collect()
    }
}

fn own_differences(series: &CellSeries, lag: usize) -> impl Iterator<Item = f64> + '_ {
    let figures = &series.figures;
    figures.iter().zip(figures.iter().skip(lag)).map(|(one, next)| (next.log - one.log).abs())
}

/// How many times as much as others a machine scatters, in all of its cells.
#[derive(Clone, Copy, Debug)]
struct MachineNoise {
    times: f64,
    freedom: f64,
}

impl MachineNoise {
    fn of_machines(
        series: &[CellSeries],
        cells: &BTreeMap<usize, CellNoise>,
    ) -> BTreeMap<usize, Self> {
        let mut differences: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for one in series {
            let Some(noise) = cells.get(&one.cell).filter(|noise| noise.sd > 0.0) else { continue };
            let scaled = own_differences(one, 1).map(|difference| difference / noise.sd);
            differences.entry(one.machine).or_default().extend(scaled);
        }
        let noise = |(machine, differences): (usize, Vec<f64>)| {
            let freedom = (EFFICIENCY * differences.len() as f64).max(1.0);
            let times = DIFFERENCE_TO_SD * median(differences.into_iter())?;
            Some((machine, Self { times, freedom }))
        };
        differences.into_iter().filter_map(noise).collect()
    }
}

/// A series in standard deviations of its noise.
struct ScaledSeries {
    series: usize,
    logs: Vec<f64>,
    sd: f64,
    wider: f64,
    freedom: f64,
    /// Deviations from the median, none beyond [`FARTHEST`].
    scores: Vec<f64>,
}

impl ScaledSeries {
    fn new(
        series: usize,
        of: &CellSeries,
        cell: CellNoise,
        machine: Option<&MachineNoise>,
    ) -> Option<Self> {
        let noisy = machine.filter(|own| own.times > NOISY);
        let times = machine.map_or(1.0, |own| own.times.max(1.0));
        let error = median(of.figures.iter().map(|figure| figure.error.abs()))?;
        let sd = (cell.sd * times).max(error).max(f64::MIN_POSITIVE) * cell.wider;
        let freedom = noisy.map_or(cell.freedom, |own| own.freedom.min(cell.freedom));
        let logs: Vec<f64> = of.figures.iter().map(|figure| figure.log).collect();
        let middle = median(logs.iter().copied())?;
        let score = |log: &f64| ((log - middle) / sd).clamp(-FARTHEST, FARTHEST);
        let scores = logs.iter().map(score).collect();
        Some(Self { series, sd, wider: cell.wider, freedom, scores, logs })
    }

    /// The normal deviate that is as rare as this one, whose noise is estimated.
    fn equivalent(&self, statistic: f64) -> f64 {
        (self.freedom * (statistic.powi(2) / self.freedom).ln_1p()).sqrt()
    }

    /// Changes with at least this statistic.
    fn changes(&self, least: f64, floor: f64) -> Vec<LevelChange> {
        let is_enough = |statistic: f64| self.equivalent(statistic) >= least;
        let segments = Segments::find(&self.scores, is_enough);
        let mut changes: Vec<LevelChange> = Vec::new();
        for [begin, first, end] in segments.changes() {
            let level = |from: usize, to: usize| median(self.logs[from..to].iter().copied());
            let (Some(before), Some(after)) = (level(begin, first), level(first, end)) else {
                continue;
            };
            changes.push(self.step([begin, first, end], after - before));
        }
        self.mark_returns(&segments, floor, &mut changes);
        let drifts = self.with_drifts(&segments, &changes);
        drifts.into_iter().filter(|change| change.ratio.ln().abs() >= floor).collect()
    }

    fn step(&self, [begin, first, end]: [usize; 3], log: f64) -> LevelChange {
        let counts = [(first - begin) as f64, (end - first) as f64];
        let of_medians = std::f64::consts::FRAC_PI_2 * (1.0 / counts[0] + 1.0 / counts[1]);
        let margin = as_rare_as(NORMAL_95, self.freedom) * self.sd * of_medians.sqrt();
        let [earliest, latest] = self.may_be_first([begin, first, end]);
        LevelChange {
            series: self.series,
            kind: ChangeKind::Step,
            first_after: first,
            between: [earliest - 1, latest],
            ratio: log.exp(),
            low: (log - margin).exp(),
            high: (log + margin).exp(),
            is_return: false,
            p_value: 1.0,
            q_value: 1.0,
        }
    }

    /// The earliest and the latest survey that may be the first after the change.
    fn may_be_first(&self, [begin, first, end]: [usize; 3]) -> [usize; 2] {
        let scores = &self.scores[begin..end];
        let at = |place: usize| scan::statistic(scores, place - begin).powi(2);
        let least = at(first) - MAY_BE_FIRST;
        let places = begin + 1..end;
        let mut near = places.filter(|place| at(*place) >= least);
        let earliest = near.next().unwrap_or(first).min(first);
        [earliest, near.next_back().unwrap_or(first).max(first)]
    }

    /// A change that undoes the one before it.
    fn mark_returns(&self, segments: &Segments, floor: f64, changes: &mut [LevelChange]) {
        let level = |number: usize| {
            let [from, to] = segments.segment(number);
            median(self.logs[from..to].iter().copied()).unwrap_or(0.0)
        };
        for at in 1..changes.len() {
            let (first, last) = (level(at - 1), level(at + 1));
            let was_change = !changes[at - 1].is_return;
            changes[at].is_return = was_change && (last - first).abs() < floor;
        }
    }

    /// Steps in one direction that are a line rather than steps.
    fn with_drifts(&self, segments: &Segments, changes: &[LevelChange]) -> Vec<LevelChange> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < changes.len() {
            let is_slower = changes[at].ratio > 1.0;
            let run = changes[at..].iter().take_while(|it| (it.ratio > 1.0) == is_slower).count();
            let from = segments.segment(at)[0];
            let to = segments.segment(at + run)[1];
            let steps = &changes[at..at + run];
            match self.drift(from, to, steps) {
                Some(drift) => found.push(drift),
                None => found.extend_from_slice(steps),
            }
            at += run;
        }
        found
    }

    fn drift(&self, from: usize, to: usize, steps: &[LevelChange]) -> Option<LevelChange> {
        let scores = &self.scores[from..to];
        let count = scores.len() as f64;
        let line = scan::Line::fit(scores)?;
        let bounds = std::iter::once(0).chain(steps.iter().map(|step| step.first_after - from));
        let bounds: Vec<usize> = bounds.chain([scores.len()]).collect();
        let of_steps: f64 =
            bounds.windows(2).map(|two| scan::squares(&scores[two[0]..two[1]])).sum();
        let price = (2 * steps.len() + 1) as f64 - 2.0;
        if line.squares >= of_steps + price * count.ln() {
            return None;
        }
        let log = line.slope * (count - 1.0) * self.sd;
        let margin =
            as_rare_as(NORMAL_95, self.freedom) * line.slope_error * (count - 1.0) * self.sd;
        Some(LevelChange {
            kind: ChangeKind::Drift,
            first_after: to - 1,
            between: [from, to - 1],
            ratio: log.exp(),
            low: (log - margin).exp(),
            high: (log + margin).exp(),
            is_return: false,
            ..steps[0]
        })
    }

    /// Scores without what may be changes.
    fn residuals(&self) -> Vec<f64> {
        let segments = Segments::find(&self.scores, |it| it >= null::MAY_BE_CHANGED);
        let count = self.scores.len() as f64;
        let wider = (count / (count - segments.len() as f64)).sqrt();
        let parts = (0..segments.len()).flat_map(|number| {
            let [from, to] = segments.segment(number);
            let part = &self.scores[from..to];
            let mean = scan::mean(part);
            part.iter().map(move |score| (score - mean) * wider)
        });
        parts.collect()
    }
}
