use std::fmt::Write as _;

use super::*;

/// A machine of two nodes with this many processes, half of them kernel threads.
fn machine(processes: u32) -> Source {
    let node = "/sys/devices/system/node";
    let mut files = vec![
        ("/sys/devices/system/cpu/online".to_owned(), "0-1".to_owned()),
        (format!("{node}/online"), "0-1".to_owned()),
        (format!("{node}/node0/cpulist"), "0".to_owned()),
        (format!("{node}/node1/cpulist"), "1".to_owned()),
        ("/proc/mounts".to_owned(), "c /sys/fs/cgroup cgroup2 rw 0 0\n".to_owned()),
        ("/sys/fs/cgroup/box/cgroup.procs".to_owned(), String::new()),
        ("/sys/fs/cgroup/box/memory.numa_stat".to_owned(), "anon N0=4096 N1=0\n".to_owned()),
        ("/proc/stat".to_owned(), "cpu 1 2\n".to_owned()),
    ];
    for pid in 1..=processes {
        let pages = u64::from(pid % 2 * pid);
        let mut stat = format!("{pid} (p{pid}) S 1 1 1 0 -1 0 0 0 0 0 9 0 0 0 20 0 1 0 7 ");
        let _ = write!(stat, "{} {pages}", pages * 4096);
        files.push((format!("/proc/{pid}/stat"), stat));
    }
    Source::from_files(files)
}

fn observer(source: &Source) -> Observer<'_> {
    Observer::new(source, None, true).unwrap()
}

#[test]
fn a_hundred_thousand_processes_are_read_in_turn() {
    let source = machine(100_000);
    let mut observer = observer(&source);
    observer.observe(&Shown::default(), Effort::Paced(1e-9));
    let tick = observer.tick(&View::default());
    assert_eq!((tick.counts.readable, tick.counts.of_others), (50_000, Some(0)));
    assert_eq!(tick.processes[0].pid, 99_999);
    assert_eq!(tick.cgroups.unwrap()[0].memory_bytes, Bytes(4096));
    // Nothing is left of the budget: the second round reads a few only, and ends.
    observer.observe(&Shown::default(), Effort::Paced(1e-9));
    assert_eq!(observer.tick(&View::default()).counts.readable, 50_000);
}

#[test]
fn processes_that_end_between_two_reads_vanish() {
    let source = machine(9);
    let mut observer = observer(&source);
    observer.observe(&Shown::default(), Effort::Samples(0));
    assert_eq!(observer.tick(&View::default()).counts.readable, 5);
    let later = machine(3);
    observer.source = &later;
    // The list may be older than the readings.
    observer.listing.spent(observer.now_s(), 1e6, 1.0);
    let shown = Shown { pids: vec![7, 9, 4_000_000], groups: Vec::new() };
    observer.observe(&shown, Effort::Samples(9));
    let tick = observer.tick(&View::default());
    assert!(tick.processes.len() <= 2, "{:?}", tick.processes);
    let nothing = Source::from_files([("/sys/x", "")]);
    observer.source = &nothing;
    observer.observe(&shown, Effort::Samples(9));
    let tick = observer.tick(&View::default());
    assert!(tick.processes.is_empty() && tick.nodes.is_empty());
    assert!(tick.cgroups.unwrap().is_empty());
}

#[test]
fn machines_without_nodes_processes_or_groups_are_errors() {
    let fails = |files: &[(&str, &str)]| {
        let source = Source::from_files(files.iter().copied());
        Observer::new(&source, None, true).err().unwrap().to_string()
    };
    let cpus = ("/sys/devices/system/cpu/online", "0");
    let node = ("/sys/devices/system/node/node0/cpulist", "0");
    assert!(fails(&[cpus]).contains("not NUMA aware"), "{}", fails(&[cpus]));
    assert!(fails(&[cpus, node]).contains("/proc"), "{}", fails(&[cpus, node]));
    let groups = fails(&[cpus, node, ("/proc/stat", "")]);
    assert!(groups.contains("no control group has memory.numa_stat"), "{groups}");
}
