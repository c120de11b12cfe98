//! Debian's numactl and ours, run with the same words: same status, same output, same effect, but
//! except for the differences listed in `docs/place/numactl.md`.

use serde_json::{Value, json};

use super::findings::{Findings, Theme};
use super::table::{
    assert_between, assert_same_rows, column, labels, without_free, without_turn, without_widths,
};

pub(super) static THEME: Theme = Theme::on_four_nodes(include_str!("twins.sh"));

/// Statuses that differ on purpose: name, numactl's, ours. The reasons stand in
/// docs/place/numactl.md.
const STATUSES: &[(&str, i32, i32)] = &[
    ("backwards", 0, 1),
    ("balancing-after", 1, 0),
    ("memhog-bad", 0, 1),
    ("memhog-file", 0, 1),
    ("memhog-preferred-two", 0, 1),
    ("numastat-none", 0, 1),
    ("numastat-nopid", 0, 1),
    ("shared-file-many", 1, 0),
    ("shared-file-offset", 1, 0),
    ("shared-file-preferred", 1, 0),
];

/// Of these, what numactl 2.0.19 (Debian 13) does well and 2.0.16 (Debian 12) does not.
const MENDED: [&str; 2] = ["shared-file-many", "shared-file-preferred"];

/// Whose output differs on purpose though both go well.
const OUTPUTS: &[&str] = &[
    "hardware",
    "hardware-long",
    "shows-P1,2",
    "shows-b-m0,1",
    "shows-l",
    "migspeed",
    "shared-file-many",
    "shared-file-preferred",
];

/// The names of all twins.
fn twins(found: &Findings) -> impl Iterator<Item = &str> {
    found.names().filter_map(|name| name.strip_suffix(".theirs.code"))
}

