//! How far apart a loop's streams are.
//!
//! Streams that advance together at the same place of their pages, or of larger powers of two, get
//! in each other's way: they want the same sets of caches, the same banks of memory, the same
//! buffers for stores past the caches, and loads are held up by earlier stores to addresses with
//! the same low 12 bits (Intel's optimization manual calls it 4 KiB aliasing). On a Zen 3 a
//! non-temporal copy in four streams moved 5 GB/s where they lay a power of two apart, 16 GB/s a
//! line further, and 29 to 33 GB/s at distances that leave four lines or more within a page; one
//! stream 28. No other processor was measured.

use crate::probes::arch::LINE;
use crate::streams::loops::{LINES_PER_TURN, STREAMS};

/// A distance is a multiple of the first and the second more, by how much room there is: four
/// streams begin in four quarters of 64 KiB, of 16 KiB, or at least at other lines of their pages.
/// The lines tell twelve streams (three arrays) apart within a page, and the odd number of
/// base pages puts streams side by side on different nodes where memory is spread over 2 or 4 of
/// them in turn.
const PERIODS_AND_MORE: [(usize, usize); 3] =
    [(16 * PAGE, 5 * PAGE + LINES), (4 * PAGE, PAGE + LINES), (PAGE, LINES)];
const PAGE: usize = 4 << 10;
const LINES: usize = 5 * LINE;
/// Streams of fewer periods would have too much left out.
const FEWEST_PERIODS: usize = 16;

/// How a loop's streams lie in its memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spacing {
    /// Bytes of a stream that a turn takes.
    pub(super) per_turn: usize,
    /// Bytes from the beginning of one stream to that of the next.
    pub(super) far: usize,
    /// Turns that a stream is long.
    pub(super) turns: u64,
}

impl Spacing {
    /// That of so many arrays in so many bytes. It has no turns where there is no room for one.
    pub(super) fn of(length: usize, arrays: usize) -> Self {
        let per_turn = LINES_PER_TURN / STREAMS / arrays * LINE;
        let room = length / (STREAMS * arrays);
        let largest =
            |(period, more): (usize, usize)| Some(room.checked_sub(more)? / period * period + more);
        let roomy = PERIODS_AND_MORE
            .into_iter()
            .find(|(period, more)| room >= FEWEST_PERIODS * period + more);
        let far = roomy.and_then(largest).unwrap_or(room / per_turn * per_turn);
        Self { per_turn, far, turns: (far / per_turn) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Places within a page of so many streams, in order, and the first once more.
    fn in_a_page(spacing: Spacing, streams: usize) -> Vec<usize> {
        let mut places: Vec<usize> =
            (0..streams).map(|stream| stream * spacing.far % PAGE).collect();
        places.sort_unstable();
        places.push(places[0] + PAGE);
        places
    }

    #[test]
    fn streams_keep_their_distance_within_pages() {
        for mib in (1..=16).chain([128, 1040]) {
            for arrays in 1..=3 {
                let spacing = Spacing::of(mib << 20, arrays);
                let places = in_a_page(spacing, STREAMS * arrays);
                assert!(
                    places.windows(2).all(|two| two[1] - two[0] >= LINES),
                    "{mib} MiB: {spacing:?} {places:?}"
                );
            }
        }
    }

    #[test]
    fn streams_are_an_odd_number_of_pages_apart() {
        for arrays in 1..=3 {
            let far = Spacing::of(128 << 20, arrays).far;
            assert_eq!(far % (16 * PAGE), 5 * PAGE + LINES);
        }
    }

    #[test]
    fn small_memory_is_used_fully() {
        let turn = LINES_PER_TURN * LINE;
        for arrays in 1..=3 {
            assert_eq!(Spacing::of(turn - 1, arrays).turns, 0);
            let few = Spacing::of(37 * turn + 5, arrays);
            assert_eq!((few.turns, few.far), (37, 37 * few.per_turn));
        }
    }

    proptest! {
        #[test]
        fn streams_fit_and_use_most_memory(length in 0usize..2 << 30, arrays in 1usize..=3) {
            let Spacing { per_turn, far, turns } = Spacing::of(length, arrays);
            prop_assert!(turns as usize * per_turn <= far && far % LINE == 0);
            prop_assert!(STREAMS * arrays * far <= length);
            let used = STREAMS * arrays * turns as usize * per_turn;
            prop_assert!(used + LINES_PER_TURN * LINE >= length - length / FEWEST_PERIODS);
        }
    }
}
