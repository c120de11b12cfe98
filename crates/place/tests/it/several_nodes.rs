//! What needs more than one node to be seen: where pages land. The lab's guests run this; with one
//! node there is nothing to tell apart, and each test says so and ends.

#![allow(unsafe_code)]

use std::path::{Path, PathBuf};

use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_place::shared_memory::{Misplaced, SharedMemory, Wish};
use nearfar_place::{
    ExistingPages, Feature, InterleavedPlace, Memory, NodeWeight, PlaceError, PlacedBuffer, Policy,
    PolicyFlags, PolicyGuard, Residence, WantedPages, allowed_nodes, migrate_pages, move_pages,
    set_home_node, set_weight,
};

/// The nodes that there is memory on, when there are several.
fn several() -> Option<Vec<NodeId>> {
    let nodes: Vec<NodeId> = allowed_nodes().unwrap().iter().collect();
    if nodes.len() < 2 {
        eprintln!("one node: nothing to tell apart");
        return None;
    }
    Some(nodes)
}

fn set(nodes: &[NodeId]) -> NodeSet {
    nodes.iter().copied().collect()
}

/// How many pages of memory are on each of these nodes.
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

/// Base pages: huge ones take turns as wholes, and this is about pages.
fn small(memory: &Memory) {
    // SAFETY: the advice changes no byte.
    unsafe {
        libc::madvise(memory.start().cast_mut().cast(), memory.length(), libc::MADV_NOHUGEPAGE)
    };
}

#[test]
fn memory_is_on_the_nodes_that_were_asked_for() {
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
    let spread = Memory::interleaved(Bytes::mib(4), &set(&nodes)).unwrap();
    small(&spread);
    spread.touch().unwrap();
    let counted = counts(&spread, &nodes);
    assert!(counted.iter().max().unwrap() - counted.iter().min().unwrap() <= 1, "{counted:?}");
}

#[test]
fn a_guard_places_what_is_touched_meanwhile() {
    let Some(nodes) = several() else { return };
    let last = nodes[nodes.len() - 1];
    let memory = Memory::with_policy(Bytes::mib(1), &Policy::Default).unwrap();
    let guard = PolicyGuard::enter(&Policy::Bind(NodeSet::of(last))).unwrap();
    memory.touch().unwrap();
    drop(guard);
    assert!(is_all_on(&memory, last));
}

