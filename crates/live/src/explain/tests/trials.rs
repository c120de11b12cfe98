//! Trials of programs whose gain is known.

use fastrand::Rng;
use nearfar_infer::normal;

use crate::explain::{
    Direction, DroppedPeriod, TrialPlacement, TrialPlan, TrialRecord, TrialVerdict,
};

/// A trial of 8 blocks of a program that is faster by `gain` with the cure. Its figures scatter by
/// 2 %, drift by 20 % over the trial, and 1 in 20 periods is disturbed.
fn trial(gain: f64, seed: u64) -> TrialRecord {
    let mut rng = Rng::with_seed(seed);
    let plan = TrialPlan::new(8, seed);
    let mut record = TrialRecord::default();
    let mut at = 0.0;
    for (block, both) in plan.blocks.iter().enumerate() {
        for placement in both {
            let cured = if *placement == TrialPlacement::Cured { 1.0 + gain } else { 1.0 };
            let disturbed = if rng.u32(..20) == 0 { 0.8 } else { 1.0 };
            let scatter = 1.0 + 0.02 * normal(&mut rng);
            let figure = 1000.0 * cured * (1.0 + 0.2 * at / 16.0) * scatter * disturbed;
            record.add(block, *placement, Some(figure), false);
            at += 1.0;
        }
    }
    record
}

#[test]
fn gains_are_within_their_intervals() {
    for gain in [0.1, 0.3, -0.15] {
        let (mut within, mut right) = (0, 0);
        for seed in 0..20 {
            let (change, verdict) = trial(gain, seed).result(Direction::MoreIsBetter);
            let [low, high] = change.unwrap().ci95;
            within += usize::from(low <= gain && gain <= high);
            let truth = if gain > 0.0 { TrialVerdict::Pays } else { TrialVerdict::Costs };
            right += usize::from(verdict == truth);
            assert!([truth, TrialVerdict::Undetermined].contains(&verdict), "{gain}: {verdict:?}");
        }
        assert!(within >= 18 && right >= 15, "{gain}: {within} within, {right} right, of 20");
    }
}

#[test]
fn programs_without_a_gain_have_none() {
    let mut wrong = 0;
    for seed in 0..20 {
        let (_, verdict) = trial(0.0, 100 + seed).result(Direction::MoreIsBetter);
        wrong += usize::from([TrialVerdict::Pays, TrialVerdict::Costs].contains(&verdict));
    }
    assert!(wrong <= 1, "{wrong} of 20");
    // Over many: as often as a test at 5 % may.
    let is_wrong = |seed: &u64| {
        let (_, verdict) = trial(0.0, *seed).result(Direction::LessIsBetter);
        [TrialVerdict::Pays, TrialVerdict::Costs].contains(&verdict)
    };
    let wrong = (1000..2000).filter(is_wrong).count();
    assert!(wrong <= 60, "{wrong} of 1,000");
}

#[test]
fn steady_programs_have_no_gain_beyond_the_floor() {
    let mut record = TrialRecord::default();
    for (block, both) in TrialPlan::new(8, 1).blocks.iter().enumerate() {
        for (at, placement) in both.iter().enumerate() {
            record.add(block, *placement, Some(500.0 + (block + at) as f64), false);
        }
    }
    assert_eq!(record.result(Direction::MoreIsBetter).1, TrialVerdict::NoGain);
}

#[test]
fn less_is_better_for_cycles() {
    let mut record = TrialRecord::default();
    for (block, both) in TrialPlan::new(6, 1).blocks.iter().enumerate() {
        for placement in both {
            let figure = if *placement == TrialPlacement::Cured { 1.5 } else { 2.0 };
            record.add(block, *placement, Some(figure + block as f64 * 0.001), false);
        }
    }
    assert_eq!(record.result(Direction::LessIsBetter).1, TrialVerdict::Pays);
    let (change, verdict) = record.result(Direction::MoreIsBetter);
    assert_eq!(verdict, TrialVerdict::Costs);
    assert!((change.unwrap().value + 0.25).abs() < 0.01);
}

#[test]
fn dropped_periods_do_not_count() {
    let mut record = trial(0.3, 1);
    record.add(8, TrialPlacement::Cured, Some(1e9), true);
    record.add(8, TrialPlacement::AsItWas, Some(f64::NAN), false);
    assert_eq!(record.dropped(), 2);
    let last = record.periods.last().unwrap();
    assert_eq!((last.figure, last.dropped), (None, Some(DroppedPeriod::NoFigure)));
    assert_eq!(
        record.result(Direction::MoreIsBetter),
        trial(0.3, 1).result(Direction::MoreIsBetter)
    );
    let few = TrialRecord { periods: trial(0.3, 1).periods[..4].to_vec() };
    assert_eq!(few.result(Direction::MoreIsBetter), (None, TrialVerdict::TooFewBlocks));
}

#[test]
fn both_placements_begin_equally_often() {
    for seed in 0..20 {
        let plan = TrialPlan::new(8, seed);
        let cured = plan.blocks.iter().filter(|both| both[0] == TrialPlacement::Cured).count();
        assert_eq!(cured, 4);
        assert!(plan.blocks.iter().all(|both| both[0] != both[1]));
    }
    assert_ne!(TrialPlan::new(8, 1), TrialPlan::new(8, 2));
}
