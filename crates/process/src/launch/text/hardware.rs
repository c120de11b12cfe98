//! The nodes of a machine as `numactl --hardware` prints them: scripts have parsed these lines for
//! twenty years.
//!
//! The shape is that of numactl 2.0.16; 2.0.19 sets the numbers of its last table one column wider
//! apart.

use nearfar_machine::Node;
use nearfar_model::{Bytes, CpuSet, DistanceMatrix, NodeSet};

use crate::launch::Hardware;

/// All lines. With `compress` CPUs stand as ranges and their number behind them (`--cpu-compress`).
pub fn text(hardware: &Hardware, compress: bool) -> String {
    if !hardware.numa_supported {
        return "No NUMA available on this system\n".to_owned();
    }
    let ids: NodeSet = hardware.nodes.iter().map(|node| node.id).collect();
    let mut text = format!("available: {} nodes ({ids})\n", ids.len());
    for node in &hardware.nodes {
        text += &node_lines(node, compress);
    }
    text + &distances(hardware.distances.as_ref())
}

fn node_lines(node: &Node, compress: bool) -> String {
    let id = node.id;
    let cpus = if compress { ranges(&node.cpus) } else { numbers(&node.cpus) };
    let size = megabytes(node.memory.map(|memory| memory.total));
    let free = megabytes(node.memory.map(|memory| memory.free));
    format!("node {id} cpus:{cpus}\nnode {id} size: {size}\nnode {id} free: {free}\n")
}

/// Each CPU after a blank.
fn numbers(cpus: &CpuSet) -> String {
    cpus.iter().map(|cpu| format!(" {cpu}")).collect()
}

/// Ranges after blanks, with commas between, and how many CPUs they are.
fn ranges(cpus: &CpuSet) -> String {
    let runs = cpus.runs().into_iter().map(|(first, last)| match first == last {
        true => format!(" {first}"),
        false => format!(" {first}-{last}"),
    });
    format!("{} ({})", runs.collect::<Vec<_>>().join(","), cpus.len())
}

/// Whole units of 1,048,576 bytes, rounded down, called MB.
fn megabytes(size: Option<Bytes>) -> String {
    size.map_or_else(|| "<not available>".to_owned(), |size| format!("{} MB", size.0 >> 20))
}

/// A row for each node, headed by the columns' ids. Each line ends in a blank.
fn distances(matrix: Option<&DistanceMatrix>) -> String {
    let Some(matrix) = matrix else { return "No distance information available.\n".to_owned() };
    let cells = |numbers: &mut dyn Iterator<Item = u32>| -> String {
        numbers.map(|n| format!(" {n:>2} ")).collect()
    };
    let ids = || matrix.nodes().iter().map(|id| id.0);
    let mut text = format!("node distances:\nnode {}\n", cells(&mut ids()));
    for (id, row) in ids().zip(matrix.rows()) {
        text += &format!(" {id:>2}: {}\n", cells(&mut row.iter().copied()));
    }
    text
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    fn sparse() -> Hardware {
        let files = [
            ("online", "0,4-5"),
            ("node0/cpulist", "0-2,8"),
            ("node0/meminfo", "Node 0 MemTotal: 24684092 kB\nNode 0 MemFree: 1048575 kB"),
            ("node0/distance", "10 20 255"),
            ("node4/cpulist", ""),
            ("node4/meminfo", "Node 4 MemTotal: 2097152 kB\nNode 4 MemFree: 2097152 kB"),
            ("node4/distance", "20 10 30"),
            ("node5/cpulist", "3"),
            ("node5/distance", "255 30 10"),
        ];
        let source = Source::from_files(
            files.map(|(name, text)| (format!("/sys/devices/system/node/{name}"), text)),
        );
        Hardware::read(&source)
    }

    #[test]
    fn sparse_nodes_without_cpus_or_memory_keep_the_shape() {
        let expected = "\
available: 3 nodes (0,4-5)
node 0 cpus: 0 1 2 8
node 0 size: 24105 MB
node 0 free: 1023 MB
node 4 cpus:
node 4 size: 2048 MB
node 4 free: 2048 MB
node 5 cpus: 3
node 5 size: <not available>
node 5 free: <not available>
node distances:
node   0   4   5 
  0:  10  20  255 
  4:  20  10  30 
  5:  255  30  10 
";
        assert_eq!(text(&sparse(), false), expected);
    }

    #[test]
    fn cpus_are_compressed_on_demand() {
        let shown = text(&sparse(), true);
        assert!(shown.contains("node 0 cpus: 0-2, 8 (4)\n"), "{shown}");
        assert!(
            shown.contains("node 4 cpus: (0)\n") && shown.contains("node 5 cpus: 3 (1)\n"),
            "{shown}"
        );
    }

    #[test]
    fn unknown_values_use_numactls_text() {
        let mut hardware = sparse();
        hardware.distances = None;
        assert!(text(&hardware, false).ends_with("No distance information available.\n"));
        let without =
            Hardware::read(&Source::from_files([("/sys/devices/system/cpu/online", "0")]));
        assert_eq!(text(&without, false), "No NUMA available on this system\n");
    }
}
