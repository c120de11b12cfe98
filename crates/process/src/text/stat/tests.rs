use nearfar_machine::Source;

use super::text;
use crate::{Counters, ProcessUse};

/// A full node; a process with a control sequence in its name and pages of two sizes; and another
/// process.
fn counters() -> Counters {
    let node = |file: &str| format!("/sys/devices/system/node/node0/{file}");
    let source = Source::from_files([
        ("/proc/meminfo".to_owned(), "Hugepagesize: 2048 kB\n".to_owned()),
        (
            "/proc/self/numa_maps".to_owned(),
            "1000 default anon=1 N0=1 kernelpagesize_kB=4\n".to_owned(),
        ),
        (node("meminfo"), "Node 0 MemTotal: 4096 kB\n".to_owned()),
        (
            node("numastat"),
            "numa_hit 256\nnuma_miss 0\nnuma_foreign 256\ninterleave_hit 3\nlocal_node \
             1\nother_node 0\n"
                .to_owned(),
        ),
        (node("hugepages/hugepages-1048576kB/nr_hugepages"), "2".to_owned()),
        ("/proc/7/comm".to_owned(), "a\u{1b}[2Jb\n".to_owned()),
        (
            "/proc/7/numa_maps".to_owned(),
            "1000 default heap anon=512 N8=512 kernelpagesize_kB=4\n2000 default huge N0=1 \
             kernelpagesize_kB=1048576\n"
                .to_owned(),
        ),
        ("/proc/9/comm".to_owned(), "small\n".to_owned()),
    ]);
    let mut counters = Counters::read(&source).unwrap();
    counters.processes = ProcessUse::read_all(&source, &[7, 9]);
    counters
}

#[test]
fn tables_show_full_nodes_and_unreadable_processes() {
    let mut counters = counters();
    counters.processes[1].nodes = None;
    counters.processes[1].why = Some("it ended".to_owned());
    let text = text(&counters);
    assert!(
        text.contains("node 0 was full: 50.0 % of the pages intended for it are on other nodes"),
        "{text}"
    );
    assert!(text.contains("process 9 (small): it ended"), "{text}");
    assert!(text.contains("all nodes") && text.contains("1 GiB"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}
