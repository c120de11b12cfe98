//! Pages that span physical memory, as far as a process may hold it.

use std::time::Instant;

use fastrand::Rng;
use nearfar_model::Bytes;
use nearfar_place::{
    Backing, BufferRequest, InterleavedPlace, NodeWeight, PlaceError, PlacedBuffer, WantedPages,
    physical_addresses,
};

use super::selection::select_pages;
use super::{HUGE_PAGE, HiddenSetup};
use crate::layout_column::MemoryJob;
use crate::probes::page_probe::PageProbe;
use crate::probes::slice::Probe;
use crate::spec::{PageSize, ProbeSpec};
use crate::worker::memories::moved_since_placed;

/// Memory is touched in at least this many parts, so that touching can end when it no longer helps.
const MIN_PARTS: u64 = 16;
/// Parts grow from a quarter of the measured pages, as long as one takes less than this fraction of
/// the time.
const GROWTH_LIMIT: u32 = 8;
/// Touching ends after this many consecutive parts without growth.
const IDLE_PARTS: u32 = 4;
/// A part without growth widens the span by less than this fraction.
const MIN_GROWTH: f64 = 0.02;

/// Touched memory: some pages are measured, the rest is held.
pub(super) struct Pool {
    parts: Vec<PageProbe>,
    /// The measured pages, by address.
    kept: Vec<Kept>,
    /// Remarks for the user.
    notes: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct Kept {
    part: usize,
    /// Index within the part.
    page: usize,
    /// Its physical address, if known.
    address: Option<u64>,
}

/// Touched memory, before pages are selected.
#[derive(Default)]
struct Touched {
    parts: Vec<PlacedBuffer>,
    bytes: u64,
    /// The address of each page, part by part; `None` if some are unknown.
    addresses: Option<Vec<u64>>,
    why_unknown: Option<String>,
    /// Why touching ended early, if so.
    why_ended: Option<String>,
}

impl Pool {
    /// Touches memory, selects pages, and links a cycle through each of them. Fails if there are
    /// too few.
    pub(super) fn fill(setup: &HiddenSetup, random: &mut Rng) -> Result<Self, String> {
        let touched = Touched::take(setup, random)?;
        let pages = (touched.bytes / HUGE_PAGE.0) as usize;
        if pages < setup.pages {
            let why = touched.why_ended.map_or_else(String::new, |why| format!(": {why}"));
            return Err(format!("only {pages} of {} pages of 2 MiB available{why}", setup.pages));
        }
        let chosen = select_pages(touched.addresses.as_deref(), pages, setup.pages, random);
        let mut first_pages = Vec::new();
        let mut first = 0;
        for part in &touched.parts {
            first_pages.push(first);
            first += part.length() / HUGE_PAGE.0 as usize;
        }
        let kept = chosen.iter().map(|&page| {
            let part = first_pages.partition_point(|first| *first <= page) - 1;
            let address = touched.addresses.as_ref().map(|addresses| addresses[page]);
            Kept { part, page: page - first_pages[part], address }
        });
        let kept: Vec<Kept> = kept.collect();
        let mut notes: Vec<String> =
            touched.parts.iter().flat_map(|part| part.notes().to_vec()).collect();
        notes.extend(touched.why_unknown.map(|why| {
            format!(
                "the physical addresses of pages are unknown, so moved pages go undetected: {why}"
            )
        }));
        notes.sort();
        notes.dedup();
        let spec = ProbeSpec::page();
        let ready = |(part, memory): (usize, PlacedBuffer)| {
            let is_kept =
                |page: usize| kept.iter().any(|kept| (kept.part, kept.page) == (part, page));
            PageProbe::of_pages(memory, HUGE_PAGE.0 as usize, spec.accesses, random, is_kept)
        };
        let parts = touched.parts.into_iter().enumerate().map(ready).collect();
        Ok(Self { parts, kept, notes })
    }

    /// The probe over a kept page, and the page's index within it.
    pub(super) fn page(&mut self, index: usize) -> Option<(&mut PageProbe, u32)> {
        let kept = *self.kept.get(index)?;
        Some((self.parts.get_mut(kept.part)?, u32::try_from(kept.page).ok()?))
    }

    /// The number of a kept page in physical memory; 0 if unknown.
    pub(super) fn number(&self, index: usize) -> u32 {
        let address = self.kept.get(index).and_then(|kept| kept.address);
        address.and_then(|address| u32::try_from(address / HUGE_PAGE.0).ok()).unwrap_or(0)
    }

