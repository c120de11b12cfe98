//! Where a program's pages really are, against where they were to go.
//!
//! A policy is a request; the kernel's count of pages by node is the result. The command that
//! starts the program reads its pages a few times ([`MemoryByNode`]) and keeps the fullest:
//! [`Watched::new`] compares that with the placement.

use std::collections::BTreeMap;
use std::time::Duration;

use nearfar_model::{Bytes, NodeId, NodeSet};
use serde::Serialize;

use crate::launch::placement::{MemoryChoice, Placement};
use crate::launch::text::explanation::format_set;

/// The memory of a program and of all that it started, at one moment: bytes that are there, by
/// node. What several of them share counts for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryByNode {
    /// Bytes on each node.
    pub nodes: BTreeMap<NodeId, Bytes>,
    /// How many processes were seen.
    pub processes: usize,
    /// How long after its start.
    pub after: Duration,
}

impl MemoryByNode {
    /// All of it.
    pub fn total(&self) -> Bytes {
        self.nodes.values().copied().sum()
    }
}

/// Where a program's pages are.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Watched {
    /// Of this document: "nearfar.watch/1".
    pub schema: &'static str,
    /// The process that was started.
    pub pid: u32,
    /// How many processes were looked at: it, and those that descend from it.
    pub processes: usize,
    /// When it was looked at, after its start.
    pub after_s: f64,
    /// Each node that has pages of it.
    pub nodes: Vec<BytesOnNode>,
    /// The nodes that the policy names; absent where it names none.
    pub wanted: Option<NodeSet>,
    /// What is on other nodes.
    pub elsewhere_bytes: Bytes,
    /// Its share of all, 0 to 1; absent when there is nothing.
    pub elsewhere_share: Option<f64>,
    /// The same in words.
    pub sentence: String,
}

/// Memory on one node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct BytesOnNode {
    /// The node.
    pub node: NodeId,
    /// So much.
    #[serde(rename = "memory_bytes")]
    pub bytes: Bytes,
    /// Share of all, 0 to 1.
    pub share: f64,
}

impl Watched {
    /// The schema of these documents.
    pub const SCHEMA: &str = "nearfar.watch/1";

    /// Compares what was seen with what was asked for.
    pub fn new(placement: &Placement, pid: u32, seen: &MemoryByNode) -> Self {
        let total = seen.total();
        let share = |bytes: Bytes| bytes.0 as f64 / total.0.max(1) as f64;
        let nodes = seen.nodes.iter().filter(|(_, bytes)| bytes.0 > 0);
        let nodes: Vec<BytesOnNode> =
            nodes.map(|(&node, &bytes)| BytesOnNode { node, bytes, share: share(bytes) }).collect();
        let wanted = placement.memory.as_ref().and_then(MemoryChoice::nodes);
        let elsewhere = nodes
            .iter()
            .filter(|on| wanted.as_ref().is_some_and(|wanted| !wanted.contains(on.node)));
        let elsewhere: Bytes = elsewhere.map(|on| on.bytes).sum();
        Self {
            schema: Self::SCHEMA,
            pid,
            processes: seen.processes,
            after_s: (seen.after.as_secs_f64() * 1000.0).round() / 1000.0,
            sentence: sentence(&nodes, wanted.as_ref(), elsewhere, share(elsewhere)),
            elsewhere_share: (total.0 > 0).then(|| share(elsewhere)),
            nodes,
            wanted,
            elsewhere_bytes: elsewhere,
        }
    }
}

fn sentence(
    nodes: &[BytesOnNode],
    wanted: Option<&NodeSet>,
    elsewhere: Bytes,
    share: f64,
) -> String {
    let Some(wanted) = wanted.filter(|_| !nodes.is_empty()) else {
        return match nodes {
            [] => "It ended before its pages could be seen.".to_owned(),
            [only] => format!("All of it is on node {}.", only.node),
            _ => format!("It is spread over {} nodes; no policy names any.", nodes.len()),
        };
    };
    let wanted = format_set(wanted);
    if elsewhere == Bytes(0) {
        return format!("All of it is on {wanted}, as asked for.");
    }
    format!(
        "{elsewhere} ({:.1} %) are not on {wanted}: libraries and files that were cached before \
         stay where they are; what else is there came when the nodes were full, or was touched \
         before.",
        share * 100.0
    )
}

#[cfg(test)]
mod tests {
    use nearfar_place::{Policy, PolicyFlags};

    use super::*;

    fn bound(nodes: &str) -> Placement {
        let policy = Policy::Bind(NodeSet::parse_list(nodes).unwrap());
        Placement {
            cpus: None,
            memory: Some(MemoryChoice {
                policy,
                flags: PolicyFlags::default(),
                option: String::new(),
            }),
        }
    }

    fn seen(nodes: &[(u32, u64)]) -> MemoryByNode {
        let nodes = nodes.iter().map(|&(node, mib)| (NodeId(node), Bytes::mib(mib))).collect();
        MemoryByNode { nodes, processes: 1, after: Duration::from_millis(500) }
    }

    #[test]
    fn pages_in_place_are_reported() {
        let watched = Watched::new(&bound("1"), 7, &seen(&[(0, 0), (1, 10)]));
        assert_eq!(watched.sentence, "All of it is on node 1, as asked for.");
        assert_eq!(
            (watched.elsewhere_share, watched.nodes.len(), watched.after_s),
            (Some(0.0), 1, 0.5)
        );
    }

    #[test]
    fn pages_elsewhere_are_counted() {
        let watched = Watched::new(&bound("1,4"), 7, &seen(&[(0, 5), (1, 10), (4, 5)]));
        assert_eq!((watched.elsewhere_bytes, watched.elsewhere_share), (Bytes::mib(5), Some(0.25)));
        assert!(
            watched.sentence.starts_with("5 MiB (25.0 %) are not on nodes 1,4"),
            "{}",
            watched.sentence
        );
    }

    #[test]
    fn ended_and_unbound_programs_are_reported() {
        assert!(Watched::new(&bound("1"), 7, &seen(&[])).sentence.starts_with("It ended before"));
        assert_eq!(Watched::new(&bound("1"), 7, &seen(&[])).elsewhere_share, None);
        let free = Watched::new(&Placement::default(), 7, &seen(&[(0, 1), (2, 1)]));
        assert_eq!(free.sentence, "It is spread over 2 nodes; no policy names any.");
        assert_eq!(free.wanted, None);
    }
}
