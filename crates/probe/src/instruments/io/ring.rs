//! Accesses by io_uring: one system call submits an access and waits for another.
//!
//! # References
//!
//! io_uring(7), `io_uring_register(2)`

#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use io_uring::{IoUring, opcode, squeue, types};
use nearfar_machine::{HiddenBy, Source};
use nearfar_model::{Bytes, CpuSet};
use nearfar_place::{BufferPlace, PlacedBuffer, WantedPages, affinity, set_thread_affinity};

use super::IoEngine;
use super::Offsets;
use super::accesses::{Accesses, IoFailure, IoRequest, IoRun, Slots};
use super::progress::Progress;
use super::setup::IoOperation;

/// How often accesses are looked for when the kernel cannot be asked to wait.
const POLL: Duration = Duration::from_millis(1);

/// A ring with its files and buffers registered.
pub(super) struct Ring {
    ring: IoUring,
    are_buffers_registered: bool,
    /// The CPUs of the kernel's workers: those of this thread when it ran last.
    worker_cpus: CpuSet,
    /// A system call failed: accesses may be queued that no run knows.
    is_broken: bool,
}

/// An access in flight.
#[derive(Clone, Copy)]
struct Started {
    offset: u64,
    at: Instant,
}

impl Ring {
    /// A ring for this many accesses in flight.
    ///
    /// # Safety
    ///
    /// The memory of `buffers` must stay mapped until the ring is dropped, and nothing else may
    /// access it while a run is in progress.
    pub(super) unsafe fn new(
        depth: u32,
        files: &[File],
        buffers: &[Slots],
        engine: IoEngine,
    ) -> io::Result<Self> {
        let ring = IoUring::new(depth.next_power_of_two())?;
        let descriptors: Vec<i32> = files.iter().map(AsRawFd::as_raw_fd).collect();
        ring.submitter().register_files(&descriptors)?;
        let are_buffers_registered = engine == IoEngine::UringRegistered;
        if are_buffers_registered {
            let regions: Vec<libc::iovec> = buffers
                .iter()
                .map(|slots| libc::iovec { iov_base: slots.start.cast(), iov_len: slots.length })
                .collect();
            // SAFETY: the caller keeps the memory mapped as long as the ring.
            unsafe { ring.submitter().register_buffers(&regions) }?;
        }
        let (worker_cpus, is_broken) = (CpuSet::new(), false);
        let mut ring = Self { ring, are_buffers_registered, worker_cpus, is_broken };
        ring.pin_workers()?;
        Ok(ring)
    }

    /// Moves the kernel's workers to the CPUs of this thread. An access that would have to wait is
    /// issued by a worker, and its interrupt runs where the worker does.
    fn pin_workers(&mut self) -> io::Result<()> {
        let Ok(cpus) = affinity() else { return Ok(()) };
        if cpus == self.worker_cpus {
            return Ok(());
        }
        set_worker_cpus(&self.ring, &cpus)?;
        move_workers(&cpus);
        self.worker_cpus = cpus;
        Ok(())
    }

    fn entry(&self, request: &IoRequest<'_>, slot: u32, offset: u64) -> Option<squeue::Entry> {
        let (memory, length) = request.slots.slot(slot, request.workload.size)?;
        let file = types::Fixed(u32::try_from(request.file.1).ok()?);
        let buffer = u16::try_from(request.slots.index).ok()?;
        let entry = match (request.workload.operation, self.are_buffers_registered) {
            (IoOperation::Read, true) => {
                opcode::ReadFixed::new(file, memory, length, buffer).offset(offset).build()
            }
            (IoOperation::Read, false) => {
                opcode::Read::new(file, memory, length).offset(offset).build()
            }
            (IoOperation::Write, true) => {
                opcode::WriteFixed::new(file, memory, length, buffer).offset(offset).build()
            }
            (IoOperation::Write, false) => {
                opcode::Write::new(file, memory, length).offset(offset).build()
            }
        };
        Some(entry.user_data(u64::from(slot)))
    }

    /// Queues an access, which the next system call submits.
    fn start(
        &mut self,
        request: &IoRequest<'_>,
        slot: u32,
        offset: u64,
    ) -> Result<Started, IoFailure> {
        let invalid = || IoFailure::Engine(io::ErrorKind::InvalidInput.into());
        let entry = self.entry(request, slot, offset).ok_or_else(invalid)?;
        // SAFETY: the entry's memory is a slot of a buffer, which the creator of this ring keeps
        // mapped; each slot has one access in flight.
        unsafe { self.ring.submission().push(&entry) }.map_err(|_| invalid())?;
        Ok(Started { offset, at: Instant::now() })
    }
}

