//! The thread's own guard: it ran on its CPU all the time.

use std::time::{Duration, Instant};

use nearfar_model::CpuId;
use nearfar_place::current_cpu;

use crate::worker_message::DropReason;

/// The kernel's own threads use a CPU for microseconds a few times per second. A slice of
/// milliseconds is retried after such a switch; one of seconds, as on emulated machines, always has
/// some and loses nothing relevant. So one switch per this interval is allowed; a real loss makes a
/// segment an outlier.
const SWITCH_INTERVAL: Duration = Duration::from_millis(50);

/// The state before a timed section, compared with the state after it.
pub(crate) struct ThreadWatch {
    cpu: CpuId,
    switches: i64,
    began: Instant,
}

impl ThreadWatch {
    /// Records the current state; fails if the calling thread is not on its CPU.
    pub(crate) fn begin(cpu: CpuId) -> Result<Self, DropReason> {
        check_cpu(cpu)?;
        Ok(Self { cpu, switches: involuntary_switches(), began: Instant::now() })
    }

    /// Fails if the thread was descheduled more often than is unavoidable, or is on another CPU.
    pub(crate) fn end(&self) -> Result<(), DropReason> {
        self.was_not_switched()?;
        self.is_in_place()
    }

    /// Fails if the thread was descheduled more often than is unavoidable.
    pub(crate) fn was_not_switched(&self) -> Result<(), DropReason> {
        if involuntary_switches() - self.switches > unavoidable(self.began.elapsed()) {
            return Err(DropReason::Descheduled);
        }
        Ok(())
    }

    /// Fails if the thread is on another CPU.
    pub(crate) fn is_in_place(&self) -> Result<(), DropReason> {
        check_cpu(self.cpu)
    }
}

/// Context switches that are unavoidable in this time.
fn unavoidable(time: Duration) -> i64 {
    i64::try_from(time.as_nanos() / SWITCH_INTERVAL.as_nanos()).unwrap_or(i64::MAX)
}

fn check_cpu(pinned: CpuId) -> Result<(), DropReason> {
    match current_cpu() {
        Ok((cpu, _)) if cpu != pinned => Err(DropReason::MovedCpu),
        // If the kernel does not report it, the granted affinity counts.
        _ => Ok(()),
    }
}

/// The involuntary context switches of the calling thread: `ru_nivcsw` of getrusage(2).
#[allow(unsafe_code)]
pub(crate) fn involuntary_switches() -> i64 {
    // SAFETY: all-zero is a valid `rusage`; the kernel overwrites it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one `rusage`.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    usage.ru_nivcsw
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use nearfar_model::CpuSet;
    use nearfar_place::AffinityGuard;

    use super::*;

    #[test]
    fn long_times_have_unavoidable_switches() {
        assert_eq!([0, 2, 49].map(|ms| unavoidable(Duration::from_millis(ms))), [0; 3]);
        assert_eq!([50, 1300].map(|ms| unavoidable(Duration::from_millis(ms))), [1, 26]);
    }

    #[test]
    fn involuntary_switches_are_counted() {
        let (here, _) = current_cpu().unwrap();
        let _pinned = AffinityGuard::enter(&CpuSet::from_id(here)).unwrap();
        let before = involuntary_switches();
        let (begin, ended) = (Instant::now(), AtomicBool::new(false));
        // Another thread on the same CPU makes the kernel switch between the two.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            while involuntary_switches() <= before && begin.elapsed().as_secs() < 60 {}
            ended.store(true, Ordering::Relaxed);
        });
        assert!(involuntary_switches() > before);
    }
}
