//! Pages that are moved, pages that stay, and where nearfar locates them.

use super::findings::{Findings, Theme};

use serde_json::Value;

pub(super) static THEME: Theme = Theme::on_four_nodes(include_str!("moving.sh"));

#[test]
fn migrating_and_moving_carry_pages_to_where_they_are_wanted() {
    let Some(found) = THEME.found() else { return };
    for (name, node) in [("migrate", 0), ("migrate.after", 3), ("migratepages", 1), ("move", 0)] {
        assert_eq!(found.largest(name).pages, [(node, 4096)], "{name}");
    }
    assert!(
        found.well("migrate").contains(" MiB before, 0 B did not move"),
        "{}",
        found.out("migrate")
    );
    assert_eq!((found.well("migratepages"), found.err("migratepages")), ("", ""));
    found.well("move");
    assert_eq!(found.cpus("move"), "2-3");
}

#[test]
fn where_agrees_with_the_kernels_list() {
    let Some(found) = THEME.found() else { return };
    let document: Value = serde_json::from_str(found.well("where")).unwrap();
    let process = &document["processes"][0];
    let bytes_of = |node: u32| {
        let nodes = process["by_node"].as_array().unwrap().iter();
        nodes
            .filter(|entry| entry["node"] == node)
            .map(|entry| entry["bytes"].as_u64().unwrap())
            .sum::<u64>()
    };
    for node in 0..4 {
        assert_eq!(bytes_of(node), bytes_on(found, "where", node), "node {node}: {process:#}");
    }
    assert!(bytes_on(found, "where", 3) > 16 << 20);
    // Node 3 has no CPUs, but other pages of the process, such as the program's text, may lie where
    // it runs.
    let runs_on = process["threads"][0]["node"].as_u64().unwrap() as u32;
    let total: u64 = (0..4).map(bytes_of).sum();
    let remote = (total - bytes_of(runs_on)) as f64 / total as f64;
    assert!(
        (process["remote_share"].as_f64().unwrap() - remote).abs() < 1e-9,
        "{remote}: {process:#}"
    );
    assert!(remote > 0.5, "{process:#}");
    assert!(
        found.well("where-text").contains("policy of all mappings: bind:0"),
        "{}",
        found.out("where-text")
    );
}

/// What numa_maps lists on a node. No mapping of the program is of huge pages.
fn bytes_on(found: &Findings, name: &str, node: u32) -> u64 {
    let start = format!("N{node}=");
    let maps = found.text(&format!("{name}.maps"));
    let counts = maps.split_whitespace().filter_map(|word| word.strip_prefix(&start));
    counts.map(|pages| pages.parse::<u64>().unwrap() * 4096).sum()
}

