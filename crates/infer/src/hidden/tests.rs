//! Machines with hidden nodes, from their pages and lines.

use super::*;
use crate::replay::hiding::Hiding;
use crate::tests::cases::simulations;

/// The numbers of the results (found, none, undetermined) over several surveys of a machine.
fn findings(machine: &Hiding, surveys: u64) -> (usize, usize, usize) {
    let judged: Vec<PageFinding> = (0..surveys)
        .map(|seed| pages(&machine.sheets(seed), machine.rows.len(), seed).verdict.finding)
        .collect();
    let count = |finding| judged.iter().filter(|judged| **judged == finding).count();
    (count(PageFinding::Found), count(PageFinding::None), count(PageFinding::Undetermined))
}

fn uniform_machines() -> Vec<Hiding> {
    let mut machines = Vec::new();
    for rows in [2, 4, 8] {
        for sd in [0.01, 0.02, 0.03] {
            let uniform = || Hiding { item_sd: sd, ..Hiding::uniform(rows) };
            machines.push(uniform());
            machines.push(Hiding { sample_sd: sd, ..uniform() });
            machines.push(Hiding { item_row_sd: sd, same_items: true, ..uniform() });
            let slow = (0..rows).map(|row| 1.0 + 0.2 * row as f64).collect();
            machines.push(Hiding { slower: slow, ..uniform() });
        }
    }
    machines
}

fn assert_no_alarms(surveys: u64, most: usize) {
    let mut alarms = 0;
    for machine in uniform_machines() {
        alarms += findings(&machine, surveys).0;
    }
    assert!(alarms <= most, "{alarms} of {} uniform machines were called NUMA", surveys * 36);
}

#[test]
fn uniform_machines_have_no_hidden_nodes() {
    assert_no_alarms(4, 0);
}

/// 36 kinds of uniform machines; 0.1 % of them all is 3.6 alarms in a hundred surveys of each.
#[test]
#[ignore = "long: minutes"]
fn false_alarm_rate_on_uniform_machines_is_low() {
    assert_no_alarms(100, 4);
}

#[test]
fn two_hidden_nodes_are_found() {
    for seed in 0..5 {
        let machine = Hiding::two_nodes(1.49);
        let statement = pages(&machine.sheets(seed), 4, seed);
        assert_eq!(statement.verdict.finding, PageFinding::Found, "{statement:?}");
        let mut near: Vec<Vec<usize>> =
            statement.clusters.iter().map(|cluster| cluster.near.clone()).collect();
        near.sort();
        assert_eq!(near, [vec![0, 1], vec![2, 3]]);
        let [low, high] = statement.verdict.ci95.unwrap();
        assert!(low < 0.49 && 0.49 < high && low > 0.4 && high < 0.6, "{low} {high}");
        assert!(statement.clusters.iter().all(|cluster| cluster.share == 0.5));
        for pages in &statement.of_pages {
            assert_eq!(pages.len(), 64);
            let first = pages[0].1;
            assert!(
                pages
                    .iter()
                    .all(|(page, cluster)| (*cluster == first) == (machine.node(*page) == 0))
            );
        }
        assert_eq!(statement.verdict.reasons[1], PageReason::OrderTurns);
    }
}

#[test]
fn a_few_remote_pages_are_found() {
    let surveys = simulations(5, 20);
    let few = Hiding { deal: vec![7, 1], ..Hiding::two_nodes(1.49) };
    let (found, ..) = findings(&few, surveys);
    assert!(found as u64 * 20 >= surveys * 19, "{found} of {surveys}");
}

#[test]
fn eight_percent_is_usually_found() {
    let (found, ..) = findings(&Hiding { rows: vec![0, 1], ..Hiding::two_nodes(1.08) }, 25);
    assert!(found >= 20, "{found} of 25");
}

#[test]
fn detection_limits_hold() {
    for &(rows, sd) in &[(2, 0.01), (4, 0.02), (2, 0.03)][..simulations(1, 3) as usize] {
        let still = Hiding { sample_sd: sd, ..Hiding::uniform(rows) };
        let floors =
            (0..10).filter_map(|seed| pages(&still.sheets(seed), rows, seed).verdict.down_to);
        let floor = floors.fold(0.0, f64::max);
        assert!((0.044..0.25).contains(&floor), "{floor}");
        let hiding = Hiding {
            sample_sd: sd,
            rows: (0..rows).map(|row| row * 2 / rows).collect(),
            ..Hiding::two_nodes(1.0 + floor)
        };
        let (found, none, _) = findings(&hiding, 20);
        assert!(
            found >= 15 && none <= 3,
            "{rows} rows, {sd}: down to {floor}, {found} found, {none} none"
        );
    }
}

