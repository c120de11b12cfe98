//! A line handed to and fro by compare-and-swap: what two threads that lock and unlock for each
//! other pay.
//!
//! Each side tries to swap its own turn's number for the other's until that succeeds, so each way
//! is one fetch of the line for ownership. It is the protocol of most published core-to-core
//! matrices, which do not say whether they print one way or the round trip: this is one way, half
//! the round trip.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::partner::Rendezvous;
use crate::probes::slice::{SEGMENTS, Timing};
use crate::worker_message::DropReason;

const FIRST_SIDES: u64 = 0;
const SECOND_SIDES: u64 = 1;
const FINISHED: u64 = 2;

/// A segment takes about this long: many times what clocks tell apart, and short against what
/// disturbs.
const SEGMENT: Duration = Duration::from_micros(100);
/// Round trips of a segment: at least so many, and at most.
const MIN_ROUND_TRIPS: u64 = 16;
const MAX_ROUND_TRIPS: u64 = 4096;

/// The first side: times round trips, segment by segment, and says how many a segment has.
pub(super) fn lead(line: &AtomicU64, rendezvous: &Rendezvous) -> Result<(Timing, u64), DropReason> {
    rendezvous.wait_for(1)?;
    let timed = segments(line, rendezvous);
    line.store(FINISHED, Ordering::Release);
    timed
}

fn segments(line: &AtomicU64, rendezvous: &Rendezvous) -> Result<(Timing, u64), DropReason> {
    let mut count = MIN_ROUND_TRIPS;
    // What does not count brings both to the line, and tells how many round trips a segment needs.
    while round_trips(line, count, rendezvous)? < SEGMENT && count < MAX_ROUND_TRIPS {
        count *= 2;
    }
    let segments =
        (0..SEGMENTS).map(|_| round_trips(line, count, rendezvous)).collect::<Result<_, _>>()?;
    Ok((Timing { segments, loop_cost: Duration::ZERO }, count))
}

fn round_trips(
    line: &AtomicU64,
    count: u64,
    rendezvous: &Rendezvous,
) -> Result<Duration, DropReason> {
    let before = Instant::now();
    for _ in 0..count {
        rendezvous.until(|| {
            line.compare_exchange(FIRST_SIDES, SECOND_SIDES, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        })?;
    }
    Ok(before.elapsed())
}

/// The other side: answers until the first says that it is over. Neither pauses between tries: a
/// pause takes as long as some of the distances that are measured.
pub(super) fn follow(line: &AtomicU64, rendezvous: &Rendezvous) -> Result<(), DropReason> {
    line.store(FIRST_SIDES, Ordering::Release);
    rendezvous.reach(1);
    let mut is_over = false;
    while !is_over {
        rendezvous.until(|| {
            match line.compare_exchange(
                SECOND_SIDES,
                FIRST_SIDES,
                Ordering::AcqRel,
                Ordering::Relaxed,
            ) {
                Ok(_) => true,
                Err(found) => {
                    is_over = found == FINISHED;
                    is_over
                }
            }
        })?;
    }
    Ok(())
}
