//! Screens of sweeps written by hand, and of two beside each other, against golden text.
//! `SNAPSHOTS=overwrite cargo test` writes them anew; look at the difference.

use std::path::Path;

use nearfar_sweep::pictures::SweepKind;
use nearfar_view::draw::{Theme, standalone};
use serde_json::{Value, json};
use snapbox::data::DataFormat;
use snapbox::{Data, assert_data_eq, file};

use nearfar_sweep::Sweep;
use nearfar_view::terminal::width;

use crate::pictures::assert_table;

/// So far a run of each block is from the median, in thousandths; the same in each block, so that
/// what sets placements apart is certain.
const NOISE: [f64; 12] = [0.0, 4.0, -3.0, 7.0, -6.0, 2.0, -1.0, 5.0, -4.0, 1.0, 3.0, -5.0];

/// A way to run it: its name, its words, its settings, and what each run takes, with the share of
/// its pages that are remote.
struct Way<'w> {
    id: &'w str,
    words: &'w [&'w str],
    thp: &'w str,
    run: &'w dyn Fn(usize) -> Option<(f64, f64)>,
}

fn way(way: &Way<'_>, jobs: usize) -> Value {
    let run = |block: usize| {
        let (seconds, remote) = (way.run)(block).unwrap_or((0.02, 0.0));
        let failed = (way.run)(block).is_none();
        // The same moment does not slow all equally.
        let own = way.id.bytes().map(usize::from).sum::<usize>() % NOISE.len();
        let noise = (NOISE[block] + NOISE[(block + own) % NOISE.len()] / 4.0) / 1e3;
        let mut run = json!({
            "block": block, "order": block,
            "wall_s": seconds * (1.0 + noise), "user_s": seconds, "sys_s": 0.0,
            "max_rss_bytes": 1 << 20, "minor_faults": 100, "major_faults": 0,
            "remote_share": remote, "metric": null,
            "exit": {"how": "exited", "code": i32::from(failed)},
        });
        if failed {
            run["failed"] = json!({"code": "exited", "status": 1, "said": "no room"});
        }
        run
    };
    let system = if way.thp.is_empty() { json!({}) } else { json!({"thp": way.thp}) };
    json!({
        "id": way.id, "placement": way.id, "words": way.words, "jobs": jobs,
        "cpus": "0-3", "nodes": "0-1", "system": system,
        "command": ["./solver", format!("-j{jobs}"), "in put.dat"],
        "runs": (0..NOISE.len()).map(run).collect::<Vec<_>>(),
        "median": null, "ci95": null, "cv": null, "modes": null, "failed": 0,
    })
}

