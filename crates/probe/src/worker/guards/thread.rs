//! The thread's own guard: it ran on its CPU all the time.

use std::time::{Duration, Instant};

use nearfar_model::CpuId;
use nearfar_place::current_cpu;

use crate::worker_message::DropReason;

/// The kernel's own threads take a CPU for some microseconds a few times a second. What takes a few
/// milliseconds is taken again when it met them; what takes seconds, as on emulated machines,
/// always meets them and loses nothing that counts. So it may be taken off its CPU once for each
/// time so long; what was really away stands out of its segments.
const SWITCH_INTERVAL: Duration = Duration::from_millis(50);

/// What stood before something was timed, to be compared with what stands after.
pub(crate) struct ThreadWatch {
    cpu: CpuId,
    switches: i64,
    began: Instant,
}

impl ThreadWatch {
    /// Notes what stands now; an error when the calling thread is not on the CPU it was pinned to.
    pub(crate) fn begin(cpu: CpuId) -> Result<Self, DropReason> {
        check_cpu(cpu)?;
        Ok(Self { cpu, switches: involuntary_switches(), began: Instant::now() })
    }

    /// Compares; an error when the thread was taken off its CPU meanwhile more often than it has to
    /// be, or is on another.
    pub(crate) fn end(&self) -> Result<(), DropReason> {
        self.was_not_switched()?;
        self.is_in_place()
    }

    /// An error when the thread was taken off its CPU meanwhile more often than it has to be.
    pub(crate) fn was_not_switched(&self) -> Result<(), DropReason> {
        match involuntary_switches() - self.switches > unavoidable(self.began.elapsed()) {
            true => Err(DropReason::Descheduled),
            false => Ok(()),
        }
    }

    /// An error when the thread is on another CPU.
    pub(crate) fn is_in_place(&self) -> Result<(), DropReason> {
        check_cpu(self.cpu)
    }
}

/// How often the kernel takes a thread off its CPU in such a time, whatever else runs.
fn unavoidable(time: Duration) -> i64 {
    i64::try_from(time.as_nanos() / SWITCH_INTERVAL.as_nanos()).unwrap_or(i64::MAX)
}

fn check_cpu(pinned: CpuId) -> Result<(), DropReason> {
    match current_cpu() {
        Ok((cpu, _)) if cpu != pinned => Err(DropReason::MovedCpu),
        // A kernel that does not say is believed: it granted the affinity.
        _ => Ok(()),
    }
}

/// How often the kernel has taken the calling thread off its CPU: `ru_nivcsw` of getrusage(2).
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
        // A rival on the same CPU makes the kernel switch between the two.
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
