//! Trials of weights: batches are measured, and a search selects the next ones.

use std::time::Duration;

use nearfar_infer::SampleMatrix;
use nearfar_infer::weight_search::{WeightLimits, WeightSearch};
use nearfar_model::{CellIndex, MatrixShape, Unit};
use nearfar_probe::interleave::{InterleaveSetup, InterleaveTreatment};
use nearfar_probe::{Kernel, Plan, PlanLimits, Work};

use crate::Mode;
use crate::measure::{ExperimentRun, MeasureError, StartSpacing, Turn};

/// The bandwidth of weights in bytes per second, and its relative standard error; `None` if it
/// could not be measured.
pub(super) type WeightBandwidths = Vec<((usize, InterleaveTreatment), Option<(f64, f64)>)>;

/// The limit on weights as good as the best in the final comparison.
const MAX_CONTENDERS: usize = 6;

/// Batches of weights, each with its own processes, in one run.
pub(super) struct WeightTrials<'w, 't> {
    turn: &'w mut Turn<'t>,
    begun: Duration,
    pub(super) setup: InterleaveSetup,
    pub(super) mode: Mode,
    pub(super) run: ExperimentRun,
    batches: u64,
}

impl<'w, 't> WeightTrials<'w, 't> {
    pub(super) fn new(
        turn: &'w mut Turn<'t>,
        run: ExperimentRun,
        setup: InterleaveSetup,
        mode: Mode,
    ) -> Self {
        let begun = turn.backend.elapsed();
        Self { turn, begun, setup, mode, run, batches: 0 }
    }

    /// Whether the search has reached its time limit.
    pub(super) fn is_out_of_time(&self) -> bool {
        let taken = self.turn.backend.elapsed().saturating_sub(self.begun);
        taken > timeout(self.mode) || self.turn.left().is_some_and(|left| left.is_zero())
    }

    /// Measures these treatments interleaved, in a plan of this name.
    pub(super) fn measure(
        &mut self,
        wanted: &[(usize, InterleaveTreatment)],
        limits: PlanLimits,
        name: &str,
    ) -> Result<WeightBandwidths, MeasureError> {
        let place = |(row, treatment): &(usize, InterleaveTreatment)| {
            CellIndex::new(*row, 0).with_treatment(self.index_of(treatment))
        };
        let places: Vec<CellIndex> = wanted.iter().map(place).collect();
        let plan = plan(places, limits, self.run.seed.wrapping_add(self.batches));
        let work = Work::Interleave(self.setup.clone());
        let outcome = self.turn.run(&plan, work, StartSpacing::AtOnce, name)?;
        self.batches += 1;
        let shape = MatrixShape {
            rows: self.setup.rows.len(),
            columns: 1,
            treatments: self.setup.treatments.len(),
        };
        let estimates =
            nearfar_infer::estimates(&SampleMatrix::new(shape, &outcome.samples)?, self.run.seed);
        let figure = |&place: &CellIndex| {
            let estimate = estimates.get(place.row)?.get(shape.index_in_row(place))?.as_ref()?;
            Some((Unit::BytesPerSecond.figure(estimate.median_ns), estimate.se))
        };
        let measured = wanted.iter().cloned().zip(plan.places.iter().map(figure)).collect();
        self.run.add(&plan.places, outcome);
        Ok(measured)
    }

    /// The index of a treatment, added if it is new.
    fn index_of(&mut self, treatment: &InterleaveTreatment) -> usize {
        let known = self.setup.treatments.iter().position(|known| known == treatment);
        known.unwrap_or_else(|| {
            self.setup.treatments.push(treatment.clone());
            self.setup.treatments.len() - 1
        })
    }
}

/// A plan that visits these places.
pub(super) fn plan(places: Vec<CellIndex>, limits: PlanLimits, seed: u64) -> Plan {
    Plan { places, controls: vec![], limits, seed }
}

/// The time limit of a search.
pub(super) const fn timeout(mode: Mode) -> Duration {
    match mode {
        Mode::Quick => Duration::from_secs(60),
        Mode::Default => Duration::from_secs(300),
        Mode::Thorough => Duration::from_secs(1800),
    }
}

/// Limits that suffice to find the direction of improvement.
pub(super) fn coarse(mode: Mode) -> PlanLimits {
    let (first_rounds, max_rounds) = match mode {
        Mode::Quick => (4, 4),
        Mode::Default => (6, 10),
        Mode::Thorough => (10, 30),
    };
    PlanLimits {
        first_rounds,
        first_rounds_per_process: 2,
        step_rounds: 2,
        max_rounds,
        standard_error: 0.01,
        deadline: Some(timeout(mode)),
        ..mode.limits()
    }
}

/// Limits that suffice to find the best.
pub(super) fn fine(mode: Mode) -> PlanLimits {
    let (max_rounds, standard_error) = match mode {
        Mode::Quick => (8, 0.01),
        Mode::Default => (24, 0.005),
        Mode::Thorough => (80, 0.0025),
    };
    PlanLimits { first_rounds: 6, step_rounds: 4, max_rounds, standard_error, ..coarse(mode) }
}

