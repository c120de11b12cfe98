//! Accesses by `pread` and `pwrite`, where io_uring is refused: a thread for each access in flight.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::Offsets;
use super::accesses::{Accesses, IoFailure, IoRequest, IoRun, Slots};
use super::progress::Progress;
use super::setup::{IoOperation, IoWorkload};

/// Threads that start for each window, and inherit the CPU of the calling one.
pub(super) struct Threads;

/// What the threads of a window share.
struct Shared<'o> {
    progress: Progress,
    offsets: &'o mut Offsets,
    accesses: u64,
    /// The figure, once the window is over.
    value: Option<Option<f64>>,
    failure: Option<IoFailure>,
}

impl Shared<'_> {
    /// The next offset, until the window is over.
    fn next(&mut self) -> Option<u64> {
        (self.value.is_none() && self.failure.is_none()).then(|| self.offsets.draw())
    }

    fn ended(&mut self, began: Instant, result: Result<(), IoFailure>) {
        self.accesses += 1;
        if let Err(failure) = result {
            self.failure.get_or_insert(failure);
        }
        if self.value.is_some() || self.failure.is_some() {
            return;
        }
        let now = Instant::now();
        self.progress.ended(began, now);
        if self.progress.is_over(now) {
            self.value = Some(self.progress.close());
        }
    }
}

impl Accesses for Threads {
    fn run(&mut self, request: &IoRequest<'_>, offsets: &mut Offsets) -> Result<IoRun, IoFailure> {
        let shared = Mutex::new(Shared {
            progress: Progress::begin(request.workload, request.window),
            offsets,
            accesses: 0,
            value: None,
            failure: None,
        });
        let (file, workload, slots) = (request.file.0, request.workload, Sendable(request.slots));
        if workload.depth == 1 {
            turns(&shared, file, workload, slots, 0);
        } else {
            let shared = &shared;
            std::thread::scope(|scope| {
                for slot in 0..workload.depth {
                    let begun = std::thread::Builder::new()
                        .spawn_scoped(scope, move || turns(shared, file, workload, slots, slot));
                    if let Err(error) = begun {
                        lock(shared).failure.get_or_insert(IoFailure::Engine(error));
                        return;
                    }
                }
            });
        }
        let Shared { progress, accesses, value, failure, .. } =
            shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        match failure {
            Some(failure) => Err(failure),
            None => Ok(IoRun { progress, value: value.flatten(), accesses }),
        }
    }
}

/// Slots that another thread may use.
#[derive(Clone, Copy)]
struct Sendable(Slots);

// SAFETY: each thread uses a slot of its own, and all of them end before their window does.
unsafe impl Send for Sendable {}

/// The accesses of one thread.
fn turns(
    shared: &Mutex<Shared<'_>>,
    file: &File,
    workload: IoWorkload,
    slots: Sendable,
    slot: u32,
) {
    let Some((memory, length)) = slots.0.slot(slot, workload.size) else { return };
    loop {
        let Some(offset) = lock(shared).next() else { return };
        let began = Instant::now();
        let result = access(file, workload.operation, memory, length, offset);
        lock(shared).ended(began, result);
    }
}

/// # References
///
/// pread(2)
fn access(
    file: &File,
    operation: IoOperation,
    memory: *mut u8,
    length: u32,
    offset: u64,
) -> Result<(), IoFailure> {
    let (descriptor, bytes) = (file.as_raw_fd(), length as usize);
    let at = offset.try_into().unwrap_or(libc::off64_t::MAX);
    loop {
        let result = match operation {
            // SAFETY: `memory` is a slot of `length` bytes that only this thread uses.
            IoOperation::Read => unsafe { libc::pread64(descriptor, memory.cast(), bytes, at) },
            // SAFETY: as above.
            IoOperation::Write => unsafe { libc::pwrite64(descriptor, memory.cast(), bytes, at) },
        };
        let result = if result < 0 {
            let error = io::Error::last_os_error();
            if error.kind() == io::ErrorKind::Interrupted {
                continue;
            }
            -i64::from(error.raw_os_error().unwrap_or(libc::EIO))
        } else {
            result as i64
        };
        return IoFailure::check(operation, offset, result, length);
    }
}

fn lock<'m, 'o>(shared: &'m Mutex<Shared<'o>>) -> MutexGuard<'m, Shared<'o>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
