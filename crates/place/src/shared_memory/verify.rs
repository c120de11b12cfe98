//! Compares shared memory with a policy.

use nearfar_model::{NodeId, NodeSet};

use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::range_policy::range_policy;
use crate::shared_memory::SharedMemory;
use crate::shared_memory::stretch::{Stretch, add, bytes_of_pages, node_of};
use crate::smaps;

/// How memory deviates from a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// The stored policy differs: in kind or in nodes.
    OtherPolicy {
        /// The stored policy.
        found: Policy,
    },
    /// Pages are on a node that the policy does not name.
    OtherNode {
        /// Where they are; `None` if they cannot be allocated.
        found: Option<NodeId>,
    },
    /// Pages are not interleaved in order.
    OutOfTurn {
        /// The next node in the order.
        expected: NodeId,
        /// Where they are.
        found: NodeId,
    },
}

impl SharedMemory {
    /// Touches the part and lists every deviation from this policy. A full preferred node counts as
    /// one.
    ///
    /// # Errors
    ///
    /// Those of [`SharedMemory::touch`] and [`range_policy`](crate::range_policy).
    ///
    /// # References
    ///
    /// `MPOL_F_ADDR` and `MPOL_F_NODE` in get_mempolicy(2)
    pub fn verify(&self, policy: &Policy) -> Result<Vec<Stretch<Misplaced>>, PlaceError> {
        self.touch()?;
        let mut deviations = Vec::new();
        let mut order = InterleaveOrder::new(self, policy);
        for (page, bytes) in self.pages().zip(bytes_of_pages(&self.region)) {
            let found = range_policy(page)?;
            if found != *policy {
                add(&mut deviations, bytes, Misplaced::OtherPolicy { found });
                continue;
            }
            let node = node_of(page)?;
            if let Some(what) = misplaced(policy, node).or_else(|| order.next(node)) {
                add(&mut deviations, bytes, what);
            }
        }
        Ok(deviations)
    }
}

/// Whether the policy allows a page on this node.
fn misplaced(policy: &Policy, found: Option<NodeId>) -> Option<Misplaced> {
    let anywhere = matches!(policy, Policy::Default | Policy::Local);
    let allowed = found.is_some_and(|node| anywhere || policy.nodes().contains(node));
    if allowed { None } else { Some(Misplaced::OtherNode { found }) }
}

/// The expected order of nodes of an interleave policy.
struct InterleaveOrder {
    /// Empty if pages are not interleaved one by one.
    nodes: NodeSet,
    last: Option<NodeId>,
}

impl InterleaveOrder {
    fn new(memory: &SharedMemory, policy: &Policy) -> Self {
        // Transparent huge pages are interleaved as units, which is not checked here.
        let huge = smaps::has_huge_shared(&memory.addresses());
        let nodes = match policy {
            Policy::Interleave(nodes) if !huge => nodes.clone(),
            _ => NodeSet::new(),
        };
        Self { nodes, last: None }
    }

    /// Checks the next page. The first page may be on any node.
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
        let mut order =
            InterleaveOrder { nodes: nodes.iter().map(|&node| NodeId(node)).collect(), last: None };
        found.iter().map(|&node| order.next(Some(NodeId(node)))).collect()
    }

    #[test]
    fn interleaving_may_start_at_any_node() {
        assert_eq!(turns(&[0, 3, 8], &[3, 8, 0, 3]), [None, None, None, None]);
        let wrong = Misplaced::OutOfTurn { expected: NodeId(8), found: NodeId(3) };
        assert_eq!(turns(&[0, 3, 8], &[3, 3, 8]), [None, Some(wrong), None]);
        assert_eq!(turns(&[], &[3, 3, 8]), [None, None, None]);
    }

    #[test]
    fn pages_outside_the_policys_nodes_are_misplaced() {
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