#[test]
fn four_hidden_nodes_are_separated() {
    let near_and_far = |a: usize, b: usize| match (a == b, a / 2 == b / 2) {
        (true, _) => 80.0,
        (_, true) => 110.0,
        _ => 170.0,
    };
    let ns = (0..4).map(|a| (0..4).map(|b| near_and_far(a, b)).collect()).collect();
    let machine = Hiding { rows: vec![0, 1, 2, 3], ns, deal: vec![1; 4], ..Hiding::uniform(4) };
    let statement = pages(&machine.sheets(1), 4, 1);
    assert_eq!(
        (statement.verdict.finding, statement.clusters.len()),
        (PageFinding::Found, 4),
        "{statement:?}"
    );
    let mut near: Vec<Vec<usize>> =
        statement.clusters.iter().map(|cluster| cluster.near.clone()).collect();
    near.sort();
    assert_eq!(near, [[0], [1], [2], [3]]);
}

#[test]
fn three_and_four_nodes_are_counted_at_twenty_percent() {
    let surveys = simulations(5, 100);
    for (rows, nodes) in [
        (vec![0, 1], 3),
        (vec![0, 1], 4),
        (vec![0, 0, 1, 1], 4),
        (vec![0, 1, 2], 3),
        (vec![0, 1, 2, 3], 4),
    ] {
        let (machine, kinds) = Hiding::with_cpus_on(&rows, nodes, 1.2);
        let counted = |seed: u64| {
            let statement = pages(&machine.sheets(seed), machine.rows.len(), seed);
            statement.verdict.finding == PageFinding::Found && statement.clusters.len() == kinds
        };
        let right = (0..surveys).filter(|seed| counted(*seed)).count() as u64;
        assert!(right * 10 >= surveys * 8, "CPUs {rows:?} of {nodes} nodes: {right} of {surveys}");
    }
}

#[test]
fn one_distant_node_is_undetermined() {
    let machine = Hiding { deal: vec![1, 0], ..Hiding::two_nodes(1.49) };
    let statement = pages(&machine.sheets(3), 4, 3);
    assert_eq!(statement.verdict.finding, PageFinding::Undetermined);
    let PageReason::CpusDiffer { at_least } = statement.verdict.reasons[1] else {
        panic!("{:?}", statement.verdict.reasons)
    };
    assert!((0.4..0.5).contains(&at_least), "{at_least}");
    assert_eq!(statement.verdict.settling, Some(Settling::OtherPages));
}

/// Rows that drift by 2 % hide a difference of 20 % in three processes, but not in more.
#[test]
fn one_distant_node_is_never_none_despite_drift() {
    for ratio in [1.1, 1.2, 1.49] {
        let drifting = Hiding { deal: vec![1, 0], process_drift: 0.02, ..Hiding::two_nodes(ratio) };
        assert_eq!(findings(&drifting, 20).1, 0, "{ratio}");
    }
    let many =
        Hiding { deal: vec![1, 0], process_drift: 0.02, processes: 12, ..Hiding::two_nodes(1.2) };
    let statement = pages(&many.sheets(1), 4, 1);
    assert_eq!(
        statement.verdict.settling,
        Some(Settling::OtherPages),
        "{:?}",
        statement.verdict.reasons
    );
}

#[test]
fn drift_needs_more_processes_for_none() {
    for rows in [2, 4, 8] {
        let (_, none, _) = findings(&Hiding { rounds: 3, ..Hiding::uniform(rows) }, 20);
        assert!(none >= 17, "{rows} rows: {none} of 20");
        let drifting = Hiding { process_drift: 0.02, processes: 12, ..Hiding::uniform(rows) };
        let (_, none, _) = findings(&drifting, 10);
        assert!(none >= 8, "{rows} drifting rows: {none} of 10");
    }
    let statement = pages(&Hiding { process_drift: 0.04, ..Hiding::uniform(4) }.sheets(1), 4, 1);
    assert_eq!(
        statement.verdict.settling,
        Some(Settling::MoreProcesses),
        "{:?}",
        statement.verdict.reasons
    );
}

