use nearfar_model::{CpuId, NodeId};

use super::*;

/// A handwritten machine; paths are relative to `/sys/devices/system`.
#[derive(Default)]
struct Machine(Vec<(String, String)>);

impl Machine {
    /// Online CPUs without further information.
    fn for_cpus(list: &str) -> Self {
        Self::default().file("cpu/present", list).file("cpu/online", list)
    }

    fn file(mut self, path: &str, content: &str) -> Self {
        let path = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/sys/devices/system/{path}")
        };
        self.0.push((path, format!("{content}\n")));
        self
    }

    /// Topology of a CPU: package, core ID, and the CPUs of its core.
    fn cpu(self, id: u32, package: u32, core: u32, siblings: &str) -> Self {
        let folder = format!("cpu/cpu{id}/topology");
        self.file(&format!("{folder}/physical_package_id"), &package.to_string())
            .file(&format!("{folder}/core_id"), &core.to_string())
            .file(&format!("{folder}/core_cpus_list"), siblings)
    }

    fn node(self, id: u32, cpus: &str, memory_kib: u64, distance: &str) -> Self {
        let meminfo = format!(
            "Node {id} MemTotal:  {memory_kib} kB\nNode {id} MemFree:  {} kB",
            memory_kib / 2
        );
        self.file(&format!("node/node{id}/cpulist"), cpus)
            .file(&format!("node/node{id}/meminfo"), &meminfo)
            .file(&format!("node/node{id}/distance"), distance)
    }

    fn read(self) -> Topology {
        Topology::read(&Source::from_files(self.0)).unwrap()
    }
}

fn sets<'s>(sets: impl IntoIterator<Item = &'s CpuSet>) -> Vec<String> {
    sets.into_iter().map(CpuSet::to_string).collect()
}

#[test]
fn machine_without_cpus_is_an_error() {
    let error =
        Topology::read(&Source::from_files([("/proc/version", "Linux")])).unwrap_err().to_string();
    assert!(
        error.starts_with("a handwritten machine has no CPU under /sys/devices/system/cpu"),
        "{error}"
    );
}

#[test]
fn node_ids_may_have_gaps() {
    let topology = Machine::for_cpus("0-3")
        .file("node/online", "0,8")
        .node(0, "0-1", 1024, "10 21")
        .node(8, "2-3", 2048, "21 10")
        .read();
    assert_eq!(topology.online_nodes().to_string(), "0,8");
    assert_eq!(topology.distances.as_ref().unwrap().between(NodeId(0), NodeId(8)), Some(21));
    assert_eq!(topology.cpu(CpuId(2)).unwrap().node, Some(NodeId(8)));
    assert_eq!(topology.node(NodeId(8)).unwrap().memory.unwrap().free, Bytes::mib(1));
    assert_eq!((topology.memory_total, topology.node(NodeId(1))), (Some(Bytes::mib(3)), None));
}

#[test]
fn nodes_without_cpus_or_without_memory_are_normal() {
    let topology =
        Machine::for_cpus("0-1").node(0, "0-1", 0, "10 17").node(1, "", 4096, "17 10").read();
    let shown: Vec<_> = topology
        .nodes
        .iter()
        .map(|node| (node.cpus.to_string(), node.has_memory(), node.online))
        .collect();
    assert_eq!(shown, [("0-1".to_owned(), false, true), (String::new(), true, true)]);
    assert!(topology.oddities.is_empty(), "{:?}", topology.oddities);
}

#[test]
fn nodes_that_are_only_possible_are_offline() {
    let topology = Machine::for_cpus("0")
        .file("node/online", "0")
        .file("node/possible", "0-2")
        .node(0, "0", 1024, "10")
        .read();
    assert_eq!(
        topology.nodes.iter().map(|node| node.online).collect::<Vec<_>>(),
        [true, false, false]
    );
    assert_eq!(topology.distances.unwrap().nodes(), [NodeId(0)]);
}

#[test]
fn kernel_without_numa_has_memory_without_nodes() {
    let topology =
        Machine::for_cpus("0").file("/proc/meminfo", "MemTotal: 2048 kB\nMemFree: 1024 kB").read();
    assert!(!topology.numa_supported && topology.nodes.is_empty() && topology.distances.is_none());
    assert_eq!(
        (topology.memory_total, topology.memory_free),
        (Some(Bytes::mib(2)), Some(Bytes::mib(1)))
    );
}

