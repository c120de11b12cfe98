//! Pairs measured as an explorer asks for them, until it knows the machine.
//!
//! What is measured next follows from what was found, so this is no plan of rounds. Each batch goes to a fresh process, which visits every
//! pair of it several times, in random order.

use std::collections::BTreeMap;

use fastrand::Rng;
use nearfar_infer::core_to_core::{Answer as Told, Cost, Explorer, Found};

use super::setup::PairSetup;
use crate::answer::{Answer, Batch, DropReason, Respondent, Visit};
use crate::plan::{Outcome, Stop, Taken};

/// Samples of a pair in one batch.
const SAMPLES: u32 = 3;
/// A median of so few samples is this much less certain than their scatter (1.2533 of a mean of three).
const MEDIAN_OF_FEW: f64 = 1.2533;

/// How far an exploration is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explored {
    /// Pairs measured.
    pub pairs: usize,
    /// Samples heard of the batch that is being measured.
    pub samples: usize,
    /// Samples that it asks for.
    pub wanted: usize,
}

/// Everything that an exploration heard, and what it found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The samples; those of a pair stand in its first CPU's row, in the column of its second CPU's first treatment.
    pub outcome: Outcome,
    /// The structure.
    pub found: Found,
}

/// Has an explorer's pairs measured, with the first treatment, until it asks for no more. `watch` hears of every answer, and of silence; when it
/// returns `false`, the exploration ends as interrupted, with what it has found so far.
pub fn explore<R: Respondent>(
    setup: &PairSetup,
    mut explorer: Explorer,
    seed: u64,
    respondent: &mut R,
    watch: &mut dyn FnMut(Explored) -> bool,
) -> Result<Exploration, R::Error> {
    let mut outcome = Outcome { stopped: Stop::Precise, ..Outcome::default() };
    let mut random = Rng::with_seed(seed);
    loop {
        let pairs = explorer.next_pairs();
        if pairs.is_empty() {
            break;
        }
        let batch = batch(&pairs, setup, outcome.processes, &mut random);
        let mut heard = Heard::default();
        let mut goes_on = true;
        let measured = outcome.readings.len() / SAMPLES as usize;
        respondent.answer(&batch, &mut |answer| {
            answer.into_iter().for_each(|answer| heard.take(answer));
            goes_on = watch(Explored { pairs: measured, samples: heard.samples(), wanted: batch.visits.len() });
            goes_on
        })?;
        outcome.processes += 1;
        outcome.rounds += SAMPLES;
        let costs = heard.costs();
        for &pair in &pairs {
            explorer.tell(pair, heard.of(pair, &costs, setup));
        }
        heard.add_to(&mut outcome, batch.process);
        if !goes_on {
            outcome.stopped = Stop::Interrupted;
            break;
        }
    }
    Ok(Exploration { outcome, found: explorer.finish() })
}

/// Every pair several times, each round in a new order.
fn batch(pairs: &[(usize, usize)], setup: &PairSetup, process: u32, random: &mut Rng) -> Batch {
    let treatments = setup.treatments.len();
    let mut order: Vec<(usize, usize)> = pairs.to_vec();
    let mut visits = Vec::with_capacity(pairs.len() * SAMPLES as usize);
    for round in 0..SAMPLES {
        random.shuffle(&mut order);
        let visit = |&(row, second): &(usize, usize)| Visit {
            round: process * SAMPLES + round,
            row,
            column: second * treatments,
            draw: random.u32(..),
        };
        let of_round: Vec<Visit> = order.iter().map(visit).collect();
        visits.extend(of_round);
    }
    Batch { process, seed: random.u64(..), visits }
}

/// Nanoseconds by row and column.
type Costs = BTreeMap<(usize, usize), Vec<f64>>;

/// What one process said, by row and column.
#[derive(Default)]
struct Heard {
    readings: Vec<crate::Reading>,
    dropped: BTreeMap<(usize, usize), BTreeMap<DropReason, u32>>,
    disturbed: BTreeMap<(u32, DropReason), u32>,
    gone: BTreeMap<usize, String>,
    refused: BTreeMap<(usize, usize), String>,
}

