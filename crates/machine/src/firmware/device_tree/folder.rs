//! The kernel's shape: a folder for each node, a file for each property.

use super::node::{MOST_LEVELS, Nodes, wanted};
use crate::firmware::fault::{FaultKind, Faults};
use crate::source::Source;

/// The most nodes that are read. Large systems on chip have some 2,000.
const MOST_NODES: usize = 50_000;

/// Reads the nodes below a folder.
pub(super) fn read(source: &Source, folder: &str, faults: &mut Faults) -> Nodes {
    let mut nodes = Nodes::default();
    let root = nodes.add(b"", None);
    let mut waiting = vec![(root, folder.to_owned(), 0)];
    while let Some((node, folder, level)) = waiting.pop() {
        for name in source.list(&folder) {
            let path = format!("{folder}/{name}");
            if wanted(name.as_bytes()).is_some() {
                if let Some(value) = source.read(&path) {
                    nodes.0[node].add(name.as_bytes(), &value);
                }
            } else if is_node(source, &path) {
                if level + 1 == MOST_LEVELS || nodes.0.len() == MOST_NODES {
                    faults.add(0, FaultKind::Flood, || format!("{path} and what is below are not read"));
                    continue;
                }
                let below = nodes.add(name.as_bytes(), Some(node));
                waiting.push((below, path, level + 1));
            }
        }
    }
    nodes
}

/// The kernel gives every node a property `name`.
fn is_node(source: &Source, path: &str) -> bool {
    source.exists(&format!("{path}/name"))
}
