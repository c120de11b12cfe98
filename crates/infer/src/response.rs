//! What each added nanosecond of memory latency costs a program.
//!
//! A program's memory is put at several *doses* of latency, in random order within blocks, and its
//! time for a piece of work is read. Its time is modelled as `T = T0 (1 + effect u + 4 bend u (1 -
//! u))`, where u is 0 at the lowest dose and 1 at the highest: a program that waits for memory has
//! no bend; one that saturates a link has.
//!
//! The order of doses is drawn, so whatever else changes the program is independent of them: drift,
//! disturbances, heavy tails, slow waves. Intervals invert a permutation test within blocks, on
//! clipped residuals (Hodges and Lehmann, *Annals of Mathematical Statistics* 34, 1963; its normal
//! approximation has the exact variance of permutations). Their level therefore does not rest on a
//! law of the noise. Doses that scatter about what was wanted (few hot pages) make them too wide,
//! never too narrow.

mod fit;
mod forecast;
mod part;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::student::{NORMAL_95, as_rare_as};

use fit::{Blocks, Curve};

pub use forecast::{ForecastRefusal, LatencyRange, forecast};
pub use part::PartOfPages;

/// A change of time below this fraction does not matter: 2 %.
pub const RESPONSE_FLOOR: f64 = 0.02;
/// Blocks at least.
pub const MIN_RESPONSE_BLOCKS: u32 = 3;
/// Normal deviates of 99 % and 99.9 %, two-sided; the last bounds one side at 1 of 2,000.
const Z_99: f64 = 2.575_829;
const Z_999: f64 = 3.290_527;
/// Latencies of a survey are known to this.
const LATENCIES_KNOWN_TO: f64 = 0.05;
/// Doses within this share of the whole range are one.
const SAME_DOSE: f64 = 0.1;
/// A bend of less than this share of the effect, or than half the floor, is none.
const STRAIGHT: f64 = 0.05;

/// A period at a dose. Periods are in the order of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DosePeriod {
    /// Its block.
    pub block: u32,
    /// The dose that was reached: mean latency, or the share of far memory.
    pub dose: f64,
    /// The logarithm of the time for a piece of work, in any unit.
    pub log_time: f64,
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ResponseFigure {
    /// The estimate.
    pub value: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
}

/// Whether the place of memory matters for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseVerdict {
    /// Its time changes with the dose.
    Matters,
    /// The highest dose changes its time by less than 2 %, wrong in 1 of 1,000 programs at most.
    DoesNotMatter,
    /// The interval contains both no change and one of 2 %.
    TooNoisy,
    /// Fewer than three blocks have two doses.
    TooFewBlocks,
    /// The doses that were reached hardly differ.
    SameDose,
}

/// A program's response to latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Response {
    /// The dose with all memory near.
    pub lowest: f64,
    /// The dose with all memory far.
    pub highest: f64,
    /// Periods that count, and their blocks.
    pub periods: u32,
    /// Blocks with periods that count.
    pub blocks: u32,
    /// How much more time the program takes with all memory far than near: 0.8 is 80 %.
    pub effect: Option<ResponseFigure>,
    /// The same for each unit of the dose.
    pub slope: Option<ResponseFigure>,
    /// How much more time it takes halfway than a straight line has.
    pub bend: Option<ResponseFigure>,
    /// Whether it bends, at 99 % confidence: then no slope holds for all doses.
    pub bends: bool,
    /// The largest change that the highest dose may make, either way, at 99.9 % confidence.
    pub at_most: Option<f64>,
    /// Whether memory's place matters.
    pub verdict: ResponseVerdict,
}

/// The response of a program, from its periods. The ends are the doses with all memory near and
/// far: what periods reach may be less.
pub fn response(periods: &[DosePeriod], [lowest, highest]: [f64; 2]) -> Response {
    let blocks = Blocks::new(periods, lowest, highest);
    let none = |verdict| Response {
        lowest,
        highest,
        periods: blocks.periods(),
        blocks: blocks.count(),
        effect: None,
        slope: None,
        bend: None,
        bends: false,
        at_most: None,
        verdict,
    };
    if blocks.count() < MIN_RESPONSE_BLOCKS {
        return none(ResponseVerdict::TooFewBlocks);
    }
    if blocks.reach() <= SAME_DOSE {
        return none(ResponseVerdict::SameDose);
    }
    let curve = blocks.curve();
    let bend_within = |z: f64| blocks.bend_interval(curve, z);
    let [low, high] = bend_within(Z_99);
    let is_large = curve.bend.abs() >= (STRAIGHT * curve.effect.abs()).max(RESPONSE_FLOOR / 2.0);
    let bends = is_large && (low > 0.0 || high < 0.0);
    let line = if bends { curve } else { blocks.line() };
    let ci95 = blocks.effect_interval(line, NORMAL_95);
    let [low, high] = blocks.effect_interval(line, Z_999);
    let at_most = low.abs().max(high.abs());
    let range = highest - lowest;
    Response {
        effect: Some(ResponseFigure { value: line.effect, ci95 }),
        slope: Some(ResponseFigure { value: line.effect / range, ci95: ci95.map(|x| x / range) }),
        bend: Some(ResponseFigure { value: curve.bend, ci95: bend_within(NORMAL_95) }),
        bends,
        at_most: at_most.is_finite().then_some(at_most),
        verdict: verdict(ci95, at_most, bends),
        ..none(ResponseVerdict::TooNoisy)
    }
}

