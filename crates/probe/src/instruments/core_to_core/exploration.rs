//! Measures pairs that an explorer selects, until the structure is known.
//!
//! The next pairs depend on earlier results, so there is no fixed plan of rounds. Each batch goes
//! to a fresh process, which visits every pair several times, in random order.

use std::collections::BTreeMap;

use fastrand::Rng;
use nearfar_infer::core_to_core::{CpuStructure, Explorer, HandoffCost, PairResult as PairAnswer};
use nearfar_model::CellIndex;

use crate::plan::{BatchResult, PlanOutcome, PlanStopReason, by_place};
use crate::worker_message::{Batch, BatchExecutor, DropReason, PlanScope, Visit};

/// Samples of a pair in one batch.
const SAMPLES: u32 = 3;
/// The standard error of a median over that of a mean, for three samples.
const MEDIAN_OF_FEW: f64 = 1.2533;

/// The progress of an exploration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplorationProgress {
    /// Pairs measured.
    pub pairs: usize,
    /// Samples received of the current batch.
    pub samples: usize,
    /// Samples that the batch requests.
    pub wanted: usize,
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The samples, of the first treatment.
    pub outcome: PlanOutcome,
    /// The structure.
    pub found: CpuStructure,
}

/// Measures the explorer's pairs with the first treatment, until it requests no more. `watch` is
/// called with every message, and several times a second without one. When it returns `false`, the
/// exploration ends as interrupted and keeps its results.
pub fn explore<R: BatchExecutor>(
    mut explorer: Explorer,
    seed: u64,
    executor: &mut R,
    watch: &mut dyn FnMut(ExplorationProgress) -> bool,
) -> Result<Exploration, R::Error> {
    let mut outcome = PlanOutcome { stopped: PlanStopReason::Precise, ..PlanOutcome::default() };
    let mut random = Rng::with_seed(seed);
    loop {
        let pairs = explorer.next_pairs();
        if pairs.is_empty() {
            break;
        }
        let batch = batch(&pairs, outcome.processes, &mut random);
        let mut batch_result = BatchResult::default();
        let mut goes_on = true;
        let measured = outcome.samples.len() / SAMPLES as usize;
        executor.execute(&batch, &mut |answer| {
            answer.into_iter().for_each(|answer| batch_result.take(answer));
            goes_on = watch(ExplorationProgress {
                pairs: measured,
                samples: batch_result.samples.len(),
                wanted: batch.visits.len(),
            });
            goes_on
        })?;
        outcome.processes += 1;
        outcome.rounds += SAMPLES;
        let result = PairResults::from_batch_result(&batch_result);
        for &pair in &pairs {
            explorer.record(pair, result.answer(pair));
        }
        outcome.add(batch.process, batch_result);
        outcome.unavailable.extend(result.failed);
        if !goes_on {
            outcome.stopped = PlanStopReason::Interrupted;
            break;
        }
    }
    Ok(Exploration { outcome, found: explorer.finish() })
}

/// Every pair several times, each round in a new order.
fn batch(pairs: &[(usize, usize)], process: u32, random: &mut Rng) -> Batch {
    let mut order: Vec<(usize, usize)> = pairs.to_vec();
    let mut visits = Vec::with_capacity(pairs.len() * SAMPLES as usize);
    for round in 0..SAMPLES {
        random.shuffle(&mut order);
        let visit = |&(row, second): &(usize, usize)| Visit {
            process,
            round: process * SAMPLES + round,
            place: CellIndex::new(row, second),
            draw: random.u32(..),
        };
        let of_round: Vec<Visit> = order.iter().map(visit).collect();
        visits.extend(of_round);
    }
    Batch { process, seed: random.u64(..), visits }
}

/// One process's results for each pair: ascending samples, and why attempts were dropped. Indexed
/// by pair, since a batch may have half a million.
struct PairResults {
    costs: BTreeMap<CellIndex, Vec<f64>>,
    dropped: BTreeMap<CellIndex, BTreeMap<DropReason, u32>>,
    failed: BTreeMap<PlanScope, String>,
}

impl PairResults {
    fn from_batch_result(batch_result: &BatchResult) -> Self {
        let mut costs: BTreeMap<CellIndex, Vec<f64>> = BTreeMap::new();
        for sample in &batch_result.samples {
            costs.entry(sample.place).or_default().push(sample.value);
        }
        costs.values_mut().for_each(|costs| costs.sort_by(f64::total_cmp));
        Self {
            costs,
            dropped: by_place(&batch_result.dropped),
            failed: batch_result.failed.clone(),
        }
    }

    /// The result of a pair for the explorer.
    fn answer(&self, (row, second): (usize, usize)) -> PairAnswer {
        let place = CellIndex::new(row, second);
        if let Some(why) =
            PlanScope::containing(place).iter().find_map(|scope| self.failed.get(scope))
        {
            return PairAnswer::NotMeasurable(why.clone());
        }
        let costs = self.costs.get(&place).map_or(&[][..], Vec::as_slice);
        match costs.get(costs.len() / 2) {
            Some(&median_ns) => {
                PairAnswer::Measured(HandoffCost { median_ns, relative_se: relative_error(costs) })
            }
            None => PairAnswer::NotMeasurable(self.reason(place)),
        }
    }