    /// Pages that are held, measured or not.
    pub(super) fn held(&self) -> u32 {
        let bytes: usize = self.parts.iter().map(|part| part.memory().length()).sum();
        u32::try_from(bytes as u64 / HUGE_PAGE.0).unwrap_or(u32::MAX)
    }

    /// The page size under the pages.
    pub(super) fn backing(&self) -> String {
        self.parts.first().map_or_else(String::new, |part| part.memory().backing().name())
    }

    pub(super) fn note(&self) -> Option<String> {
        (!self.notes.is_empty()).then(|| self.notes.join("; "))
    }

    /// The kept pages that moved, and the evidence.
    pub(super) fn moved(&self) -> Vec<(usize, String)> {
        let misplaced: Vec<Option<String>> =
            self.parts.iter().map(|part| moved_since_placed(part.memory())).collect();
        let addresses: Vec<*const u8> = self.kept.iter().map(|kept| self.start_of(kept)).collect();
        let now = physical_addresses(&addresses).ok();
        let why = |(index, kept): (usize, &Kept)| {
            let elsewhere = now
                .as_ref()
                .is_some_and(|now| kept.address.is_some() && now[index] != kept.address);
            let moved = elsewhere
                .then(|| "the page moved in physical memory while it was measured".to_owned());
            moved.or_else(|| misplaced[kept.part].clone()).map(|why| (index, why))
        };
        self.kept.iter().enumerate().filter_map(why).collect()
    }

    fn start_of(&self, kept: &Kept) -> *const u8 {
        self.parts[kept.part]
            .memory()
            .start()
            .wrapping_add(kept.page * HUGE_PAGE.0 as usize)
            .cast_const()
    }
}

impl Touched {
    fn take(setup: &HiddenSetup, random: &mut Rng) -> Result<Self, String> {
        let begun = Instant::now();
        let mut touched = Self { addresses: Some(Vec::new()), ..Self::default() };
        let pages = |bytes: u64| (bytes / HUGE_PAGE.0).max(1) * HUGE_PAGE.0;
        let mut part = pages(setup.pages as u64 * HUGE_PAGE.0 / 4);
        let largest = pages(setup.hold.0 / MIN_PARTS).max(part);
        let mut idle = 0;
        while touched.bytes + HUGE_PAGE.0 <= setup.hold.0 {
            let is_in_vain = idle >= IDLE_PARTS && touched.bytes >= setup.touch_at_least.0;
            let enough = touched.bytes >= setup.pages as u64 * HUGE_PAGE.0;
            if enough && (is_in_vain || begun.elapsed() >= setup.touch_for) {
                break;
            }
            let request = request(
                setup,
                Bytes(part.min(setup.hold.0 - touched.bytes)),
                touched.bytes,
                random,
            )?;
            let (before, part_begun) = (touched.span(), Instant::now());
            match PlacedBuffer::new(&request) {
                Ok(memory) if memory.backing() == Backing::Base => {
                    touched.why_ended = Some(memory.notes().join("; "));
                }
                Ok(memory) => touched.add(memory),
                Err(
                    refusal @ (PlaceError::OutOfMemory { .. } | PlaceError::TooLittleFree { .. }),
                ) => {
                    touched.why_ended = Some(refusal.to_string());
                }
                Err(refusal) => return Err(refusal.to_string()),
            }
            if touched.why_ended.is_some() {
                break;
            }
            match touched.is_span_wider(before) {
                _ if part < largest && part_begun.elapsed() < setup.touch_for / GROWTH_LIMIT => {
                    part = (2 * part).min(largest);
                }
                true => idle = 0,
                false => idle += 1,
            }
        }
        Ok(touched)
    }

    fn add(&mut self, memory: PlacedBuffer) {
        let pages: Vec<*const u8> = (0..memory.length())
            .step_by(HUGE_PAGE.0 as usize)
            .map(|offset| memory.start().wrapping_add(offset).cast_const())
            .collect();
        if let Some(known) = &mut self.addresses {
            let found = physical_addresses(&pages).and_then(|found| {
                let all: Option<Vec<u64>> = found.into_iter().collect();
                all.ok_or_else(|| "some pages are not in memory".to_owned())
            });
            match found {
                Ok(found) => known.extend(found),
                Err(why) => (self.addresses, self.why_unknown) = (None, Some(why)),
            }
        }
        self.bytes += memory.length() as u64;
        self.parts.push(memory);
    }

