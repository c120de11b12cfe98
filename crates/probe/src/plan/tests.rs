//! Plans on replayed machines.

mod troubles;

use std::cell::Cell;
use std::time::Duration;

use nearfar_infer::{Numa, NumaVerdict, SampleMatrix, verdict};
use nearfar_model::{MatrixShape, Sample};

use super::*;
use crate::{PlanScope, Replay, ReplayNoise, WorkerMessage};

/// Two sockets, NPS2, and a CXL expander (published MLC run).
const EPYC_9224: [[f64; 5]; 4] = [
    [107.5, 117.1, 200.7, 200.7, 279.4],
    [115.8, 106.8, 199.9, 199.9, 278.8],
    [200.0, 200.1, 106.8, 115.8, 363.8],
    [199.0, 199.0, 115.6, 105.9, 363.5],
];
/// Two nodes shown, measured flat (published MLC run).
const XEON_E5_2630V4_INTERLEAVED: [[f64; 2]; 2] = [[106.9, 106.9], [107.2, 107.2]];

fn plan(rows: usize, columns: usize, limits: PlanLimits, seed: u64) -> Plan {
    let places = (0..rows)
        .flat_map(|row| (0..columns).map(move |column| CellIndex::new(row, column)))
        .collect();
    Plan { places, controls: vec![], limits, seed }
}

fn matrix<const ROWS: usize, const COLUMNS: usize>(costs: [[f64; COLUMNS]; ROWS]) -> Vec<Vec<f64>> {
    costs.iter().map(|row| row.to_vec()).collect()
}

fn execute_plan(plan: &Plan, machine: Vec<Vec<f64>>, noise: ReplayNoise) -> PlanOutcome {
    let mut replay = Replay::new(machine, noise, plan.seed);
    let Ok(outcome) = run(plan, &mut replay, &|| Duration::ZERO, &mut |_| true);
    outcome
}

/// The samples inside the matrix.
fn matrix_of(outcome: &PlanOutcome, rows: usize, columns: usize) -> SampleMatrix {
    let inside = outcome.samples.iter().copied().filter(|sample| sample.place.column < columns);
    SampleMatrix::new(MatrixShape::new(rows, columns), &inside.collect::<Vec<_>>()).unwrap()
}

fn judge(machine: Vec<Vec<f64>>, noise: ReplayNoise, limits: PlanLimits, seed: u64) -> NumaVerdict {
    let (rows, columns) = (machine.len(), machine[0].len());
    let outcome = execute_plan(&plan(rows, columns, limits, seed), machine, noise);
    verdict(&matrix_of(&outcome, rows, columns), 0.05, seed)
}

#[test]
fn quick_plans_detect_real_numa_machines() {
    let two_sockets = [[[78.6, 144.1], [144.7, 78.5]], [[85.0, 136.3], [137.2, 84.2]]];
    for seed in 0..3 {
        let epyc = judge(matrix(EPYC_9224), ReplayNoise::default(), PlanLimits::quick(), seed);
        assert_eq!(epyc.numa, Numa::Yes, "{epyc:?}");
        let effect = epyc.effect.unwrap();
        assert!((effect / 2.434 - 1.0).abs() < 0.1, "{effect}");
        for xeon in two_sockets {
            let xeon = judge(matrix(xeon), ReplayNoise::default(), PlanLimits::quick(), seed);
            assert_eq!(xeon.numa, Numa::Yes, "{xeon:?}");
        }
    }
}

#[test]
fn a_flat_machine_ends_in_no() {
    let verdicts = (0..10).map(|seed| {
        judge(matrix(XEON_E5_2630V4_INTERLEAVED), ReplayNoise::default(), PlanLimits::usual(), seed)
    });
    let no = verdicts.filter(|verdict| verdict.numa == Numa::No).count();
    assert!(no >= 9, "{no} of 10");
}

#[test]
fn three_percent_is_never_called_numa() {
    for seed in 0..20 {
        let verdict = judge(
            matrix([[100.0, 103.0], [103.0, 100.0]]),
            ReplayNoise::default(),
            PlanLimits::usual(),
            seed,
        );
        assert_ne!(verdict.numa, Numa::Yes, "seed {seed}: {verdict:?}");
    }
}

