//! Two sweeps: what both have is compared, what differs is reported.

use nearfar_infer::changes::ChangeLimit;
use nearfar_sweep::Sweep;
use nearfar_sweep::compare::{
    CheckedChange, CheckedConfiguration, SweepChange, SweepComparison, compare,
};
use serde_json::{Value, json};

use crate::sketch::sketch;

fn judged(document: Value) -> Sweep {
    let mut sweep: Sweep = serde_json::from_value(document).unwrap();
    sweep.judge();
    sweep
}

fn compared(first: Value, second: Value) -> SweepComparison {
    compare(&judged(first), &judged(second)).unwrap()
}

fn refused(first: Value, second: Value) -> String {
    compare(&judged(first), &judged(second)).unwrap_err().to_string()
}

const TEN: &[f64] = &[10.0, 10.01, 9.99, 10.02, 9.98];
const ELEVEN: &[f64] = &[11.0, 11.01, 10.99, 11.02, 10.98];
const NINE: &[f64] = &[9.0, 9.01, 8.99, 9.02, 8.98];
const FAILED: &[f64] = &[0.0, 0.0, 0.0];

#[test]
fn different_jobs_are_different_configurations() {
    let why = refused(sketch(&[1], &[("unbound", 1, TEN)]), sketch(&[3], &[("unbound", 3, NINE)]));
    assert!(why.contains("no configuration in common: unbound jobs=1 and unbound jobs=3"), "{why}");
    let first = sketch(&[4], &[("unbound A=x", 4, TEN)]);
    let found =
        compared(first, sketch(&[1, 4], &[("unbound A=x", 1, NINE), ("unbound A=x", 4, TEN)]));
    let ids: Vec<&str> =
        found.configurations.iter().map(|configuration| configuration.id.as_str()).collect();
    assert_eq!(
        (ids, found.only_in),
        (vec!["unbound jobs=4 A=x"], [vec![], vec!["unbound jobs=1 A=x".to_owned()]])
    );
}

#[test]
fn default_jobs_are_compared_and_shown() {
    let found = compared(sketch(&[], &[("unbound", 4, TEN)]), sketch(&[], &[("unbound", 8, NINE)]));
    assert_eq!(found.configurations[0].id, "unbound");
    let differing: Vec<(&str, &Value, &Value)> = found
        .differs
        .iter()
        .map(|differ| (differ.what.as_str(), &differ.first, &differ.second))
        .collect();
    assert_eq!(differing, [("jobs of unbound", &json!(4), &json!(8))]);
}

#[test]
fn differing_commands_machines_and_settings_are_reported() {
    let (first, mut second) =
        (sketch(&[], &[("unbound", 4, TEN)]), sketch(&[], &[("unbound", 4, TEN)]));
    assert!(compared(first.clone(), first.clone()).differs.is_empty());
    second["command"] = json!(["make", "-s"]);
    second["machine"]["kernel"] = json!("6.2.0");
    second["settings"]["prepare"] = json!("make clean");
    second["enforcement"] = json!({"cpusets": "cgroup v1"});
    let found = compared(first, second);
    let what: Vec<&str> = found.differs.iter().map(|differ| differ.what.as_str()).collect();
    assert_eq!(what, ["command", "enforcement", "machine.kernel", "settings.prepare"]);
    assert_eq!(
        (&found.differs[3].first, &found.differs[3].second),
        (&json!(null), &json!("make clean"))
    );
    assert_eq!(found.findings[0], SweepChange::OtherCommand);
}

#[test]
fn sweeps_of_different_metrics_are_refused() {
    let (first, mut second) =
        (sketch(&[], &[("unbound", 4, TEN)]), sketch(&[], &[("unbound", 4, TEN)]));
    second["objective"] =
        json!({"name": "tps", "metric": "tps=x ([0-9]+)", "higher_is_better": true});
    let why = refused(first, second.clone());
    assert!(
        why.contains("run time and the other by tps (--metric 'tps=x ([0-9]+)', more is better)"),
        "{why}"
    );
    let mut other = second.clone();
    other["objective"]["higher_is_better"] = json!(false);
    assert!(refused(second, other).contains("less is better"));
}

