//! The chase: dependent loads along one random cycle through a large buffer, the method of most
//! published figures.
//!
//! Nothing is flushed: the buffer should be larger than every cache, and a smaller one shows in the
//! figure. The difference between huge and base pages is the TLB's share. A sample continues at the
//! last position.
//!
//! With an increment per line (rmw) each line is read for ownership, and written back later.

#![allow(unsafe_code)]

use std::ops::Range;
use std::time::Duration;

use fastrand::Rng;
use nearfar_place::PlacedBuffer;

use crate::probes::arch::LOADS_PER_TURN;
use crate::probes::link;
use crate::probes::slice::{Division, Probe, Timing, size_within, time_segments};

/// Loads of one slice: about a millisecond, short enough for a busy machine.
const MAX_PER_SLICE: u64 = 1 << 13;

/// The division of a sample with this many accesses.
pub(super) fn division(accesses: u64) -> Division {
    Division::new(accesses, MAX_PER_SLICE, LOADS_PER_TURN)
}

/// A walk of `arch`: start, turns, end.
pub(crate) type WalkFn = unsafe fn(*const u8, u64) -> *const u8;

pub(crate) struct Chase {
    memory: PlacedBuffer,
    buffer: usize,
    division: Division,
    walk: WalkFn,
    /// The position of the next sample in each buffer, as an offset.
    at: Vec<usize>,
}

impl Chase {
    /// Draws a cycle through each buffer of `buffer` bytes, to be walked by
    /// [`walk`](super::arch::walk) or [`walk_increment`](super::arch::walk_increment).
    pub(crate) fn new(
        mut memory: PlacedBuffer,
        buffer: usize,
        accesses: u64,
        random: &mut Rng,
        walk: WalkFn,
    ) -> Self {
        let buffer = size_within(&memory, buffer);
        for words in memory.words_mut().chunks_exact_mut(buffer / size_of::<u64>()) {
            link(words, random);
        }
        let at = (0..memory.length() / buffer).map(|index| index * buffer).collect();
        Self { memory, buffer, division: division(accesses), walk, at }
    }
}

impl Probe for Chase {
    fn division(&self) -> Division {
        self.division
    }

    fn slice(&mut self, page: u32) -> Timing {
        let index = page as usize % self.at.len();
        let base = self.memory.start().cast_const();
        let mut at = base.wrapping_add(self.at[index]);
        let turns = self.division.per_segment / LOADS_PER_TURN;
        // SAFETY: the walk begins at a slot of this buffer's cycle, and `link` made every slot of
        // the cycle point at another. This probe owns the slots, and a walk that writes keeps the
        // pointers.
        let segments = time_segments(|| at = unsafe { (self.walk)(at, turns) });
        self.at[index] = at as usize - base as usize;
        Timing { segments, loop_cost: Duration::ZERO }
    }

    fn memory(&self) -> &PlacedBuffer {
        &self.memory
    }

    fn extent(&self, page: u32) -> Range<usize> {
        let start = page as usize % self.at.len() * self.buffer;
        start..start + self.buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::arch::{walk, walk_increment};
    use crate::tests::memory;

    #[test]
    fn an_oversized_buffer_is_clamped() {
        let mut chase = Chase::new(memory(2 << 20), 256 << 20, 1024, &mut Rng::with_seed(3), walk);
        assert_eq!(chase.extent(7), 0..2 << 20);
        chase.slice(7);
    }

    #[test]
    fn a_sample_continues_at_the_last_position() {
        let mut chase = Chase::new(memory(4 << 20), 2 << 20, 1024, &mut Rng::with_seed(3), walk);
        let begin = chase.at.clone();
        chase.slice(1);
        assert_eq!(chase.at[0], begin[0]);
        assert_ne!(chase.at[1], begin[1]);
        assert!(chase.extent(1).contains(&chase.at[1]));
        // 8 samples of 1024 loads visit all 8192 slots once.
        (0..7).for_each(|_| drop(chase.slice(1)));
        assert_eq!(chase.at, begin);
    }

    #[test]
    fn rmw_increments_one_word_per_access() {
        let mut rmw =
            Chase::new(memory(2 << 20), 2 << 20, 8192, &mut Rng::with_seed(5), walk_increment);
        rmw.slice(0);
        rmw.slice(0);
        let words = rmw.memory.words_mut();
        assert!(
            words.chunks_exact(32).all(|slot| slot.iter().filter(|&&word| word == 2).count() == 1)
        );
    }
}
