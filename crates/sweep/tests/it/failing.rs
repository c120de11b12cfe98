//! Programs that fail always, sometimes, or in one placement.

use fastrand::Rng;
use nearfar_sweep::answers::{FailureCount, SweepFinding};
use nearfar_sweep::{Configuration, Limits, RunFailure, SweepStopReason, is_really_fastest};

use crate::made_up::{TEN, document, swept};

/// Fails always in one placement, and every third time in another.
fn failing(configuration: &Configuration, rng: &mut Rng) -> Result<(f64, f64), i32> {
    match configuration.placement.as_str() {
        "remote:0/1" => Err(3),
        "interleave" if rng.u32(..3) == 0 => Err(1),
        _ => Ok((10.0, 0.0)),
    }
}

#[test]
fn failing_runs_are_kept_and_counted() {
    let (found, stop) =
        swept(document(&["unbound", "remote:0/1", "interleave"], &[], "x", 5), failing, 0.01, &TEN);
    assert_eq!(stop, SweepStopReason::RunLimit);
    let [unbound, remote, interleave] = found.configurations.as_slice() else { panic!() };
    assert_eq!((unbound.failed, unbound.configuration.runs.len()), (0, 10));
    // Given up after five.
    assert_eq!((remote.failed, remote.configuration.runs.len(), remote.median), (5, 5, None));
    assert!(
        interleave.failed > 0
            && interleave.configuration.runs.len() == 10
            && interleave.median.is_some()
    );
    assert_eq!(
        remote.configuration.runs[0].failed,
        Some(RunFailure::Exited { status: 3, last_line: None })
    );
    let (_, stop) = swept(document(&["remote:0/1"], &[], "x", 5), failing, 0.01, &TEN);
    assert_eq!(stop, SweepStopReason::NothingRuns);
}

/// The faster one fails three times of five, and the slow ones never.
fn fast_and_failing(configuration: &Configuration, rng: &mut Rng) -> Result<(f64, f64), i32> {
    match configuration.placement.as_str() {
        "interleave" if rng.u32(..5) > 1 => Err(1),
        "interleave" => Ok((5.0, 0.0)),
        "local:0" => Ok((10.0, 0.0)),
        _ => Ok((12.0, 0.0)),
    }
}

#[test]
fn mostly_failing_configurations_are_not_fastest() {
    let placements = ["unbound", "local:0", "interleave"];
    let limits = Limits { fewest: 20, most: 20, ..TEN };
    let (found, _) = swept(document(&placements, &[], "x", 6), fast_and_failing, 0.01, &limits);
    assert!(
        found.configurations[2].median.is_some_and(|median| median < 6.0),
        "{:?}",
        found.configurations[2]
    );
    assert_eq!(found.answers.fastest.as_deref(), Some("local:0"));
    let SweepFinding::Fastest { best, ahead: Some(ahead), .. } = &found.answers.findings[0] else {
        panic!("{found:?}")
    };
    assert!(best.others_failed_more && best.failures.failed == 0 && ahead.real, "{best:?}");
    assert!((ahead.gain - 1.0 / 6.0).abs() < 0.03, "{ahead:?}");
    assert!(!found.answers.run_line.unwrap().contains("interleave"));
}

#[test]
fn a_single_configuration_is_not_fastest() {
    let (found, _) = swept(document(&["remote:0/1", "unbound"], &[], "x", 5), failing, 0.01, &TEN);
    assert!(!is_really_fastest(&found, &found.answers) && found.answers.run_line.is_none());
    let SweepFinding::NothingToCompare { best } = &found.answers.findings[0] else {
        panic!("{:?}", found.answers)
    };
    assert_eq!(best.failures.id, "unbound");
}

/// All fail at times.
fn all_failing(configuration: &Configuration, rng: &mut Rng) -> Result<(f64, f64), i32> {
    let (seconds, odds) = if configuration.placement == "unbound" { (12.0, 2) } else { (10.0, 5) };
    if rng.u32(..odds) == 0 { Err(1) } else { Ok((seconds, 0.0)) }
}

#[test]
fn failures_of_the_fastest_are_shown() {
    let limits = Limits { fewest: 20, most: 20, ..TEN };
    let (found, _) =
        swept(document(&["unbound", "local:0"], &[], "x", 6), all_failing, 0.01, &limits);
    let SweepFinding::Fastest { best, .. } = &found.answers.findings[0] else {
        panic!("{:?}", found.answers)
    };
    let failed = found.configurations[1].failed;
    assert_eq!(best.failures, FailureCount { id: "local:0".to_owned(), failed, runs: 20 });
    assert!(failed > 0);
}

#[test]
fn a_failing_reference_leaves_drift_unknown() {
    let last_line = |placements: &[&str]| {
        let (found, _) = swept(document(placements, &[], "x", 5), failing, 0.01, &TEN);
        let unwatched = SweepFinding::DriftUnwatched { reference: "remote:0/1".to_owned() };
        found.answers.findings.contains(&unwatched)
    };
    assert!(last_line(&["remote:0/1", "unbound"]));
    assert!(!last_line(&["unbound", "remote:0/1"]) && !last_line(&["remote:0/1"]));
}
