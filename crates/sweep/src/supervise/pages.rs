//! Where the program's pages are while it runs, and how many of them are remote to its threads.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nearfar_machine::Source;
use nearfar_process::{ProcessMemory, with_descendants_at_a_glance};

/// Time of the first sample.
const FIRST: Duration = Duration::from_millis(50);
/// Each pause is longer by this factor: a run has few samples, however long it is.
const GROWTH: f64 = 1.6;
/// The largest share of the time for which samples lock the program's mappings.
const HELD: f64 = 0.01;
/// The largest share of the time that samples take in all: without spare CPUs it is the program's.
const LOOKING: f64 = 0.02;

/// One sample of the program's pages.
#[derive(Clone, Copy, Default)]
struct PageSample {
    bytes: u64,
    remote_share: Option<f64>,
    /// How long the kernel held the mappings of its processes.
    held: Duration,
}

/// When samples are taken.
struct SampleSchedule {
    /// The program is expected to have done half of its work then, which is sampled whatever
    /// earlier samples cost. None afterwards.
    halfway: Option<Instant>,
    pause: Duration,
}

impl SampleSchedule {
    fn until(halfway: Option<Instant>) -> Self {
        Self { halfway, pause: FIRST }
    }

    /// How long to wait from now on.
    fn wait(&self, now: Instant) -> Duration {
        // Not less than the first pause: very short runs are not sampled.
        let to_halfway =
            self.halfway.map(|halfway| halfway.saturating_duration_since(now).max(FIRST));
        to_halfway.unwrap_or(self.pause).min(self.pause)
    }

    /// The cost of a sample decides when the next one is taken.
    fn learn(&mut self, began: Instant, took: Duration, look: &PageSample) {
        self.halfway = self.halfway.filter(|halfway| began < *halfway);
        let cheap = look.held.div_f64(HELD).max(took.div_f64(LOOKING));
        self.pause = self.pause.mul_f64(GROWTH).max(cheap);
    }
}

/// What samples of a run show.
#[derive(Clone, Debug, Default)]
pub(super) struct SampledPages {
    /// The share of pages that were remote when the program had most of them; none where it could
    /// not be seen.
    pub(super) remote_share: Option<f64>,
    /// When each began and ended; the last may have gone on after the program had ended.
    looks: Vec<[Instant; 2]>,
}

impl SampledPages {
    /// How long they took until then.
    pub(super) fn looked(&self, until: Instant) -> Duration {
        let of_run =
            |[began, ended]: &[Instant; 2]| (*ended).min(until).saturating_duration_since(*began);
        self.looks.iter().map(of_run).sum()
    }
}

/// Samples until the program has ended. It is expected to have done half of its work after
/// `halfway`.
pub(super) fn sampled_pages(
    source: &Source,
    own: u32,
    outside: Option<&Path>,
    halfway: Option<Duration>,
    ended: &Receiver<()>,
) -> SampledPages {
    let mut looks = Vec::new();
    let mut schedule =
        SampleSchedule::until(halfway.and_then(|after| Instant::now().checked_add(after)));
    let mut fullest: Option<PageSample> = None;
    while ended.recv_timeout(schedule.wait(Instant::now())) == Err(RecvTimeoutError::Timeout) {
        if fullest.is_none() {
            leave_its_cpus(outside);
        }
        let began = Instant::now();
        let seen = look(source, own);
        // Of equal samples, the last: while a program fills its memory, its threads may not yet be
        // on their CPUs.
        if fullest.is_none_or(|fullest| seen.bytes >= fullest.bytes) {
            fullest = Some(seen);
        }
        let looked = Instant::now();
        looks.push([began, looked]);
        schedule.learn(began, looked - began, &seen);
    }
    SampledPages { remote_share: fullest.and_then(|fullest| fullest.remote_share), looks }
}

/// Samples take CPU time, from other CPUs than the program's where that is permitted.
fn leave_its_cpus(outside: Option<&Path>) {
    let _ = outside.map(|threads| fs::write(threads, "0"));
}

/// How much memory all of the program's processes have, and the remote share of it.
fn look(source: &Source, own: u32) -> PageSample {
    let mut look = PageSample::default();
    let mut remote = 0.0;
    for pid in with_descendants_at_a_glance(source, own).into_iter().filter(|&pid| pid != own) {
        let Ok((memory, held)) = ProcessMemory::read_timed(source, pid) else { continue };
        look.held += held;
        let Some(share) = memory.remote_share() else { continue };
        let bytes = memory.by_node().total().0;
        look.bytes += bytes;
        remote += share * bytes as f64;
    }
    look.remote_share = (look.bytes > 0).then(|| remote / look.bytes as f64);
    look
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn held(held: Duration) -> PageSample {
        PageSample { held, ..PageSample::default() }
    }

    #[test]
    fn looks_count_until_the_program_ends() {
        let start = Instant::now();
        let at = |seconds: u32| start + seconds * SECOND;
        let looks = vec![[at(1), at(2)], [at(5), at(9)], [at(11), at(12)]];
        let pages = SampledPages { remote_share: None, looks };
        assert_eq!(pages.looked(at(6)), 2 * SECOND);
    }

    #[test]
    fn slow_samples_are_rare() {
        let (mut schedule, now) = (SampleSchedule::until(None), Instant::now());
        assert_eq!(schedule.wait(now), FIRST);
        schedule.learn(now, Duration::from_micros(100), &held(Duration::ZERO));
        assert_eq!(schedule.wait(now), FIRST.mul_f64(GROWTH));
        schedule.learn(now, SECOND, &held(Duration::ZERO));
        assert_eq!(schedule.wait(now), 50 * SECOND);
        schedule.learn(now, SECOND, &held(SECOND));
        assert_eq!(schedule.wait(now), 100 * SECOND);
    }

    #[test]
    fn halfway_is_always_sampled() {
        let start = Instant::now();
        let mut schedule = SampleSchedule::until(Some(start + 3 * SECOND));
        schedule.learn(start, SECOND, &held(SECOND));
        assert_eq!(schedule.wait(start + SECOND), 2 * SECOND);
        schedule.learn(start + 3 * SECOND, SECOND, &held(SECOND));
        assert!(schedule.wait(start + 4 * SECOND) > 99 * SECOND);
    }

    #[test]
    fn samples_past_halfway_are_followed_by_another() {
        let start = Instant::now();
        let mut schedule = SampleSchedule::until(Some(start + SECOND));
        schedule.learn(start, 2 * SECOND, &held(SECOND));
        assert_eq!(schedule.wait(start + 2 * SECOND), FIRST);
    }
}
