//! A window of accesses, whatever hands them to the kernel: what is wanted, and what it gave.

use std::fmt;
use std::fs::File;
use std::io;
use std::time::Duration;

use nearfar_model::Bytes;

use super::Offsets;
use super::progress::Progress;
use super::setup::{IoOperation, IoWorkload};

/// Where the accesses in flight put their bytes: one after another.
#[derive(Clone, Copy)]
pub(super) struct Slots {
    /// Index of the registered buffer.
    pub(super) index: usize,
    pub(super) start: *mut u8,
    pub(super) length: usize,
}

impl Slots {
    /// The place of one access in flight; `None` beyond the buffer.
    pub(super) fn slot(self, slot: u32, size: Bytes) -> Option<(*mut u8, u32)> {
        let (size, slot) = (usize::try_from(size.0).ok()?, slot as usize);
        let from = size.checked_mul(slot)?;
        (from.checked_add(size)? <= self.length)
            .then_some((self.start.wrapping_add(from), u32::try_from(size).ok()?))
    }
}

/// A window of accesses.
pub(super) struct IoRequest<'r> {
    /// The target's file, and its index among all.
    pub(super) file: (&'r File, usize),
    pub(super) slots: Slots,
    pub(super) workload: IoWorkload,
    pub(super) window: Duration,
}

/// What a window gave.
pub(super) struct IoRun {
    pub(super) progress: Progress,
    /// The figure, as a sample has it; `None` if too little ended.
    pub(super) value: Option<f64>,
    /// Accesses, those at the end included that no figure counts.
    pub(super) accesses: u64,
}

/// An engine, ready for accesses.
pub(super) trait Accesses {
    /// Accesses a target for a window. All accesses have ended when this returns.
    fn run(&mut self, request: &IoRequest<'_>, offsets: &mut Offsets) -> Result<IoRun, IoFailure>;
}

/// Why an access failed.
#[derive(Debug)]
pub(super) enum IoFailure {
    /// The kernel refused it, or the disk failed.
    Failed {
        operation: IoOperation,
        offset: u64,
        error: io::Error,
    },
    /// The file ends before the access does.
    Short {
        offset: u64,
        got: usize,
        wanted: u32,
    },
    Engine(io::Error),
}

impl IoFailure {
    /// The failure of an access, from the result of its system call.
    pub(super) fn check(
        operation: IoOperation,
        offset: u64,
        result: i64,
        wanted: u32,
    ) -> Result<(), Self> {
        if result == i64::from(wanted) {
            return Ok(());
        }
        match usize::try_from(result) {
            Ok(got) => Err(Self::Short { offset, got, wanted }),
            Err(_) => {
                let errno = i32::try_from(-result).unwrap_or(libc::EIO);
                let error = io::Error::from_raw_os_error(errno);
                Err(Self::Failed { operation, offset, error })
            }
        }
    }
}

impl fmt::Display for IoFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed { operation, offset, error } => {
                write!(f, "a {} at byte {offset} failed: {error}", operation.name())
            }
            Self::Short { offset, got, wanted } => write!(
                f,
                "byte {offset} has only {got} of {wanted} bytes after it: the file became shorter"
            ),
            Self::Engine(error) => write!(f, "io_uring failed: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_accesses_are_checked() {
        let check = |result| IoFailure::check(IoOperation::Read, 8192, result, 4096);
        assert!(check(4096).is_ok());
        let short = check(100).unwrap_err().to_string();
        assert!(short.contains("only 100 of 4096"), "{short}");
        let failed = check(-i64::from(libc::EIO)).unwrap_err().to_string();
        assert!(failed.starts_with("a read at byte 8192 failed: Input/output error"), "{failed}");
    }

    #[test]
    fn slots_stay_within_their_buffer() {
        let mut memory = [0_u8; 64];
        let slots = Slots { index: 0, start: memory.as_mut_ptr(), length: memory.len() };
        let start = slots.slot(1, Bytes(32)).unwrap();
        assert_eq!(start, (memory.as_mut_ptr().wrapping_add(32), 32));
        assert_eq!(slots.slot(2, Bytes(32)), None);
        assert_eq!(slots.slot(1, Bytes(u64::MAX)), None);
    }
}
