//! Memory of several processes, each page once.
//!
//! Pages of files and shared memory count once for each (device, inode, page): pagemap shows which
//! pages a process maps, and move_pages(2) their nodes. A page that is known is not asked for
//! again, so 200 processes of a segment cost little more than one. Other pages are a process's own,
//! but for those shared by fork(2): they count by the kernel's proportional share (PSS), which is
//! too small if others share them, too.

use std::collections::BTreeMap;
use std::ops::Range;

use nearfar_machine::{Process, Source};
use nearfar_model::{Bytes, NodeId};
use nearfar_place::{Residence, page_size, process_residences};
use serde::Serialize;

use crate::by_node::BytesByNode;
use crate::mapping::{FileId, FileRange, MappingMemory};
use crate::memory::ProcessMemory;

/// Memory of several processes, each page once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct UniqueMemory {
    /// Its size.
    pub bytes: Bytes,
    /// By node.
    pub by_node: BytesByNode,
    /// Whether every page was counted once. If not, it is a lower bound: a segment counts as in the
    /// process that maps most of it, and what fork(2) shares by the proportional share.
    pub is_exact: bool,
}

/// Pages in one part of a segment's set.
const PART: u64 = 1 << 15;
/// pagemap: the page is in memory.
const PRESENT: u64 = 1 << 63;
/// pagemap: it belongs to a file or to shared memory.
const OF_FILE: u64 = 1 << 61;
/// Entries of pagemap that are read at most, for mappings far larger than their pages.
const MOST_ENTRIES: u64 = 1 << 27;

impl UniqueMemory {
    /// Counts the pages of these processes. Captured machines have no pagemap.
    pub fn count(source: &Source, processes: &[ProcessMemory]) -> Self {
        let mut users: BTreeMap<&FileId, usize> = BTreeMap::new();
        for mapping in processes.iter().flat_map(|process| &process.mappings) {
            if let Some(file) = mapping.file.as_ref().filter(|_| has_pages(mapping)) {
                *users.entry(&file.id).or_default() += 1;
            }
        }
        let mut counting = Counting { left: MOST_ENTRIES, ..Counting::default() };
        for process in processes {
            let pages = PageTable(Process::known(source, process.pid));
            let mut forked = NodeSums::default();
            for mapping in process.mappings.iter().filter(|mapping| has_pages(mapping)) {
                match mapping.file.as_ref().filter(|file| users[&file.id] > 1) {
                    Some(file) => counting.segment(file, mapping, &pages, &mut forked),
                    None if mapping.file.is_none() && mapping.mapped_by_others => {
                        forked.add(&mapping.by_node);
                    }
                    None => counting.own.add(&mapping.by_node),
                }
            }
            match processes.len() {
                1 => counting.own.add(&forked.by_node()),
                _ => counting.forked(&forked.by_node(), &pages.0),
            }
        }
        counting.finish(processes)
    }
}

fn has_pages(mapping: &MappingMemory) -> bool {
    mapping.by_node.total().0 > 0
}

/// Sizes that are summed by node.
#[derive(Default)]
struct NodeSums(BTreeMap<NodeId, Bytes>);

impl NodeSums {
    fn add(&mut self, sizes: &BytesByNode) {
        sizes.iter().for_each(|(node, bytes)| self.add_on(node, bytes));
    }

    fn add_on(&mut self, node: NodeId, bytes: Bytes) {
        let sum = self.0.entry(node).or_default();
        *sum = *sum + bytes;
    }

    fn by_node(&self) -> BytesByNode {
        self.0.iter().map(|(node, bytes)| (*node, *bytes)).collect()
    }
}

/// One segment or file: the pages that are known, in parts.
#[derive(Default)]
struct Segment {
    known: BTreeMap<u64, Box<[u64]>>,
    nodes: BTreeMap<NodeId, u64>,
    /// By process whose pages could not be asked for: parts of the file, and their sizes.
    least: BTreeMap<u32, Vec<(Range<u64>, BytesByNode)>>,
}

