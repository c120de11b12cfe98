//! Tests that need more than one node. The lab's guests run them; with one node each test is
//! skipped with a message.

#![allow(unsafe_code)]

use std::path::{Path, PathBuf};

use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::shared_memory::{Misplaced, RegionRequest, SharedMemory};
use nearfar_place::{
    ExistingPages, Feature, InterleavedPlace, Memory, NodeWeight, PlaceError, PlacedBuffer, Policy,
    PolicyFlags, PolicyGuard, Residence, WantedPages, allowed_nodes, migrate_pages, move_pages,
    set_home_node, set_weight,
};

/// The nodes with memory, if there are several.
fn several() -> Option<Vec<NodeId>> {
    let nodes: Vec<NodeId> = allowed_nodes().unwrap().iter().collect();
    if nodes.len() < 2 {
        eprintln!("skipped: one node only");
        return None;
    }
    Some(nodes)
}

fn set(nodes: &[NodeId]) -> NodeSet {
    nodes.iter().copied().collect()
}

/// The number of pages on each node.
fn counts(memory: &Memory, nodes: &[NodeId]) -> Vec<usize> {
    let pages = memory.residences().unwrap();
    nodes
        .iter()
        .map(|&node| pages.iter().filter(|page| **page == Residence::Node(node)).count())
        .collect()
}

fn is_all_on(memory: &Memory, node: NodeId) -> bool {
    memory.residences().unwrap().iter().all(|page| *page == Residence::Node(node))
}

/// Disables huge pages, which are interleaved as units.
fn disable_huge_pages(memory: &Memory) {
    // SAFETY: the advice changes no byte.
    unsafe {
        libc::madvise(memory.start().cast_mut().cast(), memory.length(), libc::MADV_NOHUGEPAGE)
    };
}

#[test]
fn memory_is_on_the_requested_nodes() {
    let Some(nodes) = several() else { return };
    for &node in &nodes {
        for memory in [
            Memory::on_node(Bytes::mib(1), node).unwrap(),
            Memory::preferring(Bytes::mib(1), node).unwrap(),
        ] {
            memory.touch().unwrap();
            assert!(is_all_on(&memory, node), "node {node}");
        }
    }
    let interleaved = Memory::interleaved(Bytes::mib(4), &set(&nodes)).unwrap();
    disable_huge_pages(&interleaved);
    interleaved.touch().unwrap();
    let counted = counts(&interleaved, &nodes);
    assert!(counted.iter().max().unwrap() - counted.iter().min().unwrap() <= 1, "{counted:?}");
}

#[test]
fn a_guard_places_pages_touched_in_its_scope() {
    let Some(nodes) = several() else { return };
    let last = nodes[nodes.len() - 1];
    let memory = Memory::with_policy(Bytes::mib(1), &Policy::Default).unwrap();
    let guard = PolicyGuard::enter(&Policy::Bind(NodeSet::from_id(last))).unwrap();
    memory.touch().unwrap();
    drop(guard);
    assert!(is_all_on(&memory, last));
}

#[test]
fn weights_distribute_pages() {
    let Some(nodes) = several() else { return };
    let file = |node: NodeId| {
        PathBuf::from(format!("/sys/kernel/mm/mempolicy/weighted_interleave/node{node}"))
    };
    if !Feature::WeightedInterleave.is_supported().unwrap()
        || set_weight(&file(nodes[0]), 3).is_err()
    {
        eprintln!("skipped: weights cannot be set here");
        return;
    }
    set_weight(&file(nodes[1]), 1).unwrap();
    let memory = Memory::weighted(Bytes::mib(4), &set(&nodes[..2])).unwrap();
    disable_huge_pages(&memory);
    memory.touch().unwrap();
    let counted = counts(&memory, &nodes[..2]);
    let name = Name::new("weighted");
    let shared = SharedMemory::file(&name.0, &length(Bytes::mib(4))).unwrap();
    set_policy(&shared, &Policy::WeightedInterleave(set(&nodes[..2])));
    shared.touch().unwrap();
    let policies = shared.policies().unwrap();
    let bytes_on = |node| -> u64 {
        let on = shared.nodes().unwrap().into_iter().filter(|part| part.what == Some(node));
        on.map(|part| part.bytes.end - part.bytes.start).sum()
    };
    let shares = [bytes_on(nodes[0]), bytes_on(nodes[1])];
    set_weight(&file(nodes[0]), 0).unwrap();
    set_weight(&file(nodes[1]), 0).unwrap();
    assert_eq!(counted, [768, 256]);
    assert_eq!(policies[0].what, Policy::WeightedInterleave(set(&nodes[..2])));
    assert_eq!(shares, [3 << 20, 1 << 20]);
}

