//! Policies of a process: by `/proc/PID/numa_maps` of a program that holds 8 MiB, and by the nodes'
//! `numastat`.

use super::findings::{Findings, Theme};

pub(super) static THEME: Theme = Theme::on_four_nodes(include_str!("process.sh"));

/// What the program holds, in pages.
const HELD: u64 = 2048;

fn has(found: &Findings, name: &str, policy: &str, pages: &[(u32, u64)]) {
    let held = found.largest(name);
    assert_eq!((held.policy.as_str(), &held.pages[..]), (policy, pages), "{name}");
}

#[test]
fn each_policy_places_pages() {
    let Some(found) = THEME.found() else { return };
    has(found, "bind", "bind:1", &[(1, HELD)]);
    has(found, "bind-two", "bind:1,3", &[(1, HELD)]);
    has(found, "preferred", "prefer:3", &[(3, HELD)]);
    has(found, "preferred-many", "prefer (many):1,3", &[(1, HELD)]);
    let turns = found.largest("interleave");
    assert_eq!(turns.policy, "interleave:0-1,3");
    assert!(
        turns.pages.len() == 3 && turns.pages.iter().all(|(_, pages)| (682..=683).contains(pages)),
        "{turns:?}"
    );
    has(found, "local", "local", &[(1, HELD)]);
    has(found, "default", "default", &[(2, HELD)]);
}

#[test]
fn weights_are_set_and_share_pages_out() {
    let Some(found) = THEME.found() else { return };
    assert_eq!(found.text("weights"), "5\n2\n1\n1\n");
    has(found, "weighted", "weighted interleave:0-1,3", &[(0, 1280), (1, 512), (3, 256)]);
}

#[test]
fn a_mapping_follows_its_own_policy_and_the_rest_of_the_process_does_not() {
    let Some(found) = THEME.found() else { return };
    has(found, "map-bind", "bind:3", &[(3, HELD)]);
    // Where the node is short of free pages for a moment, the kernel takes another's.
    let preferred = found.largest("map-preferred");
    let near = preferred.pages.iter().find(|(node, _)| *node == 2).map_or(0, |(_, pages)| *pages);
    assert!(preferred.policy == "prefer:2" && near > HELD / 10 * 9, "{preferred:?}");
    for (name, policy, shares) in [
        ("map-interleave", "interleave:1,3", [(1, 1024), (3, 1024)]),
        // Weights 5 and 1.
        ("map-weighted", "weighted interleave:0,3", [(0, 1707), (3, 341)]),
    ] {
        let held = found.largest(name);
        let near = held
            .pages
            .iter()
            .zip(shares)
            .all(|(&(node, pages), (at, share))| node == at && pages.abs_diff(share) < 6);
        assert!(held.policy == policy && near, "{name}: {held:?}");
    }
    let many = found.largest("map-many");
    assert_eq!(many.policy, "prefer (many):1,3");
    assert!(many.pages.iter().all(|(node, _)| [1, 3].contains(node)), "{many:?}");
    for name in ["map-bind", "map-interleave", "map-weighted", "map-preferred", "map-many"] {
        let heap = found
            .text(&format!("{name}.maps"))
            .lines()
            .find(|line| line.contains(" heap "))
            .unwrap();
        assert!(heap.contains(" default heap "), "{name}: {heap}");
    }
    let turns: Vec<i64> =
        (0..4).map(|node| found.rise("map-interleave", node, "interleave_hit")).collect();
    assert!(
        (1020..1100).contains(&turns[1])
            && (1020..1100).contains(&turns[3])
            && turns[0] + turns[2] == 0,
        "{turns:?}"
    );
    assert!(found.rise("map-bind", 3, "numa_hit") >= i64::try_from(HELD).unwrap());
}

