//! A random sample of a process's pages, with the node of each.
//!
//! `numa_maps` walks all pages of a process, and the kernel holds its mapping lock meanwhile. A
//! sample costs the same for a process of a megabyte and of a terabyte. Addresses are drawn
//! uniformly from all accessible mappings, and move_pages(2) without targets locates them. Those
//! that are in memory are a uniform sample of resident memory: each mapping has a part in
//! proportion to its resident size.

use fastrand::Rng;
use nearfar_machine::process::MapsEntry;
use nearfar_machine::{Process, Source};
use nearfar_model::{Bytes, NodeId};
use nearfar_place::{PlaceError, Residence, process_residences};

use crate::error::ProcessError;

/// Resident pages that are wanted: a share then has an interval of ±5 % at most.
const WANTED: usize = 400;
/// Addresses of the first draw, which shows how much of the mappings is resident.
const FIRST: usize = 512;
/// Addresses at most. Sparse processes have wider intervals.
const MOST: usize = 8192;

/// Sampled pages of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSample {
    /// Pages in memory on each node, ascending.
    pub by_node: Vec<(NodeId, u64)>,
    /// Whether every page was located: then shares are exact.
    pub is_whole: bool,
}

impl PageSample {
    /// Pages in memory.
    pub fn pages(&self) -> u64 {
        self.by_node.iter().map(|(_, pages)| pages).sum()
    }

    fn add(&mut self, located: &[Residence]) {
        for node in located.iter().filter_map(Residence::node) {
            match self.by_node.binary_search_by_key(&node, |(known, _)| *known) {
                Ok(at) => self.by_node[at].1 += 1,
                Err(at) => self.by_node.insert(at, (node, 1)),
            }
        }
    }
}

/// Draws samples.
#[derive(Debug)]
pub struct PageSampler {
    page: Bytes,
    rng: Rng,
    /// Processes with at most this number of pages are located whole.
    whole: u64,
}

impl PageSampler {
    /// `page` is the base page size.
    pub fn new(page: Bytes, seed: u64) -> Self {
        Self { page, rng: Rng::with_seed(seed), whole: FIRST as u64 }
    }

    /// Locates all pages of processes with at most this number of mapped pages, and of the smallest
    /// ones. The kernel takes a microsecond for a page, or less.
    pub fn locating_all_up_to(self, pages: u64) -> Self {
        Self { whole: pages.max(FIRST as u64), ..self }
    }

    /// A sample of a process's pages.
    ///
    /// # Errors
    ///
    /// The process has ended or belongs to another user, or a sandbox denies move_pages(2).
    pub fn sample(&mut self, source: &Source, pid: u32) -> Result<PageSample, ProcessError> {
        let (ranges, _) = Process::known(source, pid).maps()?;
        Ok(self.locate(&ranges, |addresses| process_residences(pid, addresses))?)
    }

    fn locate(
        &mut self,
        ranges: &[MapsEntry],
        locate: impl Fn(&[u64]) -> Result<Vec<Residence>, PlaceError>,
    ) -> Result<PageSample, PlaceError> {
        let mapped = MappedPages::new(ranges, self.page);
        let mut sample =
            PageSample { is_whole: mapped.pages <= self.whole, ..PageSample::default() };
        if sample.is_whole {
            sample.add(&locate(&mapped.all())?);
            return Ok(sample);
        }
        sample.add(&locate(&mapped.draw(FIRST, &mut self.rng))?);
        let found = usize::try_from(sample.pages()).unwrap_or(FIRST);
        let missing = WANTED.saturating_sub(found);
        if missing > 0 {
            // As many again as bring the missing ones, if those so far are typical.
            let more = (missing * FIRST).div_ceil(found.max(1)).min(MOST - FIRST);
            sample.add(&locate(&mapped.draw(more, &mut self.rng))?);
        }
        Ok(sample)
    }
}

/// The pages of accessible mappings, in the order of addresses.
struct MappedPages<'r> {
    ranges: Vec<&'r MapsEntry>,
    page: u64,
    pages: u64,
}

impl<'r> MappedPages<'r> {
    fn new(ranges: &'r [MapsEntry], page: Bytes) -> Self {
        let page = page.0.max(1);
        // The page of system calls at the end of the address space is the kernel's.
        let is_own = |range: &&MapsEntry| range.accessible && range.start >> 63 == 0;
        let ranges: Vec<&MapsEntry> = ranges.iter().filter(is_own).collect();
        let pages = ranges.iter().map(|range| (range.end - range.start) / page);
        Self { pages: pages.fold(0, u64::saturating_add), ranges, page }
    }

    fn all(&self) -> Vec<u64> {
        self.addresses(0..self.pages)
    }

    /// One page from each of `count` equal parts: spread over all memory, and at random places, so
    /// that interleaved memory does not follow the same rhythm.
    fn draw(&self, count: usize, rng: &mut Rng) -> Vec<u64> {
        let part = self.pages as f64 / count as f64;
        let last = self.pages.saturating_sub(1);
        self.addresses((0..count).map(|at| (((at as f64 + rng.f64()) * part) as u64).min(last)))
    }