#[test]
fn offline_cpus_have_no_ids() {
    let topology = Machine::default()
        .file("cpu/present", "0-1")
        .file("cpu/possible", "0-7")
        .file("cpu/online", "0")
        .cpu(0, 0, 0, "0-1")
        .node(0, "0-1", 1024, "10")
        .read();
    let offline = topology.cpu(CpuId(1)).unwrap();
    assert_eq!((offline.online, offline.package, offline.siblings.len()), (false, None, 0));
    assert_eq!(topology.online().to_string(), "0");
    assert_eq!(topology.possible.to_string(), "0-7");
    assert_eq!(topology.smt_siblings(CpuId(0)).to_string(), "0");
    assert!(topology.smt_siblings(CpuId(1)).is_empty());
    assert_eq!(topology.nodes[0].cpus.to_string(), "0");
    assert!(topology.oddities.is_empty(), "{:?}", topology.oddities);
}

#[test]
fn old_kernels_have_an_online_file_per_cpu() {
    let topology = Machine::default()
        .file("cpu/cpu0/topology/core_id", "0")
        .file("cpu/cpu1/online", "0")
        .file("cpu/cpu2/online", "1");
    assert_eq!(topology.read().online().to_string(), "0,2");
}

#[test]
fn hardware_threads_are_siblings() {
    let topology = Machine::for_cpus("0-3")
        .cpu(0, 0, 0, "0,2")
        .cpu(1, 0, 1, "1,3")
        .cpu(2, 0, 0, "0,2")
        .cpu(3, 0, 1, "1,3")
        .read();
    assert_eq!(sets(topology.cores().iter().map(|core| &core.cpus)), ["0,2", "1,3"]);
    assert_eq!(sets(topology.packages().iter().map(|package| &package.cpus)), ["0-3"]);
    assert_eq!(topology.smt_siblings(CpuId(3)).to_string(), "1,3");
}

#[test]
fn amd_module_has_two_cores() {
    let topology = Machine::for_cpus("0-1").cpu(0, 0, 0, "0-1").cpu(1, 0, 1, "0-1").read();
    assert_eq!(sets(topology.cores().iter().map(|core| &core.cpus)), ["0", "1"]);
}

#[test]
fn clusters_and_dies_are_distinguished_by_cpus() {
    let mut machine = Machine::for_cpus("0-7");
    for cpu in 0..8 {
        let folder = format!("cpu/cpu{cpu}/topology");
        let (cluster, die) = (cpu / 2 * 2, cpu / 4 * 4);
        machine = machine
            .cpu(cpu, 0, cpu, &cpu.to_string())
            // Both dies have number 0, as on machines that count dies within something else.
            .file(&format!("{folder}/die_id"), "0")
            .file(&format!("{folder}/die_cpus_list"), &format!("{die}-{}", die + 3))
            .file(&format!("{folder}/cluster_id"), "65535")
            .file(&format!("{folder}/cluster_cpus_list"), &format!("{cluster}-{}", cluster + 1));
    }
    let topology = machine.read();
    assert_eq!(sets(topology.dies().iter().map(|die| &die.cpus)), ["0-3", "4-7"]);
    assert_eq!(
        sets(topology.clusters().iter().map(|cluster| &cluster.cpus)),
        ["0-1", "2-3", "4-5", "6-7"]
    );
    assert_eq!((topology.clusters()[0].id, topology.dies()[1].id), (None, Some(0)));
}

/// Kernels that know no dies and clusters show the ID -1, and each CPU as a die of its own: arm64
/// from Linux 5.3 to 5.16. Packages without an ID may be real (POWER).
#[test]
fn parts_without_an_id_are_none() {
    let machine = |ids: [&str; 3], package: &dyn Fn(u32) -> String| {
        (0..4).fold(Machine::for_cpus("0-3"), |machine, id| {
            let folder = format!("cpu/cpu{id}/topology");
            let file = |name: &str| format!("{folder}/{name}");
            machine
                .file(&file("core_id"), &id.to_string())
                .file(&file("physical_package_id"), ids[0])
                .file(&file("die_id"), ids[1])
                .file(&file("cluster_id"), ids[2])
                .file(&file("package_cpus_list"), &package(id))
                .file(&file("die_cpus_list"), &id.to_string())
                .file(&file("cluster_cpus_list"), &id.to_string())
        })
    };
    let all = |_| "0-3".to_owned();
    let topology = machine(["0", "-1", "65535"], &all).read();
    assert_eq!((topology.dies.len(), topology.clusters.len()), (0, 0));
    assert_eq!(topology.packages.len(), 1);
    // Known ones are parts, however small.
    let topology = machine(["0", "7", "8"], &all).read();
    assert_eq!((topology.dies.len(), topology.clusters.len()), (4, 4));
    let pairs = |id: u32| if id < 2 { "0-1".to_owned() } else { "2-3".to_owned() };
    let power = machine(["-1", "-1", "-1"], &pairs).read();
    assert_eq!(power.packages.len(), 2);
    let unknown = machine(["-1", "-1", "-1"], &|id| id.to_string()).read();
    assert!(unknown.packages.is_empty(), "{:?}", unknown.packages);
}

