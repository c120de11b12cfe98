//! What a load costs of a line that another CPU has just written, or just read.
//!
//! The partner goes round a small cycle of lines, writing or reading each; then the first CPU follows the same cycle by dependent loads.
//! A window has few enough lines for any nearest cache, and is flushed before, so that every line comes from the partner.

#![allow(unsafe_code)]

use std::time::{Duration, Instant};

use super::partner::Meeting;
use super::setup::Exchange;
use crate::answer::DropReason;
use crate::probes::arch::{Flusher, LOADS_PER_TURN, walk, walk_increment};
use crate::probes::cycle::STRIDE;
use crate::probes::slice::{SEGMENTS, Timing};

/// Lines of a window.
pub(super) const LINES: u64 = 256;
/// Its bytes.
pub(super) const WINDOW: usize = LINES as usize * STRIDE;

/// One cycle of lines, which begins at its first word. Each line holds the address of the next, and room to write beside it.
#[derive(Clone, Copy)]
pub(super) struct Window(*const u8);

// SAFETY: threads only load the pointers, which stay as they are; the words beside them are only ever incremented, by one thread.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    /// The window that begins here.
    ///
    /// # Safety
    /// A cycle made by [`link`](crate::probes::cycle::link) over [`WINDOW`] bytes begins here, and outlives every copy of this.
    pub(super) unsafe fn new(start: *const u8) -> Self {
        Self(start)
    }

    fn walk_round(self) {
        // SAFETY: as `new` demands.
        unsafe { walk(self.0, LINES / LOADS_PER_TURN) };
    }

    /// Writes beside every pointer.
    fn write_round(self) {
        // SAFETY: as `new` demands; beside each pointer its line has room.
        unsafe { walk_increment(self.0, LINES / LOADS_PER_TURN) };
    }
}

/// The first side: times its rounds, so many in a segment, one after each of the partner's.
pub(super) fn lead(
    window: Window,
    per_segment: u64,
    flusher: &mut Flusher,
    meeting: &Meeting,
) -> Result<Timing, DropReason> {
    let mut segments = Vec::with_capacity(SEGMENTS as usize);
    let mut step = 0;
    for _ in 0..SEGMENTS {
        let mut taken = Duration::ZERO;
        for _ in 0..per_segment {
            // SAFETY: the window's own bytes.
            unsafe { flusher.flush(window.0, WINDOW) };
            meeting.reach(step + 1);
            meeting.wait_for(step + 2)?;
            let before = Instant::now();
            window.walk_round();
            taken += before.elapsed();
            step += 2;
        }
        segments.push(taken);
    }
    Ok(Timing { segments, loop_cost: Duration::ZERO })
}

/// The other side: gets the lines before each of these rounds.
pub(super) fn follow(
    window: Window,
    per_segment: u64,
    exchange: Exchange,
    meeting: &Meeting,
) -> Result<(), DropReason> {
    let mut step = 1;
    for _ in 0..SEGMENTS * per_segment {
        meeting.wait_for(step)?;
        match exchange {
            Exchange::Modified => window.write_round(),
            Exchange::Handoff | Exchange::Clean => window.walk_round(),
        }
        meeting.reach(step + 1);
        step += 2;
    }
    Ok(())
}
