//! Placed buffers on the machine at hand, and as containers and older kernels would have them.

use nearfar_model::CpuSet;

use super::*;
use crate::affinity::affinity;
use crate::get_mempolicy::allowed_nodes;
use crate::tests::denied_calls::{Denied, without};

fn here() -> NodeId {
    allowed_nodes().unwrap().first().unwrap()
}

fn wish(node: Option<NodeId>, pages: WantedPages) -> BufferPlace {
    BufferPlace { node, bytes: Bytes::mib(4), pages, touch_from: affinity().unwrap(), free: None }
}

#[test]
fn memory_is_proven_on_its_node() {
    for pages in [WantedPages::Huge, WantedPages::Base] {
        let buffer = PlacedBuffer::place(&wish(Some(here()), pages)).unwrap();
        assert_eq!(buffer.proof(), &Proof::Proven(NodeSet::of(here())));
        assert_eq!(buffer.residences().unwrap().len(), buffer.length() / buffer.page());
        assert_eq!(buffer.check().unwrap(), *buffer.proof());
    }
}

#[test]
fn base_pages_are_kept_from_becoming_huge() {
    let buffer = PlacedBuffer::place(&wish(None, WantedPages::Base)).unwrap();
    assert_eq!((buffer.backing(), buffer.page()), (Backing::Base, base_page()));
    assert_eq!(smaps::huge_bytes(&addresses(&buffer.mapping)), Some(Bytes(0)));
}

#[test]
fn huge_pages_are_what_smaps_says() {
    let buffer = PlacedBuffer::place(&wish(None, WantedPages::Huge)).unwrap();
    let huge = smaps::huge_bytes(&addresses(&buffer.mapping)).unwrap();
    match buffer.backing() {
        Backing::TransparentHuge => assert_eq!(huge, Bytes::mib(4)),
        Backing::HugeTlb => assert_eq!(huge, Bytes(0)),
        Backing::Base => assert!(
            buffer.notes().iter().any(|note| note.contains("huge pages")),
            "{:?}",
            buffer.notes()
        ),
    }
}

#[test]
fn the_thread_comes_back_after_touching() {
    let before = affinity().unwrap();
    let mut wish = wish(None, WantedPages::Base);
    wish.touch_from = CpuSet::of(before.last().unwrap());
    PlacedBuffer::place(&wish).unwrap();
    assert_eq!(affinity().unwrap(), before);
}

#[test]
fn where_binding_is_refused_first_touch_places_and_the_second_witness_proves() {
    let calls =
        [libc::SYS_mbind, libc::SYS_set_mempolicy, libc::SYS_get_mempolicy, libc::SYS_move_pages];
    let nodes = allowed_nodes().unwrap();
    let touched_from_here = wish(Some(here()), WantedPages::Huge);
    let placed = without(&calls, Denied::Eperm, || PlacedBuffer::place(&touched_from_here));
    match placed {
        Ok(buffer) => {
            assert_eq!(buffer.proof(), &Proof::Proven(NodeSet::of(here())));
            let notes = buffer.notes().join("\n");
            assert!(
                notes.contains("placed by first touch alone: mbind") && notes.contains("seccomp"),
                "{notes}"
            );
        }
        // With several nodes the toucher may have run on another one: then nothing is proven, and
        // nothing placed.
        Err(place_error) => {
            assert!(
                nodes.len() > 1 && place_error == PlaceError::NotPermitted { call: "mbind" },
                "{place_error}"
            );
        }
    }
}

#[test]
fn what_is_neither_bound_nor_proven_is_an_error() {
    let elsewhere = Some(NodeId(900));
    let refused = without(&[libc::SYS_mbind, libc::SYS_move_pages], Denied::Eperm, || {
        PlacedBuffer::place(&wish(elsewhere, WantedPages::Huge)).err()
    });
    assert_eq!(refused, Some(PlaceError::NotPermitted { call: "mbind" }));
}

#[test]
fn a_kernel_without_numa_still_gives_memory() {
    let calls = [libc::SYS_mbind, libc::SYS_move_pages];
    let buffer = without(&calls, Denied::Enosys, || {
        PlacedBuffer::place(&wish(None, WantedPages::Base)).unwrap()
    });
    assert_eq!(buffer.backing(), Backing::Base);
}

