//! How batches differ: cells that are slower or faster than in the first batch.

use serde::{Deserialize, Serialize};

use super::fit::FleetFit;
use super::levels::MIN_OTHERS;
use crate::cell::{median, quantile_of_sorted};
use crate::process_drift::MEDIAN_OVER_MEAN;
use crate::student::{NORMAL_95, as_rare_as, two_sided_p};

/// The probability of a false difference of a batch, in any cell.
const FALSE_DIFFERENCE: f64 = 2e-3;

/// A cell in which a batch differs from the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BatchDifference {
    /// Index of the batch.
    pub batch: usize,
    /// Index of the cell.
    pub cell: usize,
    /// Ratio of its median cost to that of the first batch, divided by `other_cells`; above 1 it
    /// is slower.
    pub ratio: f64,
    /// The median of the same ratios of the other cells, where it is compared with those.
    pub other_cells: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability of at least this difference of one batch.
    pub p_value: f64,
}

/// Of all batches but the first, by cell.
pub(super) fn differences(fit: &FleetFit<'_>, floor: f64) -> Vec<BatchDifference> {
    let floor = floor.ln_1p();
    (1..fit.batches.len())
        .flat_map(|batch| BatchPair::new(fit, batch, floor).differences())
        .collect()
}

/// The first batch and another.
struct BatchPair<'f> {
    fit: &'f FleetFit<'f>,
    batch: usize,
    floor: f64,
    /// The logarithms of ratios.
    logs: Vec<f64>,
}

impl<'f> BatchPair<'f> {
    fn new(fit: &'f FleetFit<'f>, batch: usize, floor: f64) -> Self {
        let logs = fit.centers[batch].iter().zip(&fit.centers[0]).map(|(one, first)| one - first);
        Self { fit, batch, floor, logs: logs.collect() }
    }

    /// By themselves where that is sure; else beside the other cells, whose level is that of the
    /// fewer changes.
    fn differences(&self) -> Vec<BatchDifference> {
        let itself = self.differing(None);
        let Some(level) = self.level() else { return itself };
        let differs = |cell: usize| itself.iter().any(|one| one.cell == cell);
        // Where those of the level differ by themselves, others are as in the first batch.
        let mut of_level =
            self.fit.single_cells().filter(|&cell| (self.logs[cell] - level).abs() < self.floor);
        let is_level_stated = of_level.all(differs);
        let is_usual = |cell: usize| is_level_stated && self.logs[cell].abs() < self.floor;
        let beside = self.differing(Some(level));
        let is_stated = |one: &BatchDifference| differs(one.cell) || is_usual(one.cell);
        if beside.iter().all(is_stated) { itself } else { beside }
    }

    fn level(&self) -> Option<f64> {
        let mut logs: Vec<f64> = self.fit.single_cells().map(|cell| self.logs[cell]).collect();
        logs.retain(|log| !log.is_nan());
        logs.sort_unstable_by(f64::total_cmp);
        if logs.len() <= MIN_OTHERS {
            return None;
        }
        let near = |share| quantile_of_sorted(&logs, share);
        let level = if near(0.25)?.abs() <= near(0.75)?.abs() { near(0.25)? } else { near(0.75)? };
        median(logs.iter().copied().filter(|log| (log - level).abs() < self.floor))
    }

    fn differing(&self, level: Option<f64>) -> Vec<BatchDifference> {
        let most = FALSE_DIFFERENCE / self.logs.len() as f64;
        let cells = (0..self.logs.len()).filter_map(|cell| {
            let scatter = match level {
                Some(_) => self.fit.variance_beside(cell)?,
                None => self.fit.variance(cell)?,
            };
            let log = self.logs[cell] - level.unwrap_or(0.0);
            let machines = [0, self.batch].map(|batch| self.fit.batches[batch].len() as f64);
            let of_medians = MEDIAN_OVER_MEAN * machines.map(f64::recip).iter().sum::<f64>();
            let sd = (scatter.variance * of_medians).sqrt();
            let margin = as_rare_as(NORMAL_95, scatter.freedom) * sd;
            let p_value = two_sided_p(log / sd, scatter.freedom);
            (p_value <= most && log.abs() >= self.floor).then(|| BatchDifference {
                batch: self.batch,
                cell,
                ratio: log.exp(),
                other_cells: level.map(f64::exp),
                low: (log - margin).exp(),
                high: (log + margin).exp(),
                p_value,
            })
        });
        cells.collect()
    }
}
