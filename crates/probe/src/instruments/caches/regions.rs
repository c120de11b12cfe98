//! The position of each size's cycle in one buffer that holds all of them.
//!
//! A line has eight words and a cycle uses one of them, so eight sizes can share lines. The ninth
//! lies after the first of the eight.

use nearfar_model::Bytes;

use crate::probes::arch::LINE;

/// Words per line, and so cycles per line.
const WORDS: usize = LINE / size_of::<u64>();
/// Regions begin at a page.
const ALIGNED: u64 = 4096;

/// The position of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SizeRegion {
    /// The offset of its first line in bytes.
    pub(super) start: usize,
    /// The number of lines.
    pub(super) lines: usize,
    /// The word of each line that its cycle uses.
    pub(super) word: usize,
}

impl SizeRegion {
    pub(super) fn length(self) -> usize {
        self.lines * LINE
    }
}

/// A region for each of these sizes.
pub(super) fn regions(sizes: &[Bytes]) -> Vec<SizeRegion> {
    let mut regions: Vec<SizeRegion> = Vec::with_capacity(sizes.len());
    // In reverse: each begins where the next larger size with the same word ends.
    for (back, (place, bytes)) in sizes.iter().enumerate().rev().enumerate() {
        let above = back.checked_sub(WORDS).map(|above| regions[above]);
        let end = above.map_or(0, |above| above.start + above.length());
        let start = end.next_multiple_of(ALIGNED as usize);
        regions.push(SizeRegion { start, lines: bytes.0 as usize / LINE, word: place % WORDS });
    }
    regions.reverse();
    regions
}

/// The memory in bytes for these sizes, ascending, on one page size: up to a third more than the
/// largest.
pub fn footprint(sizes: &[Bytes]) -> Bytes {
    let mut ends = vec![0u64; WORDS];
    for (place, bytes) in sizes.iter().enumerate().rev() {
        let end = &mut ends[place % WORDS];
        *end = end.checked_next_multiple_of(ALIGNED).unwrap_or(u64::MAX).saturating_add(bytes.0);
    }
    Bytes(ends.into_iter().max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caches::sizes;

    #[test]
    fn no_two_cycles_share_a_word() {
        for per_octave in [1, 2, 4, 8] {
            let sizes = sizes(Bytes::mib(1), per_octave);
            let regions = regions(&sizes);
            let mut taken = vec![false; footprint(&sizes).0 as usize / size_of::<u64>()];
            for (region, bytes) in regions.iter().zip(&sizes) {
                assert_eq!((region.length() as u64, region.start % 4096), (bytes.0, 0));
                for line in 0..region.lines {
                    let word = &mut taken[(region.start / LINE + line) * WORDS + region.word];
                    assert!(!std::mem::replace(word, true), "{per_octave} {region:?} {line}");
                }
            }
        }
    }

    #[test]
    fn all_sizes_take_little_more_than_the_largest() {
        let share = |per_octave| {
            footprint(&sizes(Bytes::gib(1), per_octave)).0 as f64 / Bytes::gib(1).0 as f64
        };
        assert!(share(4) < 1.34 && share(2) < 1.07, "{} {}", share(4), share(2));
        assert_eq!(footprint(&[]), Bytes(0));
        assert_eq!(footprint(&sizes(Bytes(u64::MAX), 4)), Bytes(u64::MAX));
    }
}
