//! Ping-pong of a line by compare-and-swap: the cost of two threads that lock and unlock for each
//! other.
//!
//! Each side swaps its own number for the other's until that succeeds, so each way is one fetch of
//! the line for ownership. Most published core-to-core matrices use this protocol without stating
//! whether they print one way or the round trip. This is one way: half the round trip.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::partner::Rendezvous;
use crate::probes::slice::{SEGMENTS, Timing};
use crate::worker_message::DropReason;

const FIRST_SIDES: u64 = 0;
const SECOND_SIDES: u64 = 1;
const FINISHED: u64 = 2;

/// A segment takes about this long: far above the clock's resolution, and short compared with
/// disturbances.
const SEGMENT: Duration = Duration::from_micros(100);
/// The minimal round trips of a segment; [`MAX_ROUND_TRIPS`] is the maximum.
const MIN_ROUND_TRIPS: u64 = 16;
const MAX_ROUND_TRIPS: u64 = 4096;

/// The first side: times round trips by segment, and returns their number per segment.
pub(super) fn lead(line: &AtomicU64, rendezvous: &Rendezvous) -> Result<(Timing, u64), DropReason> {
    rendezvous.wait_for(1)?;
    let timed = segments(line, rendezvous);
    line.store(FINISHED, Ordering::Release);
    timed
}

fn segments(line: &AtomicU64, rendezvous: &Rendezvous) -> Result<(Timing, u64), DropReason> {
    let mut count = MIN_ROUND_TRIPS;
    // Untimed round trips load the line on both sides and calibrate the number per segment.
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

/// The second side: answers until the first has finished. Neither pauses between tries, since a
/// pause takes as long as some of the measured distances.
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