#[test]
fn bound_memory_prefers_the_home_node() {
    let Some(nodes) = several() else { return };
    if !Feature::HomeNode.is_supported().unwrap() {
        eprintln!("skipped: this kernel has no home nodes");
        return;
    }
    for &home in &nodes {
        let memory = Memory::bound(Bytes::mib(1), &set(&nodes)).unwrap();
        set_home_node(memory.start(), memory.length(), home).unwrap();
        memory.touch().unwrap();
        assert!(is_all_on(&memory, home), "node {home}");
    }
}

/// A page that is pinned: spliced into a pipe.
struct PinnedPage([libc::c_int; 2]);

impl PinnedPage {
    fn new(page: *const u8) -> Self {
        let mut pipe = [0; 2];
        let bytes = libc::iovec { iov_base: page.cast_mut().cast(), iov_len: 4096 };
        // SAFETY: the pipe's ends are written to an array of two; the bytes live as long as the
        // test's memory.
        let spliced = unsafe {
            assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
            libc::vmsplice(pipe[1], &raw const bytes, 1, 0)
        };
        assert_eq!(spliced, 4096);
        Self(pipe)
    }
}

impl Drop for PinnedPage {
    fn drop(&mut self) {
        // SAFETY: both ends are open and owned by this value.
        unsafe {
            libc::close(self.0[0]);
            libc::close(self.0[1]);
        }
    }
}

#[test]
fn pages_behind_a_pinned_page_move() {
    let Some(nodes) = several() else { return };
    let (from, to, other) = (nodes[0], nodes[1], nodes[nodes.len() - 1]);
    let memory = Memory::preferring(Bytes::kib(32), from).unwrap();
    disable_huge_pages(&memory);
    memory.touch().unwrap();
    let pages: Vec<*const u8> = memory.pages().collect();
    let pinned = PinnedPage::new(pages[1]);
    let wanted: Vec<(*const u8, NodeId)> = pages
        .iter()
        .enumerate()
        .map(|(number, &page)| (page, if number < 4 { to } else { other }))
        .collect();
    let moved = move_pages(&wanted).unwrap();
    let expected: Vec<Residence> = (0..8)
        .map(|number| {
            Residence::Node(if number == 1 {
                from
            } else if number < 4 {
                to
            } else {
                other
            })
        })
        .collect();
    assert_eq!(moved, expected);
    assert_eq!(memory.residences().unwrap(), expected);
    drop(pinned);
    assert_eq!(move_pages(&wanted[1..2]).unwrap(), [Residence::Node(to)]);
}

#[test]
fn migration_counts_pages_that_stayed() {
    let Some(nodes) = several() else { return };
    let (from, to) = (nodes[0], nodes[1]);
    let memory = Memory::preferring(Bytes::mib(1), from).unwrap();
    disable_huge_pages(&memory);
    memory.touch().unwrap();
    let pinned = PinnedPage::new(memory.start());
    let left = migrate_pages(None, &NodeSet::from_id(from), &NodeSet::from_id(to)).unwrap();
    let counted = counts(&memory, &[from, to]);
    assert!(left >= 1, "{left} left");
    assert_eq!(counted, [1, 255]);
    drop(pinned);
    migrate_pages(None, &NodeSet::from_id(to), &NodeSet::from_id(from)).unwrap();
}

/// A file name of this test; the file is removed when dropped.
struct Name(PathBuf);

impl Name {
    fn new(test: &str) -> Self {
        Self::under(Path::new("/dev/shm"), test)
    }

