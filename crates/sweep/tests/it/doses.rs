//! Responses of programs that were started at each dose.

use fastrand::Rng;
use nearfar_infer::response::ResponseVerdict;
use nearfar_sweep::placement::NodeDistance;
use nearfar_sweep::{Configuration, DoseNodes, DoseSurvey, Sweep, SweepDoses};

use crate::made_up::{Cost, TEN, document, machine, swept};

/// A sweep over the doses of 80 and 140 ns, of a program that costs so much.
fn dosed(cost: Cost, seed: u64) -> Sweep {
    let survey = DoseSurvey { file: "a.json".to_owned(), started: String::new() };
    let doses = SweepDoses::new(
        &machine().1,
        DoseNodes::default(),
        Some((survey, &|from, to| {
            let value = if from == to { 80.0 } else { 140.0 };
            Some(NodeDistance { value, interval: Some([value - 1.0, value + 1.0]) })
        })),
    )
    .unwrap();
    let mut words: Vec<&str> = doses.placements.iter().map(|dose| dose.words.as_str()).collect();
    words.push("unbound");
    let mut sweep = document(&words, &[], "solver", seed);
    sweep.doses = Some(doses);
    swept(sweep, cost, 0.005, &TEN).0
}

/// Half of its time is spent waiting for memory: all far costs it 37.5 %.
fn waits(configuration: &Configuration, _: &mut Rng) -> Result<(f64, f64), i32> {
    let ns = match configuration.placement.as_str() {
        far if far.contains("membind=1") => 140.0,
        both if both.contains("interleave") => 110.0,
        _ => 80.0,
    };
    Ok((5.0 + 5.0 * ns / 80.0, 0.0))
}

fn computes(_: &Configuration, _: &mut Rng) -> Result<(f64, f64), i32> {
    Ok((10.0, 0.0))
}

#[test]
fn a_program_that_waits_has_a_response_and_one_that_computes_has_none() {
    let held = (0..20).filter(|seed| {
        let found = dosed(waits, *seed).answers.response.unwrap();
        let effect = found.effect.unwrap();
        assert_eq!(found.verdict, ResponseVerdict::Matters, "{found:?}");
        effect.ci95[0] <= 0.375 && 0.375 <= effect.ci95[1]
    });
    assert!(held.count() >= 16);
    let found = dosed(computes, 1).answers.response.unwrap();
    assert!(found.effect.unwrap().value.abs() < 0.01, "{found:?}");
    assert_ne!(found.verdict, ResponseVerdict::Matters);
}

#[test]
fn failed_runs_do_not_count_and_other_sweeps_have_no_response() {
    let found = dosed(|of, rng| if rng.f64() < 0.4 { Err(1) } else { waits(of, rng) }, 3);
    let response = found.answers.response.unwrap();
    assert!(response.periods < 30 && response.effect.is_some(), "{response:?}");
    let plain = swept(document(&["unbound"], &[], "solver", 1), computes, 0.005, &TEN).0;
    assert_eq!(plain.answers.response, None);
}
