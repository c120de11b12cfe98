//! Memory interleaved over nodes by weights, page by page, without the kernel's interleave
//! policies.
//!
//! The kernel's weighted interleaving needs Linux 6.9, and its weights are machine-wide: only root
//! may set them. Here each page is bound to its node, which any user may do on any kernel.

use nearfar_model::{Bytes, NodeId};

use crate::buffer_place::{BufferPlace, WantedPages, check_free, mapped_length};
use crate::mapping::{HUGE_PAGE, base_page};
use crate::place_error::PlaceError;

/// A node's share of interleaved memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeWeight {
    /// The node.
    pub node: NodeId,
    /// Consecutive pages per cycle; 0 excludes the node.
    pub weight: u32,
    /// Free memory on the node, if known.
    pub free: Option<Bytes>,
}

/// A request for interleaved memory. The calling thread touches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterleavedPlace {
    /// The nodes and how many consecutive pages each gets per cycle, as in the kernel's weighted
    /// interleaving.
    pub weights: Vec<NodeWeight>,
    /// The size, rounded up to 2 MiB.
    pub bytes: Bytes,
    /// The unit of interleaving: huge pages, or base pages.
    pub pages: WantedPages,
    /// The position of the first page in the cycle, so that several buffers can start at different
    /// nodes.
    pub first: u64,
}

/// A request for memory on one node or on several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BufferRequest {
    /// On one node, or wherever the kernel chooses.
    OneNode(BufferPlace),
    /// Interleaved over several nodes.
    Interleaved(InterleavedPlace),
}

impl From<BufferPlace> for BufferRequest {
    fn from(place: BufferPlace) -> Self {
        Self::OneNode(place)
    }
}

impl From<InterleavedPlace> for BufferRequest {
    fn from(place: InterleavedPlace) -> Self {
        Self::Interleaved(place)
    }
}

/// Which page goes to which node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InterleavePattern {
    /// One cycle: a node for each page.
    cycle: Vec<NodeId>,
    first: u64,
    page: usize,
}

impl InterleavedPlace {
    /// The length of the mapping in bytes: the size, rounded up to 2 MiB.
    ///
    /// # Errors
    ///
    /// [`PlaceError::OutOfMemory`] if the size exceeds the address space.
    pub fn length(&self) -> Result<usize, PlaceError> {
        mapped_length(self.bytes)
    }

    /// A node's share in bytes; exact to one cycle.
    pub fn bytes_on(&self, node: NodeId) -> Bytes {
        let total: u64 = self.weights.iter().map(|share| u64::from(share.weight)).sum();
        let own: u64 = self
            .weights
            .iter()
            .filter(|share| share.node == node)
            .map(|share| u64::from(share.weight))
            .sum();
        Bytes((u128::from(self.bytes.0) * u128::from(own) / u128::from(total.max(1))) as u64)
    }

    /// Checks that each node would keep at least 1/16 of its free memory, and at least 32 MiB.
    ///
    /// # Errors
    ///
    /// [`PlaceError::TooLittleFree`] for the first node that would not.
    pub fn check_free(&self) -> Result<(), PlaceError> {
        let mut used = self.weights.iter().filter(|share| share.weight > 0);
        used.try_for_each(|share| {
            check_free(Some(share.node), self.bytes_on(share.node), share.free)
        })
    }

    pub(crate) fn pattern(&self) -> Result<InterleavePattern, PlaceError> {
        let cycle: Vec<NodeId> = self
            .weights
            .iter()
            .flat_map(|share| {
                std::iter::repeat_n(share.node, share.weight.min(MAX_WEIGHT) as usize)
            })
            .collect();
        let page = match self.pages {
            WantedPages::Huge => HUGE_PAGE,
            WantedPages::Base => base_page(),
        };
        if cycle.is_empty() {
            return Err(PlaceError::NoWeights);
        }
        Ok(InterleavePattern { cycle, first: self.first, page })
    }
}

/// The kernel's largest weight (`u8` in sysfs).
const MAX_WEIGHT: u32 = 255;