    /// The addresses of pages with ascending numbers.
    fn addresses(&self, pages: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut ranges = self.ranges.iter();
        let (mut range, mut first) = (ranges.next(), 0);
        let mut addresses = Vec::new();
        for number in pages {
            while let Some(one) = range {
                let size = (one.end - one.start) / self.page;
                if number - first < size {
                    addresses.push(one.start + (number - first) * self.page);
                    break;
                }
                (range, first) = (ranges.next(), first + size);
            }
        }
        addresses
    }
}

#[cfg(test)]
mod tests {
    use nearfar_machine::process::parse_maps;
    use nearfar_place::{Memory, allowed_nodes};

    use super::*;

    const PAGE: Bytes = Bytes(4096);

    fn sampler() -> PageSampler {
        PageSampler::new(PAGE, 1)
    }

    fn maps(text: &str) -> Vec<MapsEntry> {
        parse_maps(text).0
    }

    #[test]
    fn a_terabyte_costs_a_constant_number_of_pages() {
        // A quarter of the first mapping is on node 1; the reserved one has no pages.
        let ranges = maps(
            "100000000000-110000000000 rw-p 0 0:0 0\n200000000000-300000000000 ---p 0 0:0 0\n\
             ffffffffff600000-ffffffffff601000 r-xp 0 0:0 0 [vsyscall]\n",
        );
        let quarter = 0x1000_0000_0000 + (0x100_0000_0000 / 4);
        let mut asked = std::cell::Cell::new(0);
        let sample = sampler().locate(&ranges, |addresses| {
            asked.set(asked.get() + addresses.len());
            assert!(addresses.is_sorted() && addresses.iter().all(|it| *it < 0x1100_0000_0000));
            Ok(addresses
                .iter()
                .map(|&it| Residence::Node(NodeId(u32::from(it < quarter))))
                .collect())
        });
        assert_eq!(*asked.get_mut(), FIRST);
        let sample = sample.unwrap();
        assert_eq!((sample.pages(), sample.is_whole), (FIRST as u64, false));
        assert!(sample.by_node[1].1.abs_diff(FIRST as u64 / 4) <= 1, "{sample:?}");
    }

    #[test]
    fn sparse_memory_is_drawn_until_enough_is_resident() {
        let ranges = maps("100000000000-100100000000 rw-p 0 0:0 0\n");
        let draw = |resident_in: u64| {
            let asked = std::cell::Cell::new(0);
            let sample = sampler().locate(&ranges, |addresses| {
                asked.set(asked.get() + addresses.len());
                let page = |it: &u64| match (it / 4096) % resident_in {
                    0 => Residence::Node(NodeId(3)),
                    _ => Residence::Absent,
                };
                Ok(addresses.iter().map(page).collect())
            });
            (asked.get(), sample.unwrap())
        };
        let (asked, sample) = draw(5);
        assert!(asked < 3500 && sample.pages() > 300, "{asked} {sample:?}");
        assert_eq!(draw(1_000_000).0, MOST);
    }

    #[test]
    fn small_processes_are_located_whole() {
        let ranges = maps("1000-3000 r--p 0 0:0 0\n5000-6000 rw-p 0 0:0 0\n");
        let sample = sampler().locate(&ranges, |addresses| {
            assert_eq!(addresses, [0x1000, 0x2000, 0x5000]);
            Ok(vec![Residence::Node(NodeId(8)), Residence::Absent, Residence::Node(NodeId(0))])
        });
        let whole = PageSample { by_node: vec![(NodeId(0), 1), (NodeId(8), 1)], is_whole: true };
        assert_eq!(sample.unwrap(), whole);
        assert_eq!(sampler().locate(&[], |_| Ok(Vec::new())).unwrap().pages(), 0);
        // 256 pages more than are located whole by default.
        let ranges = maps("100000000000-100000300000 rw-p 0 0:0 0\n");
        let located = |sampler: PageSampler| {
            let on_node = |all: &[u64]| Ok(vec![Residence::Node(NodeId(0)); all.len()]);
            let sample = { sampler }.locate(&ranges, on_node).unwrap();
            (sample.pages(), sample.is_whole)
        };
        assert_eq!(located(sampler()), (512, false));
        assert_eq!(located(sampler().locating_all_up_to(768)), (768, true));
    }

    #[test]
    fn pages_of_this_process_are_found() {
        let memory = Memory::local(Bytes::mib(64)).unwrap();
        memory.touch().unwrap();
        let sample = sampler().sample(&Source::live(), std::process::id()).unwrap();
        assert!(sample.pages() >= 100, "{sample:?}");
        let allowed = allowed_nodes().unwrap();
        assert!(sample.by_node.iter().any(|(node, _)| allowed.contains(*node)), "{sample:?}");
        drop(memory);
    }

    #[test]
    fn an_ended_process_is_an_error() {
        let error = sampler().sample(&Source::live(), 4_194_305).unwrap_err().to_string();
        assert!(error.contains("4194305"), "{error}");
    }
}
