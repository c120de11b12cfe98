//! Threads that keep a package awake: its uncore clock falls when all of its cores sleep, which
//! slows down far memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use nearfar_model::{CpuId, CpuSet};
use nearfar_place::set_affinity;

/// Spinning threads, one per CPU, until dropped.
pub(crate) struct Spinners {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Spinners {
    /// Starts them. A thread that cannot be pinned ends, since it would disturb another CPU.
    pub(crate) fn start(cpus: &CpuSet) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let start = |cpu| {
            let stop = Arc::clone(&stop);
            thread::Builder::new().name(format!("spinner {cpu}")).spawn(move || spin(cpu, &stop))
        };
        let threads = cpus.iter().filter_map(|cpu| start(cpu).ok()).collect();
        Self { stop, threads }
    }
}

impl Drop for Spinners {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A spinner cannot panic, and nothing depends on how it ended.
            let _ = thread.join();
        }
    }
}

fn spin(cpu: CpuId, stop: &AtomicBool) {
    if set_affinity(&CpuSet::from_id(cpu)).is_err() {
        return;
    }
    set_idle_priority();
    while !stop.load(Ordering::Relaxed) {
        std::hint::spin_loop();
    }
}

/// Gives any other thread precedence on this CPU.
#[allow(unsafe_code)]
fn set_idle_priority() {
    // SAFETY: all-zero is a valid `sched_param`, and zero is the only priority of SCHED_IDLE.
    let parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel reads one `sched_param`. musl's wrapper rejects the call, hence the system
    // call.
    unsafe {
        libc::syscall(libc::SYS_sched_setscheduler, 0, libc::SCHED_IDLE, &raw const parameters)
    };
}

#[cfg(test)]
mod tests {
    use nearfar_place::affinity;

    use super::*;

    #[test]
    fn spinners_run_until_dropped() {
        let spinners = Spinners::start(&CpuSet::from_id(affinity().unwrap().last().unwrap()));
        let stop = Arc::clone(&spinners.stop);
        assert!(!spinners.threads[0].is_finished());
        drop(spinners);
        assert!(stop.load(Ordering::Relaxed));
        // Threads hold the flag too: only this test's own handle is left.
        assert_eq!(Arc::strong_count(&stop), 1);
    }
}
