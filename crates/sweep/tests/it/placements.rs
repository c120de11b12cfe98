//! Placements whose order is known.

use fastrand::Rng;
use nearfar_sweep::answers::{PredictorFigure, SweepFinding};
use nearfar_sweep::{Answers, Configuration, Limits, is_really_fastest};

use crate::made_up::{Cost, TEN, document, memory_bound, swept};

#[test]
fn equal_placements_do_not_differ() {
    let mut false_ones = 0;
    for seed in 0..40 {
        let placements = ["local:0", "interleave", "remote:0/1", "preferred:0"];
        let (found, _) =
            swept(document(&placements, &[], "stream", seed), memory_bound, 0.01, &TEN);
        let to_default = &found.answers.difference_to_default;
        assert!(to_default["interleave"].real && to_default["remote:0/1"].real, "{to_default:?}");
        assert!((to_default["remote:0/1"].ratio - 0.6).abs() < 0.05, "{to_default:?}");
        assert!(
            ["local:0", "preferred:0"].contains(&found.answers.fastest.as_deref().unwrap()),
            "{:?}",
            found.answers
        );
        false_ones += usize::from(to_default["preferred:0"].real);
    }
    // Of 40 families at 5 %, more than six are rarer than one in a hundred.
    assert!(false_ones <= 6, "{false_ones} of 40");
}

/// So erratic where the best median is that no other is distinguishable from it, and so steady
/// elsewhere that those are distinguishable from each other.
fn erratic_best(configuration: &Configuration, rng: &mut Rng) -> Result<(f64, f64), i32> {
    Ok((
        match configuration.placement.as_str() {
            "local:0" => [2.0, 9.0, 9.0, 9.0, 60.0][rng.usize(..5)],
            "interleave" => 10.5,
            _ => 10.0,
        },
        0.0,
    ))
}

#[test]
fn findings_agree_with_the_table() {
    let swept = |seed| {
        swept(
            document(&["unbound", "interleave", "local:0"], &[], "x", seed),
            erratic_best,
            1e-4,
            &TEN,
        )
    };
    let (mut count, mut differing) = (0, 0);
    for seed in 0..20 {
        let (found, _) = swept(seed);
        // The erratic one may hide it.
        let differs = found.answers.difference_to_default["interleave"].real;
        differing += usize::from(differs);
        if let SweepFinding::AllAlike { best, others_differ } = &found.answers.findings[0] {
            assert_eq!(*others_differ, differs);
            count += usize::from(best.failures.id == "local:0" && differs);
        }
    }
    assert!(count > 0 && differing >= 15, "{count} {differing}");
}

#[test]
fn equal_configurations_do_not_differ() {
    let alike = |_: &Configuration, _: &mut Rng| Ok((10.0, 0.0));
    let (found, _) =
        swept(document(&["unbound", "interleave", "local:0"], &[], "x", 4), alike, 0.02, &TEN);
    let first = &found.answers.findings[0];
    assert!(matches!(first, SweepFinding::AllAlike { others_differ: false, .. }), "{first:?}");
    assert!(!is_really_fastest(&found, &found.answers));
}

/// Every run of one placement takes the same, and all others scatter.
fn one_steady(configuration: &Configuration, rng: &mut Rng) -> Result<(f64, f64), i32> {
    let steady = configuration.placement == "local:0";
    Ok((if steady { 10.0 } else { 12.0 + rng.f64() }, 0.0))
}

#[test]
fn lowest_variability_of_the_fastest_is_tested() {
    let placements = ["unbound", "local:0", "interleave", "preferred:0"];
    let really = |cost: Cost, spread: f64| {
        let found = (0..40)
            .map(|seed| swept(document(&placements, &[], "x", seed), cost, spread, &TEN).0.answers);
        let found: Vec<Answers> = found.collect();
        for answers in found.iter().filter(|answers| answers.fastest == answers.steadiest) {
            let count = answers.findings.iter().find_map(|finding| match finding {
                SweepFinding::VariesLeast { fastest: None, real, .. } => Some(*real),
                _ => None,
            });
            assert_eq!(count, answers.is_really_steadiest().then_some(true), "{answers:?}");
        }
        found.iter().filter(|answers| answers.is_really_steadiest()).count()
    };
    let (alike, apart) = (really(|_, _| Ok((10.0, 0.0)), 0.005), really(one_steady, 0.001));
    assert!(alike <= 5 && apart >= 25, "{alike} and {apart} of 40");
}

#[test]
fn gains_of_times_are_less_time() {
    let (found, _) =
        swept(document(&["remote:0/1", "local:0"], &[], "x", 4), memory_bound, 0.001, &TEN);
    let SweepFinding::Fastest { ahead: Some(ahead), .. } = &found.answers.findings[0] else {
        panic!("{found:?}")
    };
    assert!(ahead.of == "remote:0/1" && (ahead.gain - 0.375).abs() < 0.005, "{ahead:?}");
}

/// Found near in two runs of three.
fn by_chance(configuration: &Configuration, rng: &mut Rng) -> Result<(f64, f64), i32> {
    let far = configuration.placement == "unbound" && rng.u32(..3) == 0;
    Ok(if far { (14.0, 0.9) } else { (10.0, 0.05) })
}

#[test]
fn remote_pages_explain_two_modes() {
    let limits = Limits { fewest: 20, most: 20, ..TEN };
    let (found, _) =
        swept(document(&["local:0", "unbound"], &[], "stream", 3), by_chance, 0.005, &limits);
    let [one] = found.answers.bimodal.as_slice() else { panic!("{:?}", found.answers.bimodal) };
    assert_eq!((one.id.as_str(), one.differs[0].figure), ("unbound", PredictorFigure::RemoteShare));
    assert_eq!(found.answers.steadiest.as_deref(), Some("local:0"));
    let count = found.answers.findings.iter().find_map(|finding| match finding {
        SweepFinding::Bimodal { goes_with: Some(cause), .. } => Some(cause.means),
        _ => None,
    });
    let [low, high] = count.unwrap();
    assert!((low - 0.05).abs() < 1e-9 && (high - 0.9).abs() < 1e-9, "{low} {high}");
}
