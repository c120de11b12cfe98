//! Which lines does a CPU ask for before its program needs them? Those that follow where the
//! program goes from line to neighbouring line, as hardware prefetchers and the many outstanding
//! loads of a core make it: memory-level parallelism.
//!
//! A line that two neighbours led up to belongs to a stream, upwards or downwards. With each line
//! of it that the program takes, the CPU asks for the next that it has not asked for yet, until so
//! many lines are on their way (`lines`): one CPU's bandwidth is then lines × 64 bytes per latency.
//! Streams of one program share them.

use std::collections::VecDeque;

/// Streams that a CPU tracks: more than a copy or a triad needs.
const STREAMS: usize = 16;
/// Neighbours that make a stream.
const NEIGHBOURS: u32 = 2;
/// A stream goes on though some of its lines in a row were held already, and not fetched.
const MAX_HELD: u64 = 3;
/// Most lines that are asked for when one is taken: a stream takes some latencies to begin.
pub(crate) const AT_ONCE: usize = 16;
/// Nothing was taken of a stream while this many lines were of others: it has ended, and what was
/// asked for it is given up.
const ENDED: u64 = 64;

#[derive(Debug)]
pub(crate) struct CpuStreams {
    lines: usize,
    table: Vec<Stream>,
    /// Counts lines, so that streams have an age.
    clock: u64,
}

/// Lines that follow each other. Lines are virtual.
#[derive(Debug)]
struct Stream {
    last: u64,
    /// Up or down; neither yet where only one line was seen.
    step: Option<Step>,
    neighbours: u32,
    used_at: u64,
    asked_for: VecDeque<Asked>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Up,
    Down,
}

/// A line that is on its way: from where, and when it had passed what others pass, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) home: usize,
    pub(crate) passed: u64,
}

/// What a fetched line is to the streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The next line of this stream.
    Next(usize),
    /// Once more the line that a stream has reached.
    Again,
    Alone,
}

impl Step {
    fn from(self, line: u64, lines: u64) -> u64 {
        match self {
            Self::Up => line.wrapping_add(lines),
            Self::Down => line.wrapping_sub(lines),
        }
    }
}

impl Stream {
    fn is_stream(&self) -> bool {
        self.neighbours >= NEIGHBOURS
    }

    /// The step that leads to a line and how many lines lie between, if it is the next.
    fn step_to(&self, line: u64) -> Option<(Step, usize)> {
        let most_between = if self.is_stream() { MAX_HELD } else { 0 };
        let steps = [Step::Up, Step::Down]
            .into_iter()
            .filter(|&step| self.step.is_none_or(|own| own == step));
        let mut steps =
            steps.flat_map(|step| (0..=most_between).map(move |between| (step, between)));
        let next = steps.find(|&(step, between)| step.from(self.last, between + 1) == line)?;
        Some((next.0, next.1 as usize))
    }
}

impl CpuStreams {
    /// The largest number of lines in flight.
    pub(crate) fn new(lines: usize) -> Self {
        Self { lines, table: Vec::with_capacity(STREAMS), clock: 0 }
    }

    /// A line is fetched: where does it belong?
    pub(crate) fn place(&mut self, line: u64) -> Place {
        self.clock += 1;
        let clock = self.clock;
        if self.table.iter().any(|stream| stream.is_stream() && stream.last == line) {
            return Place::Again;
        }
        let next = self.table.iter_mut().enumerate().find_map(|(index, stream)| {
            let (step, between) = stream.step_to(line)?;
            let held = between.min(stream.asked_for.len());
            stream.asked_for.drain(..held);
            stream.step = Some(step);
            stream.last = line;
            stream.neighbours = stream.neighbours.saturating_add(1);
            stream.used_at = clock;
            Some((index, stream.is_stream()))
        });
        match next {
            Some((index, true)) => Place::Next(index),
            Some((_, false)) => Place::Alone,
            None => {
                self.begin(line);
                Place::Alone
            }
        }
    }

    /// Something may begin at a line; it takes the place of what is longest unused.
    fn begin(&mut self, line: u64) {
        if self.table.len() == STREAMS {
            let oldest = (0..STREAMS).min_by_key(|&index| self.table[index].used_at);
            oldest.map(|index| self.table.swap_remove(index));
        }
        let used_at = self.clock;
        self.table.push(Stream {
            last: line,
            step: None,
            neighbours: 0,
            used_at,
            asked_for: VecDeque::new(),
        });
    }

    /// The line that was asked for and is taken now; nothing where it was not asked for.
    pub(crate) fn take(&mut self, stream: usize) -> Option<Asked> {
        self.table[stream].asked_for.pop_front()
    }

    /// The next line to ask for; nothing when as many are on their way as may be. To be asked until
    /// then, at most `AT_ONCE` times a line.
    pub(crate) fn wants(&mut self, stream: usize) -> Option<u64> {
        self.make_room(stream);
        let on_their_way: usize = self.table.iter().map(|stream| stream.asked_for.len()).sum();
        let Stream { last, step, asked_for, .. } = &self.table[stream];
        let next = step.map(|step| step.from(*last, asked_for.len() as u64 + 1));
        next.filter(|_| on_their_way < self.lines)
    }

    /// A line is asked for.
    pub(crate) fn ask(&mut self, stream: usize, asked: Asked) {
        self.table[stream].asked_for.push_back(asked);
    }

