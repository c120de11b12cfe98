//! A loop that goes round and round through memory.

#![allow(unsafe_code)]

use std::marker::PhantomData;

use fastrand::Rng;
use nearfar_model::Bytes;
use nearfar_place::PlacedBuffer;

use crate::probe_error::ProbeError;
use crate::probes::arch::LINE;
use crate::streams::loops::{self, Course, LINES_PER_TURN, Loop, STREAMS};
use crate::streams::{Isa, Kernel};

/// The memory that one turn of any loop touches: the unit in which work is given out and counted.
pub const TURN: Bytes = Bytes((LINES_PER_TURN * LINE) as u64);

/// Memory that a loop may read and write as it likes, lent for as long as the loop uses it.
pub struct Stretch<'m> {
    start: *mut u8,
    length: usize,
    lent: PhantomData<&'m mut [u8]>,
}

impl<'m> Stretch<'m> {
    /// All of a placed buffer.
    pub fn of(buffer: &'m mut PlacedBuffer) -> Self {
        Self { start: buffer.start(), length: buffer.length(), lent: PhantomData }
    }

    /// Fills it with numbers from 1 to 2. Memory that is all zero is not like other memory: some processors and hypervisors treat it apart.
    pub fn fill(&mut self, random: &mut Rng) {
        let words = self.start.cast::<u64>();
        for word in 0..self.length / size_of::<u64>() {
            // SAFETY: the word lies within the memory lent, which is aligned to lines.
            unsafe { words.add(word).write(1f64.to_bits() | random.u64(..) >> 12) };
        }
    }

    /// Turns that go through it once.
    pub fn turns(&self) -> u64 {
        self.length as u64 / TURN.0
    }

    #[cfg(test)]
    pub(super) fn of_lines(lines: &'m mut [super::tests::Line]) -> Self {
        Self { start: lines.as_mut_ptr().cast(), length: size_of_val(lines), lent: PhantomData }
    }
}

/// A kernel that sweeps through memory, with a place where it has arrived. What does not fill a turn at the end is left out.
pub struct Sweep<'m> {
    once: Loop,
    stretch: Stretch<'m>,
    /// Bytes of a stream that a turn takes.
    per_turn: usize,
    /// Turns done of this round.
    at: u64,
}

impl<'m> Sweep<'m> {
    /// A kernel that goes through this memory with these instructions, on from `at` turns after its beginning. An error when the
    /// processor has not these instructions, and when there is not a turn's memory.
    pub fn new(kernel: Kernel, isa: Isa, stretch: Stretch<'m>, at: u64) -> Result<Self, ProbeError> {
        let missing = || ProbeError::MissingIsa { name: isa.name(), here: String::new() };
        let once = loops::find(kernel, isa.check()?).ok_or_else(missing)?;
        if stretch.turns() == 0 {
            return Err(ProbeError::TooShort { length: stretch.length, least: TURN.0 as usize });
        }
        let per_turn = LINES_PER_TURN / STREAMS / kernel.arrays() * LINE;
        Ok(Self { once, at: at % stretch.turns(), stretch, per_turn })
    }

    /// Makes so many turns, each followed by `pause` turns of an empty loop (about a cycle each), and goes on at the beginning when it
    /// comes to the end. Gives the exclusive or of all words of all lines that were read, of kernels that only read or mix.
    pub fn advance(&mut self, mut turns: u64, pause: u64) -> u64 {
        let all = self.stretch.turns();
        let mut sum = 0;
        while turns > 0 {
            let now = turns.min(all - self.at);
            let start = self.stretch.start.wrapping_add(self.at as usize * self.per_turn);
            let course = Course { start, far: all as usize * self.per_turn, turns: now, pause: pause.max(1) };
            // SAFETY: the instructions are here, as was checked; every stream is `all` turns long, all streams of all arrays are as long as
            // `all` turns' memory, which is lent to this loop; memory begins with a line, and streams are whole lines.
            let line = unsafe { (self.once)(&course) };
            sum = line.into_iter().fold(sum, |sum, word| sum ^ word);
            turns -= now;
            self.at = (self.at + now) % all;
        }
        sum
    }

    /// Turns after the beginning where it has arrived.
    pub fn at(&self) -> u64 {
        self.at
    }
}
