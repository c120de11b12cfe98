use nearfar_machine::MachineError;
use nearfar_model::NodeId;

use super::*;

const NUMA_MAPS: &str = "\
00400000 default file=/usr/bin/db mapped=16 mapmax=3 N0=16 kernelpagesize_kB=4
01a00000 default heap anon=256 dirty=256 N0=128 N8=128 kernelpagesize_kB=4
7f0000000000 bind:8 anon=512 dirty=512 N8=512 kernelpagesize_kB=4
7f0000800000 default file=/anon_hugepage\\040(deleted) huge anon=2 dirty=2 N8=2 \
                         kernelpagesize_kB=2048
7f0010000000 bind:8
7ffc00000000 default stack anon=4 dirty=4 N0=4 kernelpagesize_kB=4
what is this
";

fn files() -> Vec<(&'static str, &'static str)> {
    let line = |cpu| match cpu {
        1 => "51 (db) R 1 0 0 0 0 0 0 0 0 0 90 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0",
        _ => {
            "52 (db io) S 1 0 0 0 0 0 0 0 0 0 10 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 \
             0"
        }
    };
    vec![
        ("/sys/devices/system/node/online", "0,8"),
        ("/sys/devices/system/node/node0/cpulist", "0-3"),
        ("/sys/devices/system/node/node8/cpulist", "4-7"),
        ("/proc/51/numa_maps", NUMA_MAPS),
        (
            "/proc/51/maps",
            "00400000-00410000 r-xp 0 0:0 1 /usr/bin/db\n7f0000000000-7f0000200000 rw-p 0 0:0 0 \n",
        ),
        ("/proc/51/comm", "db"),
        ("/proc/51/cmdline", "db\0--fast\0"),
        ("/proc/51/stat", line(1)),
        ("/proc/51/status", "VmSwap: 12 kB\nMems_allowed_list: 0,8\n"),
        ("/proc/51/task/51/stat", line(1)),
        ("/proc/51/task/51/status", "Cpus_allowed_list: 0-3\n"),
        ("/proc/51/task/52/stat", line(5)),
        ("/proc/51/task/52/status", "Cpus_allowed_list: 0-7\n"),
        ("/proc/60/numa_maps", ""),
        ("/proc/60/stat", "60 (done) Z 1"),
        ("/proc/61/numa_maps", ""),
        ("/proc/61/stat", "61 (kworker/0:1) S 2"),
    ]
}

fn read() -> ProcessMemory {
    ProcessMemory::read(&Source::from_files(files()), 51).unwrap()
}

#[test]
fn pages_of_all_sizes_count_in_bytes() {
    let memory = read();
    let kinds: Vec<(MappingKind, u64, u64)> = memory
        .kinds()
        .iter()
        .map(|of| (of.of, of.by_node.on(NodeId(0)).0, of.by_node.on(NodeId(8)).0))
        .collect();
    let (kib, mib) = (1 << 10, 1 << 20);
    let wanted = [
        (MappingKind::Heap, 512 * kib, 512 * kib),
        (MappingKind::Stack, 16 * kib, 0),
        (MappingKind::Anonymous, 0, 2 * mib),
        (MappingKind::Huge, 0, 4 * mib),
        (MappingKind::File, 64 * kib, 0),
    ];
    assert_eq!(kinds, wanted);
    assert_eq!(memory.by_node().total(), Bytes(7 * mib + 80 * kib));
    assert_eq!(memory.largest()[0].kind, MappingKind::Huge);
    assert_eq!(
        memory.oddities,
        ["numa_maps of process 51: 1 lines cannot be parsed and are skipped"]
    );
}

#[test]
fn the_remote_share_follows_from_the_threads_nodes() {
    let memory = read();
    assert_eq!(memory.threads.nodes().to_string(), "0,8");
    assert_eq!(memory.threads.allowed().to_string(), "0-7");
    let total = memory.by_node();
    let local = 0.9 * total.on(NodeId(0)).0 as f64 + 0.1 * total.on(NodeId(8)).0 as f64;
    let share = memory.remote_share().unwrap();
    assert!((share - (1.0 - local / total.total().0 as f64)).abs() < 1e-12, "{share}");
    assert_eq!((memory.swapped, memory.command.as_str()), (Some(Bytes::kib(12)), "db --fast"));
}

#[test]
fn policies_count_mappings_without_pages() {
    let policies = read().policies();
    let summed: Vec<(&str, usize)> =
        policies.iter().map(|policy| (policy.of.text(), policy.mappings)).collect();
    assert_eq!(summed, [("default", 4), ("bind:8", 2)]);
}

#[test]
fn an_unmapped_mapping_has_no_end() {
    let memory = read();
    assert_eq!([0, 1].map(|at| memory.mappings[at].end), [Some(0x41_0000), None]);
}

#[test]
fn zombies_and_kernel_threads_are_distinct_errors() {
    let source = Source::from_files(files());
    let error = |pid| ProcessMemory::read(&source, pid).unwrap_err();
    assert!(matches!(error(60), ProcessError::Zombie { pid: 60, .. }));
    assert!(matches!(error(61), ProcessError::KernelThread { pid: 61, .. }));
    assert!(matches!(
        error(62),
        ProcessError::Machine(MachineError::NoSuchProcess { pid: 62, .. })
    ));
}

#[test]
fn this_process_has_memory_and_a_stack() {
    let source = Source::live();
    let memory = ProcessMemory::read(&source, std::process::id()).unwrap();
    assert!(memory.by_node().total() > Bytes(0), "{:?}", memory.by_node());
    assert!(memory.kinds().iter().any(|of| of.of == MappingKind::Stack));
    assert!(!memory.threads.0.is_empty());
}
