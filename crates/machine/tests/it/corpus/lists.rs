//! Lists on captured machines: 64 nodes, sparse IDs, memory-only nodes, old kernels without summary
//! files.

use nearfar_machine::{ListContext, NodeTable, Source, cpu_list, cpu_node_list, node_list};
use nearfar_model::NodeSet;

use super::{Captured, captured};

/// A context without limits: captures have the mask of the user who captured them.
fn whole(source: &Source) -> ListContext<'_> {
    let mut context = ListContext::new(source);
    context.ignore_cpuset = true;
    context
}

#[test]
fn lists_agree_with_the_topology() {
    for Captured { name, source, topology, .. } in captured() {
        let context = whole(source);
        assert_eq!(cpu_list("all", &context).unwrap(), topology.online(), "{name}");
        assert_eq!(context.numa_supported(), topology.numa_supported, "{name}");
        if !topology.numa_supported {
            assert!(node_list("0", &context).is_err(), "{name}");
            continue;
        }
        assert_eq!(context.online_nodes(), &topology.online_nodes(), "{name}");
        let with_memory: NodeSet = topology
            .nodes
            .iter()
            .filter(|node| node.online && node.has_memory())
            .map(|node| node.id)
            .collect();
        if !with_memory.is_empty() {
            assert_eq!(node_list("all", &context).unwrap(), with_memory, "{name}");
        }
        for node in topology.nodes.iter().filter(|node| node.online && !node.cpus.is_empty()) {
            let named = cpu_node_list(&node.id.to_string(), &context).unwrap();
            assert_eq!(context.cpus_of(&named), node.cpus, "{name}");
        }
    }
}

#[test]
fn node_table_agrees_with_the_topology() {
    for Captured { name, source, topology, .. } in captured() {
        let Some(table) = NodeTable::read(source) else {
            assert!(!topology.numa_supported, "{name}");
            continue;
        };
        let ids: NodeSet = table.nodes.iter().map(|node| node.id).collect();
        assert_eq!(ids, topology.online_nodes(), "{name}");
        assert_eq!(table.distances, topology.distances, "{name}");
    }
}
