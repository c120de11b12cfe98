//! Who holds a line modified? One table for all CPUs, as a home agent's directory.
//!
//! A slot is one word, so that a copy is checked with one load: it is good as long as its slot
//! still holds the entry of the time the copy was made. Several lines may share a slot; one that
//! loses it is taken for clean, and its copies are fetched again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const SLOT_BITS: u32 = 20;
/// Lines of a page stay together (32 KiB of memory in 4 KiB of slots): a walk through a page is
/// then no walk through the whole table, whose misses in the host's caches cost as much as the rest
/// of the model.
const TOGETHER_BITS: u32 = 9;
/// Odd, and close to 2^64 / golden ratio: Fibonacci hashing (Knuth, The Art of Computer
/// Programming, 6.4).
pub(crate) const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot(u32);

impl Slot {
    /// Where a physical line is written down.
    pub(crate) fn from_line(line: u64) -> Self {
        let group = (line >> TOGETHER_BITS).wrapping_mul(SPREAD)
            >> (u64::BITS - (SLOT_BITS - TOGETHER_BITS));
        let within = line & ((1 << TOGETHER_BITS) - 1);
        Self((group << TOGETHER_BITS | within) as u32)
    }
}

/// A slot's entry: which line was written last, by which CPU, in which generation, how often, and
/// whether it is in memory or in other caches since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SlotEntry(u64);

impl SlotEntry {
    const SHARED: u64 = 1;
    const WRITER: BitField = BitField { shift: 1, bits: 8 };
    const WRITES: BitField = BitField { shift: 9, bits: 11 };
    const GENERATION: BitField = BitField { shift: 20, bits: 16 };
    const LINE: BitField = BitField { shift: 36, bits: 28 };

    fn is_about(self, line: u64, generation: u64) -> bool {
        Self::LINE.of(self.0) == Self::LINE.fit(line)
            && Self::GENERATION.of(self.0) == Self::GENERATION.fit(generation)
    }

    /// The same, once others have read the line.
    pub(crate) fn shared(self) -> Self {
        Self(self.0 | Self::SHARED)
    }
}

/// Some bits of a word.
struct BitField {
    shift: u32,
    bits: u32,
}

impl BitField {
    const fn fit(&self, value: u64) -> u64 {
        value & ((1 << self.bits) - 1)
    }

    const fn of(&self, word: u64) -> u64 {
        self.fit(word >> self.shift)
    }

    const fn with(&self, value: u64) -> u64 {
        self.fit(value) << self.shift
    }
}

/// The table, and how often all caches were emptied.
#[derive(Debug)]
pub(crate) struct Directory {
    slots: Box<[AtomicU64]>,
    /// By slot: when its line arrives at who took it last.
    arrivals: Box<[AtomicU64]>,
    generation: AtomicU64,
    fetched_since: AtomicBool,
}

impl Directory {
    pub(crate) fn new() -> Self {
        let words = || (0..1 << SLOT_BITS).map(|_| AtomicU64::new(0)).collect();
        Self {
            slots: words(),
            arrivals: words(),
            generation: AtomicU64::new(1),
            fetched_since: AtomicBool::new(false),
        }
    }

    /// How often caches were emptied: copies and writers of an earlier generation are void.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Empties the caches of all CPUs. Where nothing was fetched since the last time, they are
    /// empty still: generations are numbered in few bits, and a program flushes a page line by
    /// line.
    pub(crate) fn empty_all_caches(&self) {
        if self.fetched_since.swap(false, Ordering::Relaxed) {
            self.generation.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn entry(&self, slot: Slot) -> SlotEntry {
        SlotEntry(self.word(slot).load(Ordering::Relaxed))
    }

    /// The CPU that wrote a line last and is the only one to hold it.
    pub(crate) fn holder(&self, line: u64) -> Option<usize> {
        let entry = self.entry(Slot::from_line(line));
        let alone = entry.is_about(line, self.generation()) && entry.0 & SlotEntry::SHARED == 0;
        (SlotEntry::WRITER.of(entry.0) as usize).checked_sub(1).filter(|_| alone)
    }

    /// A CPU takes a line for itself, to write it.
    pub(crate) fn take(&self, line: u64, cpu: usize) -> SlotEntry {
        self.fetched_since.store(true, Ordering::Relaxed);
        let word = self.word(Slot::from_line(line));
        let writes = SlotEntry::WRITES.of(word.load(Ordering::Relaxed)) + 1;
        let entry = SlotEntry::LINE.with(line)
            | SlotEntry::GENERATION.with(self.generation())
            | SlotEntry::WRITES.with(writes)
            | SlotEntry::WRITER.with(cpu as u64 + 1);
        word.store(entry, Ordering::Relaxed);
        SlotEntry(entry)
    }

    /// A line that a CPU takes is under way to it until a time.
    pub(crate) fn arrives(&self, line: u64, at: u64) {
        self.arrivals[Slot::from_line(line).0 as usize].store(at, Ordering::Relaxed);
    }

    /// When a line that a CPU holds has arrived there: no other CPU gets it before.
    pub(crate) fn arrival(&self, line: u64) -> u64 {
        self.arrivals[Slot::from_line(line).0 as usize].load(Ordering::Relaxed)
    }

    /// A CPU fetches a line to read it: its former owner now shares it.
    pub(crate) fn share(&self, line: u64) -> SlotEntry {
        self.fetched_since.store(true, Ordering::Relaxed);
        let word = self.word(Slot::from_line(line));
        let entry = SlotEntry(word.load(Ordering::Relaxed));
        if !entry.is_about(line, self.generation()) {
            return entry;
        }
        word.store(entry.shared().0, Ordering::Relaxed);
        entry.shared()
    }

    /// The only holder of a line wrote it back and gave it up: from now on it comes from memory, as
    /// one that all may read.
    pub(crate) fn is_written_back(&self, slot: Slot, entry: SlotEntry) {
        // Where the slot's entry differs, another CPU has taken the line meanwhile.
        let _ = self.word(slot).compare_exchange(
            entry.0,
            entry.shared().0,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
    }

    fn word(&self, slot: Slot) -> &AtomicU64 {
        &self.slots[slot.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_line_has_a_holder_until_it_is_read_or_flushed() {
        let directory = Directory::new();
        assert_eq!(directory.holder(7), None);
        directory.take(7, 3);
        assert_eq!(directory.holder(7), Some(3));
        directory.share(7);
        assert_eq!(directory.holder(7), None);
        directory.take(7, 0);
        directory.empty_all_caches();
        assert_eq!(directory.holder(7), None);
    }

    #[test]
    fn a_line_is_not_taken_for_another_that_shares_its_slot() {
        let directory = Directory::new();
        directory.take(7, 3);
        let neighbour =
            (8..1 << 27).find(|&line| Slot::from_line(line) == Slot::from_line(7)).unwrap();
        assert_eq!(directory.holder(neighbour), None);
        directory.share(neighbour);
        assert_eq!(directory.holder(7), Some(3));
        directory.take(neighbour, 1);
        assert_eq!((directory.holder(7), directory.holder(neighbour)), (None, Some(1)));
    }

    #[test]
    fn a_write_always_changes_a_slot() {
        let directory = Directory::new();
        let first = directory.take(7, 3);
        let shared = directory.share(7);
        assert_eq!(shared, first.shared());
        assert_ne!(directory.take(7, 3), first);
        assert_ne!(directory.share(7), shared);
    }
}
