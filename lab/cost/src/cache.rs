//! Which lines does a CPU hold? A model cache, so that hits are cheap.
//!
//! Each line has two places to choose from, and takes that of the one that was longer unused. A
//! line of a stream takes that of another: what a program needs besides stays while it streams
//! through memory, as in caches that are made to resist scans. Lines are looked up by *virtual*
//! line: a hit must cost next to nothing, and asking the emulator for the physical address
//! costs more than the whole lookup. Buffers that lie a power of two apart do not take each other's
//! places: pieces as large as the cache are shifted against each other. Two address spaces that use
//! the same virtual line take each other's lines for their own; what is measured lies at random
//! addresses, so that this stays rare. A copy is void once its entry in the directory changes.

use crate::directory::{Directory, SPREAD, Slot, SlotEntry};

/// How many lines of streams go by one that a program does not use, before it has to go as well. In
/// the lab's usual cache of 4096 lines that makes three quarters of a mebibyte that are streamed
/// through.
const MAX_MISSES: u8 = 6;

#[derive(Debug)]
pub(crate) struct EmulatedCache {
    sets: Vec<Set>,
}

/// Two places and which of them was used last.
#[derive(Clone, Debug)]
struct Set {
    places: [Copy; 2],
    last_used: usize,
    /// Lines of streams that went by the other line since that was used.
    went_by: u8,
}

/// A line that is held.
#[derive(Clone, Debug)]
struct Copy {
    virtual_line: u64,
    generation: u64,
    slot: Slot,
    entry: SlotEntry,
    /// The home to write it back to, when it was fetched to be written.
    write_back_to: Option<usize>,
    streamed: bool,
}

/// A line that a CPU has to fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fetch {
    pub(crate) virtual_line: u64,
    pub(crate) line: u64,
    pub(crate) home: usize,
    /// The group that the CPU runs in.
    pub(crate) group: usize,
    /// Whether it is fetched to be written.
    pub(crate) store: bool,
    /// Whether it belongs to a stream.
    pub(crate) streamed: bool,
}

impl Copy {
    fn may(&self, store: bool, entry: SlotEntry) -> bool {
        match (self.write_back_to.is_some(), store) {
            (true, true) => entry == self.entry,
            (true, false) => entry == self.entry || entry == self.entry.shared(),
            (false, true) => false,
            (false, false) => entry == self.entry,
        }
    }
}

impl EmulatedCache {
    /// An empty cache of that many lines, rounded up to a power of two, and two at least.
    pub(crate) fn new(lines: usize) -> Self {
        let empty = Copy {
            virtual_line: u64::MAX,
            generation: 0,
            slot: Slot::default(),
            entry: SlotEntry::default(),
            write_back_to: None,
            streamed: false,
        };
        let set = Set { places: [empty.clone(), empty], last_used: 0, went_by: 0 };
        Self { sets: vec![set; lines.div_ceil(2).max(1).next_power_of_two()] }
    }

    /// Whether an access finds its line here and may do with it what it wants.
    pub(crate) fn holds(&mut self, virtual_line: u64, store: bool, directory: &Directory) -> bool {
        let index = self.index(virtual_line);
        let set = &mut self.sets[index];
        let Some(place) = set.place(virtual_line) else { return false };
        set.last_used = place;
        let copy = &set.places[place];
        if !copy.streamed {
            set.went_by = 0;
        }
        copy.generation == directory.generation() && copy.may(store, directory.entry(copy.slot))
    }

    /// Keeps a fetched line with the directory's entry for it. Returns the home of the
    /// line whose place it takes, when that one has to be written back.
    pub(crate) fn keep(
        &mut self,
        fetch: &Fetch,
        entry: SlotEntry,
        directory: &Directory,
    ) -> Option<usize> {
        let &Fetch { virtual_line, line, home, store, streamed, .. } = fetch;
        let index = self.index(virtual_line);
        let (generation, write_back_to) = (directory.generation(), store.then_some(home));
        let copy = Copy {
            virtual_line,
            generation,
            slot: Slot::from_line(line),
            entry,
            write_back_to,
            streamed,
        };
        let set = &mut self.sets[index];
        let place = set.place(virtual_line).unwrap_or_else(|| set.place_for(streamed));
        set.last_used = place;
        let before = std::mem::replace(&mut set.places[place], copy);
        let is_good =
            before.generation == generation && directory.entry(before.slot) == before.entry;
        let written_back = before.write_back_to.filter(|_| is_good);
        if written_back.is_some() {
            directory.is_written_back(before.slot, before.entry);
        }
        written_back
    }

    fn index(&self, virtual_line: u64) -> usize {
        let sets = self.sets.len();
        let piece = virtual_line / sets as u64;
        (virtual_line ^ piece.wrapping_mul(SPREAD) >> 32) as usize & (sets - 1)
    }
}

impl Set {
    fn place(&self, virtual_line: u64) -> Option<usize> {
        self.places.iter().position(|copy| copy.virtual_line == virtual_line)
    }

