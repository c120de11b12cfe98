//! What a window of accesses has done so far, and when it ends.

use std::time::{Duration, Instant};

use nearfar_model::{DurationCounts, Unit};

use super::setup::IoWorkload;

/// A window lasts until each place in flight was used this often, however slow the disk is.
const MIN_TURNS: u32 = 3;
/// Accesses one at a time: the median of fewer is imprecise.
const MIN_ACCESSES: u32 = 16;
/// A window of a very slow disk ends after this time.
const LONGEST: Duration = Duration::from_secs(5);

/// The accesses of a window.
pub(super) struct Progress {
    workload: IoWorkload,
    window: Duration,
    began: Instant,
    latencies: Vec<Duration>,
    /// When the queue was full for the first time: its first accesses have ended.
    filled: Option<Instant>,
    last: Instant,
}

impl Progress {
    pub(super) fn begin(workload: IoWorkload, window: Duration) -> Self {
        let began = Instant::now();
        Self { workload, window, began, latencies: Vec::new(), filled: None, last: began }
    }

    /// An access that began then has ended.
    pub(super) fn ended(&mut self, began: Instant, ended: Instant) {
        self.latencies.push(ended.saturating_duration_since(began));
        if self.latencies.len() == self.workload.depth as usize {
            self.filled = Some(ended);
        }
        self.last = self.last.max(ended);
    }

    /// Whether no further access begins.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        let least = (MIN_TURNS * self.workload.depth).max(MIN_ACCESSES) as usize;
        let elapsed = now.saturating_duration_since(self.began);
        elapsed >= self.window && self.latencies.len() >= least || elapsed >= LONGEST
    }

    /// What was done while the queue was full. Call it before the rest of the queue is waited for.
    pub(super) fn close(&self) -> Option<f64> {
        if self.workload.depth == 1 {
            return median_ns(&self.latencies);
        }
        let full = self.last.saturating_duration_since(self.filled?);
        let accesses = self.latencies.len().checked_sub(self.workload.depth as usize)?;
        let bytes = accesses as f64 * self.workload.size.0 as f64;
        let rate = bytes / full.as_secs_f64();
        (rate.is_finite() && rate > 0.0).then(|| Unit::BytesPerSecond.value_ns(rate))
    }

    pub(super) fn counts(&self) -> DurationCounts {
        let mut counts = DurationCounts::default();
        self.latencies.iter().for_each(|latency| counts.add(*latency));
        counts
    }
}

fn median_ns(latencies: &[Duration]) -> Option<f64> {
    let mut ns: Vec<u128> = latencies.iter().map(Duration::as_nanos).collect();
    ns.sort_unstable();
    let middle = |index: usize| ns.get(index).map(|ns| *ns as f64);
    let (low, high) = (middle(ns.len().checked_sub(1)? / 2)?, middle(ns.len() / 2)?);
    Some(f64::midpoint(low, high).max(1.0))
}

#[cfg(test)]
mod tests {
    use nearfar_model::Bytes;

    use super::*;
    use crate::io::{AccessPattern, IoOperation};

    fn progress(depth: u32) -> Progress {
        let workload = IoWorkload {
            operation: IoOperation::Read,
            depth,
            size: Bytes::mib(1),
            pattern: AccessPattern::Random,
        };
        Progress::begin(workload, Duration::from_millis(50))
    }

    #[test]
    fn one_at_a_time_gives_the_median_latency() {
        let mut progress = progress(1);
        assert_eq!(progress.close(), None);
        let began = progress.began;
        for ms in [1, 9, 2, 3] {
            progress.ended(began, began + Duration::from_millis(ms));
        }
        assert_eq!(progress.close(), Some(2_500_000.0));
        assert_eq!(progress.counts().total(), 4);
    }

    #[test]
    fn a_full_queue_gives_the_rate() {
        let mut progress = progress(4);
        let began = progress.began;
        // Four accesses fill the queue at 10 ms, and then one ends every millisecond.
        for _ in 0..4 {
            progress.ended(began, began + Duration::from_millis(10));
        }
        for ms in 11..=30 {
            progress.ended(began, began + Duration::from_millis(ms));
        }
        let rate = Unit::BytesPerSecond.figure(progress.close().unwrap());
        assert!((rate / (1000.0 * 1_048_576.0) - 1.0).abs() < 1e-9, "{rate}");
    }

    #[test]
    fn windows_of_slow_disks_are_longer() {
        let mut progress = progress(1);
        let at = |ms| progress.began + Duration::from_millis(ms);
        let (early, late, latest) = (at(49), at(51), at(5_001));
        assert!(!progress.is_over(late) && progress.is_over(latest));
        (0..16).for_each(|_| progress.ended(progress.began, early));
        assert!(progress.is_over(late) && !progress.is_over(early));
    }
}