impl Heard {
    fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Reading(reading) => self.readings.push(reading),
            Answer::Dropped { visit, reason } => {
                *self.dropped.entry((visit.row, visit.column)).or_default().entry(reason).or_default() += 1;
                *self.disturbed.entry((visit.round, reason)).or_default() += 1;
            }
            Answer::ColumnUnavailable { column, why } => {
                self.gone.entry(column).or_insert(why);
            }
            Answer::CellUnavailable { row, column, why } => {
                self.refused.entry((row, column)).or_insert(why);
            }
            Answer::WindowsDropped { .. }
            | Answer::Placed { .. }
            | Answer::RowUnavailable { .. }
            | Answer::Frequency { .. } => {}
        }
    }

    fn samples(&self) -> usize {
        self.readings.len()
    }

    /// The samples of every row and column, ascending: a batch may have half a million pairs, so that nobody looks through all for each.
    fn costs(&self) -> Costs {
        let mut costs = Costs::new();
        for reading in &self.readings {
            costs.entry((reading.visit.row, reading.visit.column)).or_default().push(reading.ns.0);
        }
        costs.values_mut().for_each(|costs| costs.sort_by(f64::total_cmp));
        costs
    }

    /// What it says of a pair, as the explorer takes it.
    fn of(&self, (row, second): (usize, usize), costs: &Costs, setup: &PairSetup) -> Told {
        let column = second * setup.treatments.len();
        if let Some(why) = self.gone.get(&column).or_else(|| self.refused.get(&(row, column))) {
            return Told::NotMeasurable(why.clone());
        }
        let costs = costs.get(&(row, column)).map_or(&[][..], Vec::as_slice);
        match costs.get(costs.len() / 2) {
            Some(&median_ns) => Told::Cost(Cost { median_ns, relative_se: relative_error(costs) }),
            None => Told::NotMeasurable(self.reason(row, column)),
        }
    }

    /// Why there is no sample of a pair: what most of its attempts were dropped for.
    fn reason(&self, row: usize, column: usize) -> String {
        let reasons = self.dropped.get(&(row, column)).into_iter().flatten();
        let most = reasons.max_by_key(|(_, count)| **count).map(|(reason, _)| *reason);
        match most {
            Some(DropReason::TimeShared) => {
                "the two CPUs never run at the same time: a hypervisor runs them in turns on one core".to_owned()
            }
            Some(reason) => format!("every attempt was disturbed ({})", reason.name()),
            None => "it was not visited".to_owned(),
        }
    }

    fn add_to(self, outcome: &mut Outcome, process: u32) {
        let (gone, refused) = (self.gone, self.refused);
        let believed = self.readings.into_iter().filter(|crate::Reading { visit, .. }| {
            !gone.contains_key(&visit.column) && !refused.contains_key(&(visit.row, visit.column))
        });
        outcome.readings.extend(believed.map(|reading| Taken { process, reading }));
        for (cell, reasons) in self.dropped {
            let all = outcome.dropped.entry(cell).or_default();
            reasons.into_iter().for_each(|(reason, count)| *all.entry(reason).or_default() += count);
        }
        let disturbed = self.disturbed.into_iter();
        outcome.disturbed.extend(disturbed.map(|((round, reason), count)| ((round, process, reason), count)));
        outcome.unavailable_columns.extend(gone);
        outcome.unavailable_cells.extend(refused);
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

    use nearfar_infer::core_to_core::{Claim, ClaimedCpu, Limits};
    use nearfar_model::{CpuId, CpuSet, Nanoseconds};

    use super::super::setup::{Exchange, Home, LinesJob, Treatment};
    use super::*;
    use crate::Reading;

    /// Two packages of two cache groups of four cores each; the pair (0, 1) runs in turns.
    struct Machine(Rng);

    impl Respondent for Machine {
        type Error = Infallible;

        fn answer(&mut self, batch: &Batch, heard: &mut dyn FnMut(Option<Answer>) -> bool) -> Result<(), Infallible> {
            for &visit in &batch.visits {
                let (a, b) = (visit.row, visit.column / 2);
                let ns = if a / 4 == b / 4 {
                    25.0
                } else if a / 8 == b / 8 {
                    80.0
                } else {
                    190.0
                };
                let answer = match (a.min(b), a.max(b)) {
                    (0, 1) => Answer::Dropped { visit, reason: DropReason::TimeShared },
                    _ => {
                        let ns = Nanoseconds(ns * (1.0 + 0.02 * self.0.f64()));
                        Answer::Reading(Reading { visit, cpu: CpuId(a as u32), page: 0, ns, traffic_bytes_per_s: None })
                    }
                };
                if !heard(Some(answer)) {
                    return Ok(());
                }
            }
            Ok(())
        }
    }

    fn setup() -> PairSetup {
        PairSetup {
            cpus: (0..16).map(CpuId).collect(),
            node_of: vec![0; 16],
            lines: vec![LinesJob { node: None, touch_from: CpuSet::new(), why_not: None }],
            treatments: vec![
                Treatment { exchange: Exchange::Handoff, home: Home::Any },
                Treatment { exchange: Exchange::Clean, home: Home::Any },
            ],
            is_guest: true,
        }
    }

    fn claim() -> Claim {
        let cpu = |cpu: u32| ClaimedCpu { core: Some(cpu), cache_group: Some(cpu / 4), package: Some(cpu / 8) };
        Claim { cpus: (0..16).map(cpu).collect() }
    }

    fn explored(watch: &mut dyn FnMut(Explored) -> bool) -> Exploration {
        let explorer = Explorer::new(claim(), Limits::default(), 1);
        let Ok(exploration) = explore(&setup(), explorer, 1, &mut Machine(Rng::with_seed(1)), watch);
        exploration
    }

    #[test]
    fn the_structure_of_a_machine_is_found_and_pairs_in_turns_have_no_number() {
        let Exploration { outcome, found } = explored(&mut |_| true);
        let groups: Vec<Vec<usize>> = found.cache_groups.iter().map(|group| group.cpus.clone()).collect();
        assert_eq!(groups, [0..4, 4..8, 8..12, 12..16].map(Vec::from_iter));
        assert_eq!(found.packages.len(), 2);
        assert!(found.not_measured[0].why.contains("in turns on one core"), "{found:?}");
        assert!(outcome.readings.iter().all(|taken| (taken.reading.visit.row, taken.reading.visit.column) != (0, 2)));
        assert_eq!(outcome.stopped, Stop::Precise);
        let in_turns = outcome.disturbed.iter().map(|((round, process, _), &count)| (*round, *process, count));
        assert!(in_turns.clone().count() > 0);
        assert!(in_turns.clone().all(|(round, process, _)| round / SAMPLES == process && round < outcome.rounds));
        let by_cell: u32 = outcome.dropped.values().flat_map(|reasons| reasons.values()).sum();
        assert_eq!(in_turns.map(|(.., count)| count).sum::<u32>(), by_cell);
    }

    #[test]
    fn it_ends_when_nobody_wants_to_hear_more() {
        let mut answers = 0;
        let Exploration { outcome, .. } = explored(&mut |_| {
            answers += 1;
            answers < 10
        });
        assert_eq!(outcome.stopped, Stop::Interrupted);
        assert!(answers == 10);
    }

    #[test]
    fn scatter_becomes_an_error_of_the_median() {
        assert_eq!(relative_error(&[50.0, 50.0, 50.0]), 0.0);
        assert!((relative_error(&[99.0, 100.0, 101.0]) - 0.00855).abs() < 1e-4);
        assert_eq!((relative_error(&[]), relative_error(&[7.0])), (0.0, 0.0));
    }
}