fn sweep(configurations: &[Value], jobs: &[usize]) -> Sweep {
    let document = json!({
        "schema": "nearfar.sweep/2", "version": "1.0.0", "started": "2026-11-21T03:20:00Z",
        "machine": {
            "model": "Made by hand", "kernel": "6.12.0",
            "cpus": "0-3", "nodes": "0-1", "smt": false,
        },
        "axes": {"placements": [], "jobs": jobs, "environment": [], "system": {}},
        "objective": {"name": "time", "metric": null, "higher_is_better": false},
        "command": ["./solver", "-j{jobs}", "in put.dat"],
        "settings": {
            "timeout_s": null, "prepare": null, "cleanup": null, "warmup": 1,
            "looks_at_pages": true, "cpusets": true,
        },
        "enforcement": {"cpusets": "cgroup v2"},
        "seed": 1, "stopped": "run-limit",
        "unavailable": [{
            "placement": "local:7",
            "why": {"code": "refused", "error": "node 7 is not there"},
        }],
        "configurations": configurations, "answers": {},
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.json");
    std::fs::write(&path, document.to_string()).unwrap();
    nearfar_sweep::read(&path).unwrap()
}

fn placements(thp: [&str; 2]) -> Sweep {
    let steady = |seconds: f64| move |_: usize| Some((seconds, 0.0));
    let modes = |block: usize| Some(if block % 2 == 0 { (10.0, 0.05) } else { (16.0, 0.95) });
    let sometimes = |block: usize| (block % 3 != 0).then_some((12.0, 1.0));
    let all = [
        Way { id: "unbound", words: &[], thp: thp[0], run: &modes },
        Way {
            id: "local:0",
            words: &["--cpunodebind=0", "--membind=0"],
            thp: thp[1],
            run: &steady(9.5),
        },
        Way {
            id: "remote:0/1",
            words: &["--cpunodebind=0", "--membind=1"],
            thp: thp[0],
            run: &steady(17.0),
        },
        Way { id: "interleave", words: &["--interleave=0-1"], thp: thp[0], run: &sometimes },
    ];
    sweep(&all.map(|one| way(&one, 4)), &[])
}

/// Twice as many jobs, so much less time, down to what cannot be shared out.
fn scaling(alone: f64) -> Sweep {
    let ways = [1, 2, 4, 8].map(|jobs| {
        let run = move |_: usize| Some((alone + (20.0 - alone) / jobs as f64, 0.0));
        way(&Way { id: &format!("unbound jobs={jobs}"), words: &[], thp: "", run: &run }, jobs)
    });
    let mut ways = ways;
    ways.iter_mut().for_each(|way| way["placement"] = json!("unbound"));
    sweep(&ways, &[1, 2, 4, 8])
}

#[test]
fn placements_with_modes_failures_and_settings() {
    let sweep = placements(["never", "always"]);
    assert_data_eq!(nearfar_sweep::text::text(&sweep), file!["../golden/sweep-placements.txt"]);
    assert_data_eq!(nearfar_sweep::text::csv(&sweep), file!["../golden/sweep-placements.csv"]);
}

/// Far interrupts cost a tenth.
fn interrupts() -> Sweep {
    let ways = [("near", 10.0), ("far", 11.0)].map(|(value, seconds)| {
        let id = format!("unbound irq={value}");
        let run = move |_: usize| Some((seconds, 0.0));
        let mut way = way(&Way { id: &id, words: &[], thp: "", run: &run }, 4);
        way["system"] = json!({"irq": value});
        way["placement"] = json!("unbound");
        let (node, cpu) = if value == "near" { (1, "2") } else { (0, "0") };
        for run in way["runs"].as_array_mut().unwrap() {
            let by_node = json!([{"node": node, "count": 4000}]);
            run["interrupts"] =
                json!({"count": 4000, "by_node": by_node, "elsewhere": 0, "effective": cpu});
        }
        way
    });
    let mut sweep = sweep(&ways, &[]);
    sweep.interrupts = serde_json::from_value(json!({
        "device": "NIC0", "address": "0000:03:00.0", "node": 1, "interrupts": [24, 25],
        "targets": {
            "near": {"cpus": "2-3", "nodes": "1"},
            "far": {"cpus": "0-1", "nodes": "0"},
        },
    }))
    .unwrap();
    sweep.judge();
    sweep
}

#[test]
fn interrupts_near_and_far() {
    let sweep = interrupts();
    assert_data_eq!(nearfar_sweep::text::text(&sweep), file!["../golden/sweep-interrupts.txt"]);
    let csv = nearfar_sweep::text::csv(&sweep);
    assert!(csv.lines().nth(1).unwrap().ends_with(",4000,0"), "{csv}");
    let origin = nearfar_report::page::Origin { file: "sweep.json".to_owned(), made_from: None };
    let page = nearfar_report::page::sweep(&sweep, &origin);
    assert!(page.contains("interrupts near NIC0: ") && page.contains("far: CPUs 0-1 (node 0)"));
    let mut before = sweep.clone();
    before
        .configurations
        .iter_mut()
        .for_each(|configuration| configuration.configuration.runs.clear());
    let plan = nearfar_sweep::text::plan(&before);
    assert!(
        plan.contains("unbound irq=far") && plan.contains("interrupts 24-25 of NIC0"),
        "{plan}"
    );
    // Other CPUs are another comparison.
    let mut other = sweep.clone();
    let targets = &mut other.interrupts.as_mut().unwrap().targets;
    targets.get_mut("far").unwrap().cpus = "0".parse().unwrap();
    let compared = nearfar_sweep::compare::compare(&sweep, &other).unwrap();
    let text = nearfar_sweep::text::comparison::text(&compared).plain();
    assert!(text.contains("interrupts set far: first 0-1, second 0"), "{text}");
}

#[test]
fn jobs_and_their_law() {
    assert_data_eq!(nearfar_sweep::text::text(&scaling(2.0)), file!["../golden/sweep-jobs.txt"]);
}

#[test]
fn tables_fit_80_columns() {
    let text = width::with(80, || nearfar_sweep::text::text(&placements(["never", "always"])));
    assert_data_eq!(&text, file!["../golden/sweep-80-columns.txt"]);
    let command = text.lines().filter(|line| !line.starts_with("    nearfar run"));
    for line in command {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn two_sweeps_beside_each_other() {
    let compared = nearfar_sweep::compare::compare(&scaling(2.0), &scaling(4.0)).unwrap();
    assert_data_eq!(
        nearfar_sweep::text::comparison::text(&compared).plain(),
        file!["../golden/sweeps-compared.txt"]
    );
}

#[test]
fn pages_and_pictures() {
    let origin = nearfar_report::page::Origin { file: "sweep.json".to_owned(), made_from: None };
    let placements = placements(["never", "always"]);
    let page = nearfar_report::page::sweep(&placements, &origin);
    let (before, after) = page.split_once("base64,").unwrap();
    let shown = format!("{before}base64,...{}", &after[after.find('"').unwrap()..]);
    assert_data_eq!(&shown, file!["../golden/sweep-placements.html"].raw());
    let made_from = Some("Measured in the lab <1>.".to_owned());
    let page = nearfar_report::page::sweep(
        &placements,
        &nearfar_report::page::Origin { made_from, ..origin },
    );
    assert!(page.contains("Measured in the lab &lt;1&gt;."), "where its figures come from");
    for (kind, sweep) in [
        (SweepKind::Placements, &placements),
        (SweepKind::Front, &placements),
        (SweepKind::Scaling, &scaling(2.0)),
    ] {
        assert_table(kind.name(), kind.draw(sweep).unwrap().as_ref());
    }
    for raw in ["wall_s", "run-limit", "time-limit"] {
        assert!(!shown.contains(raw), "{raw}");
    }
    let svg = |kind: SweepKind, sweep: &Sweep| {
        standalone(kind.draw(sweep).unwrap().as_ref(), Theme::Light)
    };
    assert_data_eq!(svg(SweepKind::Placements, &placements), golden("placements"));
    assert_data_eq!(svg(SweepKind::Front, &placements), golden("front"));
    assert_data_eq!(svg(SweepKind::Scaling, &scaling(2.0)), golden("scaling"));
    assert!(SweepKind::Scaling.draw(&placements).is_none(), "jobs were not varied");
}

fn golden(name: &str) -> Data {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pictures");
    Data::read_from(&folder.join(format!("{name}.svg")), Some(DataFormat::Text)).raw()
}
