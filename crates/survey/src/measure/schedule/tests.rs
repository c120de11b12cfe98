//! Schedules of simulated experiments, whose standard error falls with the square root of their
//! turns.

use proptest::prelude::*;

use super::*;
use crate::measure::tests::{Clock, Scripted, Shared};

/// Experiments with these uncertainties; a minimal turn takes 10 s, a further one 2 s.
fn machine(scatters: &[f64]) -> Vec<Scripted> {
    let one = |&scatter: &f64| Scripted { scatter, ..Scripted::default() };
    scatters.iter().map(one).collect()
}

/// Schedules them: the allocations, and the end in seconds.
fn run(simulated: &mut [Scripted], budget: Option<u64>) -> (Vec<Allocation>, f64) {
    let shared: Vec<Shared> = simulated.iter().cloned().map(Shared::new).collect();
    let mut experiments: Vec<Box<dyn Experiment>> =
        shared.iter().map(|one| Box::new(one.clone()) as Box<dyn Experiment>).collect();
    let mut clock = Clock::default();
    let allocations = schedule(&mut experiments, budget.map(Duration::from_secs), &mut clock);
    for (one, shared) in simulated.iter_mut().zip(shared) {
        *one = shared.0.borrow().clone();
    }
    (allocations, clock.elapsed().as_secs_f64())
}

fn turns(allocations: &[Allocation]) -> Vec<u32> {
    allocations.iter().map(|allocation| allocation.turns).collect()
}

#[test]
fn time_goes_to_the_least_certain() {
    let (allocations, end) = run(&mut machine(&[2.0, 9.0, 0.5]), Some(60));
    // 30 s of minimal turns leave fifteen further ones, all for the second: nine times its target
    // is three times after nine.
    assert_eq!(turns(&allocations), [1, 16, 1]);
    assert!((end - 60.0).abs() < 1e-9);
}

#[test]
fn experiments_that_never_reach_their_target_take_turns() {
    let (allocations, _) = run(&mut machine(&[100.0, 900.0, 3.9]), Some(50));
    assert_eq!(turns(&allocations), [6, 6, 1]);
}

#[test]
fn measuring_stops_when_all_are_precise() {
    let (allocations, end) = run(&mut machine(&[2.0, 3.0, 0.5]), Some(3_600));
    assert_eq!(turns(&allocations), [4, 9, 1]);
    assert!(end < 60.0, "{end}");
}

#[test]
fn an_experiment_without_time_reports_its_need() {
    let mut simulated = machine(&[1.0, 1.0, 1.0]);
    simulated[1].expected_s[0] = 100.0;
    let (allocations, _) = run(&mut simulated, Some(25));
    assert_eq!(allocations[1].needs, Some(Duration::from_secs(100)));
    assert_eq!(turns(&allocations), [1, 0, 1]);
}

#[test]
fn a_slow_machine_is_detected_early() {
    let mut simulated = machine(&[1.0, 1.0]);
    simulated.iter_mut().for_each(|one| one.pace = 2.0);
    let (allocations, _) = run(&mut simulated, Some(35));
    assert_eq!((allocations[0].turns, allocations[1].needs), (1, Some(Duration::from_secs(20))));
}

#[test]
fn a_skipped_experiment_starts_late_if_time_remains() {
    let mut simulated = machine(&[1.0, 1.0, 1.0]);
    (simulated[0].pace, simulated[1].expected_s[0], simulated[2].expected_s[0]) = (5.0, 15.0, 10.0);
    simulated[2].pace = 0.1;
    // 50 of 100 s are over when the second would take 75 s; after the third it seems to take 38 s
    // of 49.
    let (allocations, _) = run(&mut simulated, Some(100));
    assert_eq!((allocations[1].turns, allocations[1].needs), (1, None));
}

#[test]
fn a_failure_does_not_affect_others() {
    let mut simulated = machine(&[1.0, 5.0, 1.0]);
    simulated[1].fails_at = Some((1, false));
    let (allocations, _) = run(&mut simulated, Some(60));
    assert!(allocations[1].failed.is_some() && allocations[1].turns == 1);
    assert!(allocations[0].failed.is_none() && allocations[2].turns == 1);
}

#[test]
fn an_interruption_ends_all_and_keeps_results() {
    for (fails_at, first_turns) in [(1, [true, false, false]), (2, [true, true, true])] {
        let mut simulated = machine(&[1.0, 5.0, 1.0]);
        simulated[1].fails_at = Some((fails_at, true));
        let (allocations, end) = run(&mut simulated, Some(60));
        assert!(allocations[1].is_interrupted());
        assert_eq!(
            allocations.iter().map(Allocation::has_first_turn).collect::<Vec<_>>(),
            first_turns
        );
        assert!(end < 60.0, "measuring has ended");
    }
}

#[test]
fn an_unknown_error_does_not_block_others() {
    let (allocations, end) = run(&mut machine(&[f64::INFINITY, 3.0]), Some(60));
    assert_eq!(allocations[1].turns, 9, "{allocations:?}");
    assert!(end <= 60.0 + 1e-9);
}

#[test]
fn without_a_budget_each_reaches_its_target() {
    let mut simulated = machine(&[5.0, 5.0]);
    let (allocations, _) = run(&mut simulated, None);
    assert_eq!(turns(&allocations), [1, 1]);
    assert!(simulated.iter().all(|one| one.begun == Some(Effort::Full)));
}

proptest! {
    #[test]
    fn budgets_hold_and_importance_decides(
        machines in proptest::collection::vec(
            (0.1f64..30.0, 0.1f64..5.0, 0.2f64..4.0, 0.1f64..50.0),
            1..7,
        ),
        budget in 1u64..300,
    ) {
        let mut simulated = machine(&vec![1.0; machines.len()]);
        for (one, (minimal, further, pace, scatter)) in simulated.iter_mut().zip(&machines) {
            (one.expected_s, one.pace, one.scatter) = ([*minimal, *further], *pace, *scatter);
        }
        let (allocations, end) = run(&mut simulated, Some(budget));
        prop_assert!(end <= budget as f64 + 1e-6, "{end} of {budget} s");
        let slowest: f64 = machines.iter().map(|machine| machine.0 * 4.0).sum();
        for (allocation, (minimal, ..)) in allocations.iter().zip(&machines) {
            prop_assert_eq!(allocation.turns == 0, allocation.needs.is_some());
            // None is skipped that would fit at the machine's slowest pace.
            prop_assert!(allocation.needs.is_none() || slowest + minimal * 4.0 > budget as f64);
        }
        // No experiment that needs more could still have it.
        let left = budget as f64 - end;
        let all = simulated.iter().zip(&allocations);
        for (one, allocation) in all.filter(|(_, one)| one.turns > 1) {
            let uncertainty = one.scatter / f64::from(one.turns).sqrt();
            let wants = uncertainty > 1.0 && one.turns < 1_000;
            prop_assert!(
                !wants || one.expected_s[1] * one.pace > left - 1e-6,
                "{allocation:?} with {left} s left"
            );
        }
    }
}
