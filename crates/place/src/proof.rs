//! What is known about the location of memory, from two sources.

use std::ops::Range;

use nearfar_model::{Bytes, NodeId, NodeSet};

use crate::numa_maps::{self, MappedPages};
use crate::place_error::PlaceError;
use crate::residence::Residence;

/// What is known about the location of a buffer's pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Every page is on one of these nodes: only the requested one, if one was requested.
    Proven(NodeSet),
    /// The kernel does not report it, for this reason.
    Unknown(String),
}

impl Proof {
    /// From move_pages(2) for all pages, or, where it is denied, from `/proc/self/numa_maps`. Fails
    /// if pages are known to be elsewhere than on `node`.
    pub(crate) fn from_residences(
        pages: Result<Vec<Residence>, PlaceError>,
        addresses: &Range<usize>,
        node: Option<NodeId>,
    ) -> Result<Self, PlaceError> {
        match pages {
            Ok(pages) => from_pages(&pages, node),
            Err(place_error) => {
                let length = Bytes(addresses.len() as u64);
                Ok(from_numa_maps(numa_maps::mapped_pages(addresses), length, node, &place_error))
            }
        }
    }
}

/// What the locations of all pages prove about a buffer requested on `node`.
fn from_pages(pages: &[Residence], node: Option<NodeId>) -> Result<Proof, PlaceError> {
    let found: NodeSet = pages.iter().filter_map(Residence::node).collect();
    let misplaced = pages
        .iter()
        .filter_map(Residence::node)
        .filter(|&at| node.is_some_and(|node| node != at))
        .count();
    if let (Some(node), 1..) = (node, misplaced) {
        return Err(PlaceError::OnOtherNodes { node, misplaced, pages: pages.len() });
    }
    let unknown = pages.iter().filter(|page| page.node().is_none()).count();
    match unknown {
        0 => Ok(Proof::Proven(found)),
        _ => Ok(Proof::Unknown(format!(
            "the kernel does not report the node of {unknown} of {} pages",
            pages.len()
        ))),
    }
}

/// Mappings that overlap the buffer prove its location if they hold at least its size, all on the
/// requested node. Anything else proves nothing, since they may extend beyond it.
fn from_numa_maps(
    mapped_pages: Option<MappedPages>,
    length: Bytes,
    node: Option<NodeId>,
    place_error: &PlaceError,
) -> Proof {
    let Some(MappedPages { nodes, bytes }) = mapped_pages else {
        return Proof::Unknown(place_error.to_string());
    };
    if bytes < length {
        return Proof::Unknown(format!(
            "{place_error}; /proc/self/numa_maps lists {bytes} of {length}"
        ));
    }
    match node {
        Some(node) if nodes != NodeSet::from_id(node) => {
            Proof::Unknown(format!("{place_error}; /proc/self/numa_maps lists nodes {nodes}"))
        }
        _ => Proof::Proven(nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENIED: PlaceError = PlaceError::NotPermitted { call: "move_pages" };

    /// The proof from `/proc/self/numa_maps` for a buffer of 4 MiB that is requested on node 2.
    fn proof_from(mapped_pages: Option<(u32, Bytes)>) -> Proof {
        let mapped_pages = mapped_pages
            .map(|(node, bytes)| MappedPages { nodes: NodeSet::from_id(NodeId(node)), bytes });
        from_numa_maps(mapped_pages, Bytes::mib(4), Some(NodeId(2)), &DENIED)
    }

    fn reason(mapped_pages: Option<(u32, Bytes)>) -> String {
        let Proof::Unknown(why) = proof_from(mapped_pages) else { panic!("not a proof") };
        why
    }

    #[test]
    fn numa_maps_proves_only_a_single_node() {
        assert_eq!(
            proof_from(Some((2, Bytes::mib(4)))),
            Proof::Proven(NodeSet::from_id(NodeId(2)))
        );
        let why = reason(Some((1, Bytes::mib(4))));
        assert!(why.contains("seccomp") && why.ends_with("numa_maps lists nodes 1"), "{why}");
        assert_eq!(reason(None), DENIED.to_string());
    }

    #[test]
    fn numa_maps_must_cover_all_pages() {
        let why = reason(Some((2, Bytes::mib(2))));
        assert!(why.ends_with("numa_maps lists 2 MiB of 4 MiB"), "{why}");
    }

    #[test]
    fn pages_known_to_be_elsewhere_are_an_error() {
        let pages = vec![Residence::Node(NodeId(0)), Residence::Node(NodeId(1))];
        let misplaced = Proof::from_residences(Ok(pages), &(0..1), Some(NodeId(0))).unwrap_err();
        let message = misplaced.to_string();
        assert!(message.starts_with("pages that are not on node 0: 1 of 2."), "{message}");
    }

    #[test]
    fn pages_of_unknown_location_prove_nothing() {
        let pages = [Residence::Node(NodeId(0)), Residence::Node(NodeId(1))];
        assert_eq!(
            from_pages(&pages, None),
            Ok(Proof::Proven([NodeId(0), NodeId(1)].into_iter().collect()))
        );
        let lost =
            from_pages(&[Residence::Node(NodeId(0)), Residence::Absent], Some(NodeId(0))).unwrap();
        assert!(matches!(lost, Proof::Unknown(why) if why.contains("1 of 2")));
    }
}
