//! Machines of few bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use nearfar_machine::Source;

const NODES: &str = "/sys/devices/system/node";

/// Files of a machine, one a line of the seeds: what the kernel writes is put into these.
const PATHS: [&str; 20] = [
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/present",
    "/sys/devices/system/cpu/cpu0/topology/core_cpus_list",
    "/sys/devices/system/cpu/cpu0/topology/package_cpus",
    "/sys/devices/system/cpu/cpu0/cache/index0/size",
    "/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_map",
    "/sys/devices/system/node/online",
    "/sys/devices/system/node/has_memory",
    "/sys/devices/system/node/node0/cpulist",
    "/sys/devices/system/node/node0/meminfo",
    "/sys/devices/system/node/node0/distance",
    "/sys/devices/system/node/node1/cpulist",
    "/sys/devices/system/node/node1/distance",
    "/proc/meminfo",
    "/proc/cpuinfo",
    "/proc/cmdline",
    "/proc/mounts",
    "/proc/self/cgroup",
    "/proc/self/status",
    "/proc/vmstat",
];

/// A machine of two nodes, and a damaged one; files are split by form feeds.
pub const SEEDS: &[&str] = &[
    "0-3\x0c0-3\x0c0\x0cf\x0c32K\x0c1\x0c0-1\x0c0-1\x0c0-1\x0cNode 0 MemTotal: 1000 kB\x0c10 21\
     \x0c2-3\x0c21 10\x0cMemTotal: 2000 kB\x0cprocessor\t: 0\nmodel name\t: x\x0cquiet numa=off\
     \x0ccgroup2 /sys/fs/cgroup cgroup2 rw 0 0\x0c0::/\x0cCpus_allowed_list:\t0-3\x0cpgfault 1",
    "0\x0c0\x0c\x0c\x0c\x0c\x0c0,2\x0c2\x0c-1\x0c\x0c10 20 30",
];

/// The machine whose files have these contents.
pub fn machine(bytes: &[u8]) -> Source {
    Source::from_files(PATHS.into_iter().zip(bytes.split(|&byte| byte == 0x0c)))
}

/// The machine that placements are for.
pub fn two_nodes() -> Source {
    Source::from_files([
        (format!("{NODES}/online"), "0-1"),
        (format!("{NODES}/has_memory"), "0-1"),
        (format!("{NODES}/has_cpu"), "0-1"),
        (format!("{NODES}/node0/cpulist"), "0-1"),
        (format!("{NODES}/node1/cpulist"), "2-3"),
        ("/sys/devices/system/cpu/online".to_owned(), "0-3"),
    ])
}

/// Calls with a file in memory that has these bytes.
pub fn with_file(bytes: &[u8], call: impl FnOnce(&Path)) {
    let path = PathBuf::from(format!("/dev/shm/nearfar-fuzz-{}", process::id()));
    fs::write(&path, bytes).expect("/dev/shm has room");
    call(&path);
    drop(fs::remove_file(path));
}
