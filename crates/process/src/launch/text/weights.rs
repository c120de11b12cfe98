//! The kernel's interleave weights.

use nearfar_machine::InterleaveWeights;

/// A line for each node, in numactl's shape: "node 0 weight: 5".
pub fn text(weights: &InterleaveWeights) -> String {
    let lines: String = weights
        .weights
        .iter()
        .map(|(node, weight)| format!("node {node} weight: {weight}\n"))
        .collect();
    let who = match weights.automatic {
        Some(true) => "the kernel sets them by itself, from the nodes' bandwidths\n",
        Some(false) => "set by hand\n",
        None => "",
    };
    lines + who
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nearfar_model::NodeId;

    use super::*;

    #[test]
    fn each_node_has_a_line() {
        let weights = BTreeMap::from([(NodeId(0), 5), (NodeId(4), 1)]);
        let caveats = |automatic| text(&InterleaveWeights { weights: weights.clone(), automatic });
        assert_eq!(caveats(None), "node 0 weight: 5\nnode 4 weight: 1\n");
        assert!(
            caveats(Some(true)).ends_with("by itself, from the nodes' bandwidths\n")
                && caveats(Some(false)).ends_with("set by hand\n")
        );
    }
}
