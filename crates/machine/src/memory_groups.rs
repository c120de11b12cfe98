//! Memory of control groups by node: `memory.numa_stat`, in both versions of the interface.

use nearfar_model::{Bytes, CpuSet, NodeId};

use crate::attribute::counter;
use crate::cgroup::{self, CgroupVersion};
use crate::pressure::Pressure;
use crate::source::Source;

/// Maximum depth of groups below the mount point.
const MAX_DEPTH: usize = 32;

/// A control group that the kernel accounts memory of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryGroup {
    /// Its name below the mount point: `/system.slice/db.service`.
    pub name: String,
    folder: String,
    is_v1: bool,
}

/// Memory and CPU time of a group and its child groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupMemory {
    /// All memory on each node, ascending.
    pub by_node: Vec<(NodeId, Bytes)>,
    /// Anonymous memory.
    pub anonymous: Bytes,
    /// Memory of files, shared memory included.
    pub file: Bytes,
    /// CPU time in microseconds; `None` in version 1.
    pub cpu_us: Option<u64>,
    /// Number of tasks (`pids.current`); `None` without the controller.
    pub tasks: Option<u64>,
    /// CPUs that the group may use; `None` if the kernel does not report them.
    pub cpus: Option<CpuSet>,
    /// Waiting for memory.
    pub pressure: Option<Pressure>,
}

/// All groups with memory by node, by name.
///
/// # References
///
/// Documentation/admin-guide/cgroup-v2.rst, Documentation/admin-guide/cgroup-v1/memory.rst
pub fn memory_groups(source: &Source) -> Vec<MemoryGroup> {
    let (mut groups, mut read) = (Vec::new(), Vec::new());
    for (version, point) in cgroup::hierarchies(source, "memory") {
        // Mounted again elsewhere, as for a container, it has the same groups.
        if read.contains(&version) {
            continue;
        }
        read.push(version);
        collect(source, &point, "", version == CgroupVersion::V1, MAX_DEPTH, &mut groups);
    }
    groups.sort_unstable();
    groups
}

fn collect(
    source: &Source,
    point: &str,
    name: &str,
    is_v1: bool,
    depth: usize,
    groups: &mut Vec<MemoryGroup>,
) {
    let folder = format!("{point}{name}");
    if !name.is_empty() && source.exists(&format!("{folder}/memory.numa_stat")) {
        groups.push(MemoryGroup { name: name.to_owned(), folder: folder.clone(), is_v1 });
    }
    // Names of the kernel's files have a dot and are no folders; those of groups may have one.
    let below = source.list(&folder).into_iter().map(|entry| format!("{name}/{entry}"));
    for name in below
        .filter(|name| source.exists(&format!("{point}{name}/cgroup.procs")))
        .filter(|_| depth > 0)
    {
        collect(source, point, &name, is_v1, depth - 1, groups);
    }
}

impl MemoryGroup {
    /// Whether it is directly below the mount point: its memory is in no other group's.
    pub fn is_top(&self) -> bool {
        self.name.matches('/').count() == 1
    }

    /// Reads the group; `None` if it has vanished. `page` is the unit of version 1.
    pub fn read(&self, source: &Source, page: Bytes) -> Option<GroupMemory> {
        let file = |name: &str| source.text(&format!("{}/{name}", self.folder));
        let text = file("memory.numa_stat")?;
        let mut memory = if self.is_v1 { version_1(&text, page) } else { version_2(&text) };
        memory.cpu_us = file("cpu.stat").and_then(|text| counter(&text, "usage_usec"));
        memory.tasks = file("pids.current").and_then(|text| text.parse().ok());
        memory.cpus = self.cpus(source);
        memory.pressure = file("memory.pressure").and_then(|text| Pressure::parse(&text));
        Some(memory)
    }

    /// The nearest group from here upwards with the controller cpuset limits the CPUs.
    fn cpus(&self, source: &Source) -> Option<CpuSet> {
        let point = self.folder.strip_suffix(&self.name)?;
        let mut name = self.name.as_str();
        loop {
            let text = source.text(&format!("{point}{name}/cpuset.cpus.effective"));
            if let Some(cpus) = text.and_then(|text| CpuSet::parse_list(&text).ok()) {
                return Some(cpus);
            }
            name = name.rsplit_once('/')?.0;
        }
    }
}

