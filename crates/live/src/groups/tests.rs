use nearfar_machine::{Source, memory_groups};
use nearfar_model::NodeId;

use super::*;

/// A machine of two nodes; its group has this much memory on them, and CPUs.
fn machine(on_0: u64, on_1: u64, cpus: &str, cpu_us: u64) -> Source {
    let group = "/sys/fs/cgroup/box";
    Source::from_files([
        ("/sys/devices/system/node/online".to_owned(), "0-1".to_owned()),
        ("/sys/devices/system/node/node0/cpulist".to_owned(), "0-1".to_owned()),
        ("/sys/devices/system/node/node1/cpulist".to_owned(), "2-3".to_owned()),
        ("/proc/mounts".to_owned(), "c /sys/fs/cgroup cgroup2 rw 0 0\n".to_owned()),
        (format!("{group}/cgroup.procs"), String::new()),
        (format!("{group}/cpuset.cpus.effective"), cpus.to_owned()),
        (format!("{group}/cpu.stat"), format!("usage_usec {cpu_us}\n")),
        (format!("{group}/memory.numa_stat"), format!("anon N0={on_0} N1={on_1}\n")),
    ])
}

fn read(table: &mut GroupTable, source: &Source, at_s: f64) {
    for group in table.plan(&[], 9) {
        table.read(&group, group.read(source, Bytes(4096)), at_s);
    }
}

fn table(source: &Source) -> GroupTable {
    let mut table = GroupTable::new(NodeSummaries::read(source));
    table.listed(memory_groups(source));
    read(&mut table, source, 1.0);
    table
}

#[test]
fn groups_of_one_nodes_cpus_have_a_remote_share() {
    let row = |cpus: &str| table(&machine(100, 300, cpus, 0)).rows(&View::default()).remove(0);
    assert_eq!((row("0-1").remote_share, row("2").remote_share), (Some(0.75), Some(0.25)));
    assert_eq!((row("0-3").remote_share, row("0-3").why), (None, Some(GroupWhy::SeveralNodes)));
    assert_eq!(row("x").why, Some(GroupWhy::CpusUnknown));
    let empty = table(&machine(0, 0, "0", 0)).rows(&View::default()).remove(0);
    assert_eq!((empty.why, empty.by_node.len()), (Some(GroupWhy::NoMemory), 0));
}

#[test]
fn cpu_time_and_moving_memory_are_rates() {
    let mut table = table(&machine(512 << 20, 0, "0", 0));
    read(&mut table, &machine(256 << 20, 256 << 20, "0", 3_000_000), 3.0);
    let row = table.rows(&View::default()).remove(0);
    assert_eq!(row.cpus, Some(1.5));
    let moving = row.moving.unwrap();
    assert_eq!((moving.from, moving.to), (NodeId(0), NodeId(1)));
    assert_eq!(moving.bytes_per_s, (128u64 << 20) as f64);
}

#[test]
fn vanished_groups_have_no_row() {
    let source = machine(1, 1, "0", 0);
    let mut table = table(&source);
    let gone = Source::from_files([("/proc/mounts", "")]);
    read(&mut table, &gone, 2.0);
    assert!(table.rows(&View::default()).is_empty());
    // It may vanish between the list and the first reading.
    table.listed(memory_groups(&source));
    read(&mut table, &gone, 3.0);
    assert!(table.rows(&View::default()).is_empty());
}
