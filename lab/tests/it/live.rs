//! `nearfar top` beside programs whose memory the kernel lists: `four-nodes`, whose node 3 has no
//! CPUs.

mod available;

use serde_json::Value;

use crate::placing::findings::{Findings, Theme};

pub(crate) static THEME: Theme = Theme::on_four_nodes(include_str!("live/top.sh"));

fn ticks(found: &Findings, name: &str) -> Vec<Value> {
    let lines = found.well(name).lines();
    lines.map(|line| serde_json::from_str(line).expect("a tick")).collect()
}

/// The remote share of a program on node 0, as the kernel lists its pages.
fn true_share(found: &Findings, name: &str) -> f64 {
    let maps = found.text(&format!("{name}.maps"));
    let on = |node: u32| {
        let start = format!("N{node}=");
        let counts = maps.split_whitespace().filter_map(|word| word.strip_prefix(&start));
        counts.map(|pages| pages.parse::<f64>().unwrap()).sum::<f64>()
    };
    1.0 - on(0) / (0..4).map(on).sum::<f64>()
}

/// The only process of each tick that has a share.
fn shares(found: &Findings, name: &str) -> Vec<(f64, [f64; 2])> {
    let of = |tick: &Value| {
        let share = &tick["processes"].get(0)?["remote_share"];
        let end = |at: usize| share["ci95"][at].as_f64();
        Some((share["value"].as_f64()?, [end(0)?, end(1)?]))
    };
    ticks(found, name).iter().filter_map(of).collect()
}

#[test]
fn known_shares_are_within_their_intervals() {
    let Some(found) = THEME.found() else { return };
    for (name, about) in [("near", 0.0), ("third", 0.67), ("far", 1.0)] {
        let (truth, shown) = (true_share(found, name), shares(found, name));
        assert!((truth - about).abs() < 0.05, "{name}: {truth}");
        assert_eq!(shown.len(), 6, "{name}: {shown:?}");
        let held = shown.iter().filter(|(_, [low, high])| *low <= truth && truth <= *high).count();
        // An interval of 95 % may miss.
        assert!(held + 2 >= shown.len(), "{name}: {truth} in {held} of {shown:?}");
        for (value, [low, high]) in shown {
            assert!((value - truth).abs() < 0.1 && high - low < 0.15, "{name}: {value}, {truth}");
        }
    }
}

#[test]
fn threads_and_memory_are_on_their_nodes() {
    let Some(found) = THEME.found() else { return };
    let row = &ticks(found, "far").pop().unwrap()["processes"][0];
    assert_eq!(row["threads_by_node"], serde_json::json!([{ "node": 0, "threads": 1 }]));
    let on_1 = row["by_node"].as_array().unwrap().iter().find(|one| one["node"] == 1).unwrap();
    assert!(on_1["bytes"].as_u64().unwrap() > 60 << 20, "{row}");
}

#[test]
fn a_migration_under_way_is_shown() {
    let Some(found) = THEME.found() else { return };
    let ticks = ticks(found, "moving");
    let moves: Vec<&Value> = ticks
        .iter()
        .filter_map(|tick| tick["processes"].get(0))
        .map(|row| &row["moving"])
        .filter(|moving| !moving.is_null())
        .collect();
    assert!(!moves.is_empty(), "{ticks:#?}");
    assert!(moves.iter().all(|one| one["from"] == 0 && one["to"] == 1), "{moves:?}");
    let migrated = |tick: &Value| tick["machine"]["migrated_bytes_per_s"].as_f64().unwrap();
    assert!(ticks.iter().any(|tick| migrated(tick) > 1e6), "{ticks:#?}");
    let last = ticks.last().unwrap()["processes"][0]["remote_share"]["value"].as_f64().unwrap();
    assert!(last > 0.9, "its pages are on node 1, its thread on node 0: {last}");
}

#[test]
fn control_groups_of_version_2_have_memory_by_node() {
    let Some(found) = THEME.found() else { return };
    let ticks = ticks(found, "groups");
    let row = |tick: &Value| {
        let groups = tick["cgroups"].as_array().unwrap().clone();
        groups.into_iter().find(|group| group["name"] == "/box")
    };
    let shown = ticks.iter().find_map(row).expect("the group is shown");
    let on = |node: u32| {
        let nodes = shown["by_node"].as_array().unwrap().iter();
        nodes
            .filter(|one| one["node"] == node)
            .map(|node| node["bytes"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert!(on(1) >= 64 << 20 && on(0) < 8 << 20, "{shown}");
    assert!(shown["remote_share"].as_f64().unwrap() > 0.9, "{shown}");
    assert_eq!(shown["tasks"], 1);
    // Its program ends, and it is removed.
    assert!(row(ticks.last().unwrap()).is_none(), "{}", ticks.last().unwrap());
}

#[test]
fn nodes_agree_with_the_kernel() {
    let Some(found) = THEME.found() else { return };
    let tick = &ticks(found, "far").pop().unwrap();
    let nodes = tick["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), 4);
    assert_eq!((&nodes[3]["cpus"], &nodes[1]["cpus"]), (&"".into(), &"2-3".into()));
    let total = found.text("total").trim().parse::<u64>().unwrap() << 10;
    assert_eq!(nodes[1]["total_bytes"], total);
}