    /// Whose place a line takes.
    fn place_for(&mut self, streamed: bool) -> usize {
        let streams = match self.places.each_ref().map(|copy| copy.streamed) {
            [true, false] => Some(0),
            [false, true] => Some(1),
            _ => None,
        };
        self.went_by += u8::from(streamed);
        match streams.filter(|_| streamed && self.went_by <= MAX_MISSES) {
            Some(place) => place,
            None => {
                self.went_by = 0;
                1 - self.last_used
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: bool = false;
    const STORE: bool = true;

    fn fetch(
        cache: &mut EmulatedCache,
        directory: &Directory,
        line: u64,
        cpu: usize,
        store: bool,
    ) -> Option<usize> {
        let entry = if store { directory.take(line, cpu) } else { directory.share(line) };
        cache.keep(
            &Fetch { virtual_line: line, line, home: 7, group: 0, store, streamed: false },
            entry,
            directory,
        )
    }

    /// Lines that take line 5's place, once both were fetched.
    fn rivals(cache: &EmulatedCache) -> [u64; 2] {
        let mut rivals = (16..128).filter(|&line| cache.index(line) == cache.index(5));
        [rivals.next().unwrap(), rivals.next().unwrap()]
    }

    #[test]
    fn what_was_fetched_is_held_until_another_line_takes_its_place() {
        let (directory, mut cache) = (Directory::new(), EmulatedCache::new(16));
        assert!(!cache.holds(5, LOAD, &directory));
        fetch(&mut cache, &directory, 5, 0, LOAD);
        assert!(cache.holds(5, LOAD, &directory));
        let [one, other] = rivals(&cache);
        fetch(&mut cache, &directory, one, 0, LOAD);
        assert!(cache.holds(5, LOAD, &directory));
        fetch(&mut cache, &directory, other, 0, LOAD);
        assert!(cache.holds(5, LOAD, &directory), "it was used since the first");
        fetch(&mut cache, &directory, one, 0, LOAD);
        fetch(&mut cache, &directory, other, 0, LOAD);
        assert!(!cache.holds(5, LOAD, &directory));
    }

    #[test]
    fn a_store_needs_the_line_for_itself() {
        let (directory, mut cache) = (Directory::new(), EmulatedCache::new(16));
        fetch(&mut cache, &directory, 5, 0, LOAD);
        assert!(!cache.holds(5, STORE, &directory));
        fetch(&mut cache, &directory, 5, 0, STORE);
        assert!(cache.holds(5, STORE, &directory));
    }

    #[test]
    fn a_reader_elsewhere_leaves_the_writer_a_copy_to_read_and_a_writer_leaves_none() {
        let (directory, mut mine, mut other) =
            (Directory::new(), EmulatedCache::new(16), EmulatedCache::new(16));
        fetch(&mut mine, &directory, 5, 0, STORE);
        fetch(&mut other, &directory, 5, 1, LOAD);
        assert!(mine.holds(5, LOAD, &directory) && !mine.holds(5, STORE, &directory));
        fetch(&mut mine, &directory, 5, 0, STORE);
        assert!(!other.holds(5, LOAD, &directory));
        fetch(&mut other, &directory, 5, 1, STORE);
        assert!(!mine.holds(5, LOAD, &directory));
    }

    #[test]
    fn only_a_line_that_was_written_is_written_back() {
        let (directory, mut cache) = (Directory::new(), EmulatedCache::new(16));
        let [one, other] = rivals(&cache);
        assert_eq!(fetch(&mut cache, &directory, 5, 0, STORE), None);
        assert_eq!(fetch(&mut cache, &directory, one, 0, LOAD), None);
        assert_eq!(fetch(&mut cache, &directory, other, 0, LOAD), Some(7));
        assert_eq!(fetch(&mut cache, &directory, 5, 0, STORE), None);
        directory.take(5, 1);
        assert_eq!(
            [one, other].map(|line| fetch(&mut cache, &directory, line, 0, LOAD)),
            [None; 2]
        );
    }

    #[test]
    fn a_cache_holds_as_many_neighbouring_lines_as_it_has_places() {
        let (directory, mut cache) = (Directory::new(), EmulatedCache::new(16));
        for first in [0, 16, 16 * 1000] {
            (first..first + 16).for_each(|line| _ = fetch(&mut cache, &directory, line, 0, LOAD));
            assert!((first..first + 16).all(|line| cache.holds(line, LOAD, &directory)), "{first}");
        }
    }

    #[test]
    fn streams_go_by_what_a_program_uses_besides_and_in_the_end_take_what_it_does_not() {
        let (directory, mut cache) = (Directory::new(), EmulatedCache::new(16));
        let stream = |cache: &mut EmulatedCache, line: u64| {
            let entry = directory.share(line);
            let fetch =
                Fetch { virtual_line: line, line, home: 7, group: 0, store: LOAD, streamed: true };
            cache.keep(&fetch, entry, &directory);
        };
        fetch(&mut cache, &directory, 5, 0, LOAD);
        for line in 1000..2000 {
            stream(&mut cache, line);
            assert!(line % 32 > 0 || cache.holds(5, LOAD, &directory), "{line}");
        }
        assert!(cache.holds(1999, LOAD, &directory) && !cache.holds(1980, LOAD, &directory));
        (2000..2100).for_each(|line| stream(&mut cache, line));
        assert!(!cache.holds(5, LOAD, &directory));
    }

    #[test]
    fn buffers_that_lie_a_power_of_two_apart_share_a_cache() {
        let (directory, mut cache) = (Directory::new(), EmulatedCache::new(4096));
        let other = 1 << 15;
        let both = |line: u64| [line, other + line];
        (0..4096).flat_map(both).for_each(|line| _ = fetch(&mut cache, &directory, line, 0, LOAD));
        let newest =
            (2048..4096).flat_map(both).filter(|&line| cache.holds(line, LOAD, &directory)).count();
        assert_eq!(newest, 4096);
    }

    #[test]
    fn emptied_caches_hold_nothing() {
        let (directory, mut cache) = (Directory::new(), EmulatedCache::new(16));
        fetch(&mut cache, &directory, 5, 0, STORE);
        directory.empty_all_caches();
        assert!(!cache.holds(5, LOAD, &directory));
    }
}