#[test]
fn kinds_equal_for_all_cpus_are_undetermined() {
    for rows in [1, 2] {
        let machine = Hiding {
            rows: vec![0; rows],
            ns: vec![vec![80.0, 200.0]],
            deal: vec![1, 1],
            ..Hiding::uniform(rows)
        };
        let statement = pages(&machine.sheets(3), rows, 3);
        assert_eq!(statement.verdict.finding, PageFinding::Undetermined);
        let PageReason::KindsFromAllAlike { apart } = statement.verdict.reasons[0] else {
            panic!("{:?}", statement.verdict.reasons)
        };
        assert!((1.0..2.0).contains(&apart), "{apart}");
    }
}

#[test]
fn one_cpu_suffices_for_uniform_pages() {
    let statement = pages(&Hiding::uniform(1).sheets(1), 1, 1);
    assert_eq!(statement.verdict.finding, PageFinding::None, "{statement:?}");
}

#[test]
fn one_process_or_no_samples_give_no_result() {
    let one = Hiding { processes: 1, ..Hiding::two_nodes(1.5) };
    let statement = pages(&one.sheets(1), 4, 1);
    assert_eq!(
        (statement.verdict.finding, statement.verdict.settling),
        (PageFinding::Undetermined, Some(Settling::MoreProcesses))
    );
    assert_eq!(pages(&[], 4, 1).verdict.finding, PageFinding::Undetermined);
    assert_eq!(
        pages(&[CostTable::new(&[]), CostTable::new(&[])], 4, 1).verdict.finding,
        PageFinding::Undetermined
    );
}

#[test]
fn alternating_lines_are_interleaved() {
    let machine = Hiding { items: 512, rounds: 2, sample_sd: 0.02, ..Hiding::two_nodes(1.2) };
    let statement = lines(&machine.halves(5), 4, 5);
    assert_eq!(
        (statement.finding, statement.kinds),
        (LineFinding::Interleaved, 2),
        "{statement:?}"
    );
    let ([a, b], correlation) = (statement.opposite_rows.unwrap(), statement.correlation.unwrap());
    assert!(a / 2 != b / 2 && correlation < -0.5, "{a} {b} {correlation}");
    assert!(
        statement.reliability.iter().all(|row| row.unwrap() > 0.5),
        "{:?}",
        statement.reliability
    );
    assert!((statement.effect.unwrap() - 0.2).abs() < 0.02);
}

#[test]
fn lines_of_one_memory_are_equal() {
    for (item_sd, item_row_sd) in [(0.0, 0.0), (0.03, 0.0)] {
        for seed in 0..5 {
            let machine =
                Hiding { items: 512, rounds: 2, item_sd, item_row_sd, ..Hiding::uniform(2) };
            let statement = lines(&machine.halves(seed), 2, seed);
            assert_eq!(statement.finding, LineFinding::Alike, "{statement:?}");
        }
    }
}

/// Of many pairs of rows some have a low correlation by chance: the p-value is that of the lowest.
#[test]
fn smallest_correlations_have_valid_p_values() {
    let noise =
        |seed| Hiding { items: 64, rounds: 2, item_sd: 0.0, ..Hiding::uniform(8) }.halves(seed);
    let surveys = simulations(20, 60) as usize;
    let low: Vec<f64> =
        (0..surveys as u64).map(|seed| lines(&noise(seed), 8, seed).p.unwrap()).collect();
    let below = |limit: f64| low.iter().filter(|p| **p <= limit).count();
    assert_eq!(below(0.001), 0, "{low:?}");
    assert!(below(0.05) * 60 <= 9 * surveys && below(0.5) * 4 >= surveys, "{low:?}");
}

#[test]
fn equal_lines_have_no_correlation() {
    let same = Hiding {
        items: 64,
        rounds: 2,
        sample_sd: 0.0,
        item_sd: 0.0,
        round_sd: 0.0,
        ..Hiding::uniform(2)
    };
    let mut halves = same.halves(1);
    for half in &mut halves {
        half.both.logs.iter_mut().flatten().for_each(|log| *log = 4.5);
    }
    let statement = lines(&halves, 2, 1);
    assert_eq!(
        (statement.finding, statement.opposite_rows, statement.p),
        (LineFinding::Undetermined, None, None)
    );
    assert_eq!(statement.reasons.len(), 1);
}

/// Slices of a cache have other distances from each core, without making a line part of a node.
#[test]
fn differing_lines_without_kinds_are_not_interleaved() {
    for seed in 0..5 {
        let machine = Hiding { items: 512, rounds: 2, item_row_sd: 0.05, ..Hiding::uniform(2) };
        assert_ne!(lines(&machine.halves(seed), 2, seed).finding, LineFinding::Interleaved);
    }
}
