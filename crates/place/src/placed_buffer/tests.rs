//! Placed buffers on the machine at hand, and as containers and older kernels would have them.

use nearfar_model::CpuSet;

use super::*;
use crate::affinity::affinity;
use crate::denied_calls::{Denied, without};
use crate::policy::allowed_nodes;

fn here() -> NodeId {
    allowed_nodes().unwrap().first().unwrap()
}

fn wish(node: Option<NodeId>, pages: WantedPages) -> Placement {
    Placement { node, bytes: Bytes::mib(4), pages, touch_from: affinity().unwrap(), free: None }
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
        Backing::Base => assert!(buffer.notes().iter().any(|note| note.contains("huge pages")), "{:?}", buffer.notes()),
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
fn a_container_that_denies_policies_is_named_as_the_likely_reason() {
    let calls = [libc::SYS_mbind, libc::SYS_set_mempolicy, libc::SYS_get_mempolicy, libc::SYS_move_pages];
    let node = here();
    let (bound, unbound) = without(&calls, Denied::Eperm, || {
        (PlacedBuffer::place(&wish(Some(node), WantedPages::Huge)), PlacedBuffer::place(&wish(None, WantedPages::Huge)))
    });
    assert_eq!(bound.err(), Some(Refusal::NotPermitted { call: "mbind" }));
    let unbound = unbound.unwrap();
    let Proof::Unknown(why) = unbound.proof() else { panic!("{:?}", unbound.proof()) };
    assert!(why.contains("seccomp"), "{why}");
    assert!(unbound.notes().iter().any(|note| note.contains("not proven")), "{:?}", unbound.notes());
}

#[test]
fn a_kernel_without_numa_still_gives_memory() {
    let calls = [libc::SYS_mbind, libc::SYS_move_pages];
    let buffer = without(&calls, Denied::Enosys, || PlacedBuffer::place(&wish(None, WantedPages::Base)).unwrap());
    assert!(matches!(buffer.proof(), Proof::Unknown(why) if why.contains("without NUMA")), "{:?}", buffer.proof());
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
fn nodes_that_are_absent_or_full_are_refused_before_touching() {
    let absent = PlacedBuffer::place(&wish(Some(NodeId(900)), WantedPages::Huge)).err().unwrap();
    assert!(matches!(absent, Refusal::NoSuchNode { .. }), "{absent}");
    let mut full = wish(Some(here()), WantedPages::Huge);
    full.free = Some(Bytes::mib(4));
    assert!(matches!(PlacedBuffer::place(&full).err(), Some(Refusal::TooLittleFree { .. })));
    let mut elsewhere = wish(None, WantedPages::Base);
    elsewhere.touch_from = CpuSet::of(nearfar_model::CpuId(60_000));
    assert!(matches!(PlacedBuffer::place(&elsewhere).err(), Some(Refusal::NoSuchCpu { .. })));
}

#[test]
fn pages_on_another_node_are_counted() {
    let pages = [Residence::Node(NodeId(0)), Residence::Node(NodeId(1)), Residence::Node(NodeId(1))];
    let strayed = Refusal::Strayed { node: NodeId(0), strayed: 2, pages: 3 };
    assert_eq!(judge(&pages, Some(NodeId(0))), Err(strayed));
    assert_eq!(judge(&pages, None), Ok(Proof::Proven([NodeId(0), NodeId(1)].into_iter().collect())));
    let lost = judge(&[Residence::Node(NodeId(0)), Residence::Absent], Some(NodeId(0))).unwrap();
    assert!(matches!(lost, Proof::Unknown(why) if why.contains("1 of 2")));
}
