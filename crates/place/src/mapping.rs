//! Private anonymous memory of this process: mmap(2), unmapped when dropped.

#![allow(unsafe_code)]

use std::ptr;

use libc::{c_int, c_void};
use nearfar_model::Bytes;

use crate::place_error::{PlaceError, last_errno};

/// The alignment of every mapping, and the size of the requested huge pages.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// Anonymous memory, zero until written, aligned to 2 MiB.
pub(crate) struct Mapping {
    start: *mut u8,
    length: usize,
    /// The whole reservation, guards included.
    whole: (*mut c_void, usize),
}

// SAFETY: a mapping is owned memory like a box; nothing about it belongs to one thread.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Memory of base pages, or of transparent huge pages after such advice. `length` is a multiple
    /// of 2 MiB.
    ///
    /// Inaccessible guard pages surround it: otherwise the kernel merges neighbouring mappings, and
    /// an entry in `/proc/self/smaps` would describe more than one buffer.
    pub(crate) fn anonymous(length: usize) -> Result<Self, PlaceError> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let reserved = length.checked_add(3 * HUGE_PAGE).ok_or_else(|| too_large(length))?;
        let base = map(reserved, libc::PROT_NONE, flags)?;
        let padding = HUGE_PAGE + (base as usize).wrapping_neg() % HUGE_PAGE;
        let mapping = Self {
            start: base.cast::<u8>().wrapping_add(padding),
            length,
            whole: (base, reserved),
        };
        // SAFETY: the range lies within the fresh reservation, to which no other reference exists.
        let status = unsafe {
            libc::mprotect(mapping.start.cast(), length, libc::PROT_READ | libc::PROT_WRITE)
        };
        if status == 0 {
            Ok(mapping)
        } else {
            Err(PlaceError::last_for_memory("mprotect", Bytes(length as u64)))
        }
    }

    /// Memory of `length` bytes, a multiple of the base page, without guards, so that it can grow.
    pub(crate) fn plain(length: usize) -> Result<Self, PlaceError> {
        Self::unguarded(length, 0)
    }

    /// Memory from the pool of 2 MiB huge pages, if it has enough. `length` is a multiple of 2 MiB.
    pub(crate) fn hugetlb(length: usize) -> Result<Self, PlaceError> {
        Self::unguarded(length, libc::MAP_HUGETLB | libc::MAP_HUGE_2MB)
    }

    fn unguarded(length: usize, flags: c_int) -> Result<Self, PlaceError> {
        let base = map(
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags,
        )?;
        Ok(Self { start: base.cast(), length, whole: (base, length) })
    }

    /// Makes a plain mapping larger or smaller; it may move.
    pub(crate) fn resize(&mut self, length: usize) -> Result<(), PlaceError> {
        if length > isize::MAX.unsigned_abs() {
            return Err(too_large(length));
        }
        // SAFETY: the range is what was mapped, and the exclusive borrow rules out other accesses.
        let moved =
            unsafe { libc::mremap(self.whole.0, self.whole.1, length, libc::MREMAP_MAYMOVE) };
        if moved == libc::MAP_FAILED {
            return Err(PlaceError::last_for_memory("mremap", Bytes(length as u64)));
        }
        self.start = moved.cast();
        self.length = length;
        self.whole = (moved, length);
        Ok(())
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Applies madvise(2) to the whole mapping. Fails with the error number.
    pub(crate) fn advise(&self, advice: c_int) -> Result<(), i32> {
        // SAFETY: the range is this mapping's own; no advice given in this crate drops or changes
        // its bytes.
        let status = unsafe { libc::madvise(self.start.cast(), self.length, advice) };
        if status == 0 { Ok(()) } else { Err(last_errno()) }
    }

    /// Keeps the pages in memory: mlock(2).
    pub(crate) fn lock(&self) -> Result<(), PlaceError> {
        // SAFETY: locking changes no byte.
        let status = unsafe { libc::mlock(self.start.cast(), self.length) };
        if status == 0 { Ok(()) } else { Err(PlaceError::from_lock(last_errno())) }
    }

    /// The memory as 64-bit words.
    pub(crate) fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: the mapping is readable, writable, zeroed, aligned, `length` bytes long, and
        // borrowed for as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast(), self.length / size_of::<u64>()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this is the mapped range, and its only owner is being dropped.
        unsafe { libc::munmap(self.whole.0, self.whole.1) };
    }
}

fn map(length: usize, protection: c_int, flags: c_int) -> Result<*mut c_void, PlaceError> {
    if length > isize::MAX.unsigned_abs() {
        return Err(too_large(length));
    }
    // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
    let base = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, -1, 0) };
    if base == libc::MAP_FAILED {
        Err(PlaceError::last_for_memory("mmap", Bytes(length as u64)))
    } else {
        Ok(base)
    }
}

pub(crate) fn too_large(length: usize) -> PlaceError {
    PlaceError::OutOfMemory {
        call: "mmap",
        wanted: Bytes(length as u64),
        errno: "larger than the address space".to_owned(),
    }
}

/// The base page size: 4 KiB on x86_64, 4, 16 or 64 KiB on aarch64.
pub(crate) fn base_page() -> usize {
    // SAFETY: sysconf only returns a number.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_zero_and_writable() {
        let mut mapping = Mapping::anonymous(2 * HUGE_PAGE).unwrap();
        assert_eq!(mapping.start() as usize % HUGE_PAGE, 0);
        assert_eq!(mapping.words_mut().len(), 2 * HUGE_PAGE / 8);
        mapping.words_mut()[262_144] = 9;
        assert_eq!(mapping.words_mut().iter().sum::<u64>(), 9);
    }

    #[test]
    fn absurd_sizes_are_refused() {
        for length in [usize::MAX, usize::MAX / 2 + 1, 1 << 62] {
            assert!(
                matches!(Mapping::anonymous(length), Err(PlaceError::OutOfMemory { .. })),
                "{length}"
            );
        }
    }
}
