//! Two threads that start together, each on its CPU: the caller on the first, a second thread on
//! the other.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nearfar_model::{CpuId, CpuSet};
use nearfar_place::set_affinity;

use crate::worker::guards::thread::ThreadWatch;
use crate::worker_message::DropReason;

/// The longest wait for the other thread. Afterwards the two do not run at the same time, or one
/// lost its CPU for good.
const TIMEOUT: Duration = Duration::from_secs(4);
/// Checks of the other's step between two readings of the clock. A check pauses, and so may take a
/// microsecond.
const STEP_CHECKS: u32 = 1 << 14;
/// Timed tries between two readings of the clock: about a tenth of a second, so that readings
/// rarely fall into a handoff. (On an emulated machine a handoff takes tens of thousands of tries,
/// and reading the clock costs more than the line.)
const TRIES: u32 = 1 << 20;

/// Synchronises two threads, on lines of its own, so that waiting does not disturb the measurement.
#[derive(Default)]
pub(super) struct Rendezvous {
    arrived: CacheAligned<AtomicU32>,
    step: CacheAligned<AtomicU32>,
    given_up: CacheAligned<AtomicBool>,
}

/// Alone on a pair of lines, since adjacent lines are prefetched in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct CacheAligned<T>(pub(super) T);

impl Rendezvous {
    /// Marks one thread as arrived and waits for the other; both yield their CPU meanwhile.
    fn wait_for_both(&self) -> Result<(), DropReason> {
        let begun = Instant::now();
        self.arrived.0.fetch_add(1, Ordering::AcqRel);
        while self.arrived.0.load(Ordering::Acquire) < 2 {
            if self.is_given_up() || begun.elapsed() > TIMEOUT {
                self.report_unavailable();
                return Err(DropReason::Descheduled);
            }
            thread::yield_now();
        }
        Ok(())
    }

    /// Marks this step as reached.
    pub(super) fn reach(&self, step: u32) {
        self.step.0.store(step, Ordering::Release);
    }

    /// Waits until the other has reached this step, with pauses that leave the core to an SMT
    /// sibling.
    pub(super) fn wait_for(&self, step: u32) -> Result<(), DropReason> {
        self.until_within(STEP_CHECKS, || {
            spin_loop();
            self.step.0.load(Ordering::Acquire) >= step
        })
    }

    /// Tries until success; fails if the other gave up, or after the timeout.
    pub(super) fn until(&self, succeeds: impl FnMut() -> bool) -> Result<(), DropReason> {
        self.until_within(TRIES, succeeds)
    }

    /// The same, with `tries` between two readings of the clock.
    fn until_within(
        &self,
        tries: u32,
        mut succeeds: impl FnMut() -> bool,
    ) -> Result<(), DropReason> {
        let mut begun = None;
        loop {
            if (0..tries).any(|_| succeeds()) {
                return Ok(());
            }
            if self.is_given_up() {
                return Err(DropReason::TimeShared);
            }
            if begun.get_or_insert_with(Instant::now).elapsed() > TIMEOUT {
                self.report_unavailable();
                return Err(DropReason::TimeShared);
            }
        }
    }

    /// Ends the other thread's wait.
    fn report_unavailable(&self) {
        self.given_up.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.0.load(Ordering::Relaxed)
    }
}

/// Why this process cannot start a second thread (`pids.max`, RLIMIT_NPROC), if so.
pub(super) fn no_second_thread() -> Option<String> {
    let tried = thread::Builder::new().spawn(|| ());
    match tried {
        Ok(thread) => {
            let _ = thread.join();
            None
        }
        Err(error) => Some(format!("a second thread cannot be started: {error}")),
    }
}

/// Runs both parts at the same time: the first in the calling thread, which is already on the first
/// CPU. The first part's result counts only if neither was disturbed.
pub(super) fn run_pair<T>(
    first: CpuId,
    second: CpuId,
    mine: impl FnOnce(&Rendezvous) -> Result<T, DropReason>,
    other: impl FnOnce(&Rendezvous) -> Result<(), DropReason> + Send,
) -> Result<T, DropReason> {
    let rendezvous = Rendezvous::default();
    thread::scope(|scope| {
        let partner = thread::Builder::new().spawn_scoped(scope, || {
            let done = pinned(second, &rendezvous, || other(&rendezvous));
            if done.is_err() {
                rendezvous.report_unavailable();
            }
            done
        });
        // Rare: a worker checks before its first pair whether a second thread can start.
        let Ok(partner) = partner else { return Err(DropReason::NoThread) };
        let result = pinned(first, &rendezvous, || mine(&rendezvous));
        if result.is_err() {
            rendezvous.report_unavailable();
        }
        let theirs = partner.join().unwrap_or(Err(DropReason::Descheduled));
        // A thread that waited in vain has less information than the one that was disturbed.
        match (result, theirs) {
            (_, Err(why @ (DropReason::MovedCpu | DropReason::Descheduled))) => Err(why),
            (result, theirs) => result.and_then(|value| theirs.map(|()| value)),
        }
    })
}

/// Runs `work` on a CPU under the thread's guard, once both threads have arrived.
fn pinned<T>(
    cpu: CpuId,
    rendezvous: &Rendezvous,
    work: impl FnOnce() -> Result<T, DropReason>,
) -> Result<T, DropReason> {
    if set_affinity(&CpuSet::from_id(cpu)).is_err() {
        return Err(DropReason::MovedCpu);
    }
    rendezvous.wait_for_both()?;
    let watch = ThreadWatch::begin(cpu)?;
    let done = work();
    unless_disturbed(done, watch.end())
}

/// The result of the work, unless the thread was disturbed. A thread that lost its CPU kept the
/// other waiting, so the timeout indicates other programs and not a hypervisor.
fn unless_disturbed<T>(
    done: Result<T, DropReason>,
    undisturbed: Result<(), DropReason>,
) -> Result<T, DropReason> {
    match (done, undisturbed) {
        (Ok(_) | Err(DropReason::TimeShared), Err(why)) => Err(why),
        (done, _) => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descheduled_thread_is_no_time_sharing() {
        let lost = Err(DropReason::Descheduled);
        assert_eq!(unless_disturbed::<()>(Err(DropReason::TimeShared), lost), lost);
        assert_eq!(unless_disturbed(Ok(()), lost), lost);
    }

    #[test]
    fn an_undisturbed_timeout_is_time_sharing() {
        let in_turns = Err(DropReason::TimeShared);
        assert_eq!(unless_disturbed::<()>(in_turns, Ok(())), in_turns);
        assert_eq!(unless_disturbed(Ok(7), Ok(())), Ok(7));
    }
}