#[test]
fn a_plan_stops_once_every_cell_is_precise() {
    let plan = plan(2, 2, PlanLimits::usual(), 1);
    let calm = ReplayNoise { cv: 0.005, process_sd: 0.0, round_sd: 0.0, ..ReplayNoise::default() };
    let outcome = execute_plan(&plan, matrix(XEON_E5_2630V4_INTERLEAVED), calm);
    assert_eq!(
        (outcome.stopped, outcome.rounds, outcome.processes),
        (PlanStopReason::Precise, 15, 5)
    );
    assert!(outcome.worst_standard_error(&plan.places, plan.seed).unwrap() <= 0.005);
}

#[test]
fn noisy_plans_stop_at_the_round_limit() {
    let loud = ReplayNoise { cv: 0.2, ..ReplayNoise::default() };
    let outcome =
        execute_plan(&plan(2, 2, PlanLimits::quick(), 1), matrix(XEON_E5_2630V4_INTERLEAVED), loud);
    assert_eq!(
        (outcome.stopped, outcome.rounds, outcome.processes),
        (PlanStopReason::RoundLimit, 25, 7)
    );
}

#[test]
fn controls_are_visited_but_precision_does_not_wait_for_them() {
    let plan = Plan { controls: vec![CellIndex::new(0, 2)], ..plan(1, 2, PlanLimits::quick(), 1) };
    let calm = ReplayNoise { cv: 0.01, process_sd: 0.0, ..ReplayNoise::default() };
    let outcome = execute_plan(&plan, vec![vec![80.0, 120.0, 80.0]], calm);
    assert_eq!(outcome.stopped, PlanStopReason::Precise);
    let visits_of_control = outcome.samples.iter().filter(|sample| sample.place.column == 2);
    assert_eq!(visits_of_control.count(), 15);
    // A control without samples has no error that could fall.
    let without = execute_plan(&plan, vec![vec![80.0, 120.0]], calm);
    assert_eq!((without.stopped, without.rounds), (PlanStopReason::Precise, 15));
}

#[test]
fn a_column_without_memory_is_reported() {
    let machine = vec![vec![80.0, -1.0, 140.0], vec![140.0, -1.0, 80.0]];
    let outcome =
        execute_plan(&plan(2, 3, PlanLimits::quick(), 1), machine, ReplayNoise::default());
    assert_eq!(outcome.unavailable.keys().collect::<Vec<_>>(), [&PlanScope::Column(1)]);
    assert!(outcome.samples.iter().all(|sample| sample.place.column != 1));
    assert_eq!(verdict(&matrix_of(&outcome, 2, 3), 0.05, 1).numa, Numa::Yes);
}

#[test]
fn a_machine_without_memory_is_nothing_to_measure() {
    let outcome = execute_plan(
        &plan(1, 2, PlanLimits::quick(), 1),
        vec![vec![f64::NAN, -1.0]],
        ReplayNoise::default(),
    );
    assert_eq!((outcome.stopped, outcome.samples.len()), (PlanStopReason::NothingToMeasure, 0));
    let nothing = execute_plan(&plan(0, 0, PlanLimits::quick(), 1), vec![], ReplayNoise::default());
    assert_eq!((nothing.stopped, nothing.processes), (PlanStopReason::NothingToMeasure, 0));
}

#[test]
fn an_interrupted_plan_keeps_its_samples() {
    let plan = plan(2, 2, PlanLimits::usual(), 1);
    let mut replay = Replay::new(matrix(XEON_E5_2630V4_INTERLEAVED), ReplayNoise::default(), 1);
    let Ok(outcome) =
        run(&plan, &mut replay, &|| Duration::ZERO, &mut |progress| progress.samples < 20);
    assert_eq!((outcome.stopped, outcome.samples.len()), (PlanStopReason::Interrupted, 20));
    assert!(outcome.rounds < 6);
}

#[test]
fn no_batch_starts_that_would_miss_the_deadline() {
    let deadline = Some(Duration::from_secs(10));
    let plan = plan(1, 2, PlanLimits { deadline, ..PlanLimits::thorough() }, 1);
    let mut replay =
        Replay::new(vec![vec![80.0, 80.0]], ReplayNoise { cv: 0.2, ..ReplayNoise::default() }, 1);
    let answers = Cell::new(0u32);
    let elapsed = || Duration::from_millis(200) * answers.get();
    let Ok(outcome) = run(&plan, &mut replay, &elapsed, &mut |_| {
        answers.set(answers.get() + 1);
        true
    });
    assert_eq!(outcome.stopped, PlanStopReason::TimeLimit);
    assert!(
        outcome.rounds >= 15 && elapsed() <= Duration::from_secs(10),
        "{} {:?}",
        outcome.rounds,
        elapsed()
    );
}

