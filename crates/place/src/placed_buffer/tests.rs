//! Placed buffers on this machine, and where containers and older kernels deny calls.

use nearfar_model::CpuSet;

use super::*;
use crate::affinity::affinity;
use crate::get_mempolicy::allowed_nodes;
use crate::tests::denied_calls::{Denied, without};

fn here() -> NodeId {
    allowed_nodes().unwrap().first().unwrap()
}

fn request(node: Option<NodeId>, pages: WantedPages) -> BufferPlace {
    BufferPlace { node, bytes: Bytes::mib(4), pages, touch_from: affinity().unwrap(), free: None }
}

#[test]
fn memory_is_proven_on_its_node() {
    for pages in [WantedPages::Huge, WantedPages::Base] {
        let buffer = PlacedBuffer::on_node(&request(Some(here()), pages)).unwrap();
        assert_eq!(buffer.proof(), &Proof::Proven(NodeSet::from_id(here())));
        assert_eq!(buffer.residences().unwrap().len(), buffer.length() / buffer.page());
        assert_eq!(buffer.verify().unwrap(), *buffer.proof());
    }
}

#[test]
fn base_pages_stay_small() {
    let buffer = PlacedBuffer::on_node(&request(None, WantedPages::Base)).unwrap();
    assert_eq!((buffer.backing(), buffer.page()), (Backing::Base, base_page()));
    assert_eq!(smaps::huge_bytes(&addresses(&buffer.mapping)), Some(Bytes(0)));
}

