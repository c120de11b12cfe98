//! Shared memory mapped into this process, until dropped.

#![allow(unsafe_code)]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr;

use libc::{c_int, c_void};
use nearfar_model::Bytes;

use crate::place_error::PlaceError;
use crate::shared_memory::region::SharedRegion;

/// Mapped for reading only: a policy needs no more, and a read allocates pages of shared memory.
pub(super) struct Attachment {
    base: *mut c_void,
    /// The region's offset in it: mmap(2) maps the region alone, shmat(2) whole segments.
    offset: usize,
    /// The length that mmap(2) mapped; `None` for a segment.
    length: Option<usize>,
}

impl Attachment {
    pub(super) fn map_file(file: &File, region: &SharedRegion) -> Result<Self, PlaceError> {
        let length = region.length();
        let offset = libc::off_t::try_from(region.offset).map_err(|_| PlaceError::Failed {
            call: "mmap",
            errno: format!("offset {} is too large", region.offset),
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

    /// Attaches the whole segment.
    pub(super) fn attach_segment(id: c_int) -> Result<Self, PlaceError> {
        // SAFETY: as for mmap.
        let base = unsafe { libc::shmat(id, ptr::null(), libc::SHM_RDONLY) };
        // shmat returns -1 on failure, which equals MAP_FAILED.
        match base {
            libc::MAP_FAILED => Err(PlaceError::last_for_memory("shmat", Bytes(0))),
            base => Ok(Self { base, offset: 0, length: None }),
        }
    }

    /// The same memory, starting at a region's offset.
    pub(super) fn starting_at(mut self, region: &SharedRegion) -> Self {
        self.offset = region.offset as usize;
        self
    }

    pub(super) fn start(&self) -> *const u8 {
        self.base.cast::<u8>().wrapping_add(self.offset)
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        // SAFETY: this is what was mapped or attached, and its only owner is being dropped.
        unsafe {
            match self.length {
                Some(length) => libc::munmap(self.base, length),
                None => libc::shmdt(self.base),
            }
        };
    }
}
