//! The cost of loading a line that another CPU has just written, or just read.
//!
//! The partner writes or reads each line of a small cycle; then the first CPU follows the same
//! cycle by dependent loads. A window fits any first-level cache, and is flushed before, so that
//! every line comes from the partner.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::partner::{CacheAligned, Rendezvous};
use super::setup::Exchange;
use crate::probes::STRIDE;
use crate::probes::arch::{Flusher, LOADS_PER_TURN, walk, walk_increment};
use crate::probes::slice::{SEGMENTS, Timing};
use crate::worker_message::DropReason;

/// Lines of a window.
pub(super) const LINES: u64 = 256;
pub(super) const WINDOW: usize = LINES as usize * STRIDE;

/// One cycle of lines, which begins at its first word. Each line holds the address of the next, and
/// a word to write.
#[derive(Clone, Copy)]
pub(super) struct Window(*const u8);

// SAFETY: threads only load the pointers, which stay unchanged; the words beside them are only
// incremented, by one thread.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    /// The window that begins here.
    ///
    /// # Safety
    /// A cycle made by [`link`](crate::probes::cycle::link) over [`WINDOW`] bytes begins here, and
    /// outlives every copy of this.
    pub(super) unsafe fn new(start: *const u8) -> Self {
        Self(start)
    }

    /// A line of this thread that points to itself. Timed first, it reloads everything else that
    /// timing needs: some machines flush more lines than requested, and emulated ones flush all.
    fn round_one_line(line: &mut CacheAligned<*const u8>) -> Self {
        line.0 = std::ptr::from_ref(line).cast();
        Self(std::ptr::from_ref(line).cast())
    }

    /// Times `turns` of loads. Two calls use the same lines of stack and clock.
    #[inline(never)]
    fn time(self, turns: u64) -> Duration {
        let before = Instant::now();
        self.walk(turns);
        before.elapsed()
    }

    /// Loads `turns` of lines.
    fn walk(self, turns: u64) {
        // SAFETY: as `new` demands.
        unsafe { walk(self.0, turns) };
    }

    /// Writes the word beside each pointer.
    fn write(self, turns: u64) {
        // SAFETY: as `new` demands; beside each pointer its line has room.
        unsafe { walk_increment(self.0, turns) };
    }
}

/// A segment's loads take about this long, if possible.
const SEGMENT: Duration = Duration::from_micros(100);
/// The largest number of rounds per segment.
const MAX_ROUNDS: u64 = 16;

/// Turns per round if a whole window takes too long. An emulated CPU takes interrupts between two
/// turns, and those of the last one (always a timer's, within hundreds of microseconds of loads)
/// count in full: 5 % of a single turn.
const FEW_TURNS: u64 = 4;

/// The number of turns that the first side requests with each step; 0 ends the work.
#[derive(Default)]
pub(super) struct RequestedTurns(CacheAligned<AtomicU64>);

/// The first side: times its rounds, each after one of the partner's, and returns the loads per
/// segment.
pub(super) fn lead(
    window: Window,
    requested: &RequestedTurns,
    flusher: &mut Flusher,
    rendezvous: &Rendezvous,
) -> Result<(Timing, u64), DropReason> {
    let mut step = 0;
    let mut own_line = CacheAligned(std::ptr::null());
    let own_line_loop = Window::round_one_line(&mut own_line);
    let mut round = |turns: u64| -> Result<Duration, DropReason> {
        // SAFETY: the window's own bytes.
        unsafe { flusher.flush(window.0, WINDOW) };
        requested.0.0.store(turns, Ordering::Relaxed);
        rendezvous.reach(step + 1);
        rendezvous.wait_for(step + 2)?;
        step += 2;
        own_line_loop.time(1);
        Ok(window.time(turns))
    };
    // A few lines show whether a whole window takes too long, as on an emulated machine.
    round(1)?;
    let turns = if round(1)? > SEGMENT { FEW_TURNS } else { LINES / LOADS_PER_TURN };
    let once = round(turns)?;
    let rounds =
        (SEGMENT.as_nanos() / once.as_nanos().max(1)).clamp(1, u128::from(MAX_ROUNDS)) as u64;
    let mut segments = Vec::with_capacity(SEGMENTS as usize);
    for _ in 0..SEGMENTS {
        segments.push((0..rounds).map(|_| round(turns)).sum::<Result<Duration, _>>()?);
    }
    requested.0.0.store(0, Ordering::Relaxed);
    rendezvous.reach(step + 1);
    Ok((Timing { segments, loop_cost: Duration::ZERO }, rounds * turns * LOADS_PER_TURN))
}

/// The second side: takes the lines into its cache before each round.
pub(super) fn follow(
    window: Window,
    requested: &RequestedTurns,
    exchange: Exchange,
    rendezvous: &Rendezvous,
) -> Result<(), DropReason> {
    for step in (1..).step_by(2) {
        rendezvous.wait_for(step)?;
        let turns = requested.0.0.load(Ordering::Relaxed);
        match exchange {
            _ if turns == 0 => break,
            Exchange::Modified => window.write(turns),
            Exchange::Handoff | Exchange::Clean => window.walk(turns),
        }
        rendezvous.reach(step + 1);
    }
    Ok(())
}