#[test]
fn isolated_cpus_are_marked() {
    let topology = Machine::for_cpus("0-3").file("cpu/isolated", "2-3").read();
    assert_eq!(topology.cpus.iter().filter(|cpu| cpu.isolated).count(), 2);
}

#[test]
fn a_shared_cache_is_one_cache() {
    let mut machine = Machine::for_cpus("0-1");
    for cpu in 0..2 {
        for (index, level, kind, size, shared) in
            [(0, 1, "Data", "32K", cpu..=cpu), (3, 3, "Unified", "8192K", 0..=1)]
        {
            let folder = format!("cpu/cpu{cpu}/cache/index{index}");
            let shared = format!("{}-{}", shared.start(), shared.end());
            for (name, content) in
                [("level", level.to_string().as_str()), ("type", kind), ("size", size)]
            {
                machine = machine.file(&format!("{folder}/{name}"), content);
            }
            machine = machine.file(&format!("{folder}/shared_cpu_list"), &shared);
        }
    }
    let topology = machine.read();
    let shown: Vec<_> = topology
        .caches
        .iter()
        .map(|cache| (cache.level, cache.size, cache.cpus.to_string()))
        .collect();
    let (small, large) = (Some(Bytes::kib(32)), Some(Bytes::mib(8)));
    assert_eq!(
        shown,
        [(1, small, "0".to_owned()), (1, small, "1".to_owned()), (3, large, "0-1".to_owned())]
    );
    assert_eq!(sets(&topology.last_level_groups()), ["0-1"]);
}

#[test]
fn a_cache_whose_files_contradict_each_other_is_reported_once() {
    let with_map = |map: &str| {
        let folder = |cpu: u32| format!("cpu/cpu{cpu}/cache/index2");
        let cache = |machine: Machine, cpu| {
            machine
                .file(&format!("{}/level", folder(cpu)), "2")
                .file(&format!("{}/type", folder(cpu)), "Unified")
                .file(&format!("{}/shared_cpu_list", folder(cpu)), "0-1")
                .file(&format!("{}/shared_cpu_map", folder(cpu)), map)
        };
        let topology = [0, 1].into_iter().fold(Machine::for_cpus("0-1"), cache).read();
        assert_eq!(sets(topology.caches.iter().map(|cache| &cache.cpus)), ["0-1"]);
        topology.oddities
    };
    assert!(with_map("3").is_empty());
    let folder = "/sys/devices/system/cpu/cpu0/cache/index2";
    assert_eq!(
        with_map("1"),
        [format!("{folder}/shared_cpu_map: '0' contradicts {folder}/shared_cpu_list: '0-1'")]
    );
}

#[test]
fn huge_pages_and_tiers_belong_to_nodes() {
    let folder = "node/node0/hugepages/hugepages-2048kB";
    let topology = Machine::for_cpus("0")
        .node(0, "0", 1024, "10")
        .file(&format!("{folder}/nr_hugepages"), "4")
        .file(&format!("{folder}/free_hugepages"), "3")
        .file("/sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0")
        .read();
    assert_eq!(
        topology.nodes[0].huge_pages,
        [HugePages { size: Bytes::mib(2), total: 4, free: 3 }]
    );
    assert_eq!(topology.nodes[0].tier, Some(4));
}

#[test]
fn allowed_resources_are_the_intersection_of_limits() {
    let machine =
        || Machine::for_cpus("0-7").node(0, "0-3", 1024, "10 20").node(1, "4-7", 1024, "20 10");
    let free = machine().read().allowed;
    assert_eq!(
        (free.cpus.to_string(), free.nodes.to_string(), free.from.as_str()),
        ("0-7".into(), "0-1".into(), "nothing limits it")
    );

    let pinned = machine().file(
        "/proc/self/status",
        "Cpus_allowed:\tff\nCpus_allowed_list:\t2-5\nMems_allowed_list:\t1\n",
    );
    let pinned = pinned.read().allowed;
    assert_eq!((pinned.cpus.to_string(), pinned.nodes.to_string()), ("2-5".into(), "1".into()));
    assert_eq!(pinned.from, "/proc/self/status");
}