#[test]
fn weights_share_pages_out() {
    let Some(nodes) = several() else { return };
    let file = |node: NodeId| {
        PathBuf::from(format!("/sys/kernel/mm/mempolicy/weighted_interleave/node{node}"))
    };
    if !Feature::WeightedInterleave.is_in_kernel().unwrap()
        || set_weight(&file(nodes[0]), 3).is_err()
    {
        eprintln!("no weights here, or not ours to set");
        return;
    }
    set_weight(&file(nodes[1]), 1).unwrap();
    let memory = Memory::weighted(Bytes::mib(4), &set(&nodes[..2])).unwrap();
    small(&memory);
    memory.touch().unwrap();
    let counted = counts(&memory, &nodes[..2]);
    let name = Name::new("weighted");
    let shared = SharedMemory::file(&name.0, &length(Bytes::mib(4))).unwrap();
    keep(&shared, &Policy::WeightedInterleave(set(&nodes[..2])));
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
fn a_home_node_is_where_bound_memory_looks_first() {
    let Some(nodes) = several() else { return };
    if !Feature::HomeNode.is_in_kernel().unwrap() {
        eprintln!("no home nodes in this kernel");
        return;
    }
    for &home in &nodes {
        let memory = Memory::bound(Bytes::mib(1), &set(&nodes)).unwrap();
        set_home_node(memory.start(), memory.length(), home).unwrap();
        memory.touch().unwrap();
        assert!(is_all_on(&memory, home), "node {home}");
    }
}

/// A page that the kernel holds: one that was spliced into a pipe.
struct Held([libc::c_int; 2]);

impl Held {
    fn page(page: *const u8) -> Self {
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

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: both ends are open and nobody else's.
        unsafe {
            libc::close(self.0[0]);
            libc::close(self.0[1]);
        }
    }
}

#[test]
fn a_page_that_stays_keeps_none_behind_it_from_moving() {
    let Some(nodes) = several() else { return };
    let (from, to, other) = (nodes[0], nodes[1], nodes[nodes.len() - 1]);
    let memory = Memory::preferring(Bytes::kib(32), from).unwrap();
    small(&memory);
    memory.touch().unwrap();
    let pages: Vec<*const u8> = memory.pages().collect();
    let held = Held::page(pages[1]);
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
    drop(held);
    assert_eq!(move_pages(&wanted[1..2]).unwrap(), [Residence::Node(to)]);
}

#[test]
fn migration_counts_what_stayed() {
    let Some(nodes) = several() else { return };
    let (from, to) = (nodes[0], nodes[1]);
    let memory = Memory::preferring(Bytes::mib(1), from).unwrap();
    small(&memory);
    memory.touch().unwrap();
    let held = Held::page(memory.start());
    let left = migrate_pages(None, &NodeSet::of(from), &NodeSet::of(to)).unwrap();
    let counted = counts(&memory, &[from, to]);
    assert!(left >= 1, "{left} left");
    assert_eq!(counted, [1, 255]);
    drop(held);
    migrate_pages(None, &NodeSet::of(to), &NodeSet::of(from)).unwrap();
}

/// A file name of this test's own, whose file goes at the end.
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

fn length(length: Bytes) -> Wish {
    Wish { length: Some(length), ..Wish::default() }
}

fn keep(memory: &SharedMemory, policy: &Policy) {
    memory.set_policy(policy, PolicyFlags::default(), ExistingPages::Stay).unwrap();
}

#[test]
fn shared_pages_take_turns_and_those_out_of_turn_are_told() {
    let Some(nodes) = several() else { return };
    let name = Name::new("turns");
    let turns = Policy::Interleave(set(&nodes));
    let wish = |offset| Wish { offset, ..length(Bytes::mib(1)) };
    // The offset is not less than the length.
    let good = SharedMemory::file(&name.0, &wish(Bytes::mib(1))).unwrap();
    keep(&good, &turns);
    assert_eq!(good.verify(&turns).unwrap(), []);
    let bad = SharedMemory::file(&name.0, &wish(Bytes::mib(4))).unwrap();
    keep(&bad, &Policy::Bind(NodeSet::of(nodes[0])));
    bad.touch().unwrap();
    keep(&bad, &turns);
    let broken = bad.verify(&turns).unwrap();
    assert_eq!(broken[0].what, Misplaced::OutOfTurn { expected: nodes[1], found: nodes[0] });
    let strict = bad.set_policy(
        &Policy::Bind(NodeSet::of(nodes[1])),
        PolicyFlags::default(),
        ExistingPages::MustFollow,
    );
    assert_eq!(strict, Err(PlaceError::PagesElsewhere { nodes: NodeSet::of(nodes[1]) }));
    bad.set_policy(
        &Policy::Bind(NodeSet::of(nodes[1])),
        PolicyFlags::default(),
        ExistingPages::Move,
    )
    .unwrap();
    let told = bad.nodes().unwrap();
    assert_eq!((told.len(), told[0].what), (1, Some(nodes[1])));
}

#[test]
fn preferred_many_keeps_all_its_nodes() {
    let Some(nodes) = several() else { return };
    let name = Name::new("many");
    let shared = SharedMemory::file(&name.0, &length(Bytes::mib(1))).unwrap();
    let policy = Policy::PreferredMany(set(&nodes[1..]));
    keep(&shared, &policy);
    assert_eq!(
        shared.policies().unwrap()[0].what,
        if nodes.len() > 2 { policy } else { Policy::Preferred(nodes[1]) }
    );
}

#[test]
fn huge_files_take_turns_by_huge_pages() {
    let Some(nodes) = several() else { return };
    let folder = Path::new("/dev/hugepages");
    let name = Name::under(folder, "huge");
    let wish = length(Bytes::mib(2 * nodes.len() as u64));
    let shared = match SharedMemory::file(&name.0, &wish) {
        Ok(shared) if shared.page() == Bytes::mib(2) => shared,
        Ok(_) => return,
        Err(refusal) => {
            eprintln!("no huge pages here: {refusal}");
            return;
        }
    };
    let turns = Policy::Interleave(set(&nodes));
    keep(&shared, &turns);
    assert_eq!(shared.verify(&turns).unwrap(), []);
    assert_eq!(shared.nodes().unwrap().len(), nodes.len());
    let odd = Wish { offset: Bytes::mib(1), ..length(Bytes::mib(2)) };
    let said = SharedMemory::file(&name.0, &odd).map(|_| ()).unwrap_err().to_string();
    assert!(said.ends_with("is no multiple of its page, 2 MiB"), "{said}");
}

#[test]
fn huge_segments_are_seen_by_their_pages() {
    let Some(nodes) = several() else { return };
    let name = Name::under(Path::new("/tmp"), "segment");
    let wish = Wish { huge: true, ..length(Bytes::mib(4)) };
    let shared = match SharedMemory::segment_by_key(&name.0, 1, &wish) {
        Ok(shared) => shared,
        Err(refusal) => {
            eprintln!("no huge pages here: {refusal}");
            return;
        }
    };
    let policy = Policy::Bind(NodeSet::of(nodes[1]));
    keep(&shared, &policy);
    let again = SharedMemory::segment_by_key(&name.0, 1, &Wish::default()).unwrap();
    assert_eq!(again.page(), Bytes::mib(2));
    // The policy is the first mapping's alone, so that one places the pages, and they stay.
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
fn spread_memory_has_each_nodes_share_within_one_turn() {
    let Some(nodes) = several() else { return };
    for (pages, weights) in
        [(WantedPages::Base, [9, 2]), (WantedPages::Huge, [2, 1]), (WantedPages::Base, [0, 1])]
    {
        let shares = nodes
            .iter()
            .zip(weights)
            .map(|(&node, weight)| NodeWeight { node, weight, free: None })
            .collect();
        let wish = InterleavedPlace { shares, bytes: Bytes::mib(12), pages, first: 0 };
        let buffer = PlacedBuffer::spread(&wish).unwrap();
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
