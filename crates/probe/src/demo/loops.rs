//! The loops themselves. Each hands its memory to [`black_box`], so that no pass can be left out or merged with the next.

#![allow(unsafe_code)]

use std::hint::black_box;

use fastrand::Rng;

use super::Rates;
use crate::probes::arch::LINE;

/// Best of so many passes, as STREAM has it.
const STREAM_PASSES: usize = 10;
const SCALAR: f64 = 3.0;

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
    let words = halfwords(black_box(&mut *memory));
    let count = words.len();
    for _ in 0..count {
        // The upper half of a product is even enough, and cheaper than a remainder.
        let index = ((u128::from(random.u64(..)) * count as u128) >> 64) as usize;
        words[index] = words[index].wrapping_add(1);
    }
    black_box(&mut *memory);
}

/// STREAM over three arrays that share the memory.
pub(super) fn stream(memory: &mut [u8], mut time: impl FnMut(&mut dyn FnMut()) -> f64) -> Rates {
    let words = words(memory);
    let length = words.len() / 3;
    let (a, rest) = words.split_at_mut(length);
    let (b, rest) = rest.split_at_mut(length);
    let c = &mut rest[..length];
    a.fill(1f64.to_bits());
    b.fill(2f64.to_bits());
    c.fill(0);
    let mut best = [f64::MAX; 4];
    for _ in 0..STREAM_PASSES {
        let seconds = [
            time(&mut || combine(c, a, a, |a, _| a)),
            time(&mut || combine(b, c, c, |c, _| SCALAR * c)),
            time(&mut || combine(c, a, b, |a, b| a + b)),
            // Fifteenfold each time, so that ten passes stay far from infinity, which some processors add more slowly.
            time(&mut || combine(a, b, c, |b, c| b + SCALAR * c)),
        ];
        for (best, seconds) in best.iter_mut().zip(seconds) {
            *best = best.min(seconds);
        }
    }
    let bytes = (length * size_of::<f64>()) as f64;
    Rates::Stream {
        copy: 2.0 * bytes / best[0],
        scale: 2.0 * bytes / best[1],
        add: 3.0 * bytes / best[2],
        triad: 3.0 * bytes / best[3],
    }
}

#[inline(always)]
fn combine(to: &mut [u64], one: &[u64], other: &[u64], how: impl Fn(f64, f64) -> f64) {
    let (one, other) = (black_box(one), black_box(other));
    for ((to, one), other) in black_box(&mut *to).iter_mut().zip(one).zip(other) {
        *to = how(f64::from_bits(*one), f64::from_bits(*other)).to_bits();
    }
    black_box(to);
}

/// The memory as 64-bit words; what does not fill one at either end is left out.
pub(super) fn words(memory: &mut [u8]) -> &mut [u64] {
    // SAFETY: any eight bytes are a word, and the middle part is aligned.
    unsafe { memory.align_to_mut() }.1
}

fn halfwords(memory: &mut [u8]) -> &mut [u32] {
    // SAFETY: any four bytes are a word, and the middle part is aligned.
    unsafe { memory.align_to_mut() }.1
}

/// Words as bytes, for tests that want aligned memory.
#[cfg(test)]
pub(super) fn bytes(words: &mut [u64]) -> &mut [u8] {
    // SAFETY: a word is eight bytes, and bytes need no alignment.
    unsafe { words.align_to_mut() }.1
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
        let mut room = vec![0u64; 300];
        let rates = stream(bytes(&mut room), |pass| {
            pass();
            1.0
        });
        assert_eq!(rates, Rates::Stream { copy: 1600.0, scale: 1600.0, add: 2400.0, triad: 2400.0 });
        assert!(room.iter().all(|word| f64::from_bits(*word).is_finite()));
    }

    #[test]
    fn random_increments_are_as_many_as_there_are_words() {
        let mut memory = vec![0u64; 64];
        increment_at_random(bytes(&mut memory), &mut Rng::with_seed(1));
        let sum: u64 = halfwords(bytes(&mut memory)).iter().map(|&word| u64::from(word)).sum();
        assert_eq!(sum, 128);
    }
}