#[test]
fn defect_8_pages_that_find_no_room_are_counted_and_a_failure() {
    let Some(found) = THEME.found() else { return };
    let held = |name: &str| found.largest(name).pages;
    assert_eq!(held("stays"), [(0, 150 << 8)]);
    let stayed = held("stays.ours")[0].1;
    assert!(stayed > 20 << 8, "node 2 is small: {stayed} pages stayed");
    let stderr = found.complaint("stays.ours");
    let count: u64 =
        stderr.split_once("could not move ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    // The program has a few pages besides.
    assert!(
        (stayed..stayed + 64).contains(&count),
        "{stderr}: {stayed} pages of it stand on node 0"
    );

    let again: Value = serde_json::from_str(found.out("stays-again")).unwrap();
    let failed = again["failed_pages"].as_u64().unwrap();
    assert_eq!(found.status("stays-again"), 1);
    assert!((held("stays-again")[0].1..stayed + 64).contains(&failed), "{again:#}");
}

#[test]
fn moving_to_a_full_node_reports_what_stayed() {
    let Some(found) = THEME.found() else { return };
    assert_eq!(found.status("stays-moved"), 1);
    let stderr = found.out("stays-moved");
    assert!(stderr.contains("stayed: move_pages: the target nodes are full"), "{stderr}");
    assert!(
        stderr.contains("its own policy is bind:0, and another process's policy cannot be changed"),
        "{stderr}"
    );
}

#[test]
fn a_group_is_moved_with_all_that_it_has() {
    let Some(found) = THEME.found() else { return };
    assert_eq!(found.largest("group").pages, [(0, 2048)]);
    found.well("group-moved");
    assert_eq!(found.largest("group-moved").pages, [(3, 2048)]);
    assert_eq!(found.text("group-limits"), "2-3\n3\n");
    let status = found.text("group-now.status");
    assert!(
        status.contains("Cpus_allowed_list:\t2-3\n") && status.contains("Mems_allowed_list:\t3\n"),
        "{status}"
    );
}

#[test]
fn a_process_that_is_gone_is_named() {
    let Some(found) = THEME.found() else { return };
    assert!(found.complaint("gone").contains("there is no process"), "{}", found.err("gone"));
}

#[test]
fn cached_pages_of_a_file_go_where_they_are_wanted() {
    const KB: i64 = 16 << 10;
    let Some(found) = THEME.found() else { return };
    for (name, came, to) in [("file-filled", [KB, 0, 0, 0], 0), ("file-moved", [-KB, 0, 0, KB], 3)]
    {
        found.well(name);
        let counted = found.shared_kb(name);
        // The kernel has a little shared memory of its own.
        let is_near = counted.iter().zip(came).all(|(&kb, wanted)| (kb - wanted).abs() < 256);
        assert!(is_near, "{name}: {counted:?}");
        let where_is = if to == 0 { "file-where" } else { "file-after" };
        let document: Value = serde_json::from_str(found.well(where_is)).unwrap();
        assert_eq!(
            document["by_node"],
            serde_json::json!([{ "node": to, "bytes": KB << 10 }]),
            "{document:#}"
        );
    }
}

#[test]
fn a_warmed_file_is_on_the_programs_node() {
    let Some(found) = THEME.found() else { return };
    found.well("file-warm");
    let shown = found.err("file-warm");
    assert!(shown.contains("16 MiB on node 1 (0 B read, 16 MiB moved)"), "{shown}");
    let counted = found.shared_kb("file-warm");
    assert!(counted[1] > 15 << 10 && counted[3] < -(15 << 10), "{counted:?}");
    found.well("file-again");
    let shown = found.err("file-again");
    assert!(shown.contains("(0 B read, 0 B moved)"), "{shown}");
}

#[test]
fn the_misbound_rank_of_a_job_is_found_by_status_3() {
    let Some(found) = THEME.found() else { return };
    let shown = found.well("job");
    assert!(shown.starts_with("4 ranks: "), "{shown}");
    assert!(shown.contains("rank 2 (process "), "{shown}");
    assert_eq!(found.status("job-fails"), 3, "{}", found.err("job-fails"));
    let line = found.err("job-fails").trim_end();
    assert!(!line.contains('\n') && line.contains("'remote>5%' holds: rank 2 (process "), "{line}");
    assert!(!line.contains("rank 1 ") && !line.contains("unbound"), "{line}");

    assert_eq!(found.status("job-json"), 3);
    let document: Value = serde_json::from_str(found.out("job-json")).unwrap();
    let workers = document["workers"].as_array().unwrap();
    let places: Vec<_> = workers
        .iter()
        .map(|worker| (worker["rank"].clone(), worker["cpu_nodes"].clone()))
        .collect();
    let expected = [(0, "0"), (1, "1"), (2, "1"), (3, "0")];
    assert_eq!(places, expected.map(|(rank, node)| (rank.into(), node.into())));
    for worker in workers {
        let is_odd = worker["rank"] == 2;
        assert_eq!(!worker["misfits"].as_array().unwrap().is_empty(), is_odd, "{worker:#}");
    }
    assert_eq!(document["conditions"][0]["holds"], "yes");

    assert!(found.complaint("job-others").contains("no process of job '78'"));
    found.well("job-moved");
    found.well("job-again");
}
