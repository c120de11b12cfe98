//! What hardware threads gain.

use fastrand::Rng;
use nearfar_sweep::answers::SweepFinding;
use nearfar_sweep::{Answers, Configuration, Objective, SystemSetting};

use crate::made_up::{TEN, document, swept, switching};

/// Hardware threads gain a fifth where there are more jobs than cores, and cost a tenth with one.
fn two_threads_a_core(configuration: &Configuration, _: &mut Rng) -> Result<(f64, f64), i32> {
    let is_on = configuration.system.get(&SystemSetting::Smt).is_some_and(|value| value == "on");
    let alone = 10.0 / configuration.jobs.min(4) as f64;
    Ok((
        match (is_on, configuration.jobs) {
            (true, 1) => 1.1 * alone,
            (true, 4) => 0.8 * alone,
            _ => alone,
        },
        0.0,
    ))
}

/// What deserves a sentence about them.
fn smt_findings(answers: &Answers) -> impl Iterator<Item = &SweepFinding> {
    answers.findings.iter().filter(|finding| matches!(finding, SweepFinding::Smt { .. }))
}

fn on_and_off() -> Vec<(SystemSetting, Vec<String>)> {
    vec![(SystemSetting::Smt, vec!["on".to_owned(), "off".to_owned()])]
}

#[test]
fn smt_gains_are_reported_by_jobs() {
    let mut made_up = 0;
    for seed in 0..40 {
        let document = switching(&["unbound"], &[1, 2, 4], "make -j{jobs}", seed, on_and_off());
        let (found, _) = swept(document, two_threads_a_core, 0.01, &TEN);
        let smt = &found.answers.smt;
        let jobs: Vec<(usize, usize)> = smt.iter().map(|one| (one.jobs, one.jobs_off)).collect();
        assert_eq!(jobs, [(1, 1), (2, 2), (4, 4)]);
        let [one, two, four] = [0, 1, 2].map(|at: usize| smt[at].compared);
        assert!(one.real && (one.ratio - 0.1).abs() < 0.03 && four.real, "{smt:?}");
        assert!(
            (four.ratio + 0.2).abs() < 0.03 && smt.iter().all(|one| one.of == "unbound"),
            "{smt:?}"
        );
        if two.real {
            made_up += 1;
            continue;
        }
        let smt_findings: Vec<&SweepFinding> = smt_findings(&found.answers).collect();
        assert_eq!(
            smt_findings,
            [&SweepFinding::Smt { of: "unbound".to_owned(), gains: smt.clone() }]
        );
    }
    // Of 40 families at 5 %, more than six are rarer than one in a hundred.
    assert!(made_up <= 6, "{made_up} of 40");
}

#[test]
fn gains_invert_if_more_is_better() {
    let document = switching(&["unbound"], &[4], "make", 7, on_and_off());
    let (mut found, _) = swept(document, two_threads_a_core, 0.005, &TEN);
    found.objective = Objective {
        name: "rate".to_owned(),
        metric: Some("rate=([0-9.]+)".to_owned()),
        higher_is_better: true,
    };
    for run in found
        .configurations
        .iter_mut()
        .flat_map(|configuration| &mut configuration.configuration.runs)
    {
        run.metric = Some(1.0 / run.wall_s);
    }
    found.judge();
    let gain = found.answers.smt[0].compared;
    assert!(gain.real && (gain.ratio - 0.25).abs() < 0.03 && gain.ci95[0] < gain.ratio, "{gain:?}");
    assert_eq!(smt_findings(&found.answers).count(), 1);
}

#[test]
fn smt_gains_need_a_switched_setting() {
    let placements = ["unbound", "one-per-core"];
    let (found, _) =
        swept(document(&placements, &[1, 4], "make", 3), two_threads_a_core, 0.01, &TEN);
    assert_eq!(found.answers.smt, []);
    assert_eq!(smt_findings(&found.answers).count(), 0);
    let only_on = vec![(SystemSetting::Smt, vec!["on".to_owned()])];
    let alone = switching(&["unbound"], &[4], "make", 3, only_on);
    assert_eq!(swept(alone, two_threads_a_core, 0.01, &TEN).0.answers.smt, []);
}