#[test]
fn cpusets_of_both_cgroup_versions_limit() {
    let machine =
        || Machine::for_cpus("0-7").node(0, "0-3", 1024, "10 20").node(1, "4-7", 1024, "20 10");
    let v1 = machine()
        .file("/proc/mounts", "none /dev/cpuset cpuset rw 0 0")
        .file("/proc/self/cpuset", "/job")
        .file("/dev/cpuset/job/cpus", "1-2")
        .file("/dev/cpuset/job/mems", "0");
    let v1 = v1.read().allowed;
    assert_eq!(
        (v1.cpus.to_string(), v1.nodes.to_string(), v1.from.as_str()),
        ("1-2".into(), "0".into(), "cgroup v1 /job")
    );

    let v2 = machine()
        .file("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0")
        .file("/proc/self/cgroup", "0::/a/b")
        .file("/sys/fs/cgroup/a/cpuset.cpus.effective", "4-7,99")
        .file("/sys/fs/cgroup/a/cpuset.mems.effective", "7");
    let v2 = v2.read().allowed;
    // Memory of a missing node would leave nothing, so it is ignored.
    assert_eq!(
        (v2.cpus.to_string(), v2.nodes.to_string(), v2.from.as_str()),
        ("4-7".into(), "0-1".into(), "cgroup v2 /a/b")
    );
}

#[test]
fn absurd_numbers_are_reported() {
    let topology = Machine::for_cpus("0-1")
        .file("cpu/cpu0/topology/core_id", "zero")
        .file("cpu/cpu1/topology/core_cpus_list", "7-9")
        .file("cpu/cpu99999/topology/core_id", "0")
        .file("cpu/cpu0/cache/index0/level", "1")
        .file("cpu/cpu0/cache/index0/type", "Trace")
        .file("cpu/cpu1/cache/index0/level", "1")
        .file("cpu/cpu1/cache/index0/type", "Data")
        .file("cpu/cpu1/cache/index0/size", "99999999999T")
        .file("node/node0/cpulist", "0-x")
        .file("node/node0/meminfo", "Node 0 MemTotal: lots")
        .file("node/node0/distance", "abc")
        .read();
    assert_eq!(topology.cpus.len(), 2);
    assert_eq!(
        (topology.caches[0].size, topology.nodes[0].memory, topology.distances),
        (None, None, None)
    );
    for part in
        ["'zero'", "'7-9'", "cpu99999", "'Trace'", "99999999999T", "'0-x'", "MemTotal", "'abc'"]
    {
        let lines = topology.oddities.iter().filter(|line| line.contains(part)).count();
        assert!(lines >= 1, "{part}: {:#?}", topology.oddities);
    }
}

#[test]
fn wrong_distance_row_drops_all_distances() {
    let topology =
        Machine::for_cpus("0-1").node(0, "0", 1024, "10 20").node(1, "1", 1024, "20").read();
    assert_eq!(topology.distances, None);
    assert_eq!(topology.oddities.len(), 1);
}

#[test]
fn cpus_in_two_nodes_are_reported() {
    let topology =
        Machine::for_cpus("0-1").node(0, "0-1", 1024, "10 20").node(1, "1", 1024, "20 10").read();
    assert_eq!(
        topology.oddities,
        ["/sys/devices/system/node/node1: CPUs 1 are in an earlier node too"]
    );
    assert_eq!(topology.cpu(CpuId(1)).unwrap().node, Some(NodeId(0)));
}

#[test]
fn documents_name_units_and_write_sets_as_lists() {
    let topology = Machine::for_cpus("0-1")
        .node(0, "0-1", 4, "10")
        .file("/proc/version", "Linux version 6.1.0 (x)")
        .read();
    let json = serde_json::to_value(&topology).unwrap();
    assert_eq!(json["nodes"][0]["memory"]["total_bytes"], 4096);
    assert_eq!(
        (&json["nodes"][0]["cpus"], &json["memory_free_bytes"]),
        (&"0-1".into(), &2048.into())
    );
    assert_eq!((&json["kernel"], &json["model"]), (&"6.1.0".into(), &serde_json::Value::Null));
    assert_eq!(json["distances"]["rows"][0][0], 10);
}
