//! Two threads that begin together, each on its CPU: the caller's on the first, one of its own on
//! the second.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nearfar_model::{CpuId, CpuSet};
use nearfar_place::set_affinity;

use crate::worker::guards::thread::ThreadWatch;
use crate::worker_message::DropReason;

/// Nobody waits longer for the other: the two do not run at the same time, or one was taken away
/// for good.
const TIMEOUT: Duration = Duration::from_secs(4);
/// Looks at the other's step between two looks at the clock. A look pauses, and so may take a
/// microsecond.
const STEP_CHECKS: u32 = 1 << 14;
/// Tries of what is timed between two looks at the clock: a tenth of a second's, so that hardly any
/// wait of a hand-over holds one. (On an emulated machine a hand-over takes tens of thousands of
/// tries, and each look at the clock cost it more than the line.)
const TRIES: u32 = 1 << 20;

/// Where two threads wait for each other: lines of their own, so that waiting disturbs nothing that
/// is measured.
#[derive(Default)]
pub(super) struct Rendezvous {
    arrived: CacheAligned<AtomicU32>,
    step: CacheAligned<AtomicU32>,
    given_up: CacheAligned<AtomicBool>,
}

/// On a pair of lines that nothing else shares (neighbours are prefetched in pairs).
#[derive(Default)]
#[repr(align(128))]
pub(super) struct CacheAligned<T>(pub(super) T);

impl Rendezvous {
    /// Says that one of them is there, and waits for the other; both leave their CPU to others
    /// meanwhile.
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

    /// Says that this step is reached.
    pub(super) fn reach(&self, step: u32) {
        self.step.0.store(step, Ordering::Release);
    }

    /// Waits until the other has reached this step, and leaves the core to a sibling that works
    /// meanwhile.
    pub(super) fn wait_for(&self, step: u32) -> Result<(), DropReason> {
        self.until_within(STEP_CHECKS, || {
            spin_loop();
            self.step.0.load(Ordering::Acquire) >= step
        })
    }

    /// Tries until it succeeds; an error when the other gave up, or when that lasts too long.
    pub(super) fn until(&self, succeeds: impl FnMut() -> bool) -> Result<(), DropReason> {
        self.until_within(TRIES, succeeds)
    }

    /// The same, with so many tries between two looks at the clock.
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

    /// Ends the other's waiting.
    fn report_unavailable(&self) {
        self.given_up.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.0.load(Ordering::Relaxed)
    }
}

/// Why this process cannot have a second thread (`pids.max`, RLIMIT_NPROC), where that is so.
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

/// Runs both parts at the same time: the first in the calling thread, which stands on the first CPU
/// already. What the first gives counts only where neither was disturbed.
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
        // Rare: a worker looks before its first pair whether it may have a second thread.
        let Ok(partner) = partner else { return Err(DropReason::NoThread) };
        let result = pinned(first, &rendezvous, || mine(&rendezvous));
        if result.is_err() {
            rendezvous.report_unavailable();
        }
        let theirs = partner.join().unwrap_or(Err(DropReason::Descheduled));
        // Whoever waited in vain knows less than the one who did not come.
        match (result, theirs) {
            (_, Err(why @ (DropReason::MovedCpu | DropReason::Descheduled))) => Err(why),
            (result, theirs) => result.and_then(|value| theirs.map(|()| value)),
        }
    })
}

/// Does something on a CPU, under the thread's guard, once both threads are there.
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

/// What was done, unless the thread was disturbed meanwhile. Whoever was taken off its CPU kept the
/// other waiting: then waiting in vain tells of other programs here, not of a hypervisor.
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
    fn who_lost_its_cpu_to_a_program_here_does_not_accuse_the_hypervisor() {
        let lost = Err(DropReason::Descheduled);
        assert_eq!(unless_disturbed::<()>(Err(DropReason::TimeShared), lost), lost);
        assert_eq!(unless_disturbed(Ok(()), lost), lost);
    }

    #[test]
    fn waiting_in_vain_while_undisturbed_is_the_hypervisors() {
        let in_turns = Err(DropReason::TimeShared);
        assert_eq!(unless_disturbed::<()>(in_turns, Ok(())), in_turns);
        assert_eq!(unless_disturbed(Ok(7), Ok(())), Ok(7));
    }
}
