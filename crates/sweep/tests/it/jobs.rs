//! Curves over jobs whose law is known.

use fastrand::Rng;
use nearfar_infer::trials::LawKind;
use nearfar_sweep::answers::SweepFinding;
use nearfar_sweep::{Configuration, Limits};

use crate::made_up::{Cost, TEN, document, swept};

/// One tenth is serial.
fn by_jobs(configuration: &Configuration, _: &mut Rng) -> Result<(f64, f64), i32> {
    Ok((60.0 * (0.1 + 0.9 / configuration.jobs as f64), 0.0))
}

#[test]
fn a_curve_over_jobs_has_its_law() {
    let (found, _) =
        swept(document(&["unbound"], &[1, 2, 4, 8], "make -j{jobs}", 1), by_jobs, 0.003, &TEN);
    let [curve] = found.answers.scaling.as_slice() else { panic!("{:?}", found.answers.scaling) };
    let law = curve.scaling.law.unwrap();
    assert!((law.serial - 0.1).abs() < 0.01, "{law:?}");
    assert_eq!(curve.scaling.stops_paying_at, None);
    assert_eq!(found.configurations[2].configuration.command, ["make", "-j4"]);
}

#[test]
fn peaks_far_from_tried_jobs_are_not_reported() {
    fn universal(crosstalk: f64, jobs: usize) -> Result<(f64, f64), i32> {
        let n = jobs as f64;
        Ok((60.0 * (1.0 + 0.02 * (n - 1.0) + crosstalk * n * (n - 1.0)) / n, 0.0))
    }
    let found_jobs = |cost: Cost| {
        let (found, _) =
            swept(document(&["unbound"], &[1, 2, 4, 8, 16], "make -j{jobs}", 1), cost, 1e-5, &TEN);
        let law = found.answers.findings.into_iter().find_map(|finding| match finding {
            SweepFinding::JobsPay { law, .. } => law,
            _ => None,
        });
        law.filter(|law| law.kind == LawKind::UniversalScalability).unwrap().peak_jobs
    };
    let near = found_jobs(|one, _| universal(0.02, one.jobs));
    assert!(near.is_some_and(|jobs| (jobs - 7.0).abs() < 0.1), "{near:?}");
    assert_eq!(found_jobs(|one, _| universal(0.0003, one.jobs)), None);
    assert_eq!(found_jobs(|one, _| universal(1.5, one.jobs)), None);
}

#[test]
fn two_runs_decide_nothing() {
    let two = Limits { fewest: 2, most: 2, ..TEN };
    let (found, _) =
        swept(document(&["unbound"], &[1, 2, 4, 8], "make -j{jobs}", 1), by_jobs, 0.003, &two);
    let [first, second] = &found.answers.findings[..] else {
        panic!("{:?}", found.answers.findings)
    };
    assert!(matches!(first, SweepFinding::TooFewRuns { .. }), "{first:?}");
    assert_eq!(*second, SweepFinding::JobsUndetermined { of: "unbound".to_owned() });
}