#[test]
fn statuses_are_the_same_but_for_those_that_are_listed() {
    let Some(found) = THEME.found() else { return };
    assert!(twins(found).count() > 120);
    let differ = twins(found).filter_map(|name| {
        let (theirs, ours) =
            (found.status(&format!("{name}.theirs")), found.status(&format!("{name}.ours")));
        (theirs != ours).then_some((name, theirs, ours))
    });
    let is_mended = found.status("shared-file-preferred.theirs") == 0;
    let expected =
        STATUSES.iter().copied().filter(|(name, ..)| !(is_mended && MENDED.contains(name)));
    assert_eq!(differ.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn valid_commands_give_the_same_output() {
    let Some(found) = THEME.found() else { return };
    for name in twins(found).filter(|name| !OUTPUTS.contains(name) && !name.starts_with("numastat"))
    {
        let (theirs, ours) = (format!("{name}.theirs"), format!("{name}.ours"));
        if found.status(&theirs) == 0 && found.status(&ours) == 0 {
            assert_eq!(without_turn(found.out(&ours)), without_turn(found.out(&theirs)), "{name}");
        }
    }
}

#[test]
fn a_place_given_by_either_is_the_same_place() {
    let Some(found) = THEME.found() else { return };
    for (name, place) in [
        ("membind", "Cpus\t0-5\nMems\t0-3\nbind:3\n"),
        ("preferred-many", "Cpus\t0-5\nMems\t0-3\nprefer (many):1-2\n"),
        ("physcpubind-plus", "Cpus\t1\nMems\t0-3\ndefault\n"),
        ("same", "Cpus\t4-5\nMems\t0-3\nbind:2\n"),
        ("but", "Cpus\t0-5\nMems\t0-3\nbind:1-3\n"),
        ("but-cpus", "Cpus\t4-5\nMems\t0-3\ndefault\n"),
        ("joined", "Cpus\t2-3\nMems\t0-3\nbind:1\n"),
        ("balancing-two", "Cpus\t0-5\nMems\t0-3\nbind=balancing:0-1\n"),
    ] {
        assert_eq!(found.well(&format!("{name}.ours")), place, "{name}");
    }
}

#[test]
fn defect_6_balancing_goes_with_membind_in_either_order() {
    let Some(found) = THEME.found() else { return };
    assert_eq!(found.well("balancing-after.ours"), found.well("balancing-two.ours"));
}

#[test]
fn show_and_hardware_are_those_of_numactl_field_by_field() {
    let Some(found) = THEME.found() else { return };
    for name in ["hardware", "hardware-long"] {
        let output = |who: &str| without_widths(found.well(&format!("{name}.{who}")));
        let (ours, theirs) = (output("ours"), output("theirs"));
        assert_eq!(without_free(&ours), without_free(&theirs));
        assert_between(name, &ours, &theirs, &output("later"));
    }
    // Where numactl's own words break off or name a node that was not asked for, the other lines
    // are the same.
    for name in ["shows-P1,2", "shows-b-m0,1", "shows-l"] {
        let (ours, theirs) =
            (found.well(&format!("{name}.ours")), found.well(&format!("{name}.theirs")));
        let same: Vec<&str> =
            ours.lines().filter(|line| theirs.lines().any(|other| other == *line)).collect();
        assert!(same.len() >= 3, "{name}: {ours}\n{theirs}");
    }
    assert_eq!(labels(found.out("shows-l.ours")), labels(found.out("show.theirs")));
}

#[test]
fn defect_15_show_and_hardware_come_as_json() {
    let Some(found) = THEME.found() else { return };
    let hardware: Value = serde_json::from_str(found.well("json-hardware")).unwrap();
    let nodes = hardware["nodes"].as_array().unwrap();
    let text = found.well("hardware.theirs");
    assert_eq!(nodes.len(), 4);
    for node in nodes {
        let mib = node["memory"]["total_bytes"].as_u64().unwrap() >> 20;
        assert!(text.contains(&format!("node {} size: {mib} MB\n", node["id"])), "{node}\n{text}");
    }
    let cpus: Vec<&Value> = nodes.iter().map(|node| &node["cpus"]).collect();
    assert_eq!(cpus, ["0-1", "2-3", "4-5", ""]);
    let rows = json!([[10, 20, 20, 30], [20, 10, 20, 30], [20, 20, 10, 30], [30, 30, 30, 10]]);
    assert_eq!(hardware["distances"]["rows"], rows);
    let show: Value = serde_json::from_str(found.well("json-show")).unwrap();
    let output =
        ["policy", "policy_nodes", "cpus", "cpu_nodes"].map(|key| show[key].as_str().unwrap());
    assert_eq!(output, ["interleave", "0,3", "2-3", "1"]);
}

#[test]
fn mistakes_are_one_line_on_stderr() {
    let Some(found) = THEME.found() else { return };
    for name in twins(found).filter(|name| found.status(&format!("{name}.ours")) == 1) {
        // What numactl prints in full: its usage without words. memhog, migspeed and numastat add
        // theirs to the reason.
        if ["no-options", "no-program"].contains(&name)
            || found.err(&format!("{name}.ours")).contains("sage")
        {
            continue;
        }
        let stderr = found.err(&format!("{name}.ours"));
        let lines =
            stderr.lines().filter(|line| !line.starts_with("memhog [") && !line.starts_with('-'));
        assert!((1..=2).contains(&lines.count()), "{name}: {stderr}");
        assert_eq!(found.out(&format!("{name}.ours")), "", "{name}");
    }
}

#[test]
fn shared_memory_comes_to_the_same_nodes() {
    let Some(found) = THEME.found() else { return };
    let both = twins(found).filter(|name| name.starts_with("shared-"));
    let well = both.filter(|name| {
        ["ours", "theirs"].iter().all(|who| found.status(&format!("{name}.{who}")) == 0)
    });
    let compared: Vec<&str> = well.collect();
    assert!(compared.len() >= 10, "{compared:?}");
    for name in compared {
        assert_eq!(
            found.text(&format!("{name}.ours.came")),
            found.text(&format!("{name}.theirs.came")),
            "{name}"
        );
    }
    for (name, node) in [
        ("shared-file-touch", 1),
        ("shared-file-offset", 1),
        ("shared-file-preferred", 3),
        ("shared-segment", 1),
    ] {
        let came = found.text(&format!("{name}.ours.came"));
        assert!(came.contains(&format!("{node} 4 MiB\n")), "{name}: {came}");
    }
    // Nothing is made where nothing is done.
    for name in ["shared-file-cpus", "shared-file-unaligned", "shared-length-unit"] {
        assert_eq!(
            found.text(&format!("{name}.ours.came")).lines().count(),
            4,
            "{name} left a file"
        );
    }
}

#[test]
fn numastat_prints_the_same_tables() {
    let Some(found) = THEME.found() else { return };
    let tables = twins(found).filter(|name| name.starts_with("numastat"));
    let mut compared = 0;
    for name in tables {
        let (theirs, ours) = (format!("{name}.theirs"), format!("{name}.ours"));
        if found.status(&theirs) != 0 || found.status(&ours) != 0 {
            continue;
        }
        let later = found.well(&format!("{name}.later"));
        assert_between(name, found.out(&ours), found.out(&theirs), later);
        let [mut rows, mut known, mut since] =
            [found.out(&ours), found.out(&theirs), later].map(labels);
        // Sorted rows change places with their figures, and numastat's with each other where they
        // are equal.
        if name.contains("-s") {
            for labels in [&mut rows, &mut known, &mut since] {
                labels.sort_unstable();
            }
        }
        // Rows that the kernel has got since are ours alone.
        if !name.contains("-m") && !name.contains("-cm") {
            assert_same_rows(name, &rows, &known, &since);
        }
        compared += 1;
    }
    assert!(compared >= 16, "{compared} tables");
    // The same process, nothing in between.
    assert_eq!(found.well("numastat-p.ours"), found.well("numastat-p.theirs"));
    for (name, node) in [("numastat-s", 4), ("numastat-s1", 1), ("numastat-ms2", 2)] {
        let sorted = column(found.out(&format!("{name}.ours")), node);
        // Rows on all memory stand first, whatever they hold.
        let sorted = &sorted[if name == "numastat-ms2" { 3 } else { 0 }..];
        assert!(sorted.len() >= 6 && sorted.is_sorted_by(|a, b| a >= b), "{name}: {sorted:?}");
    }
}

#[test]
fn demos_run_and_time_what_they_name() {
    let Some(found) = THEME.found() else { return };
    assert_eq!(found.status("migspeed.ours"), 0);
    assert!(
        found.out("migspeed.ours").contains(" Mbytes/second"),
        "{}",
        found.out("migspeed.ours")
    );
    let demo = found.well("numademo.ours");
    for test in ["memset", "random2", "ptrchase"] {
        assert!(
            demo.lines().filter(|line| line.contains(test) && line.contains("MB/s")).count() > 8,
            "{test}: {demo}"
        );
    }
    assert!(!demo.contains("inf") && !demo.contains("NaN"), "defect 5: {demo}");
}
