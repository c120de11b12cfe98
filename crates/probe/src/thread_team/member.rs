//! One thread of a thread team.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use fastrand::Rng;
use nearfar_model::{CpuId, CpuSet};
use nearfar_place::{BufferRequest, PlacedBuffer, set_affinity};

use crate::probe_error::ProbeError;
use crate::streams::{StreamMemory, StreamSweep};
use crate::thread_team::tally::Tally;
use crate::thread_team::team_run::{MemberMessage, StartSignal};
use crate::thread_team::{PlacedThreadBuffer, StreamTask, ThreadBuffer, wait_until};
use crate::worker::guards::Watch;
use crate::worker::guards::thread::involuntary_switches;
use crate::worker_message::DropReason;

/// The minimal time of a piece of work between two records: long compared with reading the clock,
/// short compared with disturbances.
pub(super) const PIECE: Duration = Duration::from_micros(50);
/// The pieces of a long window. Its length averages uneven speed, such as that of emulated
/// machines. A gap that is an outlier loses at least two pieces, which is the limit of a window.
const MAX_PIECES: u32 = 200;

/// An order to a thread.
pub(super) enum ThreadCommand {
    Place {
        buffer: ThreadBuffer,
        request: BufferRequest,
        reply: Sender<Result<PlacedThreadBuffer, ProbeError>>,
    },
    Release(usize),
    Work {
        index: usize,
        task: StreamTask,
        signal: Arc<StartSignal>,
        reply: Sender<(usize, MemberMessage)>,
    },
}

/// A buffer, and the position at which the last loop ended. The next loop continues there, since it
/// would otherwise hit caches.
struct TeamBuffer {
    memory: PlacedBuffer,
    at: u64,
}

/// Pins the calling thread, reports the result, and executes orders until the team is dropped.
pub(super) fn serve(
    cpu: CpuId,
    orders: &Receiver<ThreadCommand>,
    pinned: &Sender<Result<(), ProbeError>>,
) {
    let pin = set_affinity(&CpuSet::from_id(cpu)).map(drop).map_err(ProbeError::from);
    let refused = pin.is_err();
    // If the receiver is gone, no one needs the result.
    let _ = pinned.send(pin);
    if refused {
        return;
    }
    let mut slots: Vec<Option<TeamBuffer>> = Vec::new();
    for order in orders {
        match order {
            ThreadCommand::Place { buffer, request, reply } => {
                let _ = reply.send(place(buffer, &request, &mut slots));
            }
            ThreadCommand::Release(slot) => drop(slots.get_mut(slot).and_then(Option::take)),
            ThreadCommand::Work { index, task, signal, reply } => {
                let placed = slots
                    .get_mut(task.buffer.slot)
                    .and_then(Option::as_mut)
                    .ok_or(ProbeError::NoBuffer(cpu));
                let send = |now| drop(reply.send((index, now)));
                let done = placed.and_then(|placed| work(cpu, task, placed, &signal, send));
                send(done.map_or_else(MemberMessage::Cannot, MemberMessage::Done));
            }
        }
    }
}

/// Slots are assigned in order, so a failed request leaves its slot empty.
fn place(
    buffer: ThreadBuffer,
    request: &BufferRequest,
    slots: &mut Vec<Option<TeamBuffer>>,
) -> Result<PlacedThreadBuffer, ProbeError> {
    slots.resize_with(slots.len().max(buffer.slot + 1), || None);
    let mut memory = PlacedBuffer::new(request)?;
    StreamMemory::new(&mut memory).fill(&mut Rng::with_seed(buffer.member as u64));
    let new = PlacedThreadBuffer {
        buffer,
        backing: memory.backing(),
        proof: memory.proof().clone(),
        notes: memory.notes().to_vec(),
    };
    slots[buffer.slot] = Some(TeamBuffer { memory, at: 0 });
    Ok(new)
}

/// Executes a task under guards. Reports when it is ready, and when it is running.
fn work(
    cpu: CpuId,
    task: StreamTask,
    placed: &mut TeamBuffer,
    signal: &StartSignal,
    send: impl Fn(MemberMessage),
) -> Result<Result<Tally, DropReason>, ProbeError> {
    let watch = match Watch::begin(cpu, &placed.memory, 0..placed.memory.length()) {
        Ok(watch) => watch,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut sweep =
        StreamSweep::new(task.kernel, task.isa, StreamMemory::new(&mut placed.memory), placed.at)?;
    send(MemberMessage::Ready);
    let tally = sweep_until_stopped(&mut sweep, task.pause, signal, || send(MemberMessage::Going));
    placed.at = sweep.at;
    Ok(watch.end_in_place(&placed.memory).map(|()| tally))
}

/// Sweeps from the agreed start until the stop signal or the agreed end, and records its progress.
fn sweep_until_stopped(
    sweep: &mut StreamSweep,
    pause: u64,
    signal: &StartSignal,
    going: impl FnOnce(),
) -> Tally {
    let Some(times) = signal.wait() else { return Tally::default() };
    wait_until(times.start);
    let switches = involuntary_switches();
    let mut going = Some(going);
    let mut tally = Tally::default();
    let mut before = Instant::now();
    let mut turns = 1;
    tally.begin(before - times.start);
    loop {
        sweep.advance(turns, pause);
        let now = Instant::now();
        tally.note(now - times.start, turns);
        if signal.is_over() || times.end.is_some_and(|end| now >= end) {
            break;
        }
        if let Some(going) = going.take() {
            going();
        }
        let piece = if times.end.is_some() {
            times.piece
        } else {
            times.piece.max(piece_of(now - times.start))
        };
        turns = next_turns(turns, now - before, piece);
        before = now;
    }
    tally.switches = involuntary_switches() - switches;
    tally
}

/// The length of a piece for a window; if its length is unknown, for the time so far.
pub(super) fn piece_of(window: Duration) -> Duration {
    PIECE.max(window / MAX_PIECES)
}

/// The turns until the next record, after `turns` turns took this long. A long piece may be a
/// disturbance, so the number changes in steps.
fn next_turns(turns: u64, took: Duration, piece: Duration) -> u64 {
    if took * 2 < piece {
        turns * 2
    } else if took > piece * 8 {
        (turns / 2).max(1)
    } else {
        turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_reach_their_length_at_any_cost() {
        for turn in [Duration::from_nanos(40), Duration::from_nanos(900), Duration::from_millis(8)]
        {
            let turns = (0..40).fold(1, |turns, _| next_turns(turns, turn * turns as u32, PIECE));
            let took = turn * turns as u32;
            assert!(took >= PIECE / 2 && (took <= PIECE * 8 || turns == 1), "{turn:?} {turns}");
        }
    }

    #[test]
    fn piece_length_follows_window_length() {
        assert_eq!(piece_of(Duration::from_millis(2)), PIECE);
        assert_eq!(piece_of(Duration::from_millis(10)), PIECE);
        assert_eq!(piece_of(Duration::from_secs(4)), Duration::from_millis(20));
    }

    #[test]
    fn one_disturbance_changes_little() {
        assert_eq!(next_turns(64, Duration::from_millis(30), PIECE), 32);
        assert_eq!(next_turns(1, Duration::from_millis(30), PIECE), 1);
    }
}
