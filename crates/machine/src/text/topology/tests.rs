use snapbox::{assert_data_eq, str};

use super::*;
use crate::Source;

const CPU: &str = "/sys/devices/system/cpu";
const NODE: &str = "/sys/devices/system/node";

fn shown(files: Vec<(String, String)>, maps: bool) -> String {
    let source = Source::from_files(files);
    let topology = Topology::read(&source).unwrap();
    let screen = text(&topology, &Environment::read(&source), TopologyText { maps });
    screen.plain()
}

fn file(path: &str, content: impl Into<String>) -> (String, String) {
    (path.to_owned(), content.into())
}

/// Packages of 2 L3 caches of 2 cores of 2 threads; thread t of core c is CPU c + t * cores. One
/// node a package.
fn machine(packages: u32) -> Vec<(String, String)> {
    let cores = packages * 4;
    let mut files = vec![
        file("/proc/cpuinfo", "model name : Example 9000\nflags : lm\n"),
        file("/proc/version", "Linux version 6.1.0"),
        file(&format!("{CPU}/online"), format!("0-{}", cores * 2 - 1)),
    ];
    let span = |first: u32, count: u32| {
        format!("{first}-{},{}-{}", first + count - 1, first + cores, first + cores + count - 1)
    };
    for cpu in 0..cores * 2 {
        let (core, folder) = (cpu % cores, format!("{CPU}/cpu{cpu}"));
        files.push(file(
            &format!("{folder}/topology/core_cpus_list"),
            format!("{core},{}", core + cores),
        ));
        files.push(file(&format!("{folder}/topology/package_cpus_list"), span(core / 4 * 4, 4)));
        files.push(file(&format!("{folder}/cache/index3/level"), "3"));
        files.push(file(&format!("{folder}/cache/index3/type"), "Unified"));
        files.push(file(&format!("{folder}/cache/index3/size"), "8192K"));
        files.push(file(&format!("{folder}/cache/index3/shared_cpu_list"), span(core / 2 * 2, 2)));
    }
    for node in 0..packages {
        let folder = format!("{NODE}/node{node}");
        let distances: Vec<&str> =
            (0..packages).map(|other| if other == node { "10" } else { "21" }).collect();
        let meminfo =
            format!("Node {node} MemTotal: 67108864 kB\nNode {node} MemFree: 33554432 kB\n");
        files.push(file(&format!("{folder}/cpulist"), span(node * 4, 4)));
        files.push(file(&format!("{folder}/meminfo"), meminfo));
        files.push(file(&format!("{folder}/distance"), distances.join(" ")));
    }
    files
}

