//! Memory of a GPU: a mapping of the host, so that what is copied can be checked.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::null_mut;

/// Copies up to this size are done byte by byte.
const WHOLE_BYTES: usize = 16 << 10;
/// Of larger copies, this much is copied at both ends: emulated machines cannot afford more.
const END_BYTES: usize = 4 << 10;

/// A block of a GPU's memory. Its address, in the host's address space, is also its address on the
/// GPU. It has pages of the host only where it is written.
#[derive(Debug)]
pub(crate) struct DeviceBlock {
    address: usize,
    bytes: usize,
}

impl DeviceBlock {
    /// Maps a block, if the host can.
    pub(crate) fn map(bytes: usize) -> Option<Self> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping anywhere replaces none.
        let address = unsafe { libc::mmap(null_mut(), bytes, protection, flags, -1, 0) };
        (address != libc::MAP_FAILED).then(|| Self { address: address.addr(), bytes })
    }

    pub(crate) fn address(&self) -> usize {
        self.address
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a range is within the block.
    pub(crate) fn contains(&self, address: usize, bytes: usize) -> bool {
        let offset = address.checked_sub(self.address);
        offset.is_some_and(|offset| offset <= self.bytes && bytes <= self.bytes - offset)
    }
}

impl Drop for DeviceBlock {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this size, and nothing else uses it.
        unsafe { libc::munmap(self.address as *mut c_void, self.bytes) };
    }
}

/// Copies bytes, or both ends of a large range.
///
/// # Safety
///
/// `from` is readable and `to` writable for `bytes`, and they do not overlap.
pub(crate) unsafe fn copy_bytes(to: usize, from: usize, bytes: usize) {
    let parts = if bytes <= WHOLE_BYTES {
        vec![(0, bytes)]
    } else {
        vec![(0, END_BYTES), (bytes - END_BYTES, END_BYTES)]
    };
    for (offset, length) in parts {
        let (to, from) = ((to + offset) as *mut u8, (from + offset) as *const u8);
        // SAFETY: the caller vouches for the whole range.
        unsafe { std::ptr::copy_nonoverlapping(from, to, length) };
    }
}

#[cfg(test)]
mod tests {
    use super::{DeviceBlock, copy_bytes};

    #[test]
    fn small_copies_are_whole_and_large_ones_have_their_ends() {
        for (bytes, is_whole) in [(16 << 10, true), (1 << 20, false)] {
            let block = DeviceBlock::map(bytes).unwrap();
            let (source, mut target) = (vec![7u8; bytes], vec![0u8; bytes]);
            // SAFETY: all three have this size.
            unsafe {
                copy_bytes(block.address(), source.as_ptr().addr(), bytes);
                copy_bytes(target.as_mut_ptr().addr(), block.address(), bytes);
            }
            assert_eq!([target[0], target[4095], target[bytes - 1]], [7; 3]);
            assert_eq!(target[bytes / 2] == 7, is_whole);
        }
    }

    #[test]
    fn block_contains_ranges_within_it() {
        let block = DeviceBlock::map(4096).unwrap();
        let start = block.address();
        assert!(block.contains(start, 4096) && block.contains(start + 4096, 0));
        assert!(!block.contains(start, 4097) && !block.contains(start + 1, 4096));
        assert!(!block.contains(start - 1, 1) && !block.contains(start + 1, usize::MAX));
    }
}
