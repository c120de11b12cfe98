//! Kept sweeps with such runs, as documents.

use serde_json::{Value, json};

/// A sweep of these numbers of jobs: placement and variables ("unbound GOGC=50"), jobs, and the
/// times of runs; 0 is one that failed.
pub(crate) fn sketch(jobs: &[usize], all: &[(&str, usize, &[f64])]) -> Value {
    let configurations: Vec<Value> = all.iter().map(|one| configuration(jobs, *one)).collect();
    json!({
        "schema": "nearfar.sweep/2", "version": "0", "started": "2026-01-01T00:00:00Z",
        "machine": {"model": "Sketch 9000", "kernel": "6.1.0", "cpus": "0-3", "nodes": "0-1"},
        "axes": {"placements": [], "jobs": jobs, "environment": []},
        "objective": {"name": "wall_s", "metric": null, "higher_is_better": false},
        "command": ["make", "-j{jobs}"],
        "settings": {"warmup": 0, "looks_at_pages": false},
        "seed": 1, "stopped": "run-limit", "unavailable": [],
        "configurations": configurations,
        "answers": {
            "as_fast": [], "front": [], "difference_to_default": {}, "two_humped": [],
            "scaling": [], "words": [],
        },
    })
}

fn configuration(named: &[usize], (curve, jobs, times): (&str, usize, &[f64])) -> Value {
    let mut words = curve.split(' ');
    let placement = words.next().unwrap();
    let variables: Vec<(&str, &str)> = words.filter_map(|word| word.split_once('=')).collect();
    let jobs_suffix = if named.len() > 1 { format!(" jobs={jobs}") } else { String::new() };
    let runs: Vec<Value> =
        times.iter().enumerate().map(|(block, wall_s)| run(block, *wall_s)).collect();
    json!({
        "id": curve.replacen(placement, &format!("{placement}{jobs_suffix}"), 1),
        "placement": placement, "words": [], "jobs": jobs, "environment": variables,
        "cpus": "0-3", "nodes": "0-1", "command": ["make"], "runs": runs, "failed": 0,
    })
}

fn run(block: usize, wall_s: f64) -> Value {
    let has_failed = wall_s == 0.0;
    json!({
        "block": block, "order": block, "wall_s": wall_s, "user_s": 0.0, "sys_s": 0.0,
        "max_rss_bytes": 0, "minor_faults": 0, "major_faults": 0,
        "exit": {"how": "exited", "code": i32::from(has_failed)},
        "failed": has_failed.then(|| json!({"code": "exited", "status": 1})),
    })
}