#[test]
fn huge_pages_agree_with_smaps() {
    let buffer = PlacedBuffer::on_node(&request(None, WantedPages::Huge)).unwrap();
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
fn touching_restores_the_affinity() {
    let before = affinity().unwrap();
    let mut request = request(None, WantedPages::Base);
    request.touch_from = CpuSet::from_id(before.last().unwrap());
    PlacedBuffer::on_node(&request).unwrap();
    assert_eq!(affinity().unwrap(), before);
}

#[test]
fn first_touch_places_where_binding_is_denied() {
    let calls =
        [libc::SYS_mbind, libc::SYS_set_mempolicy, libc::SYS_get_mempolicy, libc::SYS_move_pages];
    let nodes = allowed_nodes().unwrap();
    let touched_from_here = request(Some(here()), WantedPages::Huge);
    let placed = without(&calls, Denied::Eperm, || PlacedBuffer::on_node(&touched_from_here));
    match placed {
        Ok(buffer) => {
            assert_eq!(buffer.proof(), &Proof::Proven(NodeSet::from_id(here())));
            let notes = buffer.notes().join("\n");
            assert!(
                notes.contains("placed by first touch alone: mbind") && notes.contains("seccomp"),
                "{notes}"
            );
        }
        // With several nodes the thread may have run on another one. Then the location is unproven
        // and placement fails.
        Err(place_error) => {
            assert!(
                nodes.len() > 1 && place_error == PlaceError::NotPermitted { call: "mbind" },
                "{place_error}"
            );
        }
    }
}

#[test]
fn unproven_memory_is_an_error() {
    let elsewhere = Some(NodeId(900));
    let refused = without(&[libc::SYS_mbind, libc::SYS_move_pages], Denied::Eperm, || {
        PlacedBuffer::on_node(&request(elsewhere, WantedPages::Huge)).err()
    });
    assert_eq!(refused, Some(PlaceError::NotPermitted { call: "mbind" }));
}

#[test]
fn a_kernel_without_numa_still_gives_memory() {
    let calls = [libc::SYS_mbind, libc::SYS_move_pages];
    let buffer = without(&calls, Denied::Enosys, || {
        PlacedBuffer::on_node(&request(None, WantedPages::Base)).unwrap()
    });
    assert_eq!(buffer.backing(), Backing::Base);
}

#[test]
fn missing_huge_pages_and_locks_are_noted() {
    let calls = [libc::SYS_madvise, libc::SYS_mlock];
    let buffer = without(&calls, Denied::Einval, || {
        // Touching the pool needs MADV_POPULATE_WRITE, so base pages are the only choice.
        PlacedBuffer::on_node(&request(None, WantedPages::Huge)).unwrap()
    });
    let notes = buffer.notes().join("\n");
    if buffer.backing() == Backing::Base {
        assert!(notes.contains("huge pages refused"), "{notes}");
    }
    assert!(notes.contains("pages are not locked"), "{notes}");
}

#[test]
fn every_buffer_has_the_same_lock_note() {
    let mut large = request(None, WantedPages::Base);
    large.bytes = Bytes::mib(8);
    let notes = |request: &BufferPlace| {
        let buffer =
            without(&[libc::SYS_mlock], Denied::Enomem, || PlacedBuffer::on_node(request).unwrap());
        buffer.notes().to_vec()
    };
    let expected = notes(&large);
    assert!(expected.len() == 1 && expected[0].contains("ulimit -l"), "{expected:?}");
    assert_eq!(notes(&request(None, WantedPages::Base)), expected);
}

#[test]
fn absent_and_full_nodes_are_refused_before_touching() {
    let absent =
        PlacedBuffer::on_node(&request(Some(NodeId(900)), WantedPages::Huge)).err().unwrap();
    assert!(matches!(absent, PlaceError::NoSuchNode { .. }), "{absent}");
    let mut full = request(Some(here()), WantedPages::Huge);
    full.free = Some(Bytes::mib(4));
    assert!(matches!(PlacedBuffer::on_node(&full).err(), Some(PlaceError::TooLittleFree { .. })));
    let mut elsewhere = request(None, WantedPages::Base);
    elsewhere.touch_from = CpuSet::from_id(nearfar_model::CpuId(60_000));
    assert!(matches!(PlacedBuffer::on_node(&elsewhere).err(), Some(PlaceError::NoSuchCpu { .. })));
}

fn interleaved(node: NodeId, pages: WantedPages) -> InterleavedPlace {
    let weight = crate::interleaved::NodeWeight { node, weight: 3, free: None };
    InterleavedPlace { weights: vec![weight], bytes: Bytes::mib(4), pages, first: 1 }
}

#[test]
fn interleaved_memory_is_proven_page_by_page() {
    for pages in [WantedPages::Huge, WantedPages::Base] {
        let buffer = PlacedBuffer::new(&interleaved(here(), pages).into()).unwrap();
        assert_eq!(buffer.proof(), &Proof::Proven(NodeSet::from_id(here())));
        assert_eq!((buffer.length(), buffer.node()), (4 << 20, None));
        assert!(pages == WantedPages::Huge || buffer.backing() == Backing::Base);
        assert_eq!(buffer.verify().unwrap(), *buffer.proof());
    }
}

#[test]
fn interleaving_needs_binding_and_present_nodes() {
    let denied = without(&[libc::SYS_mbind], Denied::Eperm, || {
        PlacedBuffer::interleaved(&interleaved(here(), WantedPages::Base))
    });
    assert!(matches!(denied.err(), Some(PlaceError::NotPermitted { .. })));
    let absent =
        PlacedBuffer::interleaved(&interleaved(NodeId(900), WantedPages::Huge)).err().unwrap();
    assert!(matches!(absent, PlaceError::NoSuchNode { .. }), "{absent}");
}

#[test]
fn a_misplaced_interleaved_page_is_an_error() {
    let mut buffer = PlacedBuffer::interleaved(&interleaved(here(), WantedPages::Base)).unwrap();
    buffer.pattern = Some(interleaved(NodeId(900), WantedPages::Base).pattern().unwrap());
    let message = buffer.verify().unwrap_err().to_string();
    assert!(message.contains("were interleaved over: 1024 of 1024."), "{message}");
}