/// The search of one row and kernel.
pub(super) struct RowSearch {
    row: usize,
    kernel: Kernel,
    nodes: usize,
    search: WeightSearch,
}

impl RowSearch {
    /// Starts from the rates of single nodes, with all known results.
    pub(super) fn new(
        row: usize,
        kernel: Kernel,
        nodes: usize,
        limits: WeightLimits,
        measured: &WeightBandwidths,
    ) -> Self {
        let alone = |node: usize| {
            let only: Vec<u32> = (0..nodes).map(|other| u32::from(other == node)).collect();
            let own = measured.iter().find(|((at, treatment), _)| {
                *at == row && treatment.kernel == Some(kernel) && treatment.weights == only
            });
            own.and_then(|(_, figure)| figure.map(|(rate, _)| rate)).unwrap_or(0.0)
        };
        let alone: Vec<f64> = (0..nodes).map(alone).collect();
        let mut this = Self { row, kernel, nodes, search: WeightSearch::new(&alone, limits) };
        measured.iter().for_each(|((at, treatment), figure)| this.add_one(*at, treatment, *figure));
        this
    }

    /// The treatments to measure next.
    pub(super) fn wanted(&mut self) -> Vec<(usize, InterleaveTreatment)> {
        let (row, kernel) = (self.row, self.kernel);
        let next = self.search.next_weights();
        next.into_iter()
            .map(|weights| (row, InterleaveTreatment { weights, kernel: Some(kernel) }))
            .collect()
    }

    pub(super) fn add(&mut self, measured: &WeightBandwidths) {
        measured
            .iter()
            .for_each(|((row, treatment), figure)| self.add_one(*row, treatment, *figure));
    }

    fn add_one(&mut self, row: usize, treatment: &InterleaveTreatment, figure: Option<(f64, f64)>) {
        if row == self.row && treatment.kernel == Some(self.kernel) {
            let (rate, se) = figure.unwrap_or((f64::NAN, 0.0));
            self.search.record(&treatment.weights, rate, se);
        }
    }

    /// The best weights so far.
    pub(super) fn best(&self) -> Option<Vec<u32>> {
        self.search.finish().map(|found| found.best.weights)
    }

    /// The candidates: the best, those as good, equal weights, and the kernel's weights.
    pub(super) fn contenders(
        &self,
        kernel_weights: Option<&[u32]>,
    ) -> Vec<(usize, InterleaveTreatment)> {
        let mut all = vec![vec![1; self.nodes]];
        all.extend(kernel_weights.map(<[u32]>::to_vec));
        if let Some(found) = self.search.finish() {
            all.push(found.best.weights);
            all.extend(found.as_good.into_iter().take(MAX_CONTENDERS).map(|other| other.weights));
        }
        all.into_iter()
            .map(|weights| (self.row, InterleaveTreatment { weights, kernel: Some(self.kernel) }))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(rates: &[(&[u32], f64)]) -> WeightBandwidths {
        let one = |(weights, rate): &(&[u32], f64)| {
            (
                (0, InterleaveTreatment { weights: weights.to_vec(), kernel: Some(Kernel::Read) }),
                Some((*rate, 0.002)),
            )
        };
        rates.iter().map(one).collect()
    }

    #[test]
    fn a_search_starts_with_single_node_rates() {
        let give = |weights: &[u32]| {
            let sum = f64::from(weights.iter().sum::<u32>());
            let node = |(weight, rate): (&u32, f64)| rate * sum / f64::from((*weight).max(1));
            let used = weights.iter().zip([113.3, 25.0]).filter(|(weight, _)| **weight > 0);
            used.map(node).fold(f64::INFINITY, f64::min)
        };
        let first = measured(&[(&[1, 0], 113.3), (&[0, 1], 25.0), (&[1, 1], 50.0)]);
        let mut search = RowSearch::new(0, Kernel::Read, 2, WeightLimits::default(), &first);
        let mut requested = Vec::new();
        loop {
            let wanted = search.wanted();
            if wanted.is_empty() {
                break;
            }
            let rates: Vec<(Vec<u32>, f64)> = wanted
                .into_iter()
                .map(|(_, treatment)| (treatment.weights.clone(), give(&treatment.weights)))
                .collect();
            requested.extend(rates.iter().map(|rate| rate.0.clone()));
            search.add(&measured(
                &rates.iter().map(|(weights, rate)| (&weights[..], *rate)).collect::<Vec<_>>(),
            ));
        }
        assert_eq!(requested[0], [9, 2]);
        assert_eq!(search.best(), Some(vec![9, 2]));
        let left = search.contenders(Some(&[3, 1]));
        assert!(left.iter().any(|(_, treatment)| treatment.weights == [3, 1]), "{left:?}");
    }

    #[test]
    fn unmeasurable_weights_end_the_search() {
        let gone: WeightBandwidths = measured(&[(&[1, 0], 1.0), (&[0, 1], 1.0), (&[1, 1], 1.0)])
            .into_iter()
            .map(|(what, _)| (what, None))
            .collect();
        let mut search = RowSearch::new(0, Kernel::Read, 2, WeightLimits::default(), &gone);
        assert_eq!((search.wanted().len(), search.best()), (0, None));
    }
}