/// `anon N0=4096 N1=0`, in bytes. Only these kinds do not contain each other.
fn version_2(text: &str) -> GroupMemory {
    const KINDS: [&str; 7] = [
        "anon",
        "file",
        "kernel_stack",
        "pagetables",
        "sec_pagetables",
        "slab_reclaimable",
        "slab_unreclaimable",
    ];
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let kinds: Vec<(&str, Vec<(NodeId, u64)>)> =
        lines.map(|(kind, rest)| (kind, by_node(rest))).collect();
    let all = kinds.iter().filter(|(kind, _)| KINDS.contains(kind));
    let of = |name: &str| {
        let found = kinds.iter().filter(|(kind, _)| *kind == name).flat_map(|(_, nodes)| nodes);
        Bytes(found.fold(0, |sum: u64, (_, bytes)| sum.saturating_add(*bytes)))
    };
    GroupMemory {
        by_node: summed(all.flat_map(|(_, nodes)| nodes.clone())),
        anonymous: of("anon"),
        file: of("file"),
        ..GroupMemory::default()
    }
}

/// `hierarchical_total=9 N0=4 N1=5`, in pages.
fn version_1(text: &str, page: Bytes) -> GroupMemory {
    let of = |kind: &str| -> Vec<(NodeId, u64)> {
        let start = format!("hierarchical_{kind}=");
        let line = text.lines().find_map(|line| line.strip_prefix(&start));
        let pages = line.map(by_node).unwrap_or_default();
        pages.into_iter().map(|(node, count)| (node, count.saturating_mul(page.0))).collect()
    };
    let sum = |kind: &str| of(kind).into_iter().map(|(_, bytes)| Bytes(bytes)).sum();
    GroupMemory {
        by_node: summed(of("total").into_iter()),
        anonymous: sum("anon"),
        file: sum("file"),
        ..GroupMemory::default()
    }
}

/// The words `N0=4096` of a line.
fn by_node(words: &str) -> Vec<(NodeId, u64)> {
    let figure = |word: &str| {
        let (node, figure) = word.strip_prefix('N')?.split_once('=')?;
        let node = node.parse().ok().filter(|&node| node <= nearfar_model::MAX_ID)?;
        Some((NodeId(node), figure.parse().ok()?))
    };
    words.split_whitespace().filter_map(figure).collect()
}

