//! A loop over memory that restarts at the end.

#![allow(unsafe_code)]

use std::marker::PhantomData;

use fastrand::Rng;
use nearfar_model::Bytes;
use nearfar_place::PlacedBuffer;

use crate::probe_error::ProbeError;
use crate::probes::arch::LINE;
use crate::streams::loops::{self, LINES_PER_TURN, Loop, LoopRange};
use crate::streams::spacing::StreamSpacing;
use crate::streams::{Isa, Kernel};

/// The memory that one turn of any loop touches: the unit of work and of counting.
pub const TURN: Bytes = Bytes((LINES_PER_TURN * LINE) as u64);

/// Memory that a loop may read and write, borrowed while the loop uses it.
pub struct StreamMemory<'m> {
    start: *mut u8,
    length: usize,
    borrowed: PhantomData<&'m mut [u8]>,
}

impl<'m> StreamMemory<'m> {
    /// All of a placed buffer.
    pub fn new(buffer: &'m mut PlacedBuffer) -> Self {
        Self { start: buffer.start(), length: buffer.length(), borrowed: PhantomData }
    }

    /// Fills it with numbers from 1 to 2. Some processors and hypervisors treat all-zero memory
    /// differently.
    pub fn fill(&mut self, random: &mut Rng) {
        let words = self.start.cast::<u64>();
        for word in 0..self.length / size_of::<u64>() {
            // SAFETY: the word lies within the memory lent, which is aligned to lines.
            unsafe { words.add(word).write(1f64.to_bits() | random.u64(..) >> 12) };
        }
    }

    #[cfg(test)]
    pub(super) fn from_lines(lines: &'m mut [super::tests::Line]) -> Self {
        Self { start: lines.as_mut_ptr().cast(), length: size_of_val(lines), borrowed: PhantomData }
    }
}

/// A kernel that sweeps through memory, with its position. A little at the end of each stream is
/// not used ([`StreamSpacing`]).
pub struct StreamSweep<'m> {
    once: Loop,
    memory: StreamMemory<'m>,
    spacing: StreamSpacing,
    /// The position in turns.
    pub(crate) at: u64,
}

impl<'m> StreamSweep<'m> {
    /// A kernel over this memory with these instructions, starting `at` turns after its beginning.
    /// Fails if the processor lacks the instructions, or if the memory is smaller than a turn.
    pub fn new(
        kernel: Kernel,
        isa: Isa,
        memory: StreamMemory<'m>,
        at: u64,
    ) -> Result<Self, ProbeError> {
        let missing = || ProbeError::MissingIsa { name: isa.name(), here: String::new() };
        let once = loops::find(kernel, isa.check()?).ok_or_else(missing)?;
        let spacing = StreamSpacing::new(memory.length, kernel.arrays());
        if spacing.turns == 0 {
            return Err(ProbeError::TooShort { length: memory.length, least: TURN.0 as usize });
        }
        Ok(Self { once, at: at % spacing.turns, memory, spacing })
    }

    /// Makes `turns` turns, each followed by `pause` iterations of an empty loop (about a cycle
    /// each), and restarts at the end. Kernels that only read or mix return the exclusive or of all
    /// words read.
    pub fn advance(&mut self, mut turns: u64, pause: u64) -> u64 {
        let StreamSpacing { per_turn, far, turns: all } = self.spacing;
        let mut sum = 0;
        while turns > 0 {
            let now = turns.min(all - self.at);
            let start = self.memory.start.wrapping_add(self.at as usize * per_turn);
            let range = LoopRange { start, far, turns: now, pause: pause.max(1) };
            // SAFETY: the instructions are available, as checked; every stream is `all` turns long,
            // and all streams of all arrays lie, `far` apart, within the borrowed memory; memory
            // begins with a line, and distances are whole lines.
            let line = unsafe { (self.once)(&range) };
            sum = line.into_iter().fold(sum, |sum, word| sum ^ word);
            turns -= now;
            self.at = (self.at + now) % all;
        }
        sum
    }
}
