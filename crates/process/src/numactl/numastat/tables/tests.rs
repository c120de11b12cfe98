use nearfar_machine::Source;

use super::*;

const OPTIONS: TableOptions =
    TableOptions { screen: 200, narrow: false, skip_zeros: false, sort: None, verbose: false };

/// Sparse nodes, one without CPUs, one without memory; huge pages of two sizes.
fn counters() -> Counters {
    let node = |id: u32, file: &str| format!("/sys/devices/system/node/node{id}/{file}");
    let meminfo = |id: u32, total: u32, huge: u32| {
        format!(
            "Node {id} MemTotal: {total} kB\nNode {id} SwapCached: 0 kB\nNode {id} \
             HugePages_Total: {huge}\n"
        )
    };
    let source = Source::from_files([
        ("/proc/meminfo".to_owned(), "Hugepagesize: 2048 kB\n".to_owned()),
        (
            "/proc/self/numa_maps".to_owned(),
            "1000 default anon=1 N0=1 kernelpagesize_kB=4\n".to_owned(),
        ),
        (node(0, "meminfo"), meminfo(0, 4096, 3)),
        (
            node(0, "numastat"),
            "numa_hit 256\nnuma_miss 0\nnuma_foreign 256\ninterleave_hit 3\nlocal_node \
             1\nother_node 0\n"
                .to_owned(),
        ),
        (node(0, "hugepages/hugepages-2048kB/nr_hugepages"), "3".to_owned()),
        (node(0, "hugepages/hugepages-1048576kB/nr_hugepages"), "2".to_owned()),
        (node(0, "hugepages/hugepages-1048576kB/free_hugepages"), "1".to_owned()),
        (node(8, "meminfo"), meminfo(8, 0, 0)),
        (
            node(8, "numastat"),
            "numa_hit 0\nnuma_miss 0\nnuma_foreign 0\ninterleave_hit 0\nlocal_node 0\nother_node \
             0\n"
            .to_owned(),
        ),
        ("/proc/7/comm".to_owned(), "a\u{1b}[2Jb\n".to_owned()),
        (
            "/proc/7/numa_maps".to_owned(),
            "1000 default heap anon=512 N8=512 kernelpagesize_kB=4\n2000 default huge N0=1 \
             kernelpagesize_kB=1048576\n"
                .to_owned(),
        ),
        ("/proc/9/comm".to_owned(), "small\n".to_owned()),
        (
            "/proc/9/numa_maps".to_owned(),
            "1000 default stack anon=1 N0=256 kernelpagesize_kB=4\n".to_owned(),
        ),
    ]);
    let mut counters = Counters::read(&source).unwrap();
    counters.processes = ProcessUse::read_all(&source, &[7, 9]);
    counters
}

#[test]
fn numastat_without_options_keeps_its_format() {
    assert_eq!(
        plain(&counters(), 1000),
        "                           node0           node8
numa_hit                     256               0
numa_miss                      0               0
numa_foreign                 256               0
interleave_hit                 3               0
local_node                     1               0
other_node                     0               0
"
    );
}

#[test]
fn allocations_are_shown_in_megabytes_with_a_total() {
    let text = allocations(&counters(), OPTIONS);
    assert!(
        text.starts_with(concat!(
            "\nPer-node numastat info (in MBs):\n",
            "                          Node 0          Node 8           Total\n",
        )),
        "{text}"
    );
    assert!(
        text.contains("\nNuma_Hit                    1.00            0.00            1.00\n"),
        "{text}"
    );
    assert!(
        text.contains("\nInterleave_Hit              0.01            0.00            0.01\n"),
        "{text}"
    );
}

#[test]
fn memory_shows_each_pool_of_huge_pages() {
    let text = memory(&counters(), OPTIONS);
    assert!(
        text.contains("\nHugePages_Total             6.00            0.00            6.00\n"),
        "{text}"
    );
    assert!(text.contains("\nHuge1G_Total             2048.00"), "{text}");
    assert!(text.contains("\nHuge1G_Free              1024.00"), "{text}");
    assert!(
        text.contains("\nSwapCached ") && !text.contains("Huge2M") && !text.contains("HighTotal"),
        "{text}"
    );
    let short = memory(&counters(), TableOptions { narrow: true, skip_zeros: true, ..OPTIONS });
    assert_eq!(
        short,
        "\nPer-node system memory usage (in MBs):
                 Node 0 Total
                 ------ -----
MemTotal              4     4
HugePages_Total       6     6
Huge1G_Total       2048  2048
Huge1G_Free        1024  1024
"
    );
}

#[test]
fn processes_have_a_line_each_or_a_table_each() {
    let text = processes(&counters(), TableOptions { sort: Some(SortBy::Total), ..OPTIONS });
    assert_eq!(
        text,
        "\nPer-node process memory usage (in MBs)
PID                        Node 0          Node 8           Total
----------------  --------------- --------------- ---------------
7 (a\u{fffd}[2Jb)                1024.00            2.00         1026.00
9 (small)                    1.00            0.00            1.00
----------------  --------------- --------------- ---------------
Total                     1025.00            2.00         1027.00
"
    );
    let mut one = counters();
    one.processes.remove(1);
    let text = processes(&one, OPTIONS);
    assert!(
        text.contains("for PID 7 (a\u{fffd}[2Jb)\n                           Node 0"),
        "{text}"
    );
    assert!(
        text.contains("\nHuge                      1024.00            0.00         1024.00\n"),
        "{text}"
    );
    assert!(
        text.contains("\nHeap                         0.00            2.00            2.00\n"),
        "{text}"
    );
    let both = processes(&counters(), TableOptions { verbose: true, ..OPTIONS });
    assert_eq!(both.matches("for PID").count(), 2);
}

#[test]
fn lines_are_ordered_by_a_named_node() {
    let text =
        processes(&counters(), TableOptions { sort: Some(SortBy::Node(NodeId(8))), ..OPTIONS });
    assert!(text.find("7 (a") < text.find("9 (small"), "{text}");
    let mut emptied = counters();
    emptied.processes[0].nodes = None;
    assert!(!processes(&emptied, OPTIONS).contains("7 (a"));
    emptied.processes.truncate(1);
    assert_eq!(processes(&emptied, OPTIONS), "");
}
