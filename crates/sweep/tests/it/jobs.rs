//! Curves over jobs whose law is known.

use fastrand::Rng;
use nearfar_sweep::{Configuration, Limits};

use crate::made_up::{Cost, TEN, document, swept};

/// One tenth is serial.
fn by_jobs(configuration: &Configuration, _: &mut Rng) -> Result<(f64, f64), i32> {
    Ok((60.0 * (0.1 + 0.9 / configuration.jobs as f64), 0.0))
}

#[test]
fn a_curve_over_jobs_has_its_law() {
    let (found, _) = swept(document(&["unbound"], &[1, 2, 4, 8], "make -j{jobs}", 1), by_jobs, 0.003, &TEN);
    let [curve] = found.answers.scaling.as_slice() else { panic!("{:?}", found.answers.scaling) };
    let law = curve.scaling.law.unwrap();
    assert!((law.serial - 0.1).abs() < 0.01, "{law:?}");
    assert_eq!(curve.scaling.stops_paying_at, None);
    assert_eq!(found.configurations[2].configuration.command, ["make", "-j4"]);
}

#[test]
fn a_peak_is_told_only_about_where_jobs_were_tried() {
    fn universal(crosstalk: f64, jobs: usize) -> Result<(f64, f64), i32> {
        let n = jobs as f64;
        Ok((60.0 * (1.0 + 0.02 * (n - 1.0) + crosstalk * n * (n - 1.0)) / n, 0.0))
    }
    let told = |cost: Cost| {
        let (found, _) = swept(document(&["unbound"], &[1, 2, 4, 8, 16], "make -j{jobs}", 1), cost, 1e-5, &TEN);
        found.answers.words.join(" ")
    };
    let near = told(|one, _| universal(0.02, one.jobs));
    assert!(near.contains("; by it, 7.0 jobs are the most that help"), "{near}");
    let far = told(|one, _| universal(0.0003, one.jobs));
    assert!(far.contains("Universal Scalability Law") && !far.contains("the most that help"), "{far}");
    let none = told(|one, _| universal(1.5, one.jobs));
    assert!(none.contains("Universal Scalability Law") && !none.contains("the most that help"), "{none}");
}

#[test]
fn two_runs_of_each_tell_neither_who_is_fastest_nor_what_pays() {
    let two = Limits { fewest: 2, most: 2, ..TEN };
    let (found, _) = swept(document(&["unbound"], &[1, 2, 4, 8], "make -j{jobs}", 1), by_jobs, 0.003, &two);
    let words = &found.answers.words;
    assert!(words.iter().any(|said| said.contains("too few runs to compare")), "{words:?}");
    assert!(words.iter().any(|said| said.contains("too few runs to tell where more jobs stop paying")), "{words:?}");
    assert!(!words.iter().any(|said| said.contains("not pay") || said.contains("is fastest")), "{words:?}");
}
