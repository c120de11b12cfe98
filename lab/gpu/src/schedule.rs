//! When the work of streams is done: a simulation without a clock.
//!
//! Each stream does its work in order. A copy first waits for its latency, then moves its bytes at
//! its fair share of the links that it crosses. Times are nanoseconds since the driver was
//! initialised. All work that is submitted at one time starts as if it were submitted at once.

use std::collections::{BTreeSet, VecDeque};

use crate::fair_share::{Demand, fair_rates};

/// A copy, as the schedule sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CopyWork {
    /// From its turn in the stream to its first byte.
    pub(crate) latency_ns: f64,
    /// How much it moves.
    pub(crate) bytes: f64,
    /// How fast it can be, and what it shares with others.
    pub(crate) demand: Demand,
}

/// A record of an event, each with its own number.
pub(crate) type RecordId = u64;

/// A part of a stream's work.
#[derive(Clone, Debug, PartialEq)]
enum Work {
    Copy(CopyWork),
    Record(RecordId),
    WaitFor(RecordId),
}

/// What a stream's first copy is at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// It moves its first byte at this time.
    Starting { until: f64 },
    /// It has this many bytes to move.
    Moving { left: f64 },
}

#[derive(Clone, Debug, Default, PartialEq)]
struct StreamState {
    work: VecDeque<Work>,
    /// Of the first work, where that is a copy.
    phase: Option<Phase>,
}

/// The work of all streams.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Schedule {
    now: f64,
    capacities: Vec<f64>,
    streams: Vec<StreamState>,
    next_record: RecordId,
    /// Records that have not happened.
    pending: BTreeSet<RecordId>,
    /// Those that happened since they were last taken.
    happened: Vec<(RecordId, f64)>,
}

impl Schedule {
    /// No work, and links of these capacities in bytes per nanosecond.
    pub(crate) fn new(capacities: Vec<f64>) -> Self {
        Self {
            now: 0.0,
            capacities,
            streams: Vec::new(),
            next_record: 0,
            pending: BTreeSet::new(),
            happened: Vec::new(),
        }
    }

    /// The time up to which work is done.
    pub(crate) fn now(&self) -> f64 {
        self.now
    }

    /// A new stream, by its number.
    pub(crate) fn add_stream(&mut self) -> usize {
        self.streams.push(StreamState::default());
        self.streams.len() - 1
    }

    /// Adds a copy to a stream's work.
    pub(crate) fn submit(&mut self, stream: usize, copy: CopyWork) {
        self.add(stream, Work::Copy(copy));
    }

    /// Adds a record: the time at which the work before it is done.
    pub(crate) fn record(&mut self, stream: usize) -> RecordId {
        let id = self.next_record;
        self.next_record += 1;
        self.pending.insert(id);
        self.add(stream, Work::Record(id));
        id
    }

    /// Makes later work of the stream wait for a record of any stream.
    pub(crate) fn wait_for(&mut self, stream: usize, record: RecordId) {
        self.add(stream, Work::WaitFor(record));
    }

    /// Whether all work of these streams is done.
    pub(crate) fn is_done(&self, streams: &[usize]) -> bool {
        streams.iter().all(|&stream| self.streams[stream].work.is_empty())
    }

    /// The schedule when all work of these streams is done, if no more is submitted.
    pub(crate) fn when_done(&self, streams: &[usize]) -> Self {
        let mut future = self.clone();
        while !future.is_done(streams) {
            future.step(f64::INFINITY);
        }
        future
    }

    /// Does the work up to a time. A time that has passed changes nothing.
    pub(crate) fn advance(&mut self, to: f64) {
        // Changes at the end itself, too: copies without bytes take no time after their latency.
        while self.now <= to && self.step(to) {}
    }

    /// Records that happened since this was last called, with their times.
    pub(crate) fn take_happened(&mut self) -> Vec<(RecordId, f64)> {
        std::mem::take(&mut self.happened)
    }

    fn add(&mut self, stream: usize, work: Work) {
        self.streams[stream].work.push_back(work);
        self.settle();
    }

    /// Does the work that takes no time, on all streams, and lets copies begin.
    fn settle(&mut self) {
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for index in 0..self.streams.len() {
                is_changed |= self.settle_stream(index);
            }
        }
    }

    /// Whether a record of this stream happened, which others may wait for.
    fn settle_stream(&mut self, index: usize) -> bool {
        let Self { now, streams, pending, happened, .. } = self;
        let state = &mut streams[index];
        let mut is_recorded = false;
        loop {
            match state.work.front() {
                Some(Work::Record(id)) => {
                    pending.remove(id);
                    happened.push((*id, *now));
                    is_recorded = true;
                }
                Some(Work::WaitFor(id)) if !pending.contains(id) => {}
                Some(Work::Copy(copy)) => {
                    let until = *now + copy.latency_ns;
                    state.phase.get_or_insert(Phase::Starting { until });
                    return is_recorded;
                }
                Some(Work::WaitFor(_)) | None => return is_recorded,
            }
            state.work.pop_front();
        }
    }

    /// Goes on to the next change, or to a time before it. Whether there was a change.
    fn step(&mut self, to: f64) -> bool {
        let moving = self.moving();
        let demands: Vec<Demand> = moving.iter().map(|(_, copy, _)| copy.demand.clone()).collect();
        let rates = fair_rates(&demands, &self.capacities);
        let ends = moving.iter().zip(&rates).map(|((_, _, left), rate)| self.now + left / rate);
        let ends: Vec<f64> = ends.collect();
        let moving: Vec<usize> = moving.iter().map(|(index, ..)| *index).collect();
        let starts = self.streams.iter().filter_map(|state| match state.phase? {
            Phase::Starting { until } => Some(until),
            Phase::Moving { .. } => None,
        });
        let change = starts.chain(ends.iter().copied()).fold(f64::INFINITY, f64::min);
        let next = change.min(to);
        for ((index, rate), end) in moving.into_iter().zip(rates).zip(ends) {
            self.move_bytes(index, rate * (next - self.now), end <= next);
        }
        self.now = next;
        for state in &mut self.streams {
            begin_moving(state, next);
        }
        self.settle();
        change <= to
    }

    /// Copies that move bytes: their stream, what they are, what is left.
    fn moving(&self) -> Vec<(usize, &CopyWork, f64)> {
        let streams = self.streams.iter().enumerate();
        let moving =
            streams.filter_map(|(index, state)| match (state.work.front()?, state.phase?) {
                (Work::Copy(copy), Phase::Moving { left }) => Some((index, copy, left)),
                _ => None,
            });
        moving.collect()
    }

    fn move_bytes(&mut self, index: usize, bytes: f64, is_last: bool) {
        let state = &mut self.streams[index];
        if is_last {
            state.work.pop_front();
            state.phase = None;
        } else if let Some(Phase::Moving { left }) = &mut state.phase {
            *left -= bytes;
        }
    }
}

/// Lets a copy whose latency is over move its bytes.
fn begin_moving(state: &mut StreamState, now: f64) {
    if let (Some(Work::Copy(copy)), Some(Phase::Starting { until })) =
        (state.work.front(), state.phase)
    {
        if until <= now {
            state.phase = Some(Phase::Moving { left: copy.bytes });
        }
    }
}

#[cfg(test)]
mod tests;