    fn under(folder: &Path, test: &str) -> Self {
        Self(folder.join(format!("nearfar-{}-{test}", std::process::id())))
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn length(length: Bytes) -> RegionRequest {
    RegionRequest { length: Some(length), ..RegionRequest::default() }
}

fn set_policy(memory: &SharedMemory, policy: &Policy) {
    memory.set_policy(policy, PolicyFlags::default(), ExistingPages::Stay).unwrap();
}

#[test]
fn shared_pages_interleave_and_deviations_are_reported() {
    let Some(nodes) = several() else { return };
    let name = Name::new("turns");
    let turns = Policy::Interleave(set(&nodes));
    let request = |offset| RegionRequest { offset, ..length(Bytes::mib(1)) };
    // The offset may exceed the length.
    let good = SharedMemory::file(&name.0, &request(Bytes::mib(1))).unwrap();
    set_policy(&good, &turns);
    assert_eq!(good.verify(&turns).unwrap(), []);
    let bad = SharedMemory::file(&name.0, &request(Bytes::mib(4))).unwrap();
    set_policy(&bad, &Policy::Bind(NodeSet::from_id(nodes[0])));
    bad.touch().unwrap();
    set_policy(&bad, &turns);
    let deviations = bad.verify(&turns).unwrap();
    assert_eq!(deviations[0].what, Misplaced::OutOfTurn { expected: nodes[1], found: nodes[0] });
    let strict = bad.set_policy(
        &Policy::Bind(NodeSet::from_id(nodes[1])),
        PolicyFlags::default(),
        ExistingPages::MustFollow,
    );
    assert_eq!(strict, Err(PlaceError::PagesElsewhere { nodes: NodeSet::from_id(nodes[1]) }));
    bad.set_policy(
        &Policy::Bind(NodeSet::from_id(nodes[1])),
        PolicyFlags::default(),
        ExistingPages::Move,
    )
    .unwrap();
    let found = bad.nodes().unwrap();
    assert_eq!((found.len(), found[0].what), (1, Some(nodes[1])));
}

#[test]
fn preferred_many_keeps_all_its_nodes() {
    let Some(nodes) = several() else { return };
    let name = Name::new("many");
    let shared = SharedMemory::file(&name.0, &length(Bytes::mib(1))).unwrap();
    let policy = Policy::PreferredMany(set(&nodes[1..]));
    set_policy(&shared, &policy);
    assert_eq!(
        shared.policies().unwrap()[0].what,
        if nodes.len() > 2 { policy } else { Policy::Preferred(nodes[1]) }
    );
}

#[test]
fn huge_files_interleave_by_huge_pages() {
    let Some(nodes) = several() else { return };
    let folder = Path::new("/dev/hugepages");
    let name = Name::under(folder, "huge");
    let request = length(Bytes::mib(2 * nodes.len() as u64));
    let shared = match SharedMemory::file(&name.0, &request) {
        Ok(shared) if shared.page() == Bytes::mib(2) => shared,
        Ok(_) => return,
        Err(error) => {
            eprintln!("skipped: no huge pages here: {error}");
            return;
        }
    };
    let turns = Policy::Interleave(set(&nodes));
    set_policy(&shared, &turns);
    assert_eq!(shared.verify(&turns).unwrap(), []);
    assert_eq!(shared.nodes().unwrap().len(), nodes.len());
    let odd = RegionRequest { offset: Bytes::mib(1), ..length(Bytes::mib(2)) };
    let message = SharedMemory::file(&name.0, &odd).map(|_| ()).unwrap_err().to_string();
    assert!(message.ends_with("is not a multiple of its page, 2 MiB"), "{message}");
}

#[test]
fn huge_segments_report_their_page_size() {
    let Some(nodes) = several() else { return };
    let name = Name::under(Path::new("/tmp"), "segment");
    let request = RegionRequest { huge: true, ..length(Bytes::mib(4)) };
    let shared = match SharedMemory::segment_by_key(&name.0, 1, &request) {
        Ok(shared) => shared,
        Err(error) => {
            eprintln!("skipped: no huge pages here: {error}");
            return;
        }
    };
    let policy = Policy::Bind(NodeSet::from_id(nodes[1]));
    set_policy(&shared, &policy);
    let again = SharedMemory::segment_by_key(&name.0, 1, &RegionRequest::default()).unwrap();
    assert_eq!(again.page(), Bytes::mib(2));
    // The policy applies to the first mapping only, which places the pages; the pages stay.
    let (lasts, verified, kept) = (shared.policy_lasts(), shared.verify(&policy), again.policies());
    let found = again.nodes();
    let path = std::ffi::CString::new(name.0.to_str().unwrap()).unwrap();
    // SAFETY: the path ends in a zero byte; IPC_RMID takes no structure.
    unsafe {
        libc::shmctl(
            libc::shmget(libc::ftok(path.as_ptr(), 1), 0, 0),
            libc::IPC_RMID,
            std::ptr::null_mut(),
        )
    };
    assert_eq!((lasts, verified.unwrap()), (false, vec![]));
    assert_eq!(kept.unwrap()[0].what, Policy::Default);
    assert_eq!(found.unwrap()[0].what, Some(nodes[1]));
}

#[test]
fn interleaved_memory_matches_its_weights() {
    let Some(nodes) = several() else { return };
    for (pages, weights) in
        [(WantedPages::Base, [9, 2]), (WantedPages::Huge, [2, 1]), (WantedPages::Base, [0, 1])]
    {
        let node_weights = nodes
            .iter()
            .zip(weights)
            .map(|(&node, weight)| NodeWeight { node, weight, free: None })
            .collect();
        let request =
            InterleavedPlace { weights: node_weights, bytes: Bytes::mib(12), pages, first: 0 };
        let buffer = PlacedBuffer::interleaved(&request).unwrap();
        let found = buffer.residences().unwrap();
        let whole = f64::from(weights.iter().sum::<u32>());
        for (&node, weight) in nodes.iter().zip(weights) {
            let own = found.iter().filter(|page| **page == Residence::Node(node)).count() as f64;
            let due = found.len() as f64 * f64::from(weight) / whole;
            let turn = f64::from(weight) * Bytes::mib(2).0 as f64 / buffer.page() as f64;
            let most = if pages == WantedPages::Base { f64::from(weight) } else { turn };
            assert!((own - due).abs() <= most, "node {node}: {own} pages, not {due}");
        }
    }
}