impl Segment {
    /// Whether this page is new; it is known from now on.
    fn insert(&mut self, page: u64) -> bool {
        let words = || vec![0; PART as usize / 64].into_boxed_slice();
        let part = self.known.entry(page / PART).or_insert_with(words);
        let (word, bit) = ((page % PART / 64) as usize, 1 << (page % 64));
        let is_new = part[word] & bit == 0;
        part[word] |= bit;
        is_new
    }

    fn knows_all(&self, first: u64, pages: u64) -> bool {
        let knows = |page: u64| {
            let part = self.known.get(&(page / PART));
            part.is_some_and(|part| part[(page % PART / 64) as usize] & (1 << (page % 64)) != 0)
        };
        (first..first.saturating_add(pages)).all(knows)
    }

    fn by_node(&self) -> BytesByNode {
        let page = page_size().0;
        let asked = self.nodes.iter().map(|(node, pages)| (*node, Bytes(pages * page))).collect();
        let least = self.least.values().map(|parts| without_overlap(parts));
        least.chain([asked]).max_by_key(BytesByNode::total).unwrap_or_default()
    }
}

/// The sum of a process's mappings of a file, of parts that overlap the first.
fn without_overlap(parts: &[(Range<u64>, BytesByNode)]) -> BytesByNode {
    let mut sums = NodeSums::default();
    let mut counted: Vec<&Range<u64>> = Vec::new();
    for (part, sizes) in parts {
        if counted.iter().all(|other| other.end <= part.start || part.end <= other.start) {
            sums.add(sizes);
            counted.push(part);
        }
    }
    sums.by_node()
}

#[derive(Default)]
struct Counting {
    segments: BTreeMap<FileId, Segment>,
    own: NodeSums,
    left: u64,
    /// Whether pages that fork(2) shares count by their share, or not at all.
    has_shares: bool,
}

impl Counting {
    /// Adds pages that fork(2) may share: less what the kernel charges to the other processes.
    fn forked(&mut self, sizes: &BytesByNode, process: &Process<'_>) {
        let all = sizes.total().0;
        let elsewhere = match process.anonymous_elsewhere() {
            _ if all == 0 => return,
            Some(elsewhere) => elsewhere.0,
            None => all,
        };
        self.has_shares |= elsewhere > 0;
        let share = all.saturating_sub(elsewhere) as f64 / all as f64;
        for (node, bytes) in sizes.iter() {
            self.own.add_on(node, Bytes((bytes.0 as f64 * share) as u64));
        }
    }

    /// Adds the pages of a mapping that are new. Where they cannot be asked for, all of them are a
    /// lower bound of the segment.
    fn segment(
        &mut self,
        file: &FileRange,
        mapping: &MappingMemory,
        table: &PageTable<'_>,
        forked: &mut NodeSums,
    ) {
        let page = page_size().0;
        let pages = mapping.end.unwrap_or(mapping.start).saturating_sub(mapping.start) / page;
        let first = file.offset / page;
        let segment = self.segments.entry(file.id.clone()).or_default();
        if mapping.shared && segment.knows_all(first, pages) {
            return;
        }
        let is_read = pages > 0 && pages <= self.left && {
            self.left -= pages;
            table.add_new(mapping.start, first..first + pages, segment, forked)
        };
        if !is_read {
            let part = (first..first.saturating_add(pages), mapping.by_node.clone());
            segment.least.entry(table.0.pid).or_default().push(part);
        }
    }

