//! Whether the kinds of pages are all nodes, or some of them.

use super::coverage::Coverage;
use super::nearness::Nearness;
use super::pages::PageStatement;

impl PageStatement {
    /// Whether the number of kinds is the number of nodes that these CPUs can distinguish.
    /// Otherwise it is the least number. `all_cpus`: no group of CPUs was left out of the search.
    pub fn is_exact(&self, coverage: Option<&Coverage>, all_cpus: bool) -> bool {
        let is_near = |near: &Nearness| matches!(near, Nearness::Near(_));
        let is_measured = self.near.iter().all(|near| *near != Nearness::Unmeasured) && all_cpus;
        let near_each = self.clusters.iter().all(|cluster| !cluster.near.is_empty());
        // Memory that no measured CPU is near may be of several nodes, each near other CPUs.
        if self.clusters.is_empty() || self.strays > 0 || !is_measured && !near_each {
            return false;
        }
        let own_memory = is_measured && self.near.iter().all(is_near);
        match coverage {
            // Less than what counts as unseen may still be the memory of CPUs that are near none.
            Some(Coverage { anywhere: None, .. }) => !self.near.contains(&Nearness::None),
            Some(Coverage { beyond: None, .. }) | None => own_memory,
            Some(_) => false,
        }
    }

    /// Whether more memory may show more nodes.
    pub fn asks_for_more_memory(&self, coverage: Option<&Coverage>, all_cpus: bool) -> bool {
        !self.clusters.is_empty()
            && !self.is_exact(coverage, all_cpus)
            && coverage.is_none_or(|coverage| coverage.anywhere.is_some())
    }
}