#[test]
fn the_kernels_counters_agree() {
    let Some(found) = THEME.found() else { return };
    let held = i64::try_from(HELD).unwrap();
    for (name, node) in [
        ("bind", 1),
        ("bind-two", 1),
        ("preferred", 3),
        ("preferred-many", 1),
        ("local", 1),
        ("default", 2),
    ] {
        for other in 0..4 {
            // nearfar, before it becomes the program, takes some 900 pages where the shell ran.
            let hits = found.rise(name, other, "numa_hit");
            assert!(
                if other == node { hits >= held } else { hits < held },
                "{name}: {hits} hits on node {other}"
            );
            // The program before it on that command line was interleaved.
            let turns =
                if name == "default" { 0 } else { found.rise(name, other, "interleave_hit") };
            assert_eq!(turns, 0, "{name}, node {other}");
            assert_eq!(
                found.rise(name, other, "numa_miss") + found.rise(name, other, "numa_foreign"),
                0,
                "{name}"
            );
        }
    }
    // The CPUs are elsewhere, or there.
    assert!(found.rise("preferred", 3, "other_node") >= held);
    assert!(found.rise("local", 1, "local_node") >= held);
    let turns: Vec<i64> =
        (0..4).map(|node| found.rise("interleave", node, "interleave_hit")).collect();
    assert!(
        [0, 1, 3].into_iter().all(|node| (682..800).contains(&turns[node])) && turns[2] == 0,
        "{turns:?}"
    );
    let shares: Vec<i64> =
        [0, 1, 3].into_iter().map(|node| found.rise("weighted", node, "numa_hit")).collect();
    let least = [1280, 512, 256];
    assert!(
        shares.iter().zip(least).all(|(share, least)| *share >= least)
            && shares.iter().sum::<i64>() < 2 * held,
        "{shares:?}"
    );
}

#[test]
fn programs_run_on_the_cpus_that_were_named() {
    let Some(found) = THEME.found() else { return };
    for (name, cpus) in [
        ("cpus", "1,3"),
        ("cpu-nodes", "0-1,4-5"),
        ("default", "4"),
        ("local", "2-3"),
        ("bind", "0-5"),
    ] {
        assert_eq!(found.cpus(name), cpus, "{name}");
    }
}

#[test]
fn balancing_lets_bound_pages_follow_their_user() {
    let Some(found) = THEME.found() else { return };
    let first = found.text("balanced.first");
    assert!(first.contains(" N1=1024 "), "{first}");
    let (balanced, unbalanced) = (found.largest("balanced"), found.largest("unbalanced"));
    assert_eq!(unbalanced.pages, [(1, 1024)], "what may not move stays");
    let moved: u64 =
        balanced.pages.iter().filter(|(node, _)| *node == 0).map(|(_, pages)| pages).sum();
    assert!(moved > 512, "{balanced:?}");
}

#[test]
fn preferred_falls_back_where_the_node_is_full() {
    let Some(found) = THEME.found() else { return };
    let held = found.largest("full-preferred");
    assert_eq!(
        (held.policy.as_str(), held.pages.iter().map(|(_, pages)| pages).sum::<u64>()),
        ("prefer:2", 150 << 8)
    );
    let on =
        |node| held.pages.iter().find(|(found, _)| *found == node).map_or(0, |(_, pages)| *pages);
    // The kernel keeps some of it back: what was free, in pages, and half of that.
    let free: u64 = found.text("full.free").trim().parse::<u64>().unwrap() >> 2;
    assert!(free > 0 && on(2) > free / 2, "the node is filled first: {free} free, {held:?}");
    let fallen = i64::try_from((150 << 8) - on(2)).unwrap();
    assert!(fallen > 0 && found.rise("full-preferred", 2, "numa_foreign") >= fallen, "{held:?}");
    assert!(
        (0..4).map(|node| found.rise("full-preferred", node, "numa_miss")).sum::<i64>() >= fallen
    );
}

#[test]
fn bind_is_killed_where_the_node_is_full() {
    let Some(found) = THEME.found() else { return };
    assert_eq!(found.status("full-bind"), 137);
    let log = found.text("full-bind.log");
    assert!(log.contains("constraint=CONSTRAINT_MEMORY_POLICY") && log.contains("(dd)"), "{log}");
}
