//! Sweeps as text: marks agree with sentences.

use nearfar_sweep::Sweep;
use nearfar_sweep::compare::compare;
use nearfar_sweep::text::comparison as sweep_comparison;
use nearfar_sweep::text::findings::sentence;
use nearfar_sweep::text::text;

use crate::sketch::sketch;

pub(crate) fn sweep(all: &[(&str, &[f64])]) -> Sweep {
    let all: Vec<(&str, usize, &[f64])> =
        all.iter().map(|(placement, times)| (*placement, 4, *times)).collect();
    let mut sweep: Sweep = serde_json::from_value(sketch(&[], &all)).unwrap();
    sweep.judge();
    sweep
}

fn words(sweep: &Sweep) -> String {
    let sentences =
        sweep.answers.findings.iter().map(|finding| sentence(finding, &sweep.objective));
    sentences.collect::<Vec<_>>().join(" ")
}

/// What stands at the end of a configuration's line.
fn mark_of(text: &str, placement: &str) -> String {
    let mut table = text.lines().skip_while(|line| !line.starts_with("configuration"));
    let line = table.find(|line| line.starts_with(placement)).unwrap_or_else(|| panic!("{text}"));
    line.rsplit(['%', '-', '?']).next().unwrap().trim().to_owned()
}

const SCATTERED: [f64; 6] = [10.0, 10.4, 9.7, 10.2, 9.6, 10.1];

#[test]
fn chance_differences_are_not_marked() {
    let shown =
        text(&sweep(&[("unbound", &SCATTERED), ("local:0", &[9.9, 10.1, 10.0, 10.3, 9.8, 9.7])]));
    assert!(shown.contains("No difference is beyond chance"), "{shown}");
    assert!(
        ["unbound", "local:0"].iter().all(|placement| mark_of(&shown, placement).is_empty()),
        "{shown}"
    );
}

#[test]
fn noise_is_not_recommended() {
    let noise = sweep(&[("unbound", &SCATTERED), ("local:0", &[9.9, 10.1, 10.0, 10.3, 9.8, 9.7])]);
    assert_eq!(noise.answers.run_line, None);
    let real =
        sweep(&[("unbound", &SCATTERED), ("local:0", &[5.0, 5.01, 5.005, 5.0, 5.003, 5.002])]);
    assert!(real.answers.run_line.is_some());
}

/// At 0206d5e9 the change was a mean of ratios: "-6.1 %" stood beside a larger median.
#[test]
fn the_change_agrees_with_the_medians_beside_it() {
    let first = [3.1, 2.0, 3.2, 4.0, 3.0, 3.3];
    let second = [2.9, 4.0, 2.95, 2.9, 4.1, 2.8];
    let shown = text(&sweep(&[("unbound", &first), ("local:0", &second)]));
    let line = shown.lines().find(|line| line.starts_with("local:0")).unwrap();
    assert!(line.contains("2.925") && line.contains("-7.1 % ?"), "{shown}");
    assert!(shown.contains("3.150") && shown.contains("  change\n"), "{shown}");
}

/// At 0206d5e9 an interval of five runs from 1.10 to 1.50 was "0.70 to 2.28".
#[test]
fn few_runs_have_a_range_and_no_difference() {
    let shown = text(&sweep(&[
        ("unbound", &[1.10, 1.20, 1.26, 1.40, 1.50]),
        ("local:0", &[0.5, 0.51, 0.5, 0.5, 0.52]),
    ]));
    assert!(shown.contains("1.100 to 1.500 (range)"), "{shown}");
    assert!(shown.contains("differences need six runs of each configuration"), "{shown}");
    assert!(!shown.contains(" %  fastest"), "{shown}");
}

#[test]
fn scatter_and_load_are_warned_of() {
    let mut noisy = sweep(&[("unbound", &[3.0, 5.0, 2.0, 4.5, 6.0, 2.5]), ("local:0", &SCATTERED)]);
    let sentences = words(&noisy);
    assert!(
        sentences.contains("Runs of unbound vary by") && !sentences.contains("the load"),
        "{sentences}"
    );
    noisy.machine.load_average = Some(2.5);
    noisy.judge();
    let sentences = words(&noisy);
    assert!(sentences.contains("the load was 2.5 on 4 CPUs before the sweep"), "{sentences}");
    let quiet = sweep(&[("unbound", &SCATTERED), ("local:0", &SCATTERED)]);
    assert!(!words(&quiet).contains("vary by"), "{}", words(&quiet));
}

#[test]
fn looks_that_slow_a_program_are_warned_of() {
    let mut slowed = sweep(&[("unbound", &SCATTERED), ("local:0", &SCATTERED)]);
    assert!(!words(&slowed).contains("Looking at the pages"), "{}", words(&slowed));
    slowed.configurations[0].configuration.runs[0].slowed_by_looks = Some(0.3);
    slowed.judge();
    assert!(words(&slowed).contains("pages of unbound took 30.0 % of a run"), "{}", words(&slowed));
}

#[test]
fn real_differences_are_marked() {
    let shown = text(&sweep(&[
        ("unbound", &SCATTERED),
        ("local:0", &[5.0, 5.01, 5.005, 5.0, 5.003, 5.002]),
    ]));
    assert_eq!(
        (mark_of(&shown, "local:0").as_str(), mark_of(&shown, "unbound").as_str()),
        ("fastest, steadiest", "")
    );
}

#[test]
fn comparisons_show_commands_and_machines() {
    let (first, mut second) =
        (sweep(&[("unbound", &SCATTERED)]), sweep(&[("unbound", &SCATTERED)]));
    second.command = vec!["make".to_owned(), "-s".to_owned()];
    second.machine.kernel = Some("6.2.0".to_owned());
    second.settings.prepare = Some("make clean".to_owned());
    let shown = sweep_comparison::text(&compare(&first, &second).unwrap()).plain();
    for expected in [
        "first: make -j{jobs} (Sketch 9000, CPUs 0-3, nodes 0-1, kernel 6.1.0)\n",
        "second: make -s (Sketch 9000, CPUs 0-3, nodes 0-1, kernel 6.2.0)\n",
        "differs: settings.prepare: first none, second make clean\n",
    ] {
        assert!(shown.contains(expected), "{shown}");
    }
    assert_eq!(shown.matches("differs: ").count(), 1, "{shown}");
}
