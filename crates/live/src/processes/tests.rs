use nearfar_machine::Source;
use nearfar_process::{PageSample, ThreadReading};

use super::*;
use crate::document::ProcessWhy;
use crate::order::SortKey;

const PAGE: Bytes = Bytes(4096);

fn table() -> ProcessTable {
    let nodes = NodeSummaries::read(&Source::from_files([
        ("/sys/devices/system/node/online", "0-1"),
        ("/sys/devices/system/node/node0/cpulist", "0-1"),
        ("/sys/devices/system/node/node1/cpulist", "2-3"),
    ]));
    let at = |cpus, memory, ns| ((NodeId(cpus), NodeId(memory)), ns);
    let cells = [at(0, 0, 100.0), at(0, 1, 200.0), at(1, 1, 100.0), at(1, 0, 200.0)];
    ProcessTable::new(&nodes, PAGE, NodeLatencies::new("2026-11-26".to_owned(), cells))
}

fn stat(name: &str, ticks: u64, started: u64, pages: u64) -> TaskStat {
    let line = format!(
        "1 ({name}) S 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 2 0 {started} {} {pages} 0",
        pages * 4096
    );
    TaskStat::parse(&line).unwrap()
}

fn allowed() -> Access {
    Access::Allowed
}

fn sample(at_s: f64, on: [u64; 2], threads: &[(u32, u64)], migrated: u64) -> ProcessSample {
    let by_node = (0..).map(NodeId).zip(on).filter(|(_, pages)| *pages > 0).collect();
    let thread = |(&(cpu, ticks), tid): (&(u32, u64), u32)| ThreadReading {
        tid,
        cpu: Some(CpuId(cpu)),
        ticks,
    };
    ProcessSample {
        at_s,
        cost_s: 0.0001,
        pages: PageSample { by_node, is_whole: false },
        threads: threads.iter().zip(1..).map(thread).collect(),
        huge: Bytes(0),
        migrated: Some(migrated),
    }
}

fn only_row(table: &ProcessTable, now_s: f64) -> ProcessRow {
    table.rows(&View::default(), now_s).0.remove(0)
}

#[test]
fn a_misplaced_process_has_a_share_a_cost_and_a_rate() {
    let mut table = table();
    table.listed(&[7]);
    table.read(7, stat("db", 100, 5, 1 << 18), 1.0, allowed);
    assert_eq!(only_row(&table, 1.0).why, Some(ProcessWhy::NotSampled));
    table.sampled(7, sample(1.0, [100, 300], &[(0, 90), (1, 10)], 0));
    table.read(7, stat("db", 250, 5, 1 << 18), 2.0, allowed);
    let row = only_row(&table, 2.0);
    assert_eq!((row.cpus, row.sampled_pages, row.sample_age_s), (Some(1.5), 400, Some(1.0)));
    let (share, cost) = (row.remote_share.unwrap(), row.remote_cost.unwrap());
    assert_eq!((share.value, cost.value), (0.75, 0.75));
    assert!(share.ci95[0] > 0.7 && share.ci95[1] < 0.8, "{share:?}");
    assert_eq!(row.by_node[1].bytes, Bytes::mib(768));
    assert_eq!((row.threads_by_node[0].threads, row.why), (2, None));
    assert_eq!(table.survey().unwrap().remote_ratio, 2.0);
}

#[test]
fn threads_count_by_the_time_since_the_last_sample() {
    let mut table = table();
    table.listed(&[7]);
    table.read(7, stat("db", 0, 5, 1000), 1.0, allowed);
    table.sampled(7, sample(1.0, [400, 0], &[(0, 900), (2, 100)], 0));
    assert!((only_row(&table, 1.0).remote_share.unwrap().value - 0.1).abs() < 1e-12);
    table.sampled(7, sample(2.0, [400, 0], &[(0, 900), (2, 200)], 0));
    assert_eq!(only_row(&table, 2.0).remote_share.unwrap().value, 1.0);
    table.sampled(7, sample(3.0, [400, 0], &[(0, 900), (9, 300)], 0));
    assert_eq!(only_row(&table, 3.0).remote_share.unwrap().value, 0.0, "CPU 9 has no node");
}

#[test]
fn a_migration_is_shown_while_the_kernel_migrates() {
    let mut table = table();
    table.listed(&[7]);
    table.read(7, stat("db", 0, 5, 1 << 18), 1.0, allowed);
    table.sampled(7, sample(1.0, [400, 0], &[(0, 1)], 10));
    table.sampled(7, sample(2.0, [100, 300], &[(0, 1)], 5000));
    let moving = only_row(&table, 2.0).moving.unwrap();
    assert_eq!((moving.from, moving.to), (NodeId(0), NodeId(1)));
    table.sampled(7, sample(3.0, [100, 300], &[(0, 1)], 5000));
    assert_eq!(only_row(&table, 3.0).moving, None);
    table.sampled(7, sample(4.0, [400, 0], &[(0, 1)], 5000));
    assert_eq!(only_row(&table, 4.0).moving, None, "freed and allocated again");
    table.sampled(7, sample(5.0, [400, 0], &[(0, 1)], 5000));
    table.sampled(7, sample(6.0, [400, 0], &[(0, 1)], 9000));
    assert_eq!(only_row(&table, 6.0).moving, None, "others migrate, later");
}

