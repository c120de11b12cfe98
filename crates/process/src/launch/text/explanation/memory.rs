//! Where a program's memory would come from, and what happens when it is used up.

use nearfar_machine::Topology;
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::Policy;

use super::{MemoryExplained, NodeMemoryExplained, format_set};
use crate::launch::placement::MemoryChoice;

pub(super) fn explain(
    choice: Option<&MemoryChoice>,
    inherited: Option<&MemoryChoice>,
    topology: &Topology,
) -> MemoryExplained {
    let chosen = choice.is_some();
    let Some(choice) = choice.or(inherited) else {
        let sentence = "No policy is chosen, so this shell's holds, which the kernel does not \
                        report."
            .to_owned();
        return MemoryExplained {
            sentence,
            when_full: "Not known either.".to_owned(),
            ..MemoryExplained::default()
        };
    };
    let nodes = choice.nodes();
    let node_memory = node_memory(nodes.as_ref(), topology);
    let start = if chosen { "" } else { "No policy is chosen, so this shell's holds: " };
    MemoryExplained {
        policy: Some(choice.policy.name()),
        sentence: format!("{start}{}{}", source(choice), free(&node_memory)),
        when_full: when_full(&choice.policy, topology).to_owned(),
        nodes,
        chosen,
        node_memory,
    }
}

fn source(choice: &MemoryChoice) -> String {
    let balanced = if choice.flags.balancing {
        ", and the kernel moves pages among them towards the CPUs that use them"
    } else {
        ""
    };
    match &choice.policy {
        Policy::Default | Policy::Local => {
            "Each page comes from the node of the CPU that touches it first.".to_owned()
        }
        Policy::Preferred(node) => format!("Pages come from node {node} as long as it has any."),
        Policy::PreferredMany(nodes) => {
            format!("Pages come from the nearest of {} that has any{balanced}.", format_set(nodes))
        }
        Policy::Bind(nodes) if nodes.len() == 1 => {
            format!("Every page comes from {}{balanced}.", format_set(nodes))
        }
        Policy::Bind(nodes) => {
            format!(
                "Every page comes from {}, the nearest to the CPU first{balanced}.",
                format_set(nodes)
            )
        }
        Policy::Interleave(nodes) => {
            format!("Pages go to {} in turn, one after the other.", format_set(nodes))
        }
        Policy::WeightedInterleave(nodes) => {
            format!(
                "Pages go to {} in turn, as many at a time as the node's weight (--weights \
                 shows them).",
                format_set(nodes)
            )
        }
    }
}

fn when_full(policy: &Policy, topology: &Topology) -> &'static str {
    if topology.online_nodes().len() < 2 {
        return "The kernel then frees caches and swaps. If that is not enough, it kills a program \
                (out of memory).";
    }
    match policy {
        Policy::Default | Policy::Local => {
            "Pages then come from the nearest node with free memory. The kernel frees caches and \
             swaps only when all nodes are full."
        }
        Policy::Preferred(_) | Policy::PreferredMany(_) => {
            "Pages then come from the nearest other node. The program continues with slower \
             memory, without a message."
        }
        Policy::Bind(_) => {
            "The kernel then frees caches and swaps there. If that is not enough, it kills the \
             program (out of memory), even while other nodes have memory."
        }
        Policy::Interleave(_) | Policy::WeightedInterleave(_) => {
            "The share of a full node comes from the nearest node with free memory, named or not."
        }
    }
}

fn node_memory(nodes: Option<&NodeSet>, topology: &Topology) -> Vec<NodeMemoryExplained> {
    let named =
        topology.nodes.iter().filter(|node| nodes.is_some_and(|nodes| nodes.contains(node.id)));
    let memory = |node: &nearfar_machine::Node| NodeMemoryExplained {
        node: node.id,
        total_bytes: node.memory.map(|memory| memory.total),
        free_bytes: node.memory.map(|memory| memory.free),
    };
    named.map(memory).collect()
}

/// " 3.1 GiB of 8 GiB are free there now."
fn free(memory: &[NodeMemoryExplained]) -> String {
    let sum = |of: fn(&NodeMemoryExplained) -> Option<Bytes>| {
        memory.iter().map(of).collect::<Option<Vec<Bytes>>>()
    };
    match (sum(|node| node.free_bytes), sum(|node| node.total_bytes)) {
        (Some(free), Some(total)) if !memory.is_empty() => {
            format!(
                " {} of {} are free there now.",
                free.into_iter().sum::<Bytes>(),
                total.into_iter().sum::<Bytes>()
            )
        }
        _ => String::new(),
    }
}
