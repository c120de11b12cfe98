use nearfar_machine::Source;
use nearfar_view::terminal::width;

use super::nodes;
use crate::Counters;

/// A full node.
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
    ]);
    Counters::read(&source).unwrap()
}

#[test]
fn tables_show_full_nodes_and_fit_narrow_terminals() {
    let figures = counters().nodes;
    let text = nodes(&figures);
    assert!(
        text.contains("node 0 was full: 50.0 % of the pages intended for it are on other nodes"),
        "{text}"
    );
    assert!(text.contains("pages since boot") && text.contains("1 GiB"), "{text}");
    for columns in [40, 60, 80, 120] {
        let text = width::with(columns, || nodes(&figures));
        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(columns), "{columns}:\n{text}");
    }
}
