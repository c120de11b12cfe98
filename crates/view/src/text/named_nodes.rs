//! Nodes with their noun.

use nearfar_model::NodeSet;

/// "node 1", "nodes 0-1".
pub fn named_nodes(nodes: &NodeSet) -> String {
    format!("node{} {nodes}", if nodes.len() == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_node_is_no_list() {
        let named = |list: &str| named_nodes(&NodeSet::parse_list(list).unwrap());
        assert_eq!([named("3"), named("0-1,3")], ["node 3", "nodes 0-1,3"]);
    }
}