#[test]
fn a_promised_time_ends_disturbed_plans_alone() {
    let promised = Some((Duration::from_secs(1), 4));
    let plan = plan(1, 2, PlanLimits { promised, ..PlanLimits::quick() }, 1);
    let processes = |dropped_share| {
        let noise = ReplayNoise { cv: 0.2, dropped_share, ..ReplayNoise::default() };
        let mut replay = Replay::new(vec![vec![80.0, 80.0]], noise, 1);
        let Ok(outcome) = run(&plan, &mut replay, &|| Duration::from_secs(2), &mut |_| true);
        (outcome.processes, outcome.stopped)
    };
    assert_eq!(processes(0.0), (7, PlanStopReason::RoundLimit));
    assert_eq!(processes(0.4), (4, PlanStopReason::TimeLimit));
}

/// A worker that never sends a message.
struct Silent;

impl BatchExecutor for Silent {
    type Error = std::convert::Infallible;

    fn execute(
        &mut self,
        _: &Batch,
        on_message: &mut dyn FnMut(Option<WorkerMessage>) -> bool,
    ) -> Result<(), Self::Error> {
        while on_message(None) {}
        Ok(())
    }
}

#[test]
fn a_silent_worker_ends_at_the_deadline() {
    let plan = plan(
        2,
        2,
        PlanLimits { deadline: Some(Duration::from_secs(10)), ..PlanLimits::usual() },
        1,
    );
    let polls = Cell::new(0u32);
    let elapsed = || Duration::from_secs(1) * polls.get();
    let wait_for = |most: u32| {
        polls.set(0);
        let Ok(outcome) = run(&plan, &mut Silent, &elapsed, &mut |_| {
            polls.set(polls.get() + 1);
            polls.get() < most
        });
        (outcome.stopped, polls.get())
    };
    assert_eq!(wait_for(5), (PlanStopReason::Interrupted, 5));
    assert_eq!(wait_for(100), (PlanStopReason::TimeLimit, 11));
}

#[test]
fn every_visit_has_a_sample_or_is_dropped() {
    let noisy = ReplayNoise { dropped_share: 0.5, ..ReplayNoise::default() };
    let outcome = execute_plan(&plan(1, 2, PlanLimits::quick(), 1), vec![vec![80.0, 80.0]], noisy);
    assert_eq!(outcome.samples.len() + outcome.dropped.len(), 2 * outcome.rounds as usize);
    assert!(outcome.dropped.len() > 5);
    let counted: u32 =
        outcome.dropped_by_place().values().flat_map(|reasons| reasons.values()).sum();
    assert_eq!(counted as usize, outcome.dropped.len());
}

#[test]
fn appended_plans_keep_rounds_in_one_process() {
    let noisy = ReplayNoise { dropped_share: 0.5, ..ReplayNoise::default() };
    let collected =
        |seed| execute_plan(&plan(1, 2, PlanLimits::quick(), seed), vec![vec![80.0, 80.0]], noisy);
    let (mut all, second) = (collected(1), collected(2));
    let (rounds, processes, count) =
        (all.rounds, all.processes, all.dropped.len() + second.dropped.len());
    all.append(second);
    assert_eq!(all.dropped.len(), count);
    assert!(
        all.dropped
            .iter()
            .any(|dropped| dropped.visit.round >= rounds && dropped.visit.process >= processes)
    );
    let mut process_of = std::collections::BTreeMap::new();
    for (round, process) in all.attempts() {
        assert_eq!(*process_of.entry(round).or_insert(process), process);
        assert!(round < all.rounds && process < all.processes);
    }
}

#[test]
fn interrupted_rounds_count_when_appending() {
    let attempt = |round| Sample::new(0, round, CellIndex::new(0, 0), 80.0);
    let mut cut = PlanOutcome {
        rounds: 3,
        processes: 1,
        samples: vec![attempt(4)],
        ..PlanOutcome::default()
    };
    cut.append(PlanOutcome {
        rounds: 1,
        processes: 1,
        samples: vec![attempt(0)],
        ..PlanOutcome::default()
    });
    assert_eq!(cut.attempts().collect::<Vec<_>>(), [(4, 0), (5, 1)]);
    assert_eq!((cut.rounds, cut.processes), (6, 2));
}

#[test]
fn the_same_seed_replays_the_same_outcome() {
    let once = |seed| {
        execute_plan(
            &plan(2, 2, PlanLimits::quick(), seed),
            matrix(XEON_E5_2630V4_INTERLEAVED),
            ReplayNoise::default(),
        )
    };
    assert_eq!(once(4), once(4));
    assert_ne!(once(4).samples, once(5).samples);
}