impl Ring {
    /// Waits for the accesses that the kernel has, of `left` queued ones: it may still write to
    /// their buffers. The others stay in the queue, so no further run is possible.
    fn abandon(&mut self, mut left: usize) {
        self.is_broken = true;
        loop {
            left = left.saturating_sub(self.ring.completion().count());
            if left <= self.ring.submission().len() {
                return;
            }
            std::thread::sleep(POLL);
        }
    }
}

impl Accesses for Ring {
    fn run(&mut self, request: &IoRequest<'_>, offsets: &mut Offsets) -> Result<IoRun, IoFailure> {
        if self.is_broken {
            return Err(IoFailure::Engine(io::Error::other("an earlier system call failed")));
        }
        let workload = request.workload;
        self.pin_workers().map_err(IoFailure::Engine)?;
        let mut progress = Progress::begin(workload, request.window);
        let mut in_flight = Vec::with_capacity(workload.depth as usize);
        let (mut accesses, mut value, mut failure) = (0, None, None);
        for slot in 0..workload.depth {
            match self.start(request, slot, offsets.draw()) {
                Ok(started) => in_flight.push(started),
                Err(failed) => {
                    failure.get_or_insert(failed);
                }
            }
        }
        let wanted = u32::try_from(workload.size.0).unwrap_or(u32::MAX);
        let mut left = in_flight.len();
        while left > 0 {
            match self.ring.submit_and_wait(1) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    self.abandon(left);
                    return Err(IoFailure::Engine(error));
                }
                _ => {}
            }
            let now = Instant::now();
            // The queue is emptied at once: borrowing it any longer would prevent submissions.
            let ended: Vec<(u64, i32)> =
                self.ring.completion().map(|entry| (entry.user_data(), entry.result())).collect();
            for (slot, result) in ended {
                let Some(started) = in_flight.get_mut(slot as usize) else { continue };
                (left, accesses) = (left - 1, accesses + 1);
                let checked =
                    IoFailure::check(workload.operation, started.offset, i64::from(result), wanted);
                if let Err(failed) = checked {
                    failure.get_or_insert(failed);
                }
                if failure.is_some() || value.is_some() {
                    continue;
                }
                progress.ended(started.at, now);
                if progress.is_over(now) {
                    // The rest of the queue is drained, and does not count.
                    value = Some(progress.close());
                } else {
                    match self.start(request, slot as u32, offsets.draw()) {
                        Ok(next) => (*started, left) = (next, left + 1),
                        Err(failed) => failure = Some(failed),
                    }
                }
            }
        }
        match failure {
            Some(failure) => Err(failure),
            None => Ok(IoRun { progress, value: value.flatten(), accesses }),
        }
    }
}

/// Sets the CPUs of the workers that the kernel will start for this thread.
///
/// # References
///
/// `io_uring_register(2)`, `IORING_REGISTER_IOWQ_AFF` (Linux 5.14)
fn set_worker_cpus(ring: &IoUring, cpus: &CpuSet) -> io::Result<()> {
    // SAFETY: all-zero is an empty set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for cpu in cpus.iter().filter(|cpu| cpu.0 < libc::CPU_SETSIZE as u32) {
        // SAFETY: the number is within the set.
        unsafe { libc::CPU_SET(cpu.0 as usize, &mut set) };
    }
    ring.submitter().register_iowq_aff(&set)
}

/// Moves the workers that this thread has already: the kernel leaves them where they are. Linux
/// before 6.3 refuses, and ends them after five idle seconds.
fn move_workers(cpus: &CpuSet) {
    for worker in workers() {
        let _ = set_thread_affinity(worker, cpus);
    }
}

/// The threads that the kernel has started for the accesses of this one. Their names have its
/// number in the outermost PID namespace: in an inner one they are only known where no other thread
/// has workers.
fn workers() -> Vec<u32> {
    // nearfar-gpu starts with glibc 2.17, which has no gettid().
    // SAFETY: the call has no arguments, and cannot fail.
    let own = unsafe { libc::syscall(libc::SYS_gettid) };
    let source = Source::live();
    let mut of_threads: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
    for thread in source.list("/proc/self/task").iter().filter_map(|name| name.parse().ok()) {
        let comm = source.text(&format!("/proc/self/task/{thread}/comm")).unwrap_or_default();
        let of = comm.trim_end().strip_prefix("iou-wrk-").and_then(|of| of.parse().ok());
        of.into_iter().for_each(|of| of_threads.entry(of).or_default().push(thread));
    }
    match of_threads.remove(&own) {
        Some(workers) => workers,
        None if of_threads.len() == 1 && is_in_pid_namespace(&source) => {
            of_threads.into_values().next().unwrap_or_default()
        }
        None => Vec::new(),
    }
}

fn is_in_pid_namespace(source: &Source) -> bool {
    source.hidden_by() == Some(HiddenBy::PidNamespace)
}

