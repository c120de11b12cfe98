//! A line handed to and fro by compare-and-swap: what two threads that lock and unlock for each other pay.
//!
//! Each side tries to swap its own turn's number for the other's until that succeeds, so each way is one fetch of the line for ownership. It
//! is the protocol of most published core-to-core matrices, which do not say whether they print one way or the round trip: this
//! is one way, half the round trip.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::partner::Meeting;
use crate::answer::DropReason;
use crate::probes::slice::{SEGMENTS, Timing};

const MINE: u64 = 0;
const OTHERS: u64 = 1;

/// The first side: times round trips, segment by segment.
pub(super) fn lead(line: &AtomicU64, per_segment: u64, meeting: &Meeting) -> Result<Timing, DropReason> {
    meeting.wait_for(1)?;
    round_trips(line, per_segment, meeting)?;
    let mut segments = Vec::with_capacity(SEGMENTS as usize);
    let mut before = Instant::now();
    for _ in 0..SEGMENTS {
        round_trips(line, per_segment, meeting)?;
        let now = Instant::now();
        segments.push(now - before);
        before = now;
    }
    Ok(Timing { segments, loop_cost: Duration::ZERO })
}

fn round_trips(line: &AtomicU64, count: u64, meeting: &Meeting) -> Result<(), DropReason> {
    (0..count).try_for_each(|_| hand_over(line, MINE, OTHERS, meeting))
}

/// The other side: answers as many.
pub(super) fn follow(line: &AtomicU64, per_segment: u64, meeting: &Meeting) -> Result<(), DropReason> {
    line.store(MINE, Ordering::Release);
    meeting.reach(1);
    // One segment more, which is not timed, brings both to the line.
    (0..per_segment * (SEGMENTS + 1)).try_for_each(|_| hand_over(line, OTHERS, MINE, meeting))
}

/// Without a pause between tries: one takes as long as some of the distances that are measured.
#[inline]
fn hand_over(line: &AtomicU64, from: u64, to: u64, meeting: &Meeting) -> Result<(), DropReason> {
    meeting.until(|| line.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed).is_ok())
}
