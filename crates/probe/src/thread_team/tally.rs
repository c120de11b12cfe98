//! A thread's progress over time.

use std::ops::Range;
use std::time::Duration;

use crate::streams::TURN;

/// At this number of records every second one is removed; it is odd, so that the last one stays. It
/// suffices for seconds of pieces of about 50 us.
const MAX_NOTES: usize = (1 << 16) + 1;
/// The smallest ratio of an outlier, a gap between two records, to the typical time of its work.
const OUTLIER_FACTOR: f64 = 3.0;
/// The smallest excess of an outlier over that time, in seconds.
const OUTLIER_EXCESS_S: f64 = 100e-6;
/// The minimal number of pieces for a typical time.
const MIN_PIECES: usize = 8;

/// The unit of [`TurnRecord::at`]: fine compared with a piece of work; 32 bits are seven minutes.
const TICK: Duration = Duration::from_nanos(100);

/// A time, and the turns since the record before. Records are small, since a run's records exceed
/// the first-level cache: each cache line of them that comes from memory delays the work, on
/// emulated machines as much as a thousand lines of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TurnRecord {
    /// Ticks since the agreed start.
    at: u32,
    turns: u32,
}

impl TurnRecord {
    fn new(at: Duration, turns: u64) -> Self {
        let ticks = at.as_nanos() / TICK.as_nanos();
        Self {
            at: u32::try_from(ticks).unwrap_or(u32::MAX),
            turns: u32::try_from(turns).unwrap_or(u32::MAX),
        }
    }

    fn at(self) -> Duration {
        TICK * self.at
    }

    fn swept(self) -> f64 {
        f64::from(self.turns) * TURN.0 as f64
    }
}

/// The records of one thread in one run.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    notes: Vec<TurnRecord>,
    /// The involuntary context switches.
    pub(super) switches: i64,
}

impl Tally {
    /// Records the start of work.
    pub(super) fn begin(&mut self, at: Duration) {
        self.notes = Vec::with_capacity(MAX_NOTES);
        self.notes.push(TurnRecord::new(at, 0));
    }

    /// Records `turns` more turns. After seven minutes the time saturates.
    pub(super) fn note(&mut self, at: Duration, turns: u64) {
        if self.notes.len() == MAX_NOTES {
            self.thin_out();
        }
        self.notes.push(TurnRecord::new(at, turns));
    }

    /// Removes every second record; the next one takes over its turns.
    fn thin_out(&mut self) {
        let mut turns = 0u32;
        let mut is_kept = false;
        self.notes.retain_mut(|note| {
            is_kept = !is_kept;
            turns = turns.saturating_add(note.turns);
            if is_kept {
                note.turns = std::mem::take(&mut turns);
            }
            is_kept
        });
    }

    /// From the first record to the last.
    pub(super) fn span(&self) -> Option<Range<Duration>> {
        Some(self.notes.first()?.at()..self.notes.last()?.at())
    }

    /// Bytes swept within a time that lies within [`Tally::span`]. Work between two records counts
    /// as uniform.
    pub(super) fn swept_within(&self, time: &Range<Duration>) -> f64 {
        let share = |[before, after]: [TurnRecord; 2]| {
            let within = after.at().min(time.end).saturating_sub(before.at().max(time.start));
            let length = after.at() - before.at();
            if length.is_zero() {
                0.0
            } else {
                within.as_secs_f64() / length.as_secs_f64() * after.swept()
            }
        };
        self.pieces().map(share).sum()
    }

