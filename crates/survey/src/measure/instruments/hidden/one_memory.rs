//! The memory in which hidden nodes are searched.

use nearfar_machine::Topology;
use nearfar_model::{CpuSet, DistanceMatrix, NodeId, NodeSet};
use nearfar_probe::{Layout, LayoutRequest, RowKind};

/// Whether the system shows one memory, or several at equal reported distances: only there does a
/// plain survey search for hidden nodes.
pub(crate) fn shows_one_memory(topology: &Topology) -> bool {
    let nodes: Vec<NodeId> =
        topology.nodes.iter().filter(|node| node.has_memory()).map(|node| node.id).collect();
    is_one(topology, &nodes)
}

fn is_one(topology: &Topology, nodes: &[NodeId]) -> bool {
    nodes.len() <= 1
        || topology.distances.as_ref().is_some_and(|claimed| are_equally_far(claimed, nodes))
}

fn are_equally_far(claimed: &DistanceMatrix, nodes: &[NodeId]) -> bool {
    let mut far =
        nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| claimed.between(from, to)));
    let first = far.next().flatten();
    far.all(|distance| distance == first)
}

/// If the system shows different memories, their pages differ without any hidden node. Then the
/// largest is searched, from its own CPUs. `None` if everything laid out is one memory, or if no
/// node has both CPUs and memory.
pub(super) fn within(topology: &Topology, layout: &Layout, rows: RowKind) -> Option<LayoutRequest> {
    let mut nodes: Vec<NodeId> = layout
        .measurable_columns()
        .filter_map(|column| layout.columns[column].memory.node)
        .collect();
    nodes.dedup();
    if is_one(topology, &nodes) {
        return None;
    }
    let usable = layout.rows.iter().fold(CpuSet::new(), |all, row| all.union(&row.cpus));
    let own = nodes.into_iter().filter_map(|id| {
        let node = topology.node(id)?;
        let cpus = node.cpus.intersection(&usable);
        Some((node.memory?.total, id, cpus)).filter(|(.., cpus)| !cpus.is_empty())
    });
    let (_, node, cpus) =
        own.reduce(|largest, other| if other.0 > largest.0 { other } else { largest })?;
    Some(LayoutRequest { rows, cpus: Some(cpus), nodes: Some(NodeSet::from_id(node)) })
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_probe::ProbeSpec;

    use super::*;

    /// Three nodes: 64, 128 and 256 MiB, the last without CPUs, at these distances.
    fn machine(distances: [&str; 3]) -> Topology {
        let mut files = vec![
            ("/sys/devices/system/cpu/online".to_owned(), "0-3".to_owned()),
            ("/sys/devices/system/cpu/present".to_owned(), "0-3".to_owned()),
            ("/sys/devices/system/node/online".to_owned(), "0-2".to_owned()),
        ];
        for (node, (cpus, distances)) in ["0-1", "2-3", ""].into_iter().zip(distances).enumerate() {
            let folder = format!("/sys/devices/system/node/node{node}");
            let kib = 65_536 << node;
            let memory = format!("Node {node} MemTotal: {kib} kB\nNode {node} MemFree: {kib} kB\n");
            files.push((format!("{folder}/cpulist"), cpus.to_owned()));
            files.push((format!("{folder}/meminfo"), memory));
            files.push((format!("{folder}/distance"), distances.to_owned()));
        }
        Topology::read(&Source::from_files(files)).unwrap()
    }

    fn wanted_within(topology: &Topology, wanted: &LayoutRequest) -> Option<(String, String)> {
        let layout = Layout::new(topology, wanted, &ProbeSpec::page()).unwrap();
        let within = within(topology, &layout, RowKind::Auto)?;
        Some((within.cpus.unwrap().to_string(), within.nodes.unwrap().to_string()))
    }

    #[test]
    fn among_different_nodes_the_largest_is_searched() {
        let apart = machine(["10 21 31", "21 10 31", "31 31 10"]);
        assert!(!shows_one_memory(&apart));
        assert_eq!(
            wanted_within(&apart, &LayoutRequest::default()),
            Some(("2-3".to_owned(), "1".to_owned()))
        );
        let some =
            LayoutRequest { cpus: CpuSet::parse_list("0,1").ok(), ..LayoutRequest::default() };
        assert_eq!(wanted_within(&apart, &some), Some(("0-1".to_owned(), "0".to_owned())));
    }

    #[test]
    fn equally_distant_nodes_are_one_memory() {
        let alike = machine(["10 10 10"; 3]);
        assert!(shows_one_memory(&alike));
        assert_eq!(wanted_within(&alike, &LayoutRequest::default()), None);
        let one =
            LayoutRequest { nodes: Some(NodeSet::from_id(NodeId(0))), ..LayoutRequest::default() };
        assert_eq!(wanted_within(&machine(["10 21 31", "21 10 31", "31 31 10"]), &one), None);
    }
}