/// Tries a ring with buffers of this size in total; or the engine that works, and why.
pub(super) fn try_ring(buffers: Bytes) -> Result<(), (IoEngine, String)> {
    let ring = IoUring::new(2).map_err(|error| (IoEngine::Threads, why_no_ring(&error)))?;
    if let Ok(cpus) = affinity() {
        set_worker_cpus(&ring, &cpus).map_err(|error| {
            let why = format!("CPUs of io_uring's workers cannot be set (Linux 5.14): {error}");
            (IoEngine::Threads, why)
        })?;
    }
    let request = BufferPlace {
        node: None,
        bytes: buffers,
        pages: WantedPages::Huge,
        touch_from: CpuSet::new(),
        free: None,
    };
    // Without memory the workers report what is missing.
    let Ok(memory) = PlacedBuffer::on_node(&request) else { return Ok(()) };
    let region = libc::iovec { iov_base: memory.start().cast(), iov_len: memory.length() };
    // SAFETY: the memory stays mapped until both are dropped, the ring first.
    let registered = unsafe { ring.submitter().register_buffers(&[region]) };
    drop(ring);
    drop(memory);
    registered.map_err(|error| {
        let why = match error.raw_os_error() {
            Some(libc::ENOMEM) => {
                format!("{buffers} of buffers exceed the limit of locked memory (ulimit -l)")
            }
            _ => format!("buffers cannot be registered: {error}"),
        };
        (IoEngine::Uring, why)
    })
}

/// Whether this process may use io_uring at all.
///
/// # References
///
/// io_uring_setup(2)
pub fn try_uring() -> io::Result<()> {
    IoUring::new(1).map(|_| ())
}

fn why_no_ring(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "io_uring is refused (kernel.io_uring_disabled, or seccomp of a container)".to_owned()
        }
        Some(libc::ENOSYS) => {
            "the kernel has no io_uring, or seccomp of a container hides it".to_owned()
        }
        _ => format!("io_uring cannot start: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuId;
    use nearfar_place::{set_affinity, thread_affinity};

    use super::*;

    #[test]
    fn refusals_have_reasons() {
        let why = |errno| why_no_ring(&io::Error::from_raw_os_error(errno));
        assert!(why(libc::EPERM).contains("io_uring_disabled"));
        assert!(why(libc::ENOSYS).contains("seccomp"));
        assert!(why(libc::ENOMEM).contains("cannot start"));
    }

    /// A ring without buffers; `None` where io_uring is refused.
    fn ring() -> Option<Ring> {
        try_ring(Bytes(0)).ok()?;
        let file = File::open("/dev/zero").unwrap();
        // SAFETY: there are no buffers.
        Some(unsafe { Ring::new(4, &[file], &[], IoEngine::Uring) }.unwrap())
    }

    /// Runs something on a worker, and returns the CPUs of all workers.
    fn cpus_of_workers(ring: &mut Ring) -> Vec<CpuSet> {
        let entry = opcode::Nop::new().build().flags(squeue::Flags::ASYNC);
        // SAFETY: the entry has no memory.
        unsafe { ring.ring.submission().push(&entry) }.unwrap();
        ring.ring.submit_and_wait(1).unwrap();
        assert_eq!(ring.ring.completion().count(), 1);
        workers().into_iter().map(|worker| thread_affinity(worker).unwrap()).collect()
    }

    #[test]
    fn workers_follow_their_thread() {
        std::thread::spawn(|| {
            let Some(mut ring) = ring() else { return };
            let cpus: Vec<CpuId> = affinity().unwrap().iter().collect();
            for cpu in [cpus[0], cpus[cpus.len() - 1], cpus[0]].map(CpuSet::from_id) {
                set_affinity(&cpu).unwrap();
                ring.pin_workers().unwrap();
                let of_workers = cpus_of_workers(&mut ring);
                // There, they are not known while other tests have some.
                assert!(!of_workers.is_empty() || is_in_pid_namespace(&Source::live()));
                // Linux before 6.3 does not move a worker that it has.
                let moves =
                    workers().iter().all(|worker| set_thread_affinity(*worker, &cpu).is_ok());
                assert!(!moves || of_workers.iter().all(|own| *own == cpu), "{of_workers:?}");
            }
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_failed_ring_waits_for_its_accesses_and_is_not_used_again() {
        let Some(mut ring) = ring() else { return };
        let wait = types::Timespec::new().nsec(20_000_000);
        let slow = opcode::Timeout::new(&raw const wait).build();
        // SAFETY: the time outlives the ring's use of it.
        unsafe { ring.ring.submission().push(&slow) }.unwrap();
        ring.ring.submit().unwrap();
        // SAFETY: the entry has no memory.
        unsafe { ring.ring.submission().push(&opcode::Nop::new().build()) }.unwrap();
        let began = Instant::now();
        ring.abandon(2);
        assert!(began.elapsed() >= Duration::from_millis(10) && ring.is_broken);
    }
}
