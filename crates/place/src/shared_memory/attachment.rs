//! Shared memory in this process's addresses, until dropped.

#![allow(unsafe_code)]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr;

use libc::{c_int, c_void};
use nearfar_model::Bytes;

use crate::refusal::Refusal;
use crate::shared_memory::region::Region;

/// Mapped for reading only: a policy needs no more, and reading makes pages of shared memory exist.
pub(super) enum Attachment {
    /// mmap(2) of one region.
    File { start: *mut u8, length: usize },
    /// shmat(2), which attaches whole segments; the region begins at `offset`.
    Segment { whole: *mut u8, offset: usize },
}

impl Attachment {
    pub(super) fn of_file(file: &File, region: &Region) -> Result<Self, Refusal> {
        let length = region.length();
        let offset = libc::off_t::try_from(region.offset).map_err(|_| Refusal::Failed {
            call: "mmap",
            errno: format!("no offset is as large as {}", region.offset),
        })?;
        // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), length, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), offset) };
        match start {
            libc::MAP_FAILED => Err(Refusal::last_for_memory("mmap", Bytes(length as u64))),
            start => Ok(Self::File { start: start.cast(), length }),
        }
    }

    /// The whole segment.
    pub(super) fn of_segment(id: c_int) -> Result<Self, Refusal> {
        // SAFETY: as for mmap.
        let whole = unsafe { libc::shmat(id, ptr::null(), libc::SHM_RDONLY) };
        // shmat says -1 where mmap says MAP_FAILED: they are the same.
        match whole {
            libc::MAP_FAILED => Err(Refusal::last_for_memory("shmat", Bytes(0))),
            whole => Ok(Self::Segment { whole: whole.cast(), offset: 0 }),
        }
    }

    /// The same memory, seen from a region's beginning.
    pub(super) fn seen_from(mut self, region: &Region) -> Self {
        if let Self::Segment { offset, .. } = &mut self {
            *offset = region.offset as usize;
        }
        self
    }

    pub(super) fn start(&self) -> *const u8 {
        match *self {
            Self::File { start, .. } => start,
            Self::Segment { whole, offset } => whole.wrapping_add(offset),
        }
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        // SAFETY: this is what was mapped or attached, and the owner is gone.
        unsafe {
            match *self {
                Self::File { start, length } => libc::munmap(start.cast(), length),
                Self::Segment { whole, .. } => libc::shmdt(whole.cast::<c_void>()),
            }
        };
    }
}
