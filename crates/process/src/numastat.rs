//! A process's memory in numastat's categories, by node: huge pages, heap, stack and the rest.
//!
//! Each mapping reports its own page size, so 1 GiB pages, 2 MiB pages and base pages add up to
//! bytes. (numastat assumes the default size for every huge page.)

use std::collections::BTreeMap;

use nearfar_machine::process::{MappingSegment, NumaMapping, NumaMaps, Process, process_ids};
use nearfar_machine::{PageSizes, Source};
use nearfar_model::{Bytes, NodeId};
use serde::Serialize;

/// The memory of one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ProcessUse {
    /// Its number.
    pub pid: u32,
    /// Its short name.
    pub name: Option<String>,
    /// Its memory on each node that has some of it, ascending; `None` where it cannot be read.
    pub nodes: Option<Vec<NodeUse>>,
    /// Why a field above is absent.
    pub why: Option<String>,
}

/// The memory of a process on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NodeUse {
    /// The node.
    pub node: NodeId,
    /// Pages from the pools of huge pages (not transparent ones).
    pub huge_bytes: Bytes,
    /// The heap that brk(2) grows.
    pub heap_bytes: Bytes,
    /// The first thread's stack.
    pub stack_bytes: Bytes,
    /// Everything else, including files and shared memory: numastat's "Private".
    pub private_bytes: Bytes,
}

impl NodeUse {
    /// The sum of all categories.
    pub fn total(&self) -> Bytes {
        self.huge_bytes + self.heap_bytes + self.stack_bytes + self.private_bytes
    }
}

impl ProcessUse {
    /// Reads the memory of these processes, each once, ascending. `why` explains unreadable ones.
    pub fn read_all(source: &Source, pids: &[u32]) -> Vec<Self> {
        let sizes = PageSizes::read(source);
        let mut pids = pids.to_vec();
        pids.sort_unstable();
        pids.dedup();
        pids.into_iter().map(|pid| Self::read(source, pid, sizes)).collect()
    }

    fn read(source: &Source, pid: u32, sizes: PageSizes) -> Self {
        let process = Process::find(source, pid);
        let name = process.as_ref().ok().and_then(Process::name);
        let (nodes, why) = match process.and_then(|process| process.numa_maps()) {
            Ok(maps) => {
                (Some(by_node(&maps, sizes)), name.is_none().then(|| "it has no name".to_owned()))
            }
            Err(error) => (None, Some(error.to_string())),
        };
        Self { pid, name, nodes, why }
    }
}

fn by_node(maps: &NumaMaps, sizes: PageSizes) -> Vec<NodeUse> {
    let mut nodes: BTreeMap<NodeId, NodeUse> = BTreeMap::new();
    for mapping in &maps.mappings {
        let page = sizes.of(mapping);
        for &(node, pages) in &mapping.pages {
            let size = Bytes(pages.saturating_mul(page.0));
            let share = share_of(nodes.entry(node).or_insert_with(|| NodeUse::none(node)), mapping);
            *share = *share + size;
        }
    }
    nodes.into_values().collect()
}

impl NodeUse {
    fn none(node: NodeId) -> Self {
        let nothing = Bytes(0);
        Self {
            node,
            huge_bytes: nothing,
            heap_bytes: nothing,
            stack_bytes: nothing,
            private_bytes: nothing,
        }
    }
}

fn share_of<'u>(of: &'u mut NodeUse, mapping: &NumaMapping) -> &'u mut Bytes {
    match (mapping.huge, mapping.segment) {
        (true, _) => &mut of.huge_bytes,
        (false, MappingSegment::Heap) => &mut of.heap_bytes,
        (false, MappingSegment::Stack) => &mut of.stack_bytes,
        (false, MappingSegment::Other) => &mut of.private_bytes,
    }
}

/// The processes with this text in their name or command line, except `own`; as numastat does it.
pub(crate) fn processes_like(source: &Source, text: &str, own: Option<u32>) -> Vec<u32> {
    let like = |pid: u32| {
        let Ok(process) = Process::find(source, pid) else { return false };
        let words =
            format!("{} {}", process.name().unwrap_or_default(), process.command().join(" "));
        words.contains(text)
    };
    process_ids(source).into_iter().filter(|&pid| Some(pid) != own && like(pid)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
00400000 default file=/usr/bin/huge mapped=2 N1=2 kernelpagesize_kB=4
01a00000 default heap anon=512 dirty=512 N0=500 N255=12 kernelpagesize_kB=4
7f0000000000 default file=/dev/hugepages/a huge dirty=3 N1=3 kernelpagesize_kB=2048
7f0100000000 default file=/mnt/1g/b huge dirty=1 N255=1 kernelpagesize_kB=1048576
7f0200000000 default huge dirty=1 N255=1
7ffc00000000 default stack anon=3 dirty=3 N0=3 kernelpagesize_kB=4
";

    fn machine() -> Source {
        Source::from_files([
            ("/proc/meminfo", "Hugepagesize: 2048 kB\n"),
            ("/proc/42/numa_maps", MAPS),
            ("/proc/42/comm", "server\n"),
            ("/proc/42/cmdline", "/usr/bin/server\0--port\x0080\0"),
            ("/proc/7/comm", "kthread\n"),
            ("/proc/7/cmdline", ""),
            ("/proc/7/numa_maps", ""),
        ])
    }

    #[test]
    fn huge_pages_count_with_their_own_size() {
        let all = ProcessUse::read_all(&machine(), &[42]);
        let nodes = all[0].nodes.as_ref().unwrap();
        let shares: Vec<_> = nodes
            .iter()
            .map(|at| {
                (
                    at.node.0,
                    at.huge_bytes.0 >> 20,
                    at.heap_bytes.0,
                    at.stack_bytes.0,
                    at.private_bytes.0,
                )
            })
            .collect();
        assert_eq!(
            shares,
            [(0, 0, 500 << 12, 3 << 12, 0), (1, 6, 0, 0, 2 << 12), (255, 1024 + 2, 12 << 12, 0, 0)]
        );
        assert_eq!(nodes[1].total(), Bytes(6 << 20) + Bytes(2 << 12));
    }

    #[test]
    fn an_ended_process_has_a_reason_and_others_are_read() {
        let all = ProcessUse::read_all(&machine(), &[99, 42, 7, 42]);
        let pids: Vec<u32> = all.iter().map(|process| process.pid).collect();
        assert_eq!(pids, [7, 42, 99]);
        assert_eq!(all[0].nodes.as_deref(), Some(&[][..]));
        assert!(all[2].nodes.is_none() && all[2].why.as_ref().unwrap().contains("99"));
    }

    #[test]
    fn patterns_match_names_and_command_lines() {
        let source = machine();
        assert_eq!(processes_like(&source, "server --nothing", None), [0; 0]);
        assert_eq!(processes_like(&source, "--port 80", None), [42]);
        assert_eq!(processes_like(&source, "e", None), [7, 42]);
        assert_eq!(processes_like(&source, "e", Some(42)), [7]);
    }
}
