//! Reading a machine with random file contents never panics.

use nearfar_machine::{Activity, MachineDocument, Source};
use proptest::prelude::*;

use crate::cases::cases;

const PATHS: [&str; 36] = [
    "/sys/devices/system/cpu/online",
    "/sys/devices/system/cpu/present",
    "/sys/devices/system/cpu/isolated",
    "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq",
    "/sys/devices/system/cpu/cpu0/cpuidle/state0/name",
    "/sys/devices/system/cpu/cpu0/cpuidle/state0/latency",
    "/sys/devices/system/cpu/cpu0/topology/core_id",
    "/sys/devices/system/cpu/cpu0/topology/core_cpus_list",
    "/sys/devices/system/cpu/cpu0/topology/package_cpus",
    "/sys/devices/system/cpu/cpu1/topology/thread_siblings",
    "/sys/devices/system/cpu/cpu1/topology/die_cpus_list",
    "/sys/devices/system/cpu/cpu0/cache/index0/level",
    "/sys/devices/system/cpu/cpu0/cache/index0/type",
    "/sys/devices/system/cpu/cpu0/cache/index0/size",
    "/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_map",
    "/sys/devices/system/node/online",
    "/sys/devices/system/node/possible",
    "/sys/devices/system/node/node0/cpulist",
    "/sys/devices/system/node/node0/meminfo",
    "/sys/devices/system/node/node0/distance",
    "/sys/devices/system/node/node1/distance",
    "/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages",
    "/sys/devices/virtual/memory_tiering/memory_tier4/nodelist",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/proc/meminfo",
    "/proc/cpuinfo",
    "/proc/version",
    "/proc/loadavg",
    "/proc/mounts",
    "/proc/self/cgroup",
    "/proc/self/status",
    "/proc/vmstat",
    "/proc/stat",
    "/sys/fs/cgroup/cpuset.cpus.effective",
    "/sys/fs/cgroup/cpu.max",
];

/// Random bytes, and texts that resemble the kernel's.
fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..60),
        "[0-9a-f,:/ -]{0,40}".prop_map(String::into_bytes),
        "(0|1|0-1|3|10 20|10|-1|65535|32K|Data|Unified|99999999999T|abc|always .x.)"
            .prop_map(String::into_bytes),
        "(cgroup2|none) /sys/fs/cgroup (cgroup2|cgroup) (rw|cpuset,cpu) 0 0\n?"
            .prop_map(String::into_bytes),
        "(0:|3:cpuset)?:[/.a]{0,9}".prop_map(String::into_bytes),
        "(cpu |Node 0 |Cpus_allowed_list:|MemTotal:|flags:|platform:)[0-9 kB:-]{0,30}"
            .prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..cases(128) })]

    #[test]
    fn never_panics(
        contents in proptest::collection::vec(proptest::option::of(content()), PATHS.len())
    ) {
        let files = PATHS.iter().zip(contents).filter_map(|(path, content)| Some((path, content?)));
        let source = Source::from_files(files);
        if let Ok(document) = MachineDocument::read(&source) {
            let topology = &document.topology;
            let online = topology.online();
            let in_cores: usize = topology.cores().iter().map(|core| core.cpus.len()).sum();
            let groups = topology.last_level_groups();
            let in_groups: usize = groups.iter().map(nearfar_model::CpuSet::len).sum();
            prop_assert_eq!((in_cores, in_groups), (online.len(), online.len()));
            prop_assert!(topology.allowed.cpus.is_subset(&online));
            prop_assert!(serde_json::to_string(&document).is_ok());
        }
        Activity::read(&source).since(&Activity::default());
    }
}
