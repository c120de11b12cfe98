//! What hardware threads gain.

use fastrand::Rng;
use nearfar_machine::Switch;
use nearfar_sweep::{Configuration, Objective};

use crate::made_up::{TEN, document, swept, switching};

/// Hardware threads gain a fifth where there are more jobs than cores, and cost a tenth with one.
fn two_threads_a_core(configuration: &Configuration, _: &mut Rng) -> Result<(f64, f64), i32> {
    let is_on = configuration.system.get(&Switch::Smt).is_some_and(|value| value == "on");
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

fn on_and_off() -> Vec<(Switch, Vec<String>)> {
    vec![(Switch::Smt, vec!["on".to_owned(), "off".to_owned()])]
}

#[test]
fn what_hardware_threads_gain_is_told_by_jobs_and_no_gain_is_made_up() {
    let mut made_up = 0;
    for seed in 0..40 {
        let document = switching(&["unbound"], &[1, 2, 4], "make -j{jobs}", seed, on_and_off());
        let (found, _) = swept(document, two_threads_a_core, 0.01, &TEN);
        let smt = &found.answers.smt;
        let jobs: Vec<(usize, usize)> = smt.iter().map(|one| (one.jobs, one.jobs_off)).collect();
        assert_eq!(jobs, [(1, 1), (2, 2), (4, 4)]);
        assert!(smt[0].real && (smt[0].ratio - 0.1).abs() < 0.03 && smt[2].real, "{smt:?}");
        assert!((smt[2].ratio + 0.2).abs() < 0.03 && smt.iter().all(|one| one.of == "unbound"), "{smt:?}");
        if smt[1].real {
            made_up += 1;
            continue;
        }
        let said = found.answers.words.iter().find(|said| said.contains("SMT")).unwrap();
        assert!(said.starts_with("unbound: SMT gains ") && said.contains(" % with 4 jobs; costs "), "{said}");
        assert!(said.ends_with(" % with one job; makes no difference beyond chance with 2 jobs."), "{said}");
    }
    // Of 40 families at 5 %, more than six are rarer than one in a hundred.
    assert!(made_up <= 6, "{made_up} of 40");
}

#[test]
fn of_a_figure_of_which_more_is_better_the_gain_is_the_other_way_round() {
    let document = switching(&["unbound"], &[4], "make", 7, on_and_off());
    let (mut found, _) = swept(document, two_threads_a_core, 0.005, &TEN);
    found.objective =
        Objective { name: "rate".to_owned(), metric: Some("rate=([0-9.]+)".to_owned()), higher_is_better: true };
    for run in found.configurations.iter_mut().flat_map(|one| &mut one.configuration.runs) {
        run.metric = Some(1.0 / run.wall_s);
    }
    found.judge();
    let gain = &found.answers.smt[0];
    assert!(gain.real && (gain.ratio - 0.25).abs() < 0.03 && gain.ci95[0] < gain.ratio, "{gain:?}");
    assert!(
        found.answers.words.iter().any(|said| said.starts_with("unbound: SMT gains 2")),
        "{:?}",
        found.answers.words
    );
}

#[test]
fn nothing_is_claimed_of_smt_where_nobody_switched_it() {
    let placements = ["unbound", "one-per-core"];
    let (found, _) = swept(document(&placements, &[1, 4], "make", 3), two_threads_a_core, 0.01, &TEN);
    assert_eq!(found.answers.smt, []);
    assert!(!found.answers.words.iter().any(|said| said.contains("SMT")), "{:?}", found.answers.words);
    let only_on = vec![(Switch::Smt, vec!["on".to_owned()])];
    let alone = switching(&["unbound"], &[4], "make", 3, only_on);
    assert_eq!(swept(alone, two_threads_a_core, 0.01, &TEN).0.answers.smt, []);
}