    fn finish(mut self, processes: &[ProcessMemory]) -> UniqueMemory {
        let is_asked = self.segments.values().all(|segment| segment.least.is_empty());
        let is_exact = is_asked && !self.has_shares;
        self.segments.values().for_each(|segment| self.own.add(&segment.by_node()));
        let by_node = self.own.by_node();
        // All have no less than one of them has.
        let largest = processes.iter().map(ProcessMemory::by_node).filter(|_| !is_exact);
        let by_node = largest.chain([by_node]).max_by_key(BytesByNode::total).unwrap_or_default();
        UniqueMemory { bytes: by_node.total(), by_node, is_exact }
    }
}

/// The page table of a process, as /proc/PID/pagemap shows it.
///
/// # References
///
/// Documentation/admin-guide/mm/pagemap.rst
struct PageTable<'s>(Process<'s>);

impl PageTable<'_> {
    /// Adds the pages of a mapping from `start`: those of the file to its segment, if they are new,
    /// and copies of them, which fork(2) may share. Returns whether all were asked for.
    fn add_new(
        &self,
        start: u64,
        pages: Range<u64>,
        segment: &mut Segment,
        forked: &mut NodeSums,
    ) -> bool {
        let page = page_size().0;
        let mut from = pages.start;
        while from < pages.end {
            let part = from..pages.end.min(from + PART);
            let address = start + (from - pages.start) * page;
            let Some(entries) = self.entries(address, part.end - part.start) else { return false };
            let (mut new, mut copies) = (Vec::new(), Vec::new());
            for (at, entry) in (0u64..).zip(entries).filter(|(_, entry)| entry & PRESENT != 0) {
                if entry & OF_FILE == 0 {
                    copies.push(address + at * page);
                } else if segment.insert(from + at) {
                    new.push(address + at * page);
                }
            }
            let (Some(new), Some(copies)) = (self.nodes(&new), self.nodes(&copies)) else {
                return false;
            };
            new.into_iter().for_each(|node| *segment.nodes.entry(node).or_default() += 1);
            copies.into_iter().for_each(|node| forked.add_on(node, Bytes(page)));
            from = part.end;
        }
        true
    }

    fn entries(&self, address: u64, pages: u64) -> Option<Vec<u64>> {
        let first = address / page_size().0;
        let entries = self.0.pagemap(first, usize::try_from(pages).ok()?)?;
        (entries.len() as u64 == pages).then_some(entries)
    }

    fn nodes(&self, addresses: &[u64]) -> Option<Vec<NodeId>> {
        if addresses.is_empty() {
            return Some(Vec::new());
        }
        let found = process_residences(self.0.pid, addresses).ok()?;
        Some(found.iter().filter_map(Residence::node).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two captured processes that map a segment, and have memory of their own.
    fn captured() -> (Source, Vec<ProcessMemory>) {
        let maps = "7f00000000-7f00004000 rw-s 00000000 00:01 42 /dev/shm/pool\n7f10000000-\
                    7f10001000 rw-p 00000000 00:00 0 \n";
        let numa_maps = |pages: u32| {
            format!(
                "7f00000000 default file=/dev/shm/pool mapped={pages} mapmax=2 N0={pages} \
                 kernelpagesize_kB=4\n7f10000000 default anon=1 N1=1 kernelpagesize_kB=4\n"
            )
        };
        let source = Source::from_files([
            ("/proc/7/maps", maps.to_owned()),
            ("/proc/8/maps", maps.to_owned()),
            ("/proc/7/numa_maps", numa_maps(3)),
            ("/proc/8/numa_maps", numa_maps(2)),
            ("/sys/devices/system/node/online", "0-1".to_owned()),
        ]);
        let read = |pid| ProcessMemory::read(&source, pid).unwrap();
        let processes = vec![read(7), read(8)];
        (source, processes)
    }

    #[test]
    fn a_captured_segment_counts_as_in_the_process_with_most_of_it() {
        let (source, processes) = captured();
        let unique = UniqueMemory::count(&source, &processes);
        assert_eq!(unique.by_node.on(NodeId(0)), Bytes::kib(12));
        assert_eq!((unique.by_node.on(NodeId(1)), unique.is_exact), (Bytes::kib(8), false));
        let one = UniqueMemory::count(&source, &processes[..1]);
        assert_eq!((one.bytes, one.is_exact), (processes[0].by_node().total(), true));
    }

    /// Two windows of one file in each process.
    #[test]
    fn windows_of_a_file_add_up() {
        let maps = "7f00000000-7f00004000 rw-s 00000000 00:01 42 /dev/shm/pool\n7f10000000-\
                    7f10004000 rw-s 00004000 00:01 42 /dev/shm/pool\n";
        let numa_maps = "7f00000000 default file=/dev/shm/pool mapped=4 mapmax=2 N0=4 \
                         kernelpagesize_kB=4\n7f10000000 default file=/dev/shm/pool mapped=3 \
                         mapmax=2 N1=3 kernelpagesize_kB=4\n";
        let source = Source::from_files([
            ("/proc/7/maps", maps),
            ("/proc/8/maps", maps),
            ("/proc/7/numa_maps", numa_maps),
            ("/proc/8/numa_maps", numa_maps),
            ("/sys/devices/system/node/online", "0-1"),
        ]);
        let processes = [7, 8].map(|pid| ProcessMemory::read(&source, pid).unwrap());
        let unique = UniqueMemory::count(&source, &processes);
        assert_eq!((unique.bytes, unique.is_exact), (Bytes::kib(28), false));
    }

    /// What fork(2) shares counts once: by the part that is not charged to others, and at least as
    /// much as one process has.
    #[test]
    fn pages_that_fork_shares_are_a_lower_bound() {
        let maps = "7f00000000-7f00004000 rw-p 00000000 00:00 0 \n";
        let numa_maps = "7f00000000 default anon=4 dirty=4 mapmax=3 N0=4 kernelpagesize_kB=4\n";
        let rollup = |own: u32| format!("Pss_Anon: {own} kB\nAnonymous: 16 kB\n");
        let with = |own: u32| {
            let source = Source::from_files([
                ("/proc/7/maps", maps.to_owned()),
                ("/proc/8/maps", maps.to_owned()),
                ("/proc/7/numa_maps", numa_maps.to_owned()),
                ("/proc/8/numa_maps", numa_maps.to_owned()),
                ("/proc/7/smaps_rollup", rollup(own)),
                ("/proc/8/smaps_rollup", rollup(own)),
                ("/sys/devices/system/node/online", "0-1".to_owned()),
            ]);
            let processes = [7, 8].map(|pid| ProcessMemory::read(&source, pid).unwrap());
            let unique = UniqueMemory::count(&source, &processes);
            (unique.bytes, unique.is_exact)
        };
        assert_eq!(with(12), (Bytes::kib(24), false));
        assert_eq!(with(5), (Bytes::kib(16), false));
        assert_eq!(with(16), (Bytes::kib(32), true));
    }

    #[test]
    fn a_process_counted_twice_has_its_files_once() {
        let source = Source::live();
        let own = ProcessMemory::read(&source, std::process::id()).unwrap();
        let files = |shared: &dyn Fn(&MappingMemory) -> bool| -> u64 {
            own.mappings.iter().filter(|mapping| shared(mapping)).map(|m| m.by_node.total().0).sum()
        };
        let (of_files, all) = (files(&|mapping| mapping.file.is_some()), files(&|_| true));
        let unique = UniqueMemory::count(&source, &[own.clone(), own]);
        assert!(unique.is_exact, "{unique:?}");
        assert!(unique.bytes.0 < 2 * all && unique.bytes.0 + of_files / 2 < 2 * all, "{unique:?}");
    }

    #[test]
    fn pages_are_new_once() {
        let mut segment = Segment::default();
        assert!(segment.insert(5) && !segment.insert(5) && segment.insert(1 << 40));
        assert!(segment.knows_all(5, 1) && !segment.knows_all(5, 2));
    }
}
