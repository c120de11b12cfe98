//! A pointer chase through memory that visits every line once, in an order that no prefetcher
//! predicts, each load waiting for the one before.

use std::hint::black_box;

use fastrand::Rng;

use super::loops::LINE;

const WORD: usize = size_of::<u64>();

/// Memory whose lines each begin with the offset of the next one.
pub(super) struct PointerChain<'a> {
    memory: &'a [u8],
    lines: usize,
}

impl<'a> PointerChain<'a> {
    /// Writes the offsets, after Sattolo (Information Processing Letters 22, 1986): one cycle, with
    /// every such cycle equally likely. Lines beyond 2^32 (256 GiB) are left out.
    pub(super) fn link(memory: &'a mut [u8], random: &mut Rng) -> Self {
        let mut next: Vec<u32> =
            (0..u32::try_from(memory.len() / LINE).unwrap_or(u32::MAX)).collect();
        for last in (1..next.len()).rev() {
            next.swap(last, random.usize(0..last));
        }
        for (line, next) in memory.chunks_exact_mut(LINE).zip(&next) {
            line[..WORD].copy_from_slice(&(u64::from(*next) * LINE as u64).to_ne_bytes());
        }
        Self { memory, lines: next.len() }
    }

    /// The bytes that are loaded on one trip.
    pub(super) fn bytes(&self) -> u64 {
        (self.lines * WORD) as u64
    }

    /// Chases all lines once, and returns the last offset.
    pub(super) fn go_round(&self) -> usize {
        let memory = black_box(self.memory);
        let mut at = 0;
        for _ in 0..self.lines {
            let word = memory.get(at..at + WORD).and_then(|word| word.try_into().ok());
            at = word.map_or(0, u64::from_ne_bytes) as usize;
        }
        black_box(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chase_visits_every_line_once() {
        for lines in [2, 3, 100, 4096] {
            let mut memory = vec![0; lines * LINE + 7];
            let chase = PointerChain::link(&mut memory, &mut Rng::with_seed(lines as u64));
            assert_eq!((chase.bytes(), chase.go_round()), (lines as u64 * 8, 0));
            let mut met = vec![false; lines];
            let mut at = 0;
            while !std::mem::replace(&mut met[at / LINE], true) {
                at = u64::from_ne_bytes(memory[at..at + WORD].try_into().unwrap()) as usize;
            }
            assert!(at == 0 && met.iter().all(|met| *met), "{lines} lines");
        }
    }
}