#[test]
fn a_machine_of_two_packages() {
    assert_data_eq!(
        shown(machine(2), true),
        str![[r#"
2 packages, 8 cores, 16 CPUs, 2 nodes, 128 GiB memory.
Example 9000, x86_64, Linux 6.1.0
Distances between nodes: 21 (firmware claims them, nothing is measured).

What to do
  nearfar survey                       # measures what remote memory costs
  nearfar plot machine -o machine.svg  # draws it, with its devices
  nearfar topology --maps              # core, node and caches of each CPU

Nodes
node  CPUs       memory    free
   0  0-3,8-11   64 GiB  32 GiB
   1  4-7,12-15  64 GiB  32 GiB

Distances as firmware claims them (10 is local)
node   0  1
   0  10 21
   1  21 10

Settings
  prefetchers: unknown (a captured machine has no CPU registers)

Parts
  2 packages: CPUs 0-3,8-11 | 4-7,12-15
    2 L3 caches of 8 MiB in each
      2 cores x 2 threads in each
  caches: L3 8 MiB x 4

Logical CPU to core
*-------*-------  core 0 (2 threads)
-*-------*------  core 1 (2 threads)
--*-------*-----  core 2 (2 threads)
---*-------*----  core 3 (2 threads)
----*-------*---  core 4 (2 threads)
-----*-------*--  core 5 (2 threads)
------*-------*-  core 6 (2 threads)
-------*-------*  core 7 (2 threads)
Logical CPU to package
****----****----  package 0
----****----****  package 1
Logical CPU to node
****----****----  node 0
----****----****  node 1
Logical CPU to cache
**------**------  L3 unified, 8 MiB
--**------**----  L3 unified, 8 MiB
----**------**--  L3 unified, 8 MiB
------**------**  L3 unified, 8 MiB

Topology: 2 packages, 8 cores, 16 CPUs, 2 nodes, 128 GiB memory

"#]]
    );
}

#[test]
fn special_parts_are_listed() {
    let mut files = machine(1);
    files.extend([
        file(&format!("{CPU}/present"), "0-9"),
        file(&format!("{CPU}/isolated"), "6-7"),
        file(&format!("{NODE}/possible"), "0-3"),
        file(&format!("{NODE}/node2/cpulist"), ""),
        file(
            &format!("{NODE}/node2/meminfo"),
            "Node 2 MemTotal: 1048576 kB\nNode 2 MemFree: 1048576 kB",
        ),
        file(&format!("{NODE}/node2/hugepages/hugepages-2048kB/nr_hugepages"), "16"),
        file(&format!("{NODE}/node2/hugepages/hugepages-2048kB/free_hugepages"), "4"),
        file(&format!("{NODE}/online"), "0,2"),
        file(&format!("{NODE}/node0/distance"), "10 abc"),
        file("/proc/self/status", "Cpus_allowed_list: 0-3\nMems_allowed_list: 0\n"),
        file("/sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0"),
        file("/sys/devices/virtual/memory_tiering/memory_tier22/nodelist", "2"),
        file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"),
        file("/proc/sys/kernel/numa_balancing", "1"),
        file(&format!("{NODE}/node0/reclaim"), ""),
        file("/sys/kernel/debug/sched/llc_balancing/enabled", "1"),
        file(&format!("{CPU}/cpufreq/policy0/scaling_governor"), "performance"),
        file(&format!("{CPU}/cpu0/cpuidle/state2/name"), "C6"),
        file(&format!("{CPU}/cpu0/cpuidle/state2/latency"), "133"),
        file("/proc/loadavg", "0.50 1.25 2.00 1/100 7"),
    ]);
    assert_data_eq!(
        shown(files, false),
        str![[r#"
1 package, 4 cores, 8 CPUs, 2 nodes, 65 GiB memory.
Example 9000, x86_64, Linux 6.1.0
offline CPUs: 8-9
isolated CPUs: 6-7

What to do
  nearfar survey                       # measures what remote memory costs
  nearfar plot machine -o machine.svg  # draws it, with its devices
  nearfar topology --maps              # core, node and caches of each CPU

Nodes
node  CPUs  memory    free  huge pages           tier  remarks
   0  0-7   64 GiB  32 GiB                       4
   2  -      1 GiB   1 GiB  16 x 2 MiB (4 free)  22    no CPUs
offline nodes: 1,3

This process may use CPUs 0-3 and nodes 0 only (/proc/self/status).

Odd, and left out:
  /sys/devices/system/node/node0/distance: '10 abc' is not 2 distances, one for each online node; no
    distances are shown

Parts
  1 package: CPUs 0-7
    2 L3 caches of 8 MiB: CPUs 0-1,4-5 | 2-3,6-7
      2 cores x 2 threads in each
  caches: L3 8 MiB x 2

Settings
  clock: governor performance
  idle states: C6 (133 us)
  prefetchers: unknown (a captured machine has no CPU registers)
  huge pages: transparent madvise
  page moves: numa_balancing 1, reclaim by node (nodeN/reclaim)
  cache-aware scheduling: on
  memory tiers: tier 4 has node 0, tier 22 has node 2
  load: 0.50 1.25 2.00

Topology: 1 package, 4 cores, 8 CPUs, 2 nodes, 65 GiB memory

"#]]
    );
}

#[test]
fn many_empty_nodes_in_a_row_are_one_line() {
    let with = |empty: std::ops::RangeInclusive<u32>| {
        let mut files = machine(1);
        files.push(file(&format!("{NODE}/online"), format!("0-{}", empty.end())));
        for node in empty {
            let meminfo = format!("Node {node} MemTotal: 0 kB\nNode {node} MemFree: 0 kB");
            files.push(file(&format!("{NODE}/node{node}/cpulist"), ""));
            files.push(file(&format!("{NODE}/node{node}/meminfo"), meminfo));
        }
        let text = shown(files, false);
        let table = text.split("Nodes\n").nth(1).unwrap().split("\n\n").next().unwrap();
        table.to_owned()
    };
    assert_data_eq!(
        with(1..=7),
        str![[r#"
node  CPUs  memory    free  remarks
   0  0-7   64 GiB  32 GiB
 1-7  -        0 B     0 B  no CPUs, no memory
"#]]
    );
    assert_eq!(with(1..=3).lines().count(), 5, "a short run has a line each");
}

#[test]
fn claims_of_the_hmat_offline_memory_and_crossing_nodes_are_shown() {
    let mut files = machine(2);
    let access = format!("{NODE}/node1/access0/initiators");
    files.extend([
        file(&format!("{access}/node0/online"), "1"),
        file(&format!("{access}/read_latency"), "130"),
        file(&format!("{access}/read_bandwidth"), "524200"),
        file("/sys/devices/system/memory/block_size_bytes", "80000000"),
        file(&format!("{NODE}/node1/memory7/state"), "offline"),
        file(&format!("{NODE}/node1/memory8/state"), "online"),
    ]);
    for (path, text) in &mut files {
        if path == &format!("{NODE}/node0/cpulist") {
            *text = "0-5,8-13".to_owned();
        }
        if path == &format!("{NODE}/node1/cpulist") {
            *text = "6-7,14-15".to_owned();
        }
    }
    let text = shown(files, false);
    for words in [
        "Access as firmware claims it (HMAT)",
        "node 0      130 ns",
        "524.2",
        "2 GiB offline",
        "  package CPUs 4-7,12-15: node 0 has a part of them, and others",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let healthy = shown(machine(2), false);
    for words in ["HMAT", "offline", "do not follow"] {
        assert!(!healthy.contains(words), "{words}: {healthy}");
    }
}

#[test]
fn default_distances_are_not_called_firmware_s() {
    let mut files = machine(2);
    files.retain(|(path, _)| !path.ends_with("/distance"));
    let with = |values: [&str; 2]| {
        let rows = (0..2).map(|node| file(&format!("{NODE}/node{node}/distance"), values[node]));
        shown(files.iter().cloned().chain(rows).collect(), false)
    };
    let shown = with(["10 20", "20 10"]);
    assert!(
        shown.contains("Distances are 10 and 20 only: the kernel's defaults, or a SLIT"),
        "{shown}"
    );
    assert!(with(["10 21", "21 10"]).contains("Distances as firmware claims them (10 is local)"));
}

#[test]
fn memory_that_the_nodes_do_not_have_is_remarked() {
    let with = |kib: u64| {
        let mut files = machine(1);
        files.push(file("/proc/meminfo", format!("MemTotal: {kib} kB\nMemFree: 4 kB")));
        shown(files, false)
    };
    for kib in [24 << 20, 200 << 20] {
        let shown = with(kib);
        assert!(
            shown.contains("The nodes have 64 GiB together, but /proc/meminfo reports"),
            "{shown}"
        );
    }
    assert!(!with(65 << 20).contains("together"));
}

#[test]
fn caches_before_memory_are_shown_beside_their_node() {
    let mut files = machine(1);
    let folder = format!("{NODE}/node0/memory_side_cache/index1");
    for (name, value) in
        [("size", "17179869184"), ("line_size", "64"), ("indexing", "0"), ("write_policy", "0")]
    {
        files.push(file(&format!("{folder}/{name}"), value));
    }
    files.push(file(&format!("{NODE}/node0/memory_side_cache/index2/size"), "1073741824"));
    let shown = shown(files, false);
    assert!(shown.contains("memory-side cache"), "{shown}");
    assert!(shown.contains("16 GiB direct-mapped write-back, level 2: 1 GiB"), "{shown}");
}

/// At 0206d5e9: "SMT: notsupported".
#[test]
fn the_kernels_words_about_smt_are_plain() {
    for (word, plain) in [
        ("notsupported", "not supported"),
        ("notimplemented", "not implemented by this kernel"),
        ("forceoff", "off until the next boot"),
        ("on", "on"),
    ] {
        let mut files = machine(1);
        files.push(file(&format!("{CPU}/smt/control"), word));
        let shown = shown(files, false);
        assert!(shown.contains(&format!("  SMT: {plain}\n")), "{shown}");
    }
}

#[test]
fn a_kernel_without_numa_is_reported() {
    let files = vec![
        file(&format!("{CPU}/online"), "0"),
        file("/proc/meminfo", "MemTotal: 1048576 kB\nMemFree: 4 kB"),
    ];
    assert_data_eq!(
        shown(files, false),
        str![[r#"
packages unknown, 1 core, 1 CPU, no nodes (this kernel has no NUMA support), 1 GiB memory.
unknown CPU model

What to do
  nearfar survey                       # measures what remote memory costs
  nearfar plot machine -o machine.svg  # draws it, with its devices
  nearfar topology --maps              # core, node and caches of each CPU

Parts
  1 core

Settings
  prefetchers: unknown (a captured machine has no CPU registers)

Topology: packages unknown, 1 core, 1 CPU, no nodes (this kernel has no NUMA support), 1 GiB memory

"#]]
    );
}

#[test]
fn wide_machines_stay_readable() {
    let wide = shown(machine(64), false);
    assert!(wide.lines().count() < 64 + 30, "{wide}");
    assert!(wide.lines().all(|line| line.chars().count() < 200), "{wide}");
    assert!(wide.contains("10 from each node to itself, 21 to each of the 63 others"));
    assert!(wide.contains("  64 packages: CPUs 0-3,256-259 | 4-7,260-263 | "), "{wide}");
}

#[test]
fn maps_of_wide_machines_are_lists() {
    let wide = shown(machine(64), true);
    assert!(wide.contains("\n0,256"), "{wide}");
    assert!(!wide.contains("**"), "{wide}");
}

#[test]
fn the_same_machine_gives_the_same_text() {
    assert_eq!(shown(machine(4), true), shown(machine(4), true));
}

#[test]
fn no_text_of_a_captured_machine_is_obeyed() {
    let hostile = "\u{1b}[2J\u{9b}31m\u{202e}";
    let mut files = machine(1);
    files.extend([
        file("/sys/class/dmi/id/sys_vendor", hostile),
        file("/sys/class/dmi/id/product_name", hostile),
        file("/proc/cmdline", format!("quiet {hostile}")),
        file("/proc/cpuinfo", format!("model name : {hostile}\n")),
        file(&format!("{NODE}/node0/distance"), hostile),
        file(&format!("{CPU}/cpu0/cpuidle/state2/name"), hostile),
    ]);
    let text = shown(files, true);
    assert!(text.matches("\u{fffd}[2J\u{fffd}31m\u{fffd}").count() >= 3, "{text:?}");
    assert!(!text.contains("command line"), "unknown parameters are not shown: {text}");
    assert!(!text.contains(|c: char| c != '\n' && c.is_control() || c == '\u{202e}'), "{text:?}");
}

/// Of a machine with offline CPUs (hwloc: 16em64t-4s2c2t-offlines): the cache is still there.
#[test]
fn a_package_of_one_core_keeps_its_cache() {
    let mut files = vec![file(&format!("{CPU}/online"), "0-2")];
    for (cpu, package) in [(0, "0-1"), (1, "0-1"), (2, "2")] {
        let folder = format!("{CPU}/cpu{cpu}");
        files.extend([
            file(&format!("{folder}/topology/core_cpus_list"), cpu.to_string()),
            file(&format!("{folder}/topology/package_cpus_list"), package),
            file(&format!("{folder}/cache/index2/level"), "3"),
            file(&format!("{folder}/cache/index2/type"), "Unified"),
            file(&format!("{folder}/cache/index2/size"), "4096K"),
            file(&format!("{folder}/cache/index2/shared_cpu_list"), package),
        ]);
    }
    let text = shown(files, false);
    for line in ["CPUs 0-1", "CPUs 2"] {
        assert!(text.contains(&format!("  1 package with L3 cache of 4 MiB: {line}\n")), "{text}");
    }
}

/// A Raspberry Pi: firmware claims nothing about nodes that the kernel makes.
#[test]
fn distances_of_fake_nodes_are_not_called_firmware_s() {
    let mut files = machine(2);
    files.push(file("/proc/cmdline", "numa=fake=2"));
    let text = shown(files, false);
    assert!(text.contains("21 (of the fake nodes that numa=fake= makes)."), "{text}");
    assert!(!text.contains("firmware"), "{text}");
}

#[test]
fn memory_of_a_gpu_is_named() {
    let mut files = machine(1);
    let folder = format!("{NODE}/node1");
    files.push(file(&format!("{NODE}/node0/distance"), "10 80"));
    files.push(file(&format!("{folder}/cpulist"), ""));
    files.push(file(&format!("{folder}/distance"), "80 10"));
    files.push(file(
        &format!("{folder}/meminfo"),
        "Node 1 MemTotal: 33554432 kB\nNode 1 MemFree: 33000000 kB\n",
    ));
    let status = "/proc/driver/nvidia/gpus/0009:01:00.0/numa_status";
    files.push(file(status, "Node:      1\nStatus:    online\n"));
    files.push(file("/proc/meminfo", "MemTotal: 100663296 kB\n"));
    files.push(file(
        "/proc/zoneinfo",
        "Node 0, zone Normal\n  pages free 9\n  managed 12582912\nNode 0, zone Movable\n  pages \
         free 5000000\n  managed 4194304\nNode 1, zone Movable\n  pages free 8\n  managed \
         8388608\n",
    ));
    let text = shown(files, false);
    for part in [
        "2 nodes, 96 GiB memory (32 GiB of GPUs).",
        "no CPUs, memory of GPU 0009:01:00.0\n",
        "16 GiB removable (zone Movable)\n",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}