    /// The lowest and the highest address.
    fn span(&self) -> Option<(u64, u64)> {
        let addresses = self.addresses.as_ref()?;
        Some((*addresses.iter().min()?, *addresses.iter().max()?))
    }

    /// Whether the span is wider than before. If addresses are unknown, every page may widen it.
    fn is_span_wider(&self, before: Option<(u64, u64)>) -> bool {
        let (Some((low, high)), Some((low_before, high_before))) = (self.span(), before) else {
            return true;
        };
        let (now, before) = ((high - low) as f64, (high_before - low_before) as f64);
        now > before * (1.0 + MIN_GROWTH)
    }
}

/// The request for the next part: on one memory, or interleaved over several nodes.
fn request(
    setup: &HiddenSetup,
    bytes: Bytes,
    taken: u64,
    random: &mut Rng,
) -> Result<BufferRequest, String> {
    if let [memory] = setup.memories.as_slice() {
        return Ok(memory.request(bytes, PageSize::Huge, Bytes(taken))?.into());
    }
    let left = |free: Bytes| Bytes(free.0.saturating_sub(taken / setup.memories.len() as u64));
    let share = |memory: &MemoryJob| {
        Some(NodeWeight { node: memory.node?, weight: 1, free: memory.free.map(left) })
    };
    Ok(BufferRequest::Interleaved(InterleavedPlace {
        weights: setup.memories.iter().filter_map(share).collect(),
        bytes,
        pages: WantedPages::Huge,
        first: random.u64(..1 << 16),
    }))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::tests::setup;
    use super::*;

    /// Whether huge pages for this much memory are available now: there may be none, or memory may
    /// be fragmented.
    fn has_huge_pages(bytes: Bytes) -> bool {
        let request = MemoryJob::default().request(bytes, PageSize::Huge, Bytes(0)).unwrap();
        let given =
            PlacedBuffer::on_node(&request).is_ok_and(|buffer| buffer.backing() != Backing::Base);
        if !given {
            eprintln!("SKIPPED: no huge pages for {bytes}");
        }
        given
    }

    #[test]
    fn pages_are_kept_and_the_rest_is_held() {
        if !has_huge_pages(Bytes::mib(48)) {
            return;
        }
        let setup = setup(8, Bytes::mib(48));
        let mut pool = Pool::fill(&setup, &mut Rng::with_seed(1)).unwrap();
        assert!((8..=24).contains(&pool.held()), "{}", pool.held());
        assert_eq!(pool.moved(), []);
        assert!((0..8).all(|index| pool.page(index).is_some()) && pool.page(8).is_none());
        let numbers: Vec<u32> = (0..8).map(|index| pool.number(index)).collect();
        let known = numbers.is_sorted_by(|a, b| a < b) && numbers[0] > 0;
        let unknown =
            numbers == [0; 8] && pool.note().is_some_and(|note| note.contains("are unknown"));
        assert!(known || unknown, "{numbers:?} {:?}", pool.note());
    }

    #[test]
    fn a_node_that_is_nearly_full_gives_too_few_pages() {
        let mut tight = setup(8, Bytes::mib(48));
        tight.memories[0].free = Some(Bytes::mib(40));
        let why = Pool::fill(&tight, &mut Rng::with_seed(1)).err().unwrap();
        assert!(why.starts_with("only ") && why.contains("of 8 pages of 2 MiB available"), "{why}");
    }

    #[test]
    fn the_minimum_is_touched_without_benefit() {
        let thorough = HiddenSetup { touch_at_least: Bytes::mib(96), ..setup(8, Bytes::mib(96)) };
        if has_huge_pages(Bytes::mib(96)) {
            let pool = Pool::fill(&thorough, &mut Rng::with_seed(1)).unwrap();
            assert_eq!(pool.held(), 48, "{:?}", pool.note());
        }
    }

    #[test]
    fn touching_ends_at_its_time_limit() {
        let hasty = HiddenSetup { touch_for: Duration::ZERO, ..setup(8, Bytes::mib(256)) };
        if has_huge_pages(Bytes::mib(256)) {
            let pool = Pool::fill(&hasty, &mut Rng::with_seed(1)).unwrap();
            assert!((8..32).contains(&pool.held()), "{}", pool.held());
        }
    }
}
