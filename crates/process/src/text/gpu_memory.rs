//! Memory of GPUs, in words.

use nearfar_machine::process::NodeSummaries;
use nearfar_view::text::paragraph;

use crate::by_node::BytesByNode;
use crate::gpu_memory::{GpuNode, gpu_nodes};

/// "12 GiB of it is memory of GPU 0009:01:00.0 (node 1)", a line for each.
pub(super) fn lines(sizes: &BytesByNode, around: &NodeSummaries) -> Vec<String> {
    let nodes = gpu_nodes(around).into_iter().filter(|gpu| sizes.on(gpu.node).0 > 0);
    nodes
        .map(|GpuNode { node, gpu }| {
            format!("{} of it is memory of GPU {gpu} (node {node})", sizes.on(node))
        })
        .collect()
}

/// The same as paragraphs.
pub(super) fn text(sizes: &BytesByNode, around: &NodeSummaries) -> String {
    lines(sizes, around).iter().map(|line| paragraph::of(line, "", "  ")).collect()
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_view::terminal::screen::Screen;

    use super::*;
    use crate::text::several;
    use crate::text::where_is::{WhereText, each};
    use crate::{ProcessDevices, ProcessMemory, WhereResult, advise, usable_nodes};

    /// A program of node 0 with 64 MiB of its own, and 1 GiB of the GPU's.
    fn program(numa_status: &str) -> (Source, ProcessMemory) {
        let stat = format!("7 (x) R 1 0 0 0 0 0 0 0 0 0 90 0 {}1", "0 ".repeat(23));
        let node = "/sys/devices/system/node";
        let source = Source::from_files([
            (format!("{node}/online"), "0-1"),
            (format!("{node}/node0/cpulist"), "0-3"),
            (format!("{node}/node1/cpulist"), ""),
            ("/proc/driver/nvidia/gpus/0009:01:00.0/numa_status".to_owned(), numa_status),
            ("/proc/7/comm".to_owned(), "llama"),
            (
                "/proc/7/numa_maps".to_owned(),
                "1000 default anon=278528 N0=16384 N1=262144 kernelpagesize_kB=4\n",
            ),
            ("/proc/7/task/7/stat".to_owned(), &stat),
            ("/proc/7/task/7/status".to_owned(), "Cpus_allowed_list: 0-3\n"),
        ]);
        let memory = ProcessMemory::read(&source, 7).unwrap();
        (source, memory)
    }

    #[test]
    fn pages_in_a_gpus_memory_are_named_and_stay() {
        let (source, memory) = program("Node:      1\nStatus:    online\n");
        let line = "1 GiB of it is memory of GPU 0009:01:00.0 (node 1)\n";
        let devices = ProcessDevices::read(&source, &memory);
        let one = [(memory.clone(), devices)];
        let both = [memory.clone(), memory.clone()];
        let found = WhereResult::new(&source, both.to_vec(), Vec::new(), Vec::new(), &[]);
        let shown = |screen: Screen| screen.plain();
        assert!(shown(each(&one, &[], WhereText::default())).contains(line));
        let all = shown(several::screen(&found));
        assert!(all.contains("2 GiB of it is memory of GPU 0009:01:00.0 (node 1)\n"), "{all}");
        // Of its own memory, none is remote.
        assert_eq!(found.workers[0].own_remote_share, Some(0.0));
        assert_eq!(advise(&memory).code, "well-placed");
        assert_eq!(usable_nodes(&memory.around, None).to_string(), "0");
    }

    #[test]
    fn other_memory_without_cpus_is_advised_to_move() {
        let (_, memory) = program("Node:      -1\nStatus:    offline\n");
        assert_eq!(advise(&memory).code, "memory-only-node");
        assert_eq!(lines(&memory.by_node(), &memory.around), [""; 0]);
    }
}
