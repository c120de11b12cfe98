//! Memory spread over nodes by weights, page by page: what interleaving does, without asking the
//! kernel to interleave.
//!
//! The kernel's weighted interleaving needs Linux 6.9, and its weights are the machine's: only root
//! may set them, for every program. Here each page is bound to its node by itself, which anybody
//! may do on any kernel.

use nearfar_model::{Bytes, NodeId};

use crate::buffer_place::{BufferPlace, WantedPages, check_room, mapped_length};
use crate::mapping::{HUGE_PAGE, base_page};
use crate::place_error::PlaceError;

/// A node's part of spread memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeWeight {
    /// The node.
    pub node: NodeId,
    /// Pages in a row that it gets in each turn; 0 leaves it out.
    pub weight: u32,
    /// What is free there, if known.
    pub free: Option<Bytes>,
}

/// A wish for memory that is spread. The calling thread touches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterleavedPlace {
    /// Which nodes take turns, and how many pages each gets: as the kernel's weighted interleaving
    /// deals them out.
    pub shares: Vec<NodeWeight>,
    /// How much; rounded up to 2 MiB.
    pub bytes: Bytes,
    /// What is dealt out: huge pages, or base pages.
    pub pages: WantedPages,
    /// Where in the turn the first page stands, so that several buffers need not go in step.
    pub first: u64,
}

/// A wish for memory of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// On one node, or wherever the kernel likes.
    Together(BufferPlace),
    /// Over several nodes.
    Spread(InterleavedPlace),
}

impl From<BufferPlace> for Wish {
    fn from(place: BufferPlace) -> Self {
        Self::Together(place)
    }
}

impl From<InterleavedPlace> for Wish {
    fn from(place: InterleavedPlace) -> Self {
        Self::Spread(place)
    }
}

/// Which page goes to which node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turns {
    /// A whole turn: a node for each page.
    turn: Vec<NodeId>,
    first: u64,
    page: usize,
}

impl InterleavedPlace {
    /// The length of the mapping in bytes: rounded up to 2 MiB.
    pub fn length(&self) -> Result<usize, PlaceError> {
        mapped_length(self.bytes)
    }

    /// What a node gets of so many bytes, up to a turn more or less.
    pub fn bytes_on(&self, node: NodeId) -> Bytes {
        let whole: u64 = self.shares.iter().map(|share| u64::from(share.weight)).sum();
        let own: u64 = self
            .shares
            .iter()
            .filter(|share| share.node == node)
            .map(|share| u64::from(share.weight))
            .sum();
        Bytes((u128::from(self.bytes.0) * u128::from(own) / u128::from(whole.max(1))) as u64)
    }

    /// Refuses what would leave a node less than 1/16 of its free memory, or less than 32 MiB.
    pub fn check_room(&self) -> Result<(), PlaceError> {
        let mut taking = self.shares.iter().filter(|share| share.weight > 0);
        taking.try_for_each(|share| {
            check_room(Some(share.node), self.bytes_on(share.node), share.free)
        })
    }

    pub(crate) fn turns(&self) -> Result<Turns, PlaceError> {
        let turn: Vec<NodeId> = self
            .shares
            .iter()
            .flat_map(|share| std::iter::repeat_n(share.node, share.weight.min(LARGEST) as usize))
            .collect();
        let page = match self.pages {
            WantedPages::Huge => HUGE_PAGE,
            WantedPages::Base => base_page(),
        };
        match turn.is_empty() {
            true => Err(PlaceError::NoWeights),
            false => Ok(Turns { turn, first: self.first, page }),
        }
    }
}

/// The kernel's largest weight.
const LARGEST: u32 = 255;

impl Turns {
    /// The node of the page at an offset (in bytes).
    pub(crate) fn node_at(&self, offset: usize) -> NodeId {
        let page = (offset / self.page) as u64;
        self.turn[((page + self.first) % self.turn.len() as u64) as usize]
    }