fn verdict(ci95: [f64; 2], at_most: f64, bends: bool) -> ResponseVerdict {
    if bends {
        ResponseVerdict::Matters
    } else if at_most < RESPONSE_FLOOR {
        ResponseVerdict::DoesNotMatter
    } else if ci95[0] > 0.0 || ci95[1] < 0.0 {
        ResponseVerdict::Matters
    } else {
        ResponseVerdict::TooNoisy
    }
}

/// The relative time of the periods of a dose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DosePoint {
    /// The mean of the doses that were reached.
    pub dose: f64,
    /// The time, where all-near memory has 1; the interval is that of this dose alone.
    pub time: ResponseFigure,
    /// Its periods.
    pub periods: u32,
}

/// Points beside the curve, by what was wanted: drift and blocks are taken out by the curve. Doses
/// of one period have none.
pub fn dose_points(periods: &[(u32, DosePeriod)], found: &Response) -> Vec<DosePoint> {
    let all: Vec<DosePeriod> = periods.iter().map(|(_, period)| *period).collect();
    let levels = Blocks::new(&all, found.lowest, found.highest).levels(found.curve());
    let mut by_dose: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for (wanted, period) in periods {
        let Some(level) = levels.get(&period.block) else { continue };
        by_dose.entry(*wanted).or_default().push((period.dose, period.log_time - level));
    }
    by_dose.into_values().filter_map(|of| point(&of)).collect()
}

/// The time of periods that have no dose, by (block, logarithm of time), where all-near memory has
/// 1: where pages were found, a program may use them in any way. `periods` are those with doses.
/// The interval has what the line's slope may be off by.
pub fn relative_time(
    of: &[(u32, f64)],
    periods: &[DosePeriod],
    found: &Response,
) -> Option<ResponseFigure> {
    let effect = found.effect?;
    let levels = Blocks::new(periods, found.lowest, found.highest).levels(found.curve());
    let above = |&(block, log_time): &(u32, f64)| Some((0.0, log_time - levels.get(&block)?));
    let time = point(&of.iter().filter_map(above).collect::<Vec<_>>())?.time;
    // A block's level lies in the middle of its doses.
    let middle = |value: f64| 1.0 + value / 2.0;
    let own = |end: usize| (time.ci95[end] / time.value).ln();
    let slope = |end: usize| (middle(effect.ci95[end]) / middle(effect.value)).ln();
    let reach = |end: usize| (own(end).powi(2) + slope(1 - end).powi(2)).sqrt();
    let log = time.value.ln();
    let ci95 = [(log - reach(0)).exp(), (log + reach(1)).exp()];
    Some(ResponseFigure { value: time.value, ci95 })
}

fn point(of: &[(f64, f64)]) -> Option<DosePoint> {
    let count = of.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| of.iter().map(part).sum::<f64>() / count;
    let (dose, log) = (mean(|one| one.0), mean(|one| one.1));
    let squares: f64 = of.iter().map(|one| (one.1 - log).powi(2)).sum();
    let freedom = (of.len() > 1).then_some(count - 1.0)?;
    let reach = as_rare_as(NORMAL_95, freedom) * (squares / freedom / count).sqrt();
    let time = ResponseFigure { value: log.exp(), ci95: [-reach, reach].map(|x| (log + x).exp()) };
    Some(DosePoint { dose, time, periods: of.len() as u32 })
}

impl Response {
    fn curve(&self) -> Curve {
        let effect = self.effect.map_or(0.0, |effect| effect.value);
        Curve { effect, bend: self.bend.filter(|_| self.bends).map_or(0.0, |bend| bend.value) }
    }

    /// The relative time at a dose, where the lowest dose has 1; with the ends of its interval.
    pub fn time_at(&self, dose: f64) -> Option<ResponseFigure> {
        let effect = self.effect?;
        let bend = self.curve().bend;
        let share = (dose - self.lowest) / (self.highest - self.lowest);
        let time = |effect: f64| Curve { effect, bend }.time(share);
        let mut ci95 = effect.ci95.map(time);
        ci95.sort_by(f64::total_cmp);
        Some(ResponseFigure { value: time(effect.value), ci95 })
    }

    /// Whether far memory costs more than a program loses that does nothing but wait for one access
    /// after the other. Shares of far memory have no latency.
    pub fn exceeds_latency(&self) -> bool {
        let most = (1.0 + LATENCIES_KNOWN_TO) * self.highest / self.lowest;
        self.lowest > 0.0 && self.effect.is_some_and(|effect| 1.0 + effect.ci95[0] > most)
    }

    /// Blocks with which the verdict would be more likely, where it is too noisy.
    pub fn blocks_wanted(&self) -> Option<u32> {
        let [low, high] = self.effect.filter(|_| self.verdict == ResponseVerdict::TooNoisy)?.ci95;
        let half = (high - low) / 2.0 * Z_999 / NORMAL_95;
        let more = (half / (0.8 * RESPONSE_FLOOR)).powi(2) * f64::from(self.blocks);
        more.is_finite().then(|| more.ceil().clamp(f64::from(self.blocks) + 1.0, 1e6) as u32)
    }
}
