//! Random cycles for all sizes from one random sequence: each size's cycle is the next smaller
//! one's with lines inserted.
//!
//! Sattolo's shuffle in reverse: a new line is inserted after a random earlier one. Every cycle is
//! equally likely, and an insertion costs one access. So the cycles of all sizes together cost as
//! much as the largest alone.
//!
//! A cycle consists of eight *arcs* of equal length. Of each eight consecutive lines one belongs to
//! each arc, in a random rotation. Eight walkers, one per arc, traverse it in an eighth of the
//! steps. Caches are warmed this way.

use fastrand::Rng;

/// Arcs of a cycle.
pub(super) const ARCS: usize = 8;

/// A cycle that grows.
pub(super) struct ChaseOrder {
    /// The successor of each line.
    next: Vec<u32>,
    /// The rotation of each eight lines against the arcs.
    turns: Vec<u8>,
    random: Rng,
}

impl ChaseOrder {
    /// The cycle of the first eight lines.
    pub(super) fn new(random: Rng) -> Self {
        Self {
            next: (0..ARCS as u32).map(|line| (line + 1) % ARCS as u32).collect(),
            turns: vec![0],
            random,
        }
    }

    /// The cycle through `lines` lines, a multiple of eight: the successor of each. Lines `0..8`
    /// are the first ones of the arcs.
    pub(super) fn of(&mut self, lines: usize) -> &[u32] {
        self.next.reserve(lines.saturating_sub(self.next.len()));
        while self.next.len() < lines {
            self.grow();
        }
        &self.next
    }

    /// Inserts eight more lines.
    fn grow(&mut self) {
        let group = self.turns.len();
        let turn = self.random.u8(0..ARCS as u8);
        self.next.resize((group + 1) * ARCS, 0);
        for arc in 0..ARCS {
            let line = member(group, arc, turn);
            let earlier = self.random.usize(0..group);
            let before = member(earlier, arc, self.turns[earlier]);
            self.next[line] = self.next[before];
            self.next[before] = line as u32;
        }
        self.turns.push(turn);
    }
}

/// The line of an arc among these eight.
fn member(group: usize, arc: usize, turn: u8) -> usize {
    group * ARCS + (arc + usize::from(turn)) % ARCS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    proptest! {
        #[test]
        fn a_cycle_visits_every_line_in_eight_equal_arcs(groups in 1usize..200, seed: u64) {
            let mut order = ChaseOrder::new(Rng::with_seed(seed));
            // Earlier, smaller sizes have no effect.
            order.of(groups / 2 * ARCS);
            let lines = groups * ARCS;
            let next = order.of(lines);
            let (mut at, mut met) = (0usize, vec![false; lines]);
            for step in 0..lines {
                prop_assert!(!std::mem::replace(&mut met[at], true));
                prop_assert_eq!(at < ARCS, step % groups == 0, "line {} at step {}", at, step);
                at = next[at] as usize;
            }
            prop_assert_eq!(at, 0);
        }
    }

    #[test]
    fn arcs_use_all_positions_evenly() {
        let mut order = ChaseOrder::new(Rng::with_seed(7));
        let next = order.of(8 * 4000).to_vec();
        let mut places = [0; ARCS];
        let mut at = 3;
        for _ in 0..4000 {
            places[at % ARCS] += 1;
            at = next[at] as usize;
        }
        assert!(places.iter().all(|times| (400..600).contains(times)), "{places:?}");
    }

    #[test]
    fn steps_are_far_and_seeds_differ() {
        let cycle = |seed| ChaseOrder::new(Rng::with_seed(seed)).of(8000).to_vec();
        assert_eq!(cycle(1), cycle(1));
        assert_ne!(cycle(1), cycle(2));
        let near = cycle(1)
            .iter()
            .enumerate()
            .filter(|&(line, &next)| next.abs_diff(line as u32) <= 2)
            .count();
        assert!(near < 200, "{near} of 8000 steps go to a neighbour");
    }
}