    /// Each node once.
    pub(crate) fn nodes(&self) -> Vec<NodeId> {
        let mut nodes = self.turn.clone();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// A node's pages in `length` bytes, as (offset, length) of those that stand in a row.
    pub(crate) fn stretches(&self, node: NodeId, length: usize) -> Vec<(usize, usize)> {
        let mut stretches: Vec<(usize, usize)> = Vec::new();
        for offset in (0..length).step_by(self.page).filter(|&offset| self.node_at(offset) == node)
        {
            let bytes = self.page.min(length - offset);
            match stretches.last_mut() {
                Some((start, so_far)) if *start + *so_far == offset => *so_far += bytes,
                _ => stretches.push((offset, bytes)),
            }
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(weights: &[u32], bytes: Bytes, pages: WantedPages, first: u64) -> InterleavedPlace {
        let shares = weights.iter().zip(0..).map(|(&weight, node)| NodeWeight {
            node: NodeId(node),
            weight,
            free: None,
        });
        InterleavedPlace { shares: shares.collect(), bytes, pages, first }
    }

    #[test]
    fn nodes_take_turns_as_the_kernel_deals_pages_out() {
        let turns = place(&[2, 0, 1], Bytes::mib(16), WantedPages::Huge, 0).turns().unwrap();
        let nodes: Vec<u32> = (0..7).map(|page| turns.node_at(page * HUGE_PAGE).0).collect();
        assert_eq!(nodes, [0, 0, 2, 0, 0, 2, 0]);
        let later = place(&[2, 0, 1], Bytes::mib(16), WantedPages::Huge, 2).turns().unwrap();
        assert_eq!(later.node_at(0), NodeId(2));
        assert_eq!(
            turns.stretches(NodeId(0), 5 * HUGE_PAGE),
            [(0, 2 * HUGE_PAGE), (3 * HUGE_PAGE, 2 * HUGE_PAGE)]
        );
    }

    #[test]
    fn weights_of_nothing_are_refused() {
        for weights in [&[][..], &[0, 0]] {
            let said = place(weights, Bytes::mib(2), WantedPages::Base, 0)
                .turns()
                .unwrap_err()
                .to_string();
            assert_eq!(
                said,
                "memory was to be spread over nodes whose weights are all 0: give one of them a \
                 weight"
            );
        }
    }

    #[test]
    fn a_node_that_has_no_room_for_its_share_is_named() {
        let mut wish = place(&[3, 1], Bytes::mib(400), WantedPages::Base, 0);
        wish.shares[1].free = Some(Bytes::mib(140));
        assert_eq!(wish.check_room(), Ok(()));
        wish.shares[0].free = Some(Bytes::mib(310));
        let said = wish.check_room().unwrap_err().to_string();
        assert!(
            said.starts_with("300 MiB wanted on node 0 but only 310 MiB can be had there"),
            "{said}"
        );
        wish.shares[0].weight = 0;
        assert!(wish.check_room().unwrap_err().to_string().contains("node 1"));
    }

    proptest! {
        #[test]
        fn every_page_has_one_node_and_each_node_its_share(
            weights in proptest::collection::vec(0u32..9, 1..5),
            pages in 1usize..200,
            first in 0u64..50,
        ) {
            prop_assume!(weights.iter().any(|&weight| weight > 0));
            let wish = place(&weights, Bytes((pages * HUGE_PAGE) as u64), WantedPages::Huge, first);
            let turns = wish.turns().unwrap();
            let length = wish.length().unwrap();
            let mut covered = 0;
            let whole = weights.iter().sum::<u32>() as usize;
            for node in turns.nodes() {
                let own: usize = turns.stretches(node, length).iter().map(|stretch| stretch.1 / HUGE_PAGE).sum();
                let weight = weights[node.0 as usize] as usize;
                // Whole turns are exact; only the last, begun one may give a node up to its weight more.
                prop_assert!(own >= pages / whole * weight && own <= (pages / whole + 1) * weight + weight);
                covered += own;
            }
            prop_assert_eq!(covered, pages);
        }
    }
}
