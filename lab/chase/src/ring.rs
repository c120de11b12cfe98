//! Lines of memory that lead to each other, all of them in one ring and none beside the one before
//! it.

/// 4 MiB of lines: sixteen times what a CPU of the lab caches.
const LINES: usize = 1 << 16;
/// A linear congruential generator of full period (Knuth, *The Art of Computer Programming* 2,
/// 3.2.1.2: an odd increment, a factor one above a multiple of four). All its steps are half of
/// this, and whole ones besides: no stream.
const FARTHER: usize = 1 << 10;
pub(crate) const FACTOR: usize = 25 * FARTHER + 1;
pub(crate) const INCREMENT: usize = 14 * FARTHER + FARTHER / 2 + 1;

#[repr(align(64))]
struct Line {
    next: usize,
}

/// The lines, in memory that the thread that filled them touched first.
pub(crate) struct Ring(Vec<Line>);

impl Ring {
    /// Writes each line once, in the order of addresses.
    pub(crate) fn filled() -> Self {
        Self((0..LINES).map(|line| Line { next: (line * FACTOR + INCREMENT) % LINES }).collect())
    }

    /// Steps that lead round it.
    pub(crate) fn lines(&self) -> u64 {
        self.0.len() as u64
    }

    /// The line that one is at after a number of steps.
    pub(crate) fn walk(&self, steps: u64) -> usize {
        self.walk_from(0, steps)
    }

    /// The same, from a line on.
    pub(crate) fn walk_from(&self, line: usize, steps: u64) -> usize {
        (0..steps).fold(line, |line, _| self.0[line].next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_passes_every_line_once_and_never_goes_on_to_a_neighbour() {
        let ring = Ring::filled();
        let mut passed = vec![false; LINES];
        let mut line = 0;
        for _ in 0..LINES {
            assert!(!std::mem::replace(&mut passed[line], true), "line {line} twice");
            let next = ring.0[line].next;
            assert!(next.abs_diff(line) > FARTHER / 4, "{line} leads to {next}");
            line = next;
        }
        assert_eq!((line, ring.walk(ring.lines())), (0, 0));
    }
}
