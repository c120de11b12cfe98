//! What is known about where memory is, from what two witnesses say.

use std::ops::Range;

use nearfar_model::{Bytes, NodeId, NodeSet};

use crate::numa_maps::{self, Around};
use crate::place_error::PlaceError;
use crate::residence::Residence;

/// What is known about where a buffer's pages are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Every page is on one of these nodes: exactly the wanted one, where one was wanted.
    Proven(NodeSet),
    /// The kernel did not say, for this reason.
    Unknown(String),
}

impl Proof {
    /// What move_pages(2) said of all pages, or, where it was refused, what `/proc/self/numa_maps`
    /// says of the mappings around them. An error when pages are known to be elsewhere than on
    /// `node`.
    pub(crate) fn of(
        pages: Result<Vec<Residence>, PlaceError>,
        addresses: &Range<usize>,
        node: Option<NodeId>,
    ) -> Result<Self, PlaceError> {
        match pages {
            Ok(pages) => judge(&pages, node),
            Err(place_error) => {
                let length = Bytes(addresses.len() as u64);
                Ok(second_witness(numa_maps::around(addresses), length, node, &place_error))
            }
        }
    }
}

/// What the answers for all pages prove about a buffer wanted on `node`.
fn judge(pages: &[Residence], node: Option<NodeId>) -> Result<Proof, PlaceError> {
    let found: NodeSet = pages.iter().filter_map(Residence::node).collect();
    let strayed = pages
        .iter()
        .filter_map(Residence::node)
        .filter(|&at| node.is_some_and(|node| node != at))
        .count();
    if let (Some(node), 1..) = (node, strayed) {
        return Err(PlaceError::Strayed { node, strayed, pages: pages.len() });
    }
    let untold = pages.iter().filter(|page| page.node().is_none()).count();
    match untold {
        0 => Ok(Proof::Proven(found)),
        _ => Ok(Proof::Unknown(format!(
            "the kernel does not say where {untold} of {} pages are",
            pages.len()
        ))),
    }
}

/// Mappings around the buffer that hold at least as much as it does, all of it on the wanted node,
/// prove it. Anything else proves nothing, since they may be larger than it.
fn second_witness(
    around: Option<Around>,
    length: Bytes,
    node: Option<NodeId>,
    place_error: &PlaceError,
) -> Proof {
    let Some(Around { nodes, bytes }) = around else {
        return Proof::Unknown(place_error.to_string());
    };
    if bytes < length {
        return Proof::Unknown(format!(
            "{place_error}; /proc/self/numa_maps tells of {bytes} of {length}"
        ));
    }
    match node {
        Some(node) if nodes != NodeSet::of(node) => {
            Proof::Unknown(format!("{place_error}; /proc/self/numa_maps says nodes {nodes}"))
        }
        _ => Proof::Proven(nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENIED: PlaceError = PlaceError::NotPermitted { call: "move_pages" };

    /// What `/proc/self/numa_maps` says around a buffer of 4 MiB that is wanted on node 2.
    fn witness(around: Option<(u32, Bytes)>) -> Proof {
        let around = around.map(|(node, bytes)| Around { nodes: NodeSet::of(NodeId(node)), bytes });
        second_witness(around, Bytes::mib(4), Some(NodeId(2)), &DENIED)
    }

    fn doubt(around: Option<(u32, Bytes)>) -> String {
        let Proof::Unknown(why) = witness(around) else { panic!("that is no proof") };
        why
    }

    #[test]
    fn the_second_witness_proves_only_what_lies_on_one_node() {
        assert_eq!(witness(Some((2, Bytes::mib(4)))), Proof::Proven(NodeSet::of(NodeId(2))));
        let why = doubt(Some((1, Bytes::mib(4))));
        assert!(why.contains("seccomp") && why.ends_with("numa_maps says nodes 1"), "{why}");
        assert_eq!(doubt(None), DENIED.to_string());
    }

    #[test]
    fn the_second_witness_must_tell_of_all_pages() {
        let why = doubt(Some((2, Bytes::mib(2))));
        assert!(why.ends_with("numa_maps tells of 2 MiB of 4 MiB"), "{why}");
    }

    #[test]
    fn pages_known_to_be_elsewhere_are_an_error() {
        let pages = vec![Residence::Node(NodeId(0)), Residence::Node(NodeId(1))];
        let strayed = Proof::of(Ok(pages), &(0..1), Some(NodeId(0))).unwrap_err();
        assert!(strayed.to_string().starts_with("1 of 2 pages are not on node 0"), "{strayed}");
    }

    #[test]
    fn pages_that_nobody_knows_of_prove_nothing() {
        let pages = [Residence::Node(NodeId(0)), Residence::Node(NodeId(1))];
        assert_eq!(
            judge(&pages, None),
            Ok(Proof::Proven([NodeId(0), NodeId(1)].into_iter().collect()))
        );
        let lost =
            judge(&[Residence::Node(NodeId(0)), Residence::Absent], Some(NodeId(0))).unwrap();
        assert!(matches!(lost, Proof::Unknown(why) if why.contains("1 of 2")));
    }
}