#[test]
fn a_migration_between_the_counter_and_the_pages_is_shown_with_the_next_sample() {
    let mut table = table();
    table.listed(&[7]);
    table.read(7, stat("db", 0, 5, 1 << 18), 1.0, allowed);
    table.sampled(7, sample(1.0, [400, 0], &[(0, 1)], 10));
    table.sampled(7, sample(2.0, [0, 400], &[(0, 1)], 10));
    assert_eq!(only_row(&table, 2.0).moving, None);
    table.sampled(7, sample(3.0, [0, 400], &[(0, 1)], 5000));
    let moving = only_row(&table, 3.0).moving.unwrap();
    assert_eq!((moving.from, moving.to), (NodeId(0), NodeId(1)));
    table.sampled(7, sample(4.0, [0, 400], &[(0, 1)], 5000));
    assert_eq!(only_row(&table, 4.0).moving, None);
}

#[test]
fn processes_that_end_and_numbers_that_are_used_again() {
    let mut table = table();
    table.listed(&[7, 8, 9]);
    assert_eq!(table.unread(), [7, 8, 9]);
    table.read(7, stat("old", 0, 5, 10), 1.0, allowed);
    table.read(8, stat("other", 0, 5, 10), 1.0, || Access::OfOther);
    table.read(9, stat("kthread", 0, 5, 0), 1.0, allowed);
    table.sampled(7, sample(1.0, [4, 0], &[(0, 1)], 0));
    let (rows, counts) = table.rows(&View::default(), 1.0);
    assert_eq!((rows.len(), counts.readable, counts.of_others), (1, 1, Some(1)));
    table.read(7, stat("new", 0, 6, 10), 2.0, allowed);
    assert_eq!(only_row(&table, 2.0).why, Some(ProcessWhy::NotSampled));
    table.read(8, stat("own", 0, 7, 10), 2.0, allowed);
    table.ended(7);
    table.sampled(7, sample(2.0, [4, 0], &[(0, 1)], 0));
    table.read(7, stat("late", 0, 6, 10), 2.0, allowed);
    assert_eq!(only_row(&table, 2.0).name, "own");
    table.denied(8);
    assert_eq!(only_row(&table, 2.0).why, Some(ProcessWhy::Denied));
    table.listed(&[]);
    let none = ProcessCounts { of_others: Some(0), ..ProcessCounts::default() };
    assert_eq!(table.rows(&View::default(), 2.0).1, none);
}

#[test]
fn the_screen_is_sampled_first_and_all_are_read_in_turn() {
    let mut table = table();
    let pids: Vec<u32> = (1..=10).collect();
    table.listed(&pids);
    for &pid in &pids {
        table.read(pid, stat("p", 0, 1, u64::from(pid)), 0.0, allowed);
    }
    assert_eq!(table.to_sample(&[2, 3], 0.0, 4), [3, 2, 10, 9]);
    assert_eq!(table.to_sample(&[2, 3, 4, 5], 0.0, 5), [5, 4, 3, 10, 2]);
    table.sampled(2, sample(0.0, [4, 0], &[(0, 1)], 0));
    assert_eq!(table.to_sample(&[2, 3], 1.0, 2), [3, 2]);
    let mut costly = sample(1.0, [4, 0], &[(0, 1)], 0);
    costly.cost_s = 1.0;
    table.sampled(3, costly);
    assert_eq!(table.to_sample(&[2, 3], 100.0, 1), [2], "3 rests for 200 s");
    for pid in 4..=10 {
        table.sampled(pid, sample(f64::from(pid), [4, 0], &[(0, 1)], 0));
    }
    assert_eq!(table.to_sample(&[2], 100.0, 4), [2, 1, 4, 5], "all are sampled in turn");
    assert_eq!(table.turn(4), [1, 2, 3, 4]);
    assert_eq!(table.turn(4), [5, 6, 7, 8]);
    assert_eq!(table.turn(4), [9, 10, 1, 2]);
    table.resume_before(10);
    assert_eq!(table.turn(2), [10, 1]);
    assert_eq!(table.turn(99).len(), 10);
}

#[test]
fn a_hundred_thousand_processes_are_sorted() {
    let mut table = table();
    let pids: Vec<u32> = (1..=100_000).collect();
    table.listed(&pids);
    for &pid in &pids {
        table.read(pid, stat("p", 0, 1, u64::from(pid)), 0.0, allowed);
    }
    let view = View { sort: SortKey::Memory, ..View::default() };
    let (rows, counts) = table.rows(&view, 1.0);
    assert_eq!((rows[0].pid, counts.matching), (100_000, 100_000));
    table.listed(&pids[..1]);
    assert_eq!(table.rows(&view, 1.0).1.matching, 1);
}
