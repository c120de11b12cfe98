//! The offsets of accesses.

use fastrand::Rng;
use nearfar_model::Bytes;

use super::setup::AccessPattern;

/// Offsets in a target, each a multiple of the access size.
pub(super) struct Offsets {
    pattern: AccessPattern,
    size: u64,
    blocks: u64,
    next: u64,
    random: Rng,
}

impl Offsets {
    /// Begins anywhere. The target holds at least one access.
    pub(super) fn new(pattern: AccessPattern, size: Bytes, bytes: Bytes, mut random: Rng) -> Self {
        let blocks = (bytes.0 / size.0.max(1)).max(1);
        let next = random.u64(..blocks);
        Self { pattern, size: size.0, blocks, next, random }
    }

    /// The next offset. After the last block of a target comes the first.
    pub(super) fn draw(&mut self) -> u64 {
        let block = self.next;
        self.next = match self.pattern {
            AccessPattern::Random => self.random.u64(..self.blocks),
            AccessPattern::Sequential => (block + 1) % self.blocks,
        };
        block * self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_whole_blocks_within_the_target() {
        let bytes = Bytes(10 * 4096 + 100);
        for pattern in [AccessPattern::Random, AccessPattern::Sequential] {
            let mut offsets = Offsets::new(pattern, Bytes(4096), bytes, Rng::with_seed(1));
            let drawn: Vec<u64> = (0..200).map(|_| offsets.draw()).collect();
            assert!(drawn.iter().all(|offset| offset % 4096 == 0 && offset + 4096 <= bytes.0));
            let mut distinct = drawn.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), 10, "{pattern:?}");
            assert_eq!(
                drawn.windows(2).all(|pair| pair[1] == (pair[0] + 4096) % (10 * 4096)),
                pattern == AccessPattern::Sequential
            );
        }
    }
}