impl InterleavePattern {
    /// The node of the page at an offset (in bytes).
    pub(crate) fn node_at(&self, offset: usize) -> NodeId {
        let page = (offset / self.page) as u64;
        self.cycle[((page + self.first) % self.cycle.len() as u64) as usize]
    }

    /// Each node once, in ascending order.
    pub(crate) fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = self.cycle.clone();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// A node's pages within `length` bytes, as (offset, length) of contiguous runs.
    pub(crate) fn runs(&self, node: NodeId, length: usize) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for offset in (0..length).step_by(self.page).filter(|&offset| self.node_at(offset) == node)
        {
            let bytes = self.page.min(length - offset);
            match runs.last_mut() {
                Some((start, so_far)) if *start + *so_far == offset => *so_far += bytes,
                _ => runs.push((offset, bytes)),
            }
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(weights: &[u32], bytes: Bytes, pages: WantedPages, first: u64) -> InterleavedPlace {
        let weights = weights.iter().zip(0..).map(|(&weight, node)| NodeWeight {
            node: NodeId(node),
            weight,
            free: None,
        });
        InterleavedPlace { weights: weights.collect(), bytes, pages, first }
    }

    #[test]
    fn the_pattern_follows_the_kernels_order() {
        let pattern = place(&[2, 0, 1], Bytes::mib(16), WantedPages::Huge, 0).pattern().unwrap();
        let nodes: Vec<u32> = (0..7).map(|page| pattern.node_at(page * HUGE_PAGE).0).collect();
        assert_eq!(nodes, [0, 0, 2, 0, 0, 2, 0]);
        let later = place(&[2, 0, 1], Bytes::mib(16), WantedPages::Huge, 2).pattern().unwrap();
        assert_eq!(later.node_at(0), NodeId(2));
        assert_eq!(
            pattern.runs(NodeId(0), 5 * HUGE_PAGE),
            [(0, 2 * HUGE_PAGE), (3 * HUGE_PAGE, 2 * HUGE_PAGE)]
        );
    }

    #[test]
    fn zero_weights_are_refused() {
        for weights in [&[][..], &[0, 0]] {
            let message = place(weights, Bytes::mib(2), WantedPages::Base, 0)
                .pattern()
                .unwrap_err()
                .to_string();
            assert_eq!(message, "all interleave weights are 0: give at least one node a weight");
        }
    }

    #[test]
    fn a_node_that_is_too_full_is_named() {
        let mut request = place(&[3, 1], Bytes::mib(400), WantedPages::Base, 0);
        request.weights[1].free = Some(Bytes::mib(140));
        assert_eq!(request.check_free(), Ok(()));
        request.weights[0].free = Some(Bytes::mib(310));
        let message = request.check_free().unwrap_err().to_string();
        assert!(
            message.starts_with("300 MiB wanted on node 0, but only 310 MiB available"),
            "{message}"
        );
        request.weights[0].weight = 0;
        assert!(request.check_free().unwrap_err().to_string().contains("node 1"));
    }

    proptest! {
        #[test]
        fn each_node_gets_its_share_of_pages(
            weights in proptest::collection::vec(0u32..9, 1..5),
            pages in 1usize..200,
            first in 0u64..50,
        ) {
            prop_assume!(weights.iter().any(|&weight| weight > 0));
            let bytes = Bytes((pages * HUGE_PAGE) as u64);
            let request = place(&weights, bytes, WantedPages::Huge, first);
            let pattern = request.pattern().unwrap();
            let length = request.length().unwrap();
            let mut covered = 0;
            let cycle = weights.iter().sum::<u32>() as usize;
            for node in pattern.nodes() {
                let runs = pattern.runs(node, length);
                let own: usize = runs.iter().map(|run| run.1 / HUGE_PAGE).sum();
                let weight = weights[node.0 as usize] as usize;
                // Complete cycles are exact; an incomplete last one adds at most the weight.
                let cycles = pages / cycle;
                prop_assert!(own >= cycles * weight && own <= (cycles + 2) * weight);
                covered += own;
            }
            prop_assert_eq!(covered, pages);
        }
    }
}