    fn pieces(&self) -> impl Iterator<Item = [TurnRecord; 2]> + '_ {
        self.notes.windows(2).map(|pair| [pair[0], pair[1]])
    }

    /// Seconds within this time that were lost: the excess of pieces that are outliers. With few
    /// pieces nothing is known; then all of the time is lost if the kernel descheduled the thread.
    pub(super) fn lost_within_s(&self, time: &Range<Duration>) -> f64 {
        let Some(typical) = self.typical_s_per_byte() else {
            return if self.switches > 0 { (time.end - time.start).as_secs_f64() } else { 0.0 };
        };
        let lost = |[before, after]: [TurnRecord; 2]| {
            let seconds = (after.at() - before.at()).as_secs_f64();
            let usual = after.swept() * typical;
            let is_outlier = seconds > usual * OUTLIER_FACTOR && seconds > usual + OUTLIER_EXCESS_S;
            let within =
                after.at().min(time.end).saturating_sub(before.at().max(time.start)).as_secs_f64();
            if is_outlier { (seconds - usual) * within / seconds } else { 0.0 }
        };
        self.pieces().map(lost).sum()
    }

    fn typical_s_per_byte(&self) -> Option<f64> {
        let per_byte = |[before, after]: [TurnRecord; 2]| {
            (after.at() - before.at()).as_secs_f64() / after.swept()
        };
        let mut pieces: Vec<f64> = self.pieces().map(per_byte).collect();
        pieces.sort_by(f64::total_cmp);
        (pieces.len() >= MIN_PIECES).then(|| pieces[pieces.len() / 2])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn us(us: u64) -> Duration {
        Duration::from_micros(us)
    }

    /// A thread that begins at `begin` and takes 10 us per turn, in pieces of these numbers of
    /// turns.
    fn steady(begin: u64, pieces: &[u64]) -> Tally {
        let mut tally = Tally::default();
        let mut at = begin;
        tally.begin(us(at));
        for &turns in pieces {
            at += turns * 10;
            tally.note(us(at), turns);
        }
        tally
    }

    #[test]
    fn steady_work_has_no_outliers() {
        let tally = steady(0, &[1, 1, 2, 4, 8, 16, 16, 16, 8, 16, 16, 16]);
        assert_eq!(tally.lost_within_s(&(us(0)..us(1200))), 0.0);
    }

    #[test]
    fn lost_time_is_a_gaps_excess_in_the_window() {
        let mut tally = steady(0, &[10; 20]);
        tally.note(us(2000 + 1100), 10);
        let lost = tally.lost_within_s(&(us(0)..us(3100)));
        assert!((lost - 1e-3).abs() < 1e-9, "{lost}");
        assert_eq!(tally.lost_within_s(&(us(0)..us(2000))), 0.0);
    }

    #[test]
    fn a_window_within_a_gap_is_lost() {
        let mut tally = steady(0, &[10; 20]);
        tally.note(us(12_000), 1);
        let lost = tally.lost_within_s(&(us(4000)..us(8000)));
        assert!((lost - 4e-3).abs() < 1e-5, "{lost}");
    }

    #[test]
    fn few_pieces_count_unless_descheduled() {
        let mut tally = steady(0, &[1, 1000]);
        assert_eq!(tally.lost_within_s(&(us(1000)..us(3000))), 0.0);
        tally.switches = 1;
        assert_eq!(tally.lost_within_s(&(us(1000)..us(3000))), 2e-3);
    }

    #[test]
    fn a_long_run_keeps_its_ends_and_sums() {
        let tally = steady(0, &vec![1; 3 * MAX_NOTES]);
        assert!(tally.notes.len() <= MAX_NOTES);
        assert_eq!(tally.span(), Some(us(0)..us(30 * MAX_NOTES as u64)));
        let all = tally.swept_within(&tally.span().unwrap());
        assert_eq!(all, 3.0 * MAX_NOTES as f64 * TURN.0 as f64);
        let half = tally.swept_within(&(us(0)..us(15 * MAX_NOTES as u64)));
        assert!((half / (1.5 * MAX_NOTES as f64 * TURN.0 as f64) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn a_run_ends_with_the_range_of_notes() {
        let mut tally = steady(0, &[10; 20]);
        tally.note(Duration::from_secs(1000), 10);
        assert_eq!(tally.span(), Some(us(0)..TICK * u32::MAX));
    }

    proptest! {
        #[test]
        fn steady_work_counts_by_the_time_alone(
            begin in 0u64..1000,
            pieces in prop::collection::vec(1u64..64, 1..60),
            from in 0.0f64..1.0,
            length in 0.0f64..1.0,
        ) {
            let tally = steady(begin, &pieces);
            let span = tally.span().unwrap();
            let whole = span.end - span.start;
            let start = span.start + whole.mul_f64(from);
            let time = start..start + (span.end - start).mul_f64(length);
            let expected = (time.end - time.start).as_secs_f64() / 10e-6 * TURN.0 as f64;
            prop_assert!((tally.swept_within(&time) - expected).abs() <= 1e-3 * TURN.0 as f64);
        }
    }
}