#[test]
fn missing_huge_pages_and_refused_locks_are_told() {
    let calls = [libc::SYS_madvise, libc::SYS_mlock];
    let buffer = without(&calls, Denied::Einval, || {
        // The pool cannot be touched safely without MADV_POPULATE_WRITE, so base pages are left.
        PlacedBuffer::place(&wish(None, WantedPages::Huge)).unwrap()
    });
    let notes = buffer.notes().join("\n");
    if buffer.backing() == Backing::Base {
        assert!(notes.contains("huge pages refused"), "{notes}");
    }
    assert!(notes.contains("pages are not locked"), "{notes}");
}

#[test]
fn a_lock_beyond_the_limit_is_told_alike_for_every_buffer() {
    let mut large = wish(None, WantedPages::Base);
    large.bytes = Bytes::mib(8);
    let notes = |wish: &BufferPlace| {
        let buffer =
            without(&[libc::SYS_mlock], Denied::Enomem, || PlacedBuffer::place(wish).unwrap());
        buffer.notes().to_vec()
    };
    let said = notes(&large);
    assert!(said.len() == 1 && said[0].contains("ulimit -l"), "{said:?}");
    assert_eq!(notes(&wish(None, WantedPages::Base)), said);
}

#[test]
fn nodes_that_are_absent_or_full_are_refused_before_touching() {
    let absent = PlacedBuffer::place(&wish(Some(NodeId(900)), WantedPages::Huge)).err().unwrap();
    assert!(matches!(absent, PlaceError::NoSuchNode { .. }), "{absent}");
    let mut full = wish(Some(here()), WantedPages::Huge);
    full.free = Some(Bytes::mib(4));
    assert!(matches!(PlacedBuffer::place(&full).err(), Some(PlaceError::TooLittleFree { .. })));
    let mut elsewhere = wish(None, WantedPages::Base);
    elsewhere.touch_from = CpuSet::of(nearfar_model::CpuId(60_000));
    assert!(matches!(PlacedBuffer::place(&elsewhere).err(), Some(PlaceError::NoSuchCpu { .. })));
}

fn spread(node: NodeId, pages: WantedPages) -> InterleavedPlace {
    let share = crate::interleaved::NodeWeight { node, weight: 3, free: None };
    InterleavedPlace { shares: vec![share], bytes: Bytes::mib(4), pages, first: 1 }
}

#[test]
fn spread_memory_is_proven_page_by_page() {
    for pages in [WantedPages::Huge, WantedPages::Base] {
        let buffer = PlacedBuffer::of(&spread(here(), pages).into()).unwrap();
        assert_eq!(buffer.proof(), &Proof::Proven(NodeSet::of(here())));
        assert_eq!((buffer.length(), buffer.node()), (4 << 20, None));
        assert!(pages == WantedPages::Huge || buffer.backing() == Backing::Base);
        assert_eq!(buffer.check().unwrap(), *buffer.proof());
    }
}

#[test]
fn memory_is_not_spread_where_nothing_may_be_bound_nor_over_nodes_that_are_absent() {
    let denied = without(&[libc::SYS_mbind], Denied::Eperm, || {
        PlacedBuffer::spread(&spread(here(), WantedPages::Base))
    });
    assert!(matches!(denied.err(), Some(PlaceError::NotPermitted { .. })));
    let absent = PlacedBuffer::spread(&spread(NodeId(900), WantedPages::Huge)).err().unwrap();
    assert!(matches!(absent, PlaceError::NoSuchNode { .. }), "{absent}");
}

#[test]
fn a_page_that_is_not_where_it_was_dealt_to_is_an_error() {
    let mut buffer = PlacedBuffer::spread(&spread(here(), WantedPages::Base)).unwrap();
    buffer.turns = Some(spread(NodeId(900), WantedPages::Base).turns().unwrap());
    let said = buffer.check().unwrap_err().to_string();
    assert!(said.starts_with("1024 of 1024 pages are not on the nodes"), "{said}");
}
