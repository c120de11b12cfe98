//! The nodes that numademo uses: those with memory, those with CPUs, and the combinations of
//! them.

use nearfar_machine::ListContext;
use nearfar_model::{NodeId, NodeSet};
use nearfar_place::{
    AffinityGuard, PlaceError, Policy, PolicyGuard, allowed_nodes, current_cpu,
    next_interleave_node,
};

use super::subsets::subsets;

/// Nodes by their numbers, with gaps; those without memory are no targets, those without CPUs
/// run nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeSelection {
    /// Nodes with available memory.
    pub(super) memory: NodeSet,
    /// Those that this process can run on.
    running: Vec<NodeId>,
    /// Only some of the nodes and combinations.
    thin: bool,
}

/// From this many nodes on, thinning leaves some out.
const FEW_NODES: usize = 3;

impl NodeSelection {
    /// The nodes of this machine that this process may use; thinning leaves nodes and
    /// combinations out where there are many.
    pub(super) fn new(lists: &ListContext<'_>, thin: bool) -> Result<Self, PlaceError> {
        let memory = lists.memory_nodes().intersection(&allowed_nodes()?);
        let can_run =
            |node: &NodeId| AffinityGuard::enter(&lists.cpus_of(&NodeSet::from_id(*node))).is_ok();
        let running = lists.cpu_nodes().iter().filter(can_run).collect();
        Ok(Self { running, thin: thin && memory.len() > FEW_NODES, memory })
    }

    /// The nodes whose memory is exercised one by one.
    pub(super) fn memory_nodes(&self) -> Vec<NodeId> {
        self.chosen(self.memory.iter())
    }

    /// The nodes to run on.
    pub(super) fn running_nodes(&self) -> Vec<NodeId> {
        self.chosen(self.running.iter().copied())
    }

    /// Every n-th node where nodes are thinned, as numactl's does: by the node's number.
    fn chosen(&self, nodes: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
        let step =
            u32::try_from((self.memory.len().saturating_sub(1) / 8) * 2 + 8).unwrap_or(u32::MAX);
        nodes.filter(|node| !self.thin || node.0 % step == 0).collect()
    }

    /// The sets of nodes to interleave over.
    pub(super) fn subsets(&self) -> Vec<NodeSet> {
        subsets(&self.memory, self.thin)
    }

    /// The first two nodes with memory; the first alone where there is one.
    pub(super) fn first_two(&self) -> NodeSet {
        self.memory.iter().take(2).collect()
    }

    /// The next node with memory, cyclically.
    pub(super) fn wrong(&self, node: NodeId) -> NodeId {
        let next = self.memory.iter().find(|other| *other > node).or_else(|| self.memory.first());
        next.unwrap_or(node)
    }

    /// The node itself where it has memory, else the next.
    pub(super) fn right(&self, node: NodeId) -> NodeId {
        if self.memory.contains(node) { node } else { self.wrong(node) }
    }
}

/// The node that this thread's new memory comes from first: its policy's, else that of the CPU.
pub(super) fn preferred_node() -> Result<NodeId, PlaceError> {
    match Policy::current()? {
        Policy::Preferred(node) => Ok(node),
        _ => current_cpu().map(|(_, node)| node),
    }
}

/// The node that this thread's next page would come from under an interleaving policy.
pub(super) fn next_under(policy: &Policy) -> Result<Option<NodeId>, PlaceError> {
    let _guard = PolicyGuard::enter(policy)?;
    next_interleave_node()
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    fn selection(memory: &str, thin: bool) -> NodeSelection {
        NodeSelection {
            memory: NodeSet::parse_list(memory).unwrap(),
            running: vec![NodeId(0), NodeId(3)],
            thin,
        }
    }

    #[test]
    fn the_next_node_round_has_memory() {
        let selection = selection("0,2,255", false);
        assert_eq!([0, 1, 2, 255].map(|node| selection.wrong(NodeId(node)).0), [2, 2, 255, 0]);
        assert_eq!([0, 1, 255].map(|node| selection.right(NodeId(node)).0), [0, 2, 255]);
        assert_eq!(selection.first_two().to_string(), "0,2");
    }

    #[test]
    fn thinning_leaves_nodes_out() {
        assert_eq!(selection("0-16", true).memory_nodes(), [0, 12].map(NodeId));
        assert_eq!(selection("0-16", true).running_nodes(), [NodeId(0)]);
        assert_eq!(
            (
                selection("0-16", false).memory_nodes().len(),
                selection("0-3", false).running_nodes().len()
            ),
            (17, 2)
        );
    }

    #[test]
    fn this_machine_has_a_node() {
        let source = Source::live();
        let selection = NodeSelection::new(&ListContext::new(&source), true).unwrap();
        assert!(
            !selection.memory_nodes().is_empty() && !selection.running_nodes().is_empty(),
            "{selection:?}"
        );
        assert!(
            selection.memory.contains(
                next_under(&Policy::Interleave(selection.memory.clone())).unwrap().unwrap()
            )
        );
        assert!(preferred_node().is_ok());
    }
}
