//! Whether shared memory is as a policy says.

use nearfar_model::{NodeId, NodeSet};

use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::range_policy::range_policy;
use crate::shared_memory::SharedMemory;
use crate::shared_memory::stretch::{Stretch, add, bytes_of_pages, node_of};
use crate::smaps;

/// What is not as the policy says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// Another policy is kept there: of another kind, or with other nodes.
    OtherPolicy {
        /// The one that is kept.
        found: Policy,
    },
    /// Pages are on a node that the policy does not name.
    OtherNode {
        /// Where they are; `None` when they cannot be made.
        found: Option<NodeId>,
    },
    /// Pages do not follow their neighbours in turn.
    OutOfTurn {
        /// The node whose turn it was.
        expected: NodeId,
        /// Where they are.
        found: NodeId,
    },
}

impl SharedMemory {
    /// Touches the part and tells what is not as this policy says. A preferred node counts as
    /// broken where it was full.
    pub fn verify(&self, policy: &Policy) -> Result<Vec<Stretch<Misplaced>>, PlaceError> {
        self.touch()?;
        let mut broken = Vec::new();
        let mut turn = Turn::of(self, policy);
        for (page, bytes) in self.pages().zip(bytes_of_pages(&self.region)) {
            let found = range_policy(page)?;
            if found != *policy {
                add(&mut broken, bytes, Misplaced::OtherPolicy { found });
                continue;
            }
            let node = node_of(page)?;
            if let Some(what) = misplaced(policy, node).or_else(|| turn.next(node)) {
                add(&mut broken, bytes, what);
            }
        }
        Ok(broken)
    }
}

/// Whether a page may be on this node at all.
fn misplaced(policy: &Policy, found: Option<NodeId>) -> Option<Misplaced> {
    let anywhere = matches!(policy, Policy::Default | Policy::Local);
    let allowed = found.is_some_and(|node| anywhere || policy.nodes().contains(node));
    if allowed { None } else { Some(Misplaced::OtherNode { found }) }
}

/// Whose turn it is among the nodes of an interleave policy.
struct Turn {
    /// Empty when nodes do not take turns page by page.
    nodes: NodeSet,
    last: Option<NodeId>,
}

impl Turn {
    fn of(memory: &SharedMemory, policy: &Policy) -> Self {
        // Transparent huge pages take turns by themselves, and are not told apart here.
        let huge = smaps::has_huge_shared(&memory.addresses());
        let nodes = match policy {
            Policy::Interleave(nodes) if !huge => nodes.clone(),
            _ => NodeSet::new(),
        };
        Self { nodes, last: None }
    }

    /// Takes note of the next page. The first page may be anywhere.
    fn next(&mut self, found: Option<NodeId>) -> Option<Misplaced> {
        let found = found?;
        let last = self.last.replace(found)?;
        let expected =
            self.nodes.iter().find(|&node| node > last).or_else(|| self.nodes.first())?;
        (expected != found).then_some(Misplaced::OutOfTurn { expected, found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(nodes: &[u32], found: &[u32]) -> Vec<Option<Misplaced>> {
        let mut turn = Turn { nodes: nodes.iter().map(|&node| NodeId(node)).collect(), last: None };
        found.iter().map(|&node| turn.next(Some(NodeId(node)))).collect()
    }

    #[test]
    fn sparse_nodes_take_turns_from_wherever_the_first_page_is() {
        assert_eq!(turns(&[0, 3, 8], &[3, 8, 0, 3]), [None, None, None, None]);
        let wrong = Misplaced::OutOfTurn { expected: NodeId(8), found: NodeId(3) };
        assert_eq!(turns(&[0, 3, 8], &[3, 3, 8]), [None, Some(wrong), None]);
        assert_eq!(turns(&[], &[3, 3, 8]), [None, None, None]);
    }

    #[test]
    fn a_page_is_misplaced_on_a_node_that_the_policy_does_not_name() {
        let (here, there) = (Some(NodeId(1)), Some(NodeId(2)));
        assert_eq!(misplaced(&Policy::Preferred(NodeId(1)), here), None);
        assert_eq!(
            misplaced(&Policy::Preferred(NodeId(1)), there),
            Some(Misplaced::OtherNode { found: there })
        );
        assert_eq!(misplaced(&Policy::Local, there), None);
        assert_eq!(misplaced(&Policy::Local, None), Some(Misplaced::OtherNode { found: None }));
    }
}
