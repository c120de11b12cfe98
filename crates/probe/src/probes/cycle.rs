//! One random round trip through memory: a cycle that meets every slot once, in an order that no prefetcher guesses.
//!
//! Sattolo's algorithm (Information Processing Letters 22, 1986) shuffles so that the permutation is a single cycle, with
//! every such cycle equally likely. Slots are 256 bytes apart: at 64 the adjacent-line prefetcher halves every second miss.

use fastrand::Rng;

/// Bytes between two slots.
pub(crate) const STRIDE: usize = 256;

const WORDS_PER_SLOT: usize = STRIDE / size_of::<u64>();

/// For each of so many slots, the next one of the round trip.
fn sattolo(slots: u32, random: &mut Rng) -> Vec<u32> {
    let mut next: Vec<u32> = (0..slots).collect();
    for last in (1..next.len()).rev() {
        let earlier = random.usize(0..last);
        next.swap(last, earlier);
    }
    next
}

/// Writes a random cycle through this memory: the first word of each slot holds the address of the next slot.
/// Memory beyond the last whole slot, and beyond 2^32 slots (1 TiB), is left out.
pub(crate) fn link(memory: &mut [u64], random: &mut Rng) {
    let base = memory.as_ptr() as u64;
    let slots = u32::try_from(memory.len() / WORDS_PER_SLOT).unwrap_or(u32::MAX);
    let order = sattolo(slots, random);
    for (slot, &next) in memory.chunks_exact_mut(WORDS_PER_SLOT).zip(&order) {
        slot[0] = base + u64::from(next) * STRIDE as u64;
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{STRIDE, WORDS_PER_SLOT, link, sattolo};

    proptest! {
        #[test]
        fn the_cycle_meets_every_slot_once(slots in 1usize..3000, seed: u64, rest in 0usize..WORDS_PER_SLOT) {
            let mut memory = vec![0u64; slots * WORDS_PER_SLOT + rest];
            link(&mut memory, &mut Rng::with_seed(seed));
            let base = memory.as_ptr() as u64;
            let mut met = vec![false; slots];
            let mut at = 0;
            for _ in 0..slots {
                prop_assert!(!std::mem::replace(&mut met[at], true), "slot {} twice", at);
                let offset = (memory[at * WORDS_PER_SLOT] - base) as usize;
                prop_assert_eq!(offset % STRIDE, 0);
                at = offset / STRIDE;
            }
            prop_assert_eq!(at, 0);
        }
    }

    #[test]
    fn another_seed_gives_another_cycle_and_the_same_seed_the_same() {
        let order = |seed| sattolo(1000, &mut Rng::with_seed(seed));
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
    }
}