    /// Streams that have ended give up theirs. One that has less than its share takes a line's room
    /// from the one that has most: memory has handed it out for nothing, as it does when a
    /// prefetcher errs.
    fn make_room(&mut self, stream: usize) {
        let clock = self.clock;
        for other in &mut self.table {
            if clock - other.used_at > ENDED {
                other.asked_for.clear();
            }
        }
        let lengths = || self.table.iter().map(|stream| stream.asked_for.len());
        let own = self.table[stream].asked_for.len();
        let streams = lengths().filter(|&length| length > 0).count() + usize::from(own == 0);
        if lengths().sum::<usize>() < self.lines || own >= self.lines / streams {
            return;
        }
        if let Some(richest) = self.table.iter_mut().max_by_key(|stream| stream.asked_for.len()) {
            richest.asked_for.pop_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(streams: &mut CpuStreams, lines: &[u64]) -> Vec<Place> {
        lines.iter().map(|&line| streams.place(line)).collect()
    }

    /// Takes a line of a stream and asks for more, as a CPU does; returns whether it had been asked
    /// for.
    fn goes_on(streams: &mut CpuStreams, line: u64) -> bool {
        let Place::Next(stream) = streams.place(line) else { return false };
        let was_asked_for = streams.take(stream).is_some();
        for _ in 0..AT_ONCE {
            if streams.wants(stream).is_some() {
                streams.ask(stream, Asked { home: 0, passed: 0 });
            }
        }
        was_asked_for
    }

    fn on_their_way(streams: &CpuStreams) -> Vec<usize> {
        streams
            .table
            .iter()
            .map(|stream| stream.asked_for.len())
            .filter(|&length| length > 0)
            .collect()
    }

    #[test]
    fn two_neighbours_make_a_stream_up_or_down() {
        use Place::{Alone, Next};
        let mut streams = CpuStreams::new(8);
        assert_eq!(places(&mut streams, &[10, 11, 12, 13]), [Alone, Alone, Next(0), Next(0)]);
        assert_eq!(places(&mut streams, &[100, 99, 98, 99]), [Alone, Alone, Next(1), Alone]);
        assert_eq!(places(&mut streams, &[14]), [Next(0)]);
    }

    #[test]
    fn strides_of_two_lines_and_more_are_no_streams() {
        let mut streams = CpuStreams::new(8);
        for stride in [2, 4, 64] {
            let walk = (0..200).map(|line| 1_000_000 * stride + line * stride);
            assert!(walk.into_iter().all(|line| streams.place(line) == Place::Alone), "{stride}");
        }
    }

    #[test]
    fn random_walks_are_hardly_ever_streams() {
        let mut streams = CpuStreams::new(8);
        let mut random = fastrand::Rng::with_seed(1);
        let streamed =
            (0..100_000).filter(|_| streams.place(random.u64(0..8192)) != Place::Alone).count();
        assert!(streamed < 100, "{streamed}");
    }

    #[test]
    fn lines_that_are_held_already_do_not_end_a_stream() {
        let mut streams = CpuStreams::new(8);
        (0..100).filter(|line| line % 10 != 9).for_each(|line| _ = goes_on(&mut streams, line));
        assert!(goes_on(&mut streams, 102) && goes_on(&mut streams, 103));
        assert!(!goes_on(&mut streams, 108));
    }

    #[test]
    fn a_line_that_was_reached_is_known_again() {
        let mut streams = CpuStreams::new(8);
        places(&mut streams, &[1, 2, 3]);
        assert_eq!(streams.place(3), Place::Again);
    }

    #[test]
    fn a_triad_is_three_streams_that_share_what_may_be_on_its_way() {
        let mut streams = CpuStreams::new(96);
        let asked_for = (0..1000).flat_map(|line| [line, 10_000 + line, 90_000 - line]);
        let missed = asked_for.into_iter().filter(|&line| !goes_on(&mut streams, line)).count();
        assert!(missed <= 3 * 3, "{missed}");
        let shares = on_their_way(&streams);
        assert_eq!((shares.len(), shares.iter().sum::<usize>()), (3, 96));
        assert!(shares.iter().all(|share| (31..=33).contains(share)), "{shares:?}");
    }

    #[test]
    fn a_stream_that_begins_anew_gets_all_that_the_old_one_had() {
        let mut streams = CpuStreams::new(64);
        (0..500).for_each(|line| _ = goes_on(&mut streams, line));
        assert_eq!(on_their_way(&streams), [64]);
        let missed = (10_000..10_200).filter(|&line| !goes_on(&mut streams, line)).count();
        assert_eq!((missed, on_their_way(&streams)), (3, vec![64]));
    }

    #[test]
    fn the_lines_asked_for_are_those_that_come_next() {
        let mut streams = CpuStreams::new(8);
        places(&mut streams, &[50, 49]);
        let Place::Next(stream) = streams.place(48) else { panic!("no stream") };
        let wanted: Vec<u64> = std::iter::from_fn(|| {
            let line = streams.wants(stream)?;
            streams.ask(stream, Asked { home: 0, passed: 0 });
            Some(line)
        })
        .collect();
        assert_eq!(wanted, (40..48).rev().collect::<Vec<_>>());
    }
}
