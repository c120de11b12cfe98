//! The distance between a loop's streams.
//!
//! Streams at the same offset within pages, or within larger powers of two, conflict: they use the
//! same sets of caches, the same banks of memory and the same write-combining buffers. Loads also
//! wait for earlier stores to addresses with the same low 12 bits (4 KiB aliasing in Intel's
//! optimization manual). On a Zen 3 a non-temporal copy in four streams moved 5 GB/s at
//! power-of-two distances, 16 GB/s one line further, and 29 to 33 GB/s at distances with four or
//! more lines within a page; one stream moved 28. No other processor was measured.

use crate::probes::arch::LINE;
use crate::streams::loops::{LINES_PER_TURN, STREAMS};

/// A distance is a multiple of the first plus the second, chosen by the stream's length. Four
/// streams begin in four quarters of 64 KiB, of 16 KiB, or at least at different lines of their
/// pages. The lines separate twelve streams (three arrays) within a page. The odd number of base
/// pages puts adjacent streams on different nodes if memory is interleaved over 2 or 4 of them.
const PERIODS_AND_MORE: [(usize, usize); 3] =
    [(16 * PAGE, 5 * PAGE + LINES), (4 * PAGE, PAGE + LINES), (PAGE, LINES)];
const PAGE: usize = 4 << 10;
const LINES: usize = 5 * LINE;
/// Streams of fewer periods would leave too much memory unused.
const MIN_PERIODS: usize = 16;

/// The layout of a loop's streams in its memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StreamSpacing {
    /// Bytes of a stream per turn.
    pub(super) per_turn: usize,
    /// Bytes between the starts of consecutive streams.
    pub(super) far: usize,
    pub(super) turns: u64,
}

impl StreamSpacing {
    /// The layout of `arrays` arrays in `length` bytes. It has no turns if the memory is too small
    /// for one.
    pub(super) fn new(length: usize, arrays: usize) -> Self {
        let per_turn = LINES_PER_TURN / STREAMS / arrays * LINE;
        let stream_bytes = length / (STREAMS * arrays);
        let largest = |(period, more): (usize, usize)| {
            Some(stream_bytes.checked_sub(more)? / period * period + more)
        };
        let usable = PERIODS_AND_MORE
            .into_iter()
            .find(|(period, more)| stream_bytes >= MIN_PERIODS * period + more);
        let far = usable.and_then(largest).unwrap_or(stream_bytes / per_turn * per_turn);
        Self { per_turn, far, turns: (far / per_turn) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Offsets within a page of `streams` streams, in order, and the first once more.
    fn in_a_page(spacing: StreamSpacing, streams: usize) -> Vec<usize> {
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
                let spacing = StreamSpacing::new(mib << 20, arrays);
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
            let far = StreamSpacing::new(128 << 20, arrays).far;
            assert_eq!(far % (16 * PAGE), 5 * PAGE + LINES);
        }
    }

    #[test]
    fn small_memory_is_used_fully() {
        let turn = LINES_PER_TURN * LINE;
        for arrays in 1..=3 {
            assert_eq!(StreamSpacing::new(turn - 1, arrays).turns, 0);
            let few = StreamSpacing::new(37 * turn + 5, arrays);
            assert_eq!((few.turns, few.far), (37, 37 * few.per_turn));
        }
    }

    proptest! {
        #[test]
        fn streams_fit_and_use_most_memory(
            length in 0usize..2 << 30,
            arrays in 1usize..=3,
        ) {
            let StreamSpacing { per_turn, far, turns } = StreamSpacing::new(length, arrays);
            prop_assert!(turns as usize * per_turn <= far && far % LINE == 0);
            prop_assert!(STREAMS * arrays * far <= length);
            let used = STREAMS * arrays * turns as usize * per_turn;
            prop_assert!(used + LINES_PER_TURN * LINE >= length - length / MIN_PERIODS);
        }
    }
}
