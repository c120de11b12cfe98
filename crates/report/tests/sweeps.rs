//! Sweeps as text: no more is marked than words say.

use nearfar_report::sweep::text;
use nearfar_sweep::Sweep;
use serde_json::{Value, json};

fn run(block: usize, wall_s: f64) -> Value {
    json!({"block": block, "order": block, "wall_s": wall_s, "user_s": 0.0, "sys_s": 0.0, "max_rss_bytes": 0, "minor_faults": 0, "major_faults": 0,
        "exit": {"how": "exited", "code": 0}})
}

/// Placements with the times of their runs.
fn sweep(placements: &[(&str, &[f64])]) -> Sweep {
    let configuration = |(placement, times): &(&str, &[f64])| {
        let runs: Vec<Value> = times.iter().enumerate().map(|(block, wall_s)| run(block, *wall_s)).collect();
        json!({"id": placement, "placement": placement, "words": [], "jobs": 1, "cpus": "0", "nodes": "0", "command": ["x"], "runs": runs, "failed": 0})
    };
    let document = json!({
        "schema": nearfar_sweep::SCHEMA, "version": "0", "started": "", "machine": {"cpus": "0", "nodes": "0"},
        "axes": {"placements": [], "jobs": [], "environment": []},
        "objective": {"name": "wall_s", "metric": null, "higher_is_better": false}, "command": ["x"],
        "settings": {"warmup": 0, "looks_at_pages": false}, "seed": 1, "stopped": "run-limit", "unavailable": [],
        "configurations": placements.iter().map(configuration).collect::<Vec<_>>(),
        "answers": {"as_fast": [], "front": [], "difference_to_default": {}, "two_humped": [], "scaling": [], "words": []},
    });
    let mut sweep: Sweep = serde_json::from_value(document).unwrap();
    sweep.judge();
    sweep
}

/// What stands at the end of a configuration's line.
fn mark_of(text: &str, placement: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(placement)).unwrap_or_else(|| panic!("{text}"));
    line.rsplit(['%', '-', '?']).next().unwrap().trim().to_owned()
}

const SCATTERED: [f64; 6] = [10.0, 10.4, 9.7, 10.2, 9.6, 10.1];

#[test]
fn nothing_is_marked_where_words_say_that_nothing_is_real() {
    let shown = text(&sweep(&[("unbound", &SCATTERED), ("local:0", &[9.9, 10.1, 10.0, 10.3, 9.8, 9.7])]));
    assert!(shown.contains("No difference is real"), "{shown}");
    assert!(["unbound", "local:0"].iter().all(|placement| mark_of(&shown, placement).is_empty()), "{shown}");
}

#[test]
fn what_is_real_is_marked() {
    let shown = text(&sweep(&[("unbound", &SCATTERED), ("local:0", &[5.0, 5.01, 5.005, 5.0, 5.003, 5.002])]));
    assert_eq!((mark_of(&shown, "local:0").as_str(), mark_of(&shown, "unbound").as_str()), ("fastest, steadiest", ""));
    let three_runs = text(&sweep(&[("unbound", &SCATTERED[..3]), ("local:0", &[5.0, 5.01, 5.005])]));
    assert_eq!(mark_of(&three_runs, "local:0"), "fastest", "{three_runs}");
}
