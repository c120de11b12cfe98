//! The online nodes, for comparison with predictions.

use nearfar_firmware::linux::{ObservedNode, SysfsNodes};

use crate::topology::{Node, Topology};

/// The nodes in sysfs.
///
/// # References
///
/// Documentation/ABI/stable/sysfs-devices-node
pub fn sysfs_nodes(topology: &Topology) -> SysfsNodes {
    let node = |node: &Node| ObservedNode {
        id: node.id,
        cpus: node.cpus.clone(),
        memory_bytes: node.memory.map(|memory| memory.total.0),
    };
    SysfsNodes {
        numa_supported: topology.numa_supported,
        online: topology.nodes.iter().filter(|node| node.online).map(node).collect(),
        distances: topology.distances.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn online_nodes_have_cpus_and_distances() {
        let node = "/sys/devices/system/node";
        let cpus = ("/sys/devices/system/cpu/online".to_owned(), "0-1");
        let files = [
            cpus.clone(),
            (format!("{node}/online"), "0-1"),
            (format!("{node}/node0/cpulist"), "0"),
            (format!("{node}/node1/cpulist"), "1"),
            (format!("{node}/node0/distance"), "10 20"),
            (format!("{node}/node1/distance"), "20 10"),
        ];
        let nodes = sysfs_nodes(&Topology::read(&Source::from_files(files)).unwrap());
        assert_eq!((nodes.numa_supported, nodes.online[1].cpus.to_string().as_str()), (true, "1"));
        assert_eq!(nodes.distances.unwrap().rows(), [[10, 20], [20, 10]]);
        let none = sysfs_nodes(&Topology::read(&Source::from_files([cpus])).unwrap());
        assert!(!none.numa_supported);
    }
}
