//! Maps proximity domains to node numbers: the first domain becomes node 0, and so on.

use std::collections::BTreeMap;

use nearfar_model::{NodeId, ProximityDomain};

/// Every kernel supports at least this number of domains.
const MIN_DOMAINS: u32 = 256;

/// Domains and their node numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct DomainNodes {
    nodes: BTreeMap<ProximityDomain, NodeId>,
    room: u32,
}

impl DomainNodes {
    /// For a kernel with at most `max_nodes` nodes.
    pub(super) fn new(max_nodes: u32) -> Self {
        Self { nodes: BTreeMap::new(), room: max_nodes }
    }

    /// The node of a domain, a new one if needed; `None` if no number is left. Source:
    /// `acpi_map_pxm_to_node`.
    pub(super) fn map(&mut self, domain: ProximityDomain) -> Option<NodeId> {
        if domain.0 >= self.most() {
            return None;
        }
        if let Some(node) = self.nodes.get(&domain) {
            return Some(*node);
        }
        let next = u32::try_from(self.nodes.len()).ok().filter(|next| *next < self.room)?;
        self.nodes.insert(domain, NodeId(next));
        Some(NodeId(next))
    }

    /// The node of a domain, if it has one.
    pub(super) fn node(&self, domain: ProximityDomain) -> Option<NodeId> {
        self.nodes.get(&domain).copied()
    }

    /// The domain of a node.
    pub(super) fn domain(&self, node: NodeId) -> Option<ProximityDomain> {
        self.nodes.iter().find(|(_, known)| **known == node).map(|(domain, _)| *domain)
    }

    /// The first domain number above all known ones.
    pub(super) fn next_free(&self) -> ProximityDomain {
        ProximityDomain(self.nodes.keys().next_back().map_or(0, |last| last.0.saturating_add(1)))
    }

    /// The first domain number that is too large (`MAX_PXM_DOMAINS`).
    pub(super) fn most(&self) -> u32 {
        self.room.max(MIN_DOMAINS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_numbered_in_order_of_domains() {
        let mut domains = DomainNodes::new(2);
        let mut map = |domain| domains.map(ProximityDomain(domain)).map(|node| node.0);
        assert_eq!(
            [map(7), map(3), map(7), map(4), map(256)],
            [Some(0), Some(1), Some(0), None, None]
        );
        assert_eq!(domains.domain(NodeId(1)), Some(ProximityDomain(3)));
        assert_eq!((domains.next_free(), domains.most()), (ProximityDomain(8), 256));
    }
}
