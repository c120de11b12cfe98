//! The chase with an increment per line: each line is read for ownership, and written back some time later.

use fastrand::Rng;
use nearfar_place::PlacedBuffer;

use crate::probes::arch::walk_increment;
use crate::probes::chase::Chase;

/// A chase whose walk increments a word of every line it meets.
pub(crate) fn chase_with_increment(memory: PlacedBuffer, buffer: usize, accesses: u64, random: &mut Rng) -> Chase {
    Chase::with_walk(memory, buffer, accesses, random, walk_increment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::slice::Probe;
    use crate::probes::test_memory::memory;

    #[test]
    fn every_access_increments_one_word_and_the_cycle_stays() {
        let mut rmw = chase_with_increment(memory(2 << 20), 2 << 20, 8192, &mut Rng::with_seed(5));
        rmw.slice(0);
        rmw.slice(0);
        let start = rmw.memory().start().cast_const().cast::<u64>();
        // SAFETY: the memory is 2 MiB of words, and nobody writes it meanwhile.
        #[allow(unsafe_code)]
        let words = unsafe { std::slice::from_raw_parts(start, (2 << 20) / 8) };
        assert!(words.chunks_exact(32).all(|slot| slot.iter().filter(|&&word| word == 2).count() == 1));
    }
}
