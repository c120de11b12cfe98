//! The sets of nodes that memory is interleaved over.

use nearfar_model::{NodeId, NodeSet};

/// All sets of two nodes and more, in the order of counting in binary, up to eight nodes. Their
/// number doubles with each node, so on larger machines it is the pairs and the whole. Thinned out,
/// every 32nd of the first fifty.
pub(super) fn subsets(nodes: &NodeSet, thin: bool) -> Vec<NodeSet> {
    const MOST: usize = 8;
    let nodes: Vec<NodeId> = nodes.iter().collect();
    if nodes.len() > MOST && !thin {
        return pairs(&nodes);
    }
    // Masks have eight bits at most; thinned out, they reach the first six nodes.
    let members = |mask: u64| {
        nodes.iter().take(MOST).enumerate().filter(move |(bit, _)| mask >> bit & 1 == 1)
    };
    let most = if thin { 50 } else { (1u64 << nodes.len()) - 1 };
    let masks = (1..=most).filter(|mask| !thin || (mask - 1) % 32 == 0);
    let sets = masks.map(|mask| members(mask).map(|(_, node)| *node).collect::<NodeSet>());
    sets.filter(|set| set.len() > 1).collect()
}

fn pairs(nodes: &[NodeId]) -> Vec<NodeSet> {
    let pair = |one: usize| {
        nodes[one + 1..].iter().map(move |other| [nodes[one], *other].into_iter().collect())
    };
    let mut sets: Vec<NodeSet> = (0..nodes.len()).flat_map(pair).collect();
    sets.push(nodes.iter().copied().collect());
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(nodes: &str, thin: bool) -> Vec<String> {
        let nodes = NodeSet::parse_list(nodes).unwrap();
        subsets(&nodes, thin).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn few_nodes_are_combined_in_every_way() {
        assert_eq!(names("0,2,255", false), ["0,2", "0,255", "2,255", "0,2,255"]);
        assert!(names("5", false).is_empty());
        assert_eq!(names("0-7", false).len(), 256 - 9);
    }

    #[test]
    fn many_nodes_are_combined_in_pairs_and_all_together() {
        let sets = names("0-63", false);
        assert_eq!(sets.len(), 64 * 63 / 2 + 1);
        assert_eq!(sets.last().map(String::as_str), Some("0-63"));
    }

    #[test]
    fn thinning_leaves_a_few_combinations() {
        assert_eq!(names("0-7", true), ["0,5"]);
        assert_eq!(names("0-63", true).len(), 1);
        assert_eq!(names("0-99", true).len(), 1);
    }
}
