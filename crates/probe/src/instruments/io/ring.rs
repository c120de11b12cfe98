//! Accesses by io_uring: one system call submits an access and waits for another.
//!
//! # References
//!
//! io_uring(7), `io_uring_register(2)`

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Instant;

use io_uring::{IoUring, opcode, squeue, types};
use nearfar_model::{Bytes, CpuSet};
use nearfar_place::{BufferPlace, PlacedBuffer, WantedPages};

use super::accesses::{Accesses, IoFailure, IoRequest, IoRun, Slots};
use super::engine::IoEngine;
use super::offsets::Offsets;
use super::progress::Progress;
use super::setup::IoOperation;

/// A ring with its files and buffers registered.
pub(super) struct Ring {
    ring: IoUring,
    are_buffers_registered: bool,
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
        Ok(Self { ring, are_buffers_registered })
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

impl Accesses for Ring {
    fn run(&mut self, request: &IoRequest<'_>, offsets: &mut Offsets) -> Result<IoRun, IoFailure> {
        let workload = request.workload;
        let mut progress = Progress::begin(workload, request.window);
        let mut in_flight = Vec::with_capacity(workload.depth as usize);
        for slot in 0..workload.depth {
            in_flight.push(self.start(request, slot, offsets.draw())?);
        }
        let wanted = u32::try_from(workload.size.0).unwrap_or(u32::MAX);
        let (mut left, mut accesses, mut value, mut failure) = (workload.depth, 0, None, None);
        while left > 0 {
            match self.ring.submit_and_wait(1) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
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
                    *started = self.start(request, slot as u32, offsets.draw())?;
                    left += 1;
                }
            }
        }
        match failure {
            Some(failure) => Err(failure),
            None => Ok(IoRun { progress, value: value.flatten(), accesses }),
        }
    }
}

/// Tries a ring with buffers of this size in total; or the engine that works, and why.
pub(super) fn try_ring(buffers: Bytes) -> Result<(), (IoEngine, String)> {
    let ring = IoUring::new(2).map_err(|error| (IoEngine::Threads, why_no_ring(&error)))?;
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
    use super::*;

    #[test]
    fn refusals_have_reasons() {
        let why = |errno| why_no_ring(&io::Error::from_raw_os_error(errno));
        assert!(why(libc::EPERM).contains("io_uring_disabled"));
        assert!(why(libc::ENOSYS).contains("seccomp"));
        assert!(why(libc::ENOMEM).contains("cannot start"));
    }
}
