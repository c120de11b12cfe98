//! The screen of a sweep: the answer first, the verdict last, and no line that is too wide.

use nearfar_sweep::Sweep;
use nearfar_sweep::text::screen;
use nearfar_sweep::text::verdict::verdict;
use nearfar_view::terminal::screen::{MAX_LINES, Screen};
use nearfar_view::terminal::width;

use crate::words::sweep;

const BASE: [f64; 6] = [10.0, 10.4, 9.7, 10.2, 9.6, 10.1];
const HALF: [f64; 6] = [5.0, 5.01, 5.005, 5.0, 5.003, 5.002];

fn published() -> Sweep {
    let file = "../../docs/gallery/documents/this-machine-xz.json";
    nearfar_sweep::read(std::path::Path::new(file)).unwrap()
}

#[test]
fn the_verdict_counts_as_hyperfine_does() {
    let faster = verdict(&sweep(&[("unbound", &BASE), ("local:0", &HALF)]));
    assert!(faster.starts_with("local:0 is 2.01 times faster than unbound (1."), "{faster}");
    // The reference itself is the fastest.
    let reference = verdict(&sweep(&[("unbound", &HALF), ("local:0", &BASE)]));
    assert!(reference.starts_with("unbound is 2.01 times faster than local:0 (1."), "{reference}");
    let published = verdict(&published());
    assert_eq!(
        published,
        "packed jobs=2 is 1.60 times faster than unbound jobs=1 (1.50 to 1.68); unbound jobs=2 may \
         be as good"
    );
}

#[test]
fn what_is_not_sure_has_its_reason() {
    for (all, why) in [
        (&[("unbound", &BASE[..]), ("local:0", &BASE[..])][..], "no difference is beyond chance"),
        (&[("unbound", &BASE[..4]), ("local:0", &HALF[..4])], "differences need six runs"),
        (&[("unbound", &[])], "no run was made"),
    ] {
        let text = verdict(&sweep(all));
        assert!(text.starts_with(&format!("not sure: {why}")), "{text}");
    }
    let alone = verdict(&sweep(&[("unbound", &BASE)]));
    assert_eq!(alone.trim_end(), "nothing compared: only unbound ran");
}

#[test]
fn a_figure_of_the_program_is_compared_by_its_name() {
    let mut rate = sweep(&[("unbound", &HALF), ("local:0", &BASE)]);
    rate.objective.metric = Some("tps=tps = ([0-9.]+)".to_owned());
    rate.objective.name = "tps".to_owned();
    rate.objective.higher_is_better = true;
    for one in &mut rate.configurations {
        one.configuration.runs.iter_mut().for_each(|run| run.metric = Some(run.wall_s));
    }
    rate.judge();
    let text = verdict(&rate);
    assert!(text.starts_with("local:0 has 2.01 times the tps of unbound (1."), "{text}");
}

#[test]
fn the_first_screen_fits_80x24_and_has_the_answer_in_three_lines() {
    let many: Vec<(String, Vec<f64>)> = (0..40)
        .map(|at| (format!("local:{at}"), BASE.map(|time| time + f64::from(at)).into()))
        .collect();
    let many: Vec<(&str, &[f64])> =
        many.iter().map(|(id, times)| (id.as_str(), times.as_slice())).collect();
    for sweep in [published(), sweep(&many), sweep(&[("unbound", &BASE)])] {
        let Screen { first, last, .. } = width::with(80, || screen(&sweep));
        let lines = first.lines().count() + last.lines().count() + 1;
        assert!(lines <= MAX_LINES, "{lines} lines:\n{first}");
        let answer: String = first.lines().take(3).collect();
        let best = sweep.answers.fastest.clone().unwrap_or_default();
        assert!(answer.contains(&best), "{answer}");
    }
}

/// But for the line to copy, which is never broken.
#[test]
fn no_line_is_wider_than_the_terminal() {
    for columns in [40, 60, 80, 120] {
        let text = width::with(columns, || screen(&published()).text());
        let text = text.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        for line in text.lines().filter(|line| !line.starts_with("    nearfar run ")) {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
}