fn summed(figures: impl Iterator<Item = (NodeId, u64)>) -> Vec<(NodeId, Bytes)> {
    let mut nodes = std::collections::BTreeMap::<NodeId, Bytes>::new();
    for (node, bytes) in figures {
        let sum = nodes.entry(node).or_default();
        *sum = *sum + Bytes(bytes);
    }
    nodes.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        let file = |path: &str, text: &'static str| (format!("/sys/fs/cgroup/{path}"), text);
        let old = |path: &str, text: &'static str| (format!("/cg/memory/{path}"), text);
        let mounts = "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\nm /cg/memory cgroup rw,memory 0 0\n";
        Source::from_files(
            [
                file("cgroup.procs", "1\n"),
                file("cpuset.cpus.effective", "0-3\n"),
                file("job.slice/cgroup.procs", ""),
                file("job.slice/a/cgroup.procs", "7\n"),
                file("job.slice/a/cpu.stat", "usage_usec 900\nuser_usec 1\n"),
                file("job.slice/a/pids.current", "4\n"),
                file(
                    "job.slice/a/memory.numa_stat",
                    "anon N0=4096 N1=8192\nfile N0=1 N1=0\nshmem N0=1 N1=0\nslab_reclaimable N0=0 \
                     N1=5\nworkingset_nodes N0=3\n",
                ),
                old("cgroup.procs", ""),
                old("b/cgroup.procs", ""),
                old(
                    "b/memory.numa_stat",
                    "total=1 N0=1\nhierarchical_total=3 N0=1 N1=2\nhierarchical_anon=2 N1=2\n",
                ),
                ("/proc/mounts".to_owned(), mounts),
            ]
            .map(|(path, text)| (path, text)),
        )
    }

    #[test]
    fn both_versions_give_memory_by_node() {
        let source = source();
        let groups = memory_groups(&source);
        let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["/b", "/job.slice/a"]);
        let new = groups[1].read(&source, Bytes(4096)).unwrap();
        assert_eq!(new.by_node, [(NodeId(0), Bytes(4097)), (NodeId(1), Bytes(8197))]);
        assert_eq!((new.anonymous, new.file), (Bytes(12288), Bytes(1)));
        assert_eq!((new.cpu_us, new.tasks, new.cpus.unwrap().len()), (Some(900), Some(4), 4));
        let old = groups[0].read(&source, Bytes(4096)).unwrap();
        assert_eq!(old.by_node, [(NodeId(0), Bytes(4096)), (NodeId(1), Bytes(8192))]);
        assert_eq!((old.anonymous, old.cpus), (Bytes(8192), None));
    }

    /// Each page is charged to one group, and counts in those above it, in both versions.
    #[test]
    fn groups_within_groups_are_parts_of_them() {
        let group = |path: &str, on: [u64; 2]| {
            let text = format!("anon N0={} N1={}\n", on[0] << 12, on[1] << 12);
            (format!("/cg/new/{path}/memory.numa_stat"), text)
        };
        let old = |path: &str, own: u64, on: [u64; 2]| {
            let [first, second] = on;
            let text =
                format!("total={own} N0={own}\nhierarchical_total=0 N0={first} N1={second}\n");
            (format!("/cg/memory/{path}/memory.numa_stat"), text)
        };
        let folders = ["new/a", "new/a/b", "new/a/b/c", "new/d", "memory/o", "memory/o/p"];
        let folders = folders.map(|name| (format!("/cg/{name}/cgroup.procs"), String::new()));
        let again = folders.clone().map(|(path, _)| (path.replace("/cg", "/host"), String::new()));
        let sizes = [
            group("a", [700, 200]),
            group("a/b", [500, 100]),
            group("a/b/c", [500, 0]),
            group("d", [20, 80]),
            old("o", 1, [30, 40]),
            old("o/p", 29, [29, 40]),
        ];
        let mounts = "c /cg/new cgroup2 rw 0 0\nm /cg/memory cgroup rw,memory 0 0\n\
                      c /host/new cgroup2 rw 0 0\nm /host/memory cgroup rw,memory 0 0\n";
        let twice = sizes.clone().map(|(path, text)| (path.replace("/cg", "/host"), text));
        let mounts = [("/proc/mounts".to_owned(), mounts.to_owned())];
        let files = folders.into_iter().chain(again).chain(sizes).chain(twice).chain(mounts);
        let source = Source::from_files(files);
        let groups = memory_groups(&source);
        let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["/a", "/a/b", "/a/b/c", "/d", "/o", "/o/p"]);
        assert_eq!(top_pages(&source, &groups), 700 + 200 + 20 + 80 + 30 + 40);
    }

    /// The memory of all groups that are in no other, in pages.
    fn top_pages(source: &Source, groups: &[MemoryGroup]) -> u64 {
        let top = groups.iter().filter(|group| group.is_top());
        let memory = top.filter_map(|group| group.read(source, Bytes(4096)));
        memory.flat_map(|memory| memory.by_node).map(|(_, bytes)| bytes.0 / 4096).sum()
    }

    #[test]
    fn groups_of_this_host_have_no_more_than_its_memory() {
        let source = Source::live();
        let groups = memory_groups(&source);
        let meminfo = source.text("/proc/meminfo").unwrap();
        let total = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap();
        let total: Bytes = total.trim().parse().unwrap();
        let pages = top_pages(&source, &groups);
        assert!(pages * 4096 <= total.0, "{pages} pages in {groups:?}, {total}");
    }

    #[test]
    fn a_vanished_group_is_none() {
        let group = memory_groups(&source()).remove(1);
        let later = Source::from_files([("/proc/mounts", "")]);
        assert_eq!(group.read(&later, Bytes(4096)), None);
    }
}