    /// Why a pair has no sample: the most frequent drop reason.
    fn reason(&self, place: CellIndex) -> String {
        let reasons = self.dropped.get(&place).into_iter().flatten();
        let most = reasons.max_by_key(|(_, count)| **count).map(|(reason, _)| *reason);
        match most {
            Some(DropReason::TimeShared) => "the two CPUs never run at the same time: a \
                                             hypervisor time-shares one core between them"
                .to_owned(),
            Some(reason) => format!("every attempt was disturbed ({})", reason.name()),
            None => "it was not visited".to_owned(),
        }
    }
}

/// Half the range of ascending costs over their median, as a standard error of it.
fn relative_error(costs: &[f64]) -> f64 {
    let (Some(first), Some(last)) = (costs.first(), costs.last()) else { return 0.0 };
    if costs.len() < 2 {
        return 0.0;
    }
    // The range of three normal samples is 1.69 standard deviations on average.
    let sd = (last - first) / 1.693;
    MEDIAN_OF_FEW * sd / (costs.len() as f64).sqrt() / costs[costs.len() / 2]
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use nearfar_infer::core_to_core::{ClaimedCpu, ExplorerLimits, TopologyClaim};
    use nearfar_model::CpuId;

    use super::*;
    use crate::WorkerMessage;

    /// Two packages of two cache groups of four cores each; the pair (0, 1) shares one core.
    struct FakePairs(Rng);

    impl BatchExecutor for FakePairs {
        type Error = Infallible;

        fn execute(
            &mut self,
            batch: &Batch,
            batch_result: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
        ) -> Result<(), Infallible> {
            for &visit in &batch.visits {
                assert_eq!(visit.place.treatment, 0, "the first treatment");
                let (a, b) = (visit.place.row, visit.place.column);
                let ns = if a / 4 == b / 4 {
                    25.0
                } else if a / 8 == b / 8 {
                    80.0
                } else {
                    190.0
                };
                let answer = match (a.min(b), a.max(b)) {
                    (0, 1) => WorkerMessage::dropped(visit, DropReason::TimeShared),
                    _ => WorkerMessage::Sample(visit.sample(
                        CpuId(a as u32),
                        0,
                        ns * (1.0 + 0.02 * self.0.f64()),
                    )),
                };
                if !batch_result(Some(answer)) {
                    return Ok(());
                }
            }
            Ok(())
        }
    }

    fn claim() -> TopologyClaim {
        let cpu = |cpu: u32| ClaimedCpu {
            core: Some(cpu),
            cache_group: Some(cpu / 4),
            package: Some(cpu / 8),
        };
        TopologyClaim { cpus: (0..16).map(cpu).collect() }
    }

    fn explored(watch: &mut dyn FnMut(ExplorationProgress) -> bool) -> Exploration {
        let explorer = Explorer::new(claim(), ExplorerLimits::default(), 1);
        let Ok(exploration) = explore(explorer, 1, &mut FakePairs(Rng::with_seed(1)), watch);
        exploration
    }

    #[test]
    fn time_shared_pairs_have_no_figure() {
        let Exploration { outcome, found } = explored(&mut |_| true);
        let groups: Vec<Vec<usize>> =
            found.cache_groups.iter().map(|group| group.cpus.clone()).collect();
        assert_eq!(groups, [0..4, 4..8, 8..12, 12..16].map(Vec::from_iter));
        assert_eq!(found.packages.len(), 2);
        assert!(
            found.not_measured.keys().any(|why| why.contains("time-shares one core")),
            "{found:?}"
        );
        assert!(outcome.samples.iter().all(|sample| sample.place != CellIndex::new(0, 1)));
        assert_eq!(outcome.stopped, PlanStopReason::Precise);
        let time_shared = outcome.dropped.iter().map(|dropped| dropped.visit);
        assert!(time_shared.clone().count() > 0);
        assert!(time_shared.clone().all(
            |visit| visit.round / SAMPLES == visit.process && visit.round < outcome.rounds
        ));
    }

    #[test]
    fn exploration_ends_when_interrupted() {
        let mut answers = 0;
        let Exploration { outcome, .. } = explored(&mut |_| {
            answers += 1;
            answers < 10
        });
        assert_eq!(outcome.stopped, PlanStopReason::Interrupted);
        assert!(answers == 10);
    }

    #[test]
    fn scatter_gives_the_medians_standard_error() {
        assert_eq!(relative_error(&[50.0, 50.0, 50.0]), 0.0);
        assert!((relative_error(&[99.0, 100.0, 101.0]) - 0.00855).abs() < 1e-4);
        assert_eq!((relative_error(&[]), relative_error(&[7.0])), (0.0, 0.0));
    }
}
