//! Shared memory in this process's addresses, until dropped.

#![allow(unsafe_code)]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr;

use libc::{c_int, c_void};
use nearfar_model::Bytes;

use crate::place_error::PlaceError;
use crate::shared_memory::region::Region;

/// Mapped for reading only: a policy needs no more, and reading makes pages of shared memory exist.
pub(super) struct Attachment {
    base: *mut c_void,
    /// Where the region begins in it: mmap(2) maps the region alone, and shmat(2) attaches whole
    /// segments.
    offset: usize,
    /// What mmap(2) mapped; none for a segment.
    length: Option<usize>,
}

impl Attachment {
    pub(super) fn of_file(file: &File, region: &Region) -> Result<Self, PlaceError> {
        let length = region.length();
        let offset = libc::off_t::try_from(region.offset).map_err(|_| PlaceError::Failed {
            call: "mmap",
            errno: format!("no offset is as large as {}", region.offset),
        })?;
        // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                length,
                libc::PROT_READ,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                offset,
            )
        };
        match base {
            libc::MAP_FAILED => Err(PlaceError::last_for_memory("mmap", Bytes(length as u64))),
            base => Ok(Self { base, offset: 0, length: Some(length) }),
        }
    }

    /// The whole segment.
    pub(super) fn of_segment(id: c_int) -> Result<Self, PlaceError> {
        // SAFETY: as for mmap.
        let base = unsafe { libc::shmat(id, ptr::null(), libc::SHM_RDONLY) };
        // shmat says -1 where mmap says MAP_FAILED: they are the same.
        match base {
            libc::MAP_FAILED => Err(PlaceError::last_for_memory("shmat", Bytes(0))),
            base => Ok(Self { base, offset: 0, length: None }),
        }
    }

    /// The same memory, seen from a region's beginning.
    pub(super) fn seen_from(mut self, region: &Region) -> Self {
        self.offset = region.offset as usize;
        self
    }

    pub(super) fn start(&self) -> *const u8 {
        self.base.cast::<u8>().wrapping_add(self.offset)
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        // SAFETY: this is what was mapped or attached, and the owner is gone.
        unsafe {
            match self.length {
                Some(length) => libc::munmap(self.base, length),
                None => libc::shmdt(self.base),
            }
        };
    }
}
