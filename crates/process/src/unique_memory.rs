//! Memory of several processes, each page once.
//!
//! Pages of files and shared memory count once for each (device, inode, page): pagemap shows which
//! pages a process maps, and move_pages(2) their nodes. A page that is known is not asked for
//! again, so 200 processes of a segment cost little more than one. Other pages are a process's own,
//! but for those shared by fork(2): they count by the kernel's proportional share (PSS).

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
    /// Whether every shared page was counted. If not, a segment counts as in the process that maps
    /// most of it: the true size is larger.
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
            let share = if processes.len() > 1 { fork_share(source, process) } else { 1.0 };
            let pages = PageTable(Process::known(source, process.pid));
            for mapping in process.mappings.iter().filter(|mapping| has_pages(mapping)) {
                match mapping.file.as_ref().filter(|file| users[&file.id] > 1) {
                    Some(file) => counting.segment(file, mapping, &pages),
                    None => counting.own(mapping, share),
                }
            }
        }
        counting.finish()
    }
}

fn has_pages(mapping: &MappingMemory) -> bool {
    mapping.by_node.total().0 > 0
}

/// The part of a process's anonymous pages that counts as its own.
fn fork_share(source: &Source, process: &ProcessMemory) -> f64 {
    let is_forked = |mapping: &MappingMemory| mapping.file.is_none() && mapping.mapped_by_others;
    if !process.mappings.iter().any(is_forked) {
        return 1.0;
    }
    Process::known(source, process.pid).anonymous_share().unwrap_or(1.0)
}

/// One segment or file: the pages that are known, in parts.
#[derive(Default)]
struct Segment {
    known: BTreeMap<u64, Box<[u64]>>,
    nodes: BTreeMap<NodeId, u64>,
    /// The largest count of a process whose pages could not be asked for.
    least: Vec<BytesByNode>,
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
        let all = self.least.iter().cloned().chain([asked]);
        all.max_by_key(BytesByNode::total).unwrap_or_default()
    }
}

#[derive(Default)]
struct Counting {
    segments: BTreeMap<FileId, Segment>,
    own: BTreeMap<NodeId, Bytes>,
    left: u64,
}

impl Counting {
    fn own(&mut self, mapping: &MappingMemory, share: f64) {
        let share = if mapping.file.is_none() && mapping.mapped_by_others { share } else { 1.0 };
        for (node, bytes) in mapping.by_node.iter() {
            let sum = self.own.entry(node).or_default();
            *sum = *sum + Bytes((bytes.0 as f64 * share) as u64);
        }
    }

    /// Adds the pages of a mapping that are new. Where they cannot be asked for, all of them are a
    /// lower bound of the segment.
    fn segment(&mut self, file: &FileRange, mapping: &MappingMemory, table: &PageTable<'_>) {
        let page = page_size().0;
        let pages = mapping.end.unwrap_or(mapping.start).saturating_sub(mapping.start) / page;
        let first = file.offset / page;
        let segment = self.segments.entry(file.id.clone()).or_default();
        if mapping.shared && segment.knows_all(first, pages) {
            return;
        }
        let is_read = pages > 0 && pages <= self.left && {
            self.left -= pages;
            table.add_new(mapping.start, first..first + pages, segment, &mut self.own)
        };
        if !is_read {
            segment.least.push(mapping.by_node.clone());
        }
    }

    fn finish(self) -> UniqueMemory {
        let is_exact = self.segments.values().all(|segment| segment.least.is_empty());
        let shared: Vec<BytesByNode> = self.segments.values().map(Segment::by_node).collect();
        let by_node: BytesByNode =
            self.own.into_iter().chain(shared.iter().flat_map(BytesByNode::iter)).collect();
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
    /// and copies of them to the process's own. Returns whether all were asked for.
    fn add_new(
        &self,
        start: u64,
        pages: Range<u64>,
        segment: &mut Segment,
        own: &mut BTreeMap<NodeId, Bytes>,
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
            for node in copies {
                let sum = own.entry(node).or_default();
                *sum = *sum + Bytes(page);
            }
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
