//! The loops themselves. Each hands its memory to [`black_box`], so that no pass can be left out or
//! merged with the next.

use std::hint::black_box;

use fastrand::Rng;

use super::Rates;

/// Bytes of a cache line, on almost every processor.
pub(super) const LINE: usize = 64;
/// STREAM takes the best of ten passes.
const STREAM_PASSES: usize = 10;
const SCALAR: f64 = 3.0;
const WORD: usize = size_of::<u64>();
const HALFWORD: usize = size_of::<u32>();

pub(super) fn set(memory: &mut [u8]) {
    black_box(&mut *memory).fill(0xff);
    black_box(&mut *memory);
}

pub(super) fn copy(memory: &mut [u8]) {
    let half = memory.len() / 2;
    let (to, from) = black_box(&mut *memory).split_at_mut(half);
    to.copy_from_slice(&from[..half]);
    black_box(&mut *memory);
}

pub(super) fn forward(memory: &mut [u8]) {
    for byte in black_box(&mut *memory).iter_mut().step_by(LINE) {
        *byte = byte.wrapping_add(1);
    }
    black_box(&mut *memory);
}

pub(super) fn backward(memory: &mut [u8]) {
    for byte in black_box(&mut *memory).iter_mut().rev().step_by(LINE) {
        *byte = byte.wrapping_sub(1);
    }
    black_box(&mut *memory);
}

/// As many increments as there are 32-bit words, each at a word drawn at random.
pub(super) fn increment_at_random(memory: &mut [u8], random: &mut Rng) {
    let memory = black_box(memory);
    let count = memory.len() / HALFWORD;
    for _ in 0..count {
        // The upper half of a product is even enough, and cheaper than a remainder.
        let index = ((u128::from(random.u64(..)) * count as u128) >> 64) as usize;
        if let Some(word) = memory.get_mut(HALFWORD * index..HALFWORD * (index + 1)) {
            let number = u32::from_ne_bytes((&*word).try_into().unwrap_or_default());
            word.copy_from_slice(&number.wrapping_add(1).to_ne_bytes());
        }
    }
    black_box(memory);
}

/// STREAM over three arrays that share the memory.
pub(super) fn stream(memory: &mut [u8], mut time: impl FnMut(&mut dyn FnMut()) -> f64) -> Rates {
    let length = memory.len() / WORD / 3 * WORD;
    let (a, rest) = memory.split_at_mut(length);
    let (b, rest) = rest.split_at_mut(length);
    let c = &mut rest[..length];
    fill(a, 1.0);
    fill(b, 2.0);
    fill(c, 0.0);
    let mut best = [f64::MAX; 4];
    for _ in 0..STREAM_PASSES {
        let seconds = [
            time(&mut || combine(c, a, a, |a, _| a)),
            time(&mut || combine(b, c, c, |c, _| SCALAR * c)),
            time(&mut || combine(c, a, b, |a, b| a + b)),
            // Fifteenfold each time, so that ten passes stay far from infinity, which some
            // processors add more slowly.
            time(&mut || combine(a, b, c, |b, c| b + SCALAR * c)),
        ];
        for (best, seconds) in best.iter_mut().zip(seconds) {
            *best = best.min(seconds);
        }
    }
    let bytes = length as f64;
    Rates::Stream {
        copy: 2.0 * bytes / best[0],
        scale: 2.0 * bytes / best[1],
        add: 3.0 * bytes / best[2],
        triad: 3.0 * bytes / best[3],
    }
}

fn fill(array: &mut [u8], number: f64) {
    array.chunks_exact_mut(WORD).for_each(|word| word.copy_from_slice(&number.to_ne_bytes()));
}

#[inline(always)]
fn combine(to: &mut [u8], one: &[u8], other: &[u8], how: impl Fn(f64, f64) -> f64) {
    let numbers = black_box(one).chunks_exact(WORD).zip(black_box(other).chunks_exact(WORD));
    for (to, (one, other)) in black_box(&mut *to).chunks_exact_mut(WORD).zip(numbers) {
        to.copy_from_slice(&how(number(one), number(other)).to_ne_bytes());
    }
    black_box(to);
}

fn number(word: &[u8]) -> f64 {
    f64::from_ne_bytes(word.try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loops_do_what_they_are_called() {
        let mut memory: Vec<u8> = vec![5; 256];
        forward(&mut memory);
        assert_eq!((memory[0], memory[64], memory[1]), (6, 6, 5));
        backward(&mut memory);
        assert_eq!((memory[255], memory[191], memory[254]), (4, 4, 5));
        copy(&mut memory);
        assert_eq!((memory[127], memory[0], memory[1]), (4, 6, 5));
        set(&mut memory);
        assert!(memory.iter().all(|byte| *byte == 0xff));
    }

    #[test]
    fn stream_keeps_its_values_finite_and_counts_what_each_kernel_moves() {
        let mut memory = vec![0; 2400];
        let rates = stream(&mut memory, |pass| {
            pass();
            1.0
        });
        assert_eq!(
            rates,
            Rates::Stream { copy: 1600.0, scale: 1600.0, add: 2400.0, triad: 2400.0 }
        );
        let [a, b, c] = [0, 800, 1600].map(|at| number(&memory[at..at + WORD]));
        assert!(
            a.is_finite() && b == 3.0 * 15f64.powi(9) && c == 4.0 * 15f64.powi(9),
            "{a} {b} {c}"
        );
        assert_eq!(a, b + SCALAR * c);
    }

    #[test]
    fn random_increments_are_as_many_as_there_are_words() {
        let mut memory = vec![0; 512];
        increment_at_random(&mut memory, &mut Rng::with_seed(1));
        let words = memory.chunks_exact(HALFWORD);
        let sum: u32 = words.map(|word| u32::from_ne_bytes(word.try_into().unwrap())).sum();
        assert_eq!(sum, 128);
    }
}
