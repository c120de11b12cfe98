//! The timed loops, one file per probe, and what they share: cycles through memory, timed slices,
//! and each architecture's assembly.

pub(crate) mod arch;
pub(crate) mod chase;
pub(crate) mod page_probe;
pub(crate) mod slice;
pub(crate) mod store_sweep;

use fastrand::Rng;

use crate::spec::{ProbeKind, ProbeSpec};
use arch::LINE;

impl ProbeSpec {
    /// Slices of a sample: each is guarded, and dropped and retried, by itself.
    pub fn slices(&self) -> u64 {
        let division = match self.kind {
            ProbeKind::Page => page_probe::division(self.size.0, self.accesses),
            ProbeKind::Chase | ProbeKind::Rmw => chase::division(self.accesses),
            ProbeKind::StoreSweep | ProbeKind::CoreWalk => store_sweep::division(self.accesses),
        };
        division.slices
    }
}

/// Bytes of a slot.
pub(crate) const STRIDE: usize = 256;

const WORDS_PER_LINE: usize = LINE / size_of::<u64>();
const WORDS_PER_SLOT: usize = STRIDE / size_of::<u64>();

/// The successor of each slot.
fn sattolo(slots: u32, random: &mut Rng) -> Vec<u32> {
    let mut next: Vec<u32> = (0..slots).collect();
    for last in (1..next.len()).rev() {
        let earlier = random.usize(0..last);
        next.swap(last, earlier);
    }
    next
}

/// The word of each slot that holds its pointer: the first of a line. Walks begin at the start of
/// the memory, so the first slot uses its first line.
fn meeting_points(slots: usize, random: &mut Rng) -> Vec<usize> {
    let mut points: Vec<usize> = (0..slots)
        .map(|slot| slot * WORDS_PER_SLOT + random.usize(0..STRIDE / LINE) * WORDS_PER_LINE)
        .collect();
    if let Some(first) = points.first_mut() {
        *first = 0;
    }
    points
}

/// Writes a random cycle through this memory: one word of each slot holds the address of the next
/// slot's. It begins with the first word. Memory beyond the last whole slot, and beyond 2^32 slots
/// (1 TiB), is not used.
pub(crate) fn link(memory: &mut [u64], random: &mut Rng) {
    let base = memory.as_ptr() as u64;
    let slots = u32::try_from(memory.len() / WORDS_PER_SLOT).unwrap_or(u32::MAX);
    let order = sattolo(slots, random);
    let points = meeting_points(order.len(), random);
    for (&point, &next) in points.iter().zip(&order) {
        memory[point] = base + (points[next as usize] * size_of::<u64>()) as u64;
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::probes::arch::LINE;
    use crate::spec::PageSize;

    #[test]
    fn samples_have_the_slices_that_probes_make() {
        assert_eq!(ProbeSpec::page().slices(), 1);
        assert_eq!(ProbeSpec::chase(PageSize::Huge).slices(), 8);
        assert_eq!(ProbeSpec::store_sweep().slices(), 256);
        // No accesses are still one slice, as in `Division`.
        assert_eq!(ProbeSpec { accesses: 0, ..ProbeSpec::rmw() }.slices(), 1);
    }

    proptest! {
        #[test]
        fn the_cycle_visits_every_slot_once(
            slots in 1usize..3000,
            seed: u64,
            rest in 0usize..WORDS_PER_SLOT,
        ) {
            let mut memory = vec![0u64; slots * WORDS_PER_SLOT + rest];
            link(&mut memory, &mut Rng::with_seed(seed));
            let base = memory.as_ptr() as u64;
            let mut met = vec![false; slots];
            let mut at = 0;
            for _ in 0..slots {
                let slot = at / STRIDE;
                prop_assert!(!std::mem::replace(&mut met[slot], true), "slot {slot} twice");
                at = (memory[at / size_of::<u64>()] - base) as usize;
                prop_assert_eq!(at % LINE, 0);
            }
            prop_assert_eq!(at, 0);
        }
    }

    #[test]
    fn cycles_use_any_line_of_a_slot() {
        let points = meeting_points(4000, &mut Rng::with_seed(1));
        for line in 0..STRIDE / LINE {
            let there = points
                .iter()
                .filter(|&&point| point % WORDS_PER_SLOT == line * WORDS_PER_LINE)
                .count();
            assert!((850..1150).contains(&there), "line {line}: {there} of 4000");
        }
    }

    #[test]
    fn cycles_depend_on_the_seed() {
        let order = |seed| sattolo(1000, &mut Rng::with_seed(seed));
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
    }
}
