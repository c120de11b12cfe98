//! A machine of 4,096 CPUs and 64 nodes is read with little work, from memory and from an archive.
//!
//! The default tier counts allocations; the long tier asserts the time too.

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use allocation_counter::measure;
use nearfar_machine::{Environment, Source, Topology};

const NODES: u32 = 64;
const CPUS_PER_NODE: u32 = 64;
const CPUS: u32 = NODES * CPUS_PER_NODE;

/// One package of 32 cores with 2 threads per node; CPU n and CPU n + 2048 are threads of one core.
fn files() -> Vec<(String, String)> {
    let mut files = vec![
        ("/sys/devices/system/cpu/online".to_owned(), format!("0-{}", CPUS - 1)),
        ("/sys/devices/system/node/online".to_owned(), format!("0-{}", NODES - 1)),
    ];
    for cpu in 0..CPUS {
        let core = cpu % (CPUS / 2);
        let package = core / 32;
        let threads = format!("{core},{}", core + CPUS / 2);
        let first = package * 32;
        let neighbours =
            format!("{first}-{},{}-{}", first + 31, first + CPUS / 2, first + CPUS / 2 + 31);
        let mut put = |name: &str, content: &str| {
            files
                .push((format!("/sys/devices/system/cpu/cpu{cpu}/{name}"), format!("{content}\n")));
        };
        put("topology/physical_package_id", &package.to_string());
        put("topology/core_id", &(core % 32).to_string());
        put("topology/die_id", "0");
        put("topology/cluster_id", &core.to_string());
        put("topology/core_cpus_list", &threads);
        put("topology/cluster_cpus_list", &threads);
        put("topology/die_cpus_list", &neighbours);
        put("topology/package_cpus_list", &neighbours);
        for (index, level, kind, shared) in [
            (0, "1", "Data", &threads),
            (1, "1", "Instruction", &threads),
            (2, "2", "Unified", &threads),
            (3, "3", "Unified", &neighbours),
        ] {
            put(&format!("cache/index{index}/level"), level);
            put(&format!("cache/index{index}/type"), kind);
            put(&format!("cache/index{index}/size"), "1024K");
            put(&format!("cache/index{index}/shared_cpu_list"), shared);
        }
    }
    for node in 0..NODES {
        let first = node * 32;
        let distances: Vec<&str> =
            (0..NODES).map(|other| if other == node { "10" } else { "20" }).collect();
        let folder = format!("/sys/devices/system/node/node{node}");
        files.push((
            format!("{folder}/cpulist"),
            format!("{first}-{},{}-{}", first + 31, first + 2048, first + 2079),
        ));
        files.push((
            format!("{folder}/meminfo"),
            format!("Node {node} MemTotal: 1048576 kB\nNode {node} MemFree: 1 kB\n"),
        ));
        files.push((format!("{folder}/distance"), distances.join(" ")));
    }
    files
}

/// What reading a CPU may allocate: 18 files, each with its path, text and parsed set.
const ALLOCATIONS_PER_CPU: u64 = 800;

fn check(topology: &Topology, allocations: u64) {
    let (cpus, nodes, cores) = (topology.cpus.len(), topology.nodes.len(), topology.cores().len());
    assert_eq!((cpus, nodes, cores), (4096, 64, 2048));
    assert_eq!((topology.packages().len(), topology.caches.len()), (64, 3 * 2048 + 64));
    assert_eq!(topology.last_level_groups().len(), 64);
    assert!(topology.oddities.is_empty(), "{:?}", topology.oddities);
    let per_cpu = allocations / u64::from(CPUS);
    assert!(per_cpu < ALLOCATIONS_PER_CPU, "{per_cpu} allocations for each CPU");
}

fn archive() -> tempfile::NamedTempFile {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, content) in files() {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o444);
        builder.append_data(&mut header, format!("large{path}"), content.as_bytes()).unwrap();
    }
    let mut archive = tempfile::NamedTempFile::new().unwrap();
    archive.write_all(&builder.into_inner().unwrap()).unwrap();
    archive
}

/// Runs `read` and returns its result with the number of allocations.
fn counted<T>(read: impl FnOnce() -> T) -> (T, u64) {
    let mut result = None;
    let counts = measure(|| result = Some(read()));
    (result.unwrap(), counts.count_total)
}

#[test]
fn from_memory() {
    let source = Source::from_files(files());
    let (topology, allocations) = counted(|| {
        Environment::read(&source);
        Topology::read(&source).unwrap()
    });
    check(&topology, allocations);
}

#[test]
fn from_an_archive() {
    let archive = archive();
    let (topology, allocations) =
        counted(|| Topology::read(&Source::open(archive.path()).unwrap()).unwrap());
    check(&topology, allocations);
}

/// Time that this thread waited for a CPU: the second field of its `schedstat`. Zero if the kernel
/// lacks it, which only makes the limit stricter.
fn waited() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().nth(1).and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

#[test]
#[ignore = "long: a time on this machine"]
fn in_under_a_second() {
    let (source, archive) = (Source::from_files(files()), archive());
    for archived in [false, true] {
        let (start, waited_before) = (Instant::now(), waited());
        if archived {
            Topology::read(&Source::open(archive.path()).unwrap()).unwrap();
        } else {
            Environment::read(&source);
            Topology::read(&source).unwrap();
        }
        let took = start.elapsed().saturating_sub(waited().saturating_sub(waited_before));
        println!("read in {took:?}, archived: {archived}");
        // Optimised code takes at most a second.
        let limit = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 1 });
        assert!(took < limit, "{took:?}, archived: {archived}");
    }
}
