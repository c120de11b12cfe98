//! The schedule of all work, paced by the host's clock while threads wait.

use crate::paced_clock::PacedClock;
use crate::schedule::{CopyWork, RecordId, Schedule};

/// All work, and how far it is done.
#[derive(Debug)]
pub(crate) struct Timeline {
    schedule: Schedule,
    clock: PacedClock,
    /// The schedule at the end of a wait. It is computed before that wait, so that a slow machine
    /// does not lengthen the wait, and holds while nothing else happens.
    forecast: Option<Schedule>,
}

impl Timeline {
    pub(crate) fn new(schedule: Schedule) -> Self {
        Self { schedule, clock: PacedClock::default(), forecast: None }
    }

    /// The schedule, to add work to it.
    pub(crate) fn schedule(&mut self) -> &mut Schedule {
        self.forecast = None;
        &mut self.schedule
    }

    /// Does the work until simulated time, if that runs.
    pub(crate) fn catch_up(&mut self, host_ns: f64) {
        if let Some(now) = self.clock.now(host_ns) {
            self.schedule().advance(now);
        }
    }

    /// A thread begins to wait for these streams. Returns the simulated time at which their work is
    /// done, and the host's; nothing if it is done.
    pub(crate) fn begin_wait(&mut self, streams: &[usize], host_ns: f64) -> Option<(f64, f64)> {
        if self.schedule.is_done(streams) {
            return None;
        }
        let forecast = self.schedule.when_done(streams);
        let end = forecast.now();
        self.forecast = Some(forecast);
        Some((end, self.clock.begin_wait(host_ns, self.schedule.now(), end)))
    }

    /// A thread has waited until the host's time.
    pub(crate) fn end_wait(&mut self, until: f64, host_ns: f64) {
        let now = self.clock.end_wait(host_ns, until);
        let forecast = self.forecast.take().filter(|forecast| forecast.now() == now);
        match forecast {
            Some(forecast) => self.schedule = forecast,
            None => self.schedule.advance(now),
        }
    }

    /// Records that happened since this was last called, with their times.
    pub(crate) fn take_happened(&mut self) -> Vec<(RecordId, f64)> {
        self.schedule.take_happened()
    }

    /// Adds a copy to a stream's work.
    pub(crate) fn submit(&mut self, stream: usize, copy: CopyWork) {
        self.schedule().submit(stream, copy);
    }
}

#[cfg(test)]
mod tests {
    use super::Timeline;
    use crate::fair_share::Demand;
    use crate::schedule::{CopyWork, Schedule};

    fn copy(bytes: f64) -> CopyWork {
        let demand = Demand { limit: 10.0, links: Vec::new() };
        CopyWork { latency_ns: 100.0, bytes, demand }
    }

    #[test]
    fn a_wait_ends_with_the_work() {
        let mut timeline = Timeline::new(Schedule::new(Vec::new()));
        let [first, second] = [(); 2].map(|()| timeline.schedule().add_stream());
        timeline.submit(first, copy(1000.0));
        timeline.submit(second, copy(2000.0));
        assert_eq!(timeline.begin_wait(&[first], 5000.0), Some((200.0, 5200.0)));
        timeline.end_wait(200.0, 7000.0);
        assert_eq!(timeline.begin_wait(&[first], 7000.0), None);
        assert_eq!(timeline.begin_wait(&[second], 7000.0), Some((300.0, 7100.0)));
    }

    #[test]
    fn work_that_is_added_during_a_wait_counts() {
        let mut timeline = Timeline::new(Schedule::new(Vec::new()));
        let stream = timeline.schedule().add_stream();
        timeline.submit(stream, copy(1000.0));
        assert_eq!(timeline.begin_wait(&[stream], 5000.0), Some((200.0, 5200.0)));
        timeline.catch_up(5100.0);
        timeline.submit(stream, copy(1000.0));
        timeline.end_wait(200.0, 5200.0);
        assert_eq!(timeline.begin_wait(&[stream], 5200.0), Some((400.0, 5400.0)));
    }
}