#[test]
fn each_crossing_is_reported_once() {
    let curves = ["unbound A=x", "unbound A=y"];
    let of = |few: &'static [f64], many: &'static [f64]| -> Value {
        // As sweeps have them: the variables go round within each number of jobs.
        let by_jobs = [(1, few), (4, many), (8, few)];
        let all: Vec<(&str, usize, &[f64])> = by_jobs
            .iter()
            .flat_map(|(jobs, times)| curves.map(|curve| (curve, *jobs, *times)))
            .collect();
        sketch(&[1, 4, 8], &all)
    };
    let found = compared(of(TEN, TEN), of(NINE, ELEVEN));
    let crossings: Vec<(&str, [usize; 2], u8)> = found
        .crossings
        .iter()
        .map(|crossing| (crossing.of.as_str(), crossing.between_jobs, crossing.better_with_fewer))
        .collect();
    assert_eq!(
        crossings,
        [
            (curves[0], [1, 4], 2),
            (curves[0], [4, 8], 1),
            (curves[1], [1, 4], 2),
            (curves[1], [4, 8], 1)
        ]
    );
    let differing =
        found.findings.iter().filter(|finding| matches!(finding, SweepChange::Crossing(_)));
    assert!(
        differing.eq(&found
            .crossings
            .iter()
            .cloned()
            .map(SweepChange::Crossing)
            .collect::<Vec<_>>())
    );
}

#[test]
fn no_difference_names_the_widest_interval() {
    let same = sketch(&[], &[("unbound", 4, TEN)]);
    let found = compared(same.clone(), same);
    let [SweepChange::NoDifference { compared: 1, reach }] = found.findings[..] else {
        panic!("{:?}", found.findings)
    };
    assert!(reach > 0.0 && reach < 0.01, "{reach}");
}

#[test]
fn missing_figures_do_not_pass_a_condition() {
    let bound = ChangeLimit { above: true, ratio: 0.05 };
    let judge = |first: &[(&str, usize, &[f64])], second: &[(&str, usize, &[f64])]| {
        compared(sketch(&[], first), sketch(&[], second)).judge("wall_s", bound).unwrap()
    };
    let two =
        |one: &'static [f64], other: &'static [f64]| [("unbound", 4, one), ("local:0", 4, other)];
    let passed = judge(&two(TEN, TEN), &two(TEN, NINE));
    assert!(
        passed.beyond.is_empty() && passed.open.is_empty() && passed.absent.is_empty(),
        "{passed:?}"
    );
    let of = |id: &str, reach| vec![CheckedConfiguration { id: id.to_owned(), reach }];
    let failing = judge(&two(TEN, TEN), &two(TEN, FAILED));
    assert_eq!(failing.beyond, of("local:0", CheckedChange::SecondFails));
    let mended = judge(&two(TEN, FAILED), &two(TEN, TEN));
    assert_eq!((mended.beyond.len(), mended.absent), (0, of("local:0", CheckedChange::FirstFails)));
    let gone = judge(&two(TEN, TEN), &two(TEN, TEN)[..1]);
    assert_eq!(gone.absent, of("local:0", CheckedChange::OnlyInFirst));
    let never_run = judge(&two(TEN, TEN), &two(TEN, &[]));
    assert_eq!(never_run.absent, of("local:0", CheckedChange::SecondNeverRan));
    let never_worked = judge(&two(TEN, FAILED), &two(TEN, FAILED));
    assert_eq!(
        (never_worked.absent.len(), never_worked.open.len()),
        (0, 1),
        "nothing became worse"
    );
    let too_few = judge(&two(&TEN[..2], &TEN[..2]), &two(&TEN[..2], &TEN[..2]));
    let both = [of("unbound", CheckedChange::TooFewRuns), of("local:0", CheckedChange::TooFewRuns)]
        .concat();
    assert_eq!(too_few.absent, both, "nothing was judged at all");
}
