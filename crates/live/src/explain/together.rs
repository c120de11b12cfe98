//! The memory of several processes together, each page once.

use nearfar_machine::Source;
use nearfar_model::Bytes;
use nearfar_process::{ProcessMemory, UniqueMemory};
use serde::{Deserialize, Serialize};

use crate::columns::value::NodeBytes;

/// Memory of several processes, each page once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryTogether {
    /// Its size.
    #[schemars(with = "u64")]
    pub bytes: Bytes,
    /// By node.
    pub by_node: Vec<NodeBytes>,
    /// Whether every page was counted once. If not, it is a lower bound.
    pub is_exact: bool,
}

/// Counts the pages of these processes; `None` of one alone. Those that have just ended are absent.
pub fn memory_together(source: &Source, pids: &[u32]) -> Option<MemoryTogether> {
    if pids.len() < 2 {
        return None;
    }
    let read = pids.iter().filter_map(|pid| ProcessMemory::read(source, *pid).ok());
    let unique = UniqueMemory::count(source, &read.collect::<Vec<_>>());
    Some(MemoryTogether {
        bytes: unique.bytes,
        by_node: unique.by_node.iter().map(|(node, bytes)| NodeBytes { node, bytes }).collect(),
        is_exact: unique.is_exact,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_of_two_processes_counts_once() {
        let numa_maps = "7f00000000 default file=/dev/shm/pool mapped=4 mapmax=2 N0=3 N1=1 \
                         kernelpagesize_kB=4\n";
        let maps = "7f00000000-7f00004000 rw-s 00000000 00:01 42 /dev/shm/pool\n";
        let source = Source::from_files([
            ("/proc/7/maps", maps),
            ("/proc/8/maps", maps),
            ("/proc/7/numa_maps", numa_maps),
            ("/proc/8/numa_maps", numa_maps),
            ("/sys/devices/system/node/online", "0-1"),
        ]);
        let together = memory_together(&source, &[7, 8]).unwrap();
        assert_eq!((together.bytes, together.is_exact), (Bytes::kib(16), false));
        assert_eq!(together.by_node.len(), 2);
        assert_eq!(memory_together(&source, &[7]), None);
    }
}
