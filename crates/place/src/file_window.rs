//! A part of a file, mapped for reading: which of its pages are cached, on which nodes, and moves
//! of them.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;

use libc::c_void;
use nearfar_model::{Bytes, NodeId};

use crate::mapping::base_page;
use crate::page_moves::{MovedPages, look_up, move_to};
use crate::place_error::{PlaceError, last_errno};
use crate::populate::{PopulateAccess, populate};
use crate::residence::Residence;

/// The number of cachestat(2), the same on all architectures.
const CACHESTAT: libc::c_long = 451;

/// A part of a file. Mapping it reads nothing: only [`FileWindow::map_pages`] touches pages.
#[derive(Debug)]
pub struct FileWindow {
    start: *mut u8,
    pages: usize,
}

impl FileWindow {
    /// Maps `length` bytes from `offset`, a multiple of the page size. Nothing is read ahead.
    ///
    /// # Errors
    ///
    /// [`PlaceError::Failed`] for files that cannot be mapped, such as those of procfs.
    ///
    /// # References
    ///
    /// mmap(2); `MADV_RANDOM` in madvise(2)
    pub fn map(file: BorrowedFd<'_>, offset: u64, length: Bytes) -> Result<Self, PlaceError> {
        let pages = usize::try_from(length.0).unwrap_or(usize::MAX).div_ceil(base_page());
        let bytes = pages.saturating_mul(base_page());
        let offset = libc::off_t::try_from(offset).unwrap_or(libc::off_t::MAX);
        // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
        let start = unsafe {
            let (access, flags) = (libc::PROT_READ, libc::MAP_SHARED | libc::MAP_NORESERVE);
            libc::mmap(ptr::null_mut(), bytes, access, flags, file.as_raw_fd(), offset)
        };
        if start == libc::MAP_FAILED {
            return Err(PlaceError::last_for_memory("mmap", length));
        }
        let window = Self { start: start.cast(), pages };
        // Without it, a fault reads neighbours from the disk, and unmapping marks pages as used.
        // SAFETY: this advice changes no byte.
        unsafe { libc::madvise(start, bytes, libc::MADV_RANDOM) };
        Ok(window)
    }

    /// The number of its pages.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// Which of its pages are cached. The kernel reports all of them to users who neither own the
    /// file nor may write it.
    ///
    /// # Errors
    ///
    /// [`PlaceError::NotPermitted`] where a sandbox denies the call.
    ///
    /// # References
    ///
    /// mincore(2)
    pub fn cached(&self) -> Result<Vec<bool>, PlaceError> {
        let mut status = vec![0u8; self.pages];
        // SAFETY: the range is mapped, and the vector has a byte for each of its pages.
        let done = unsafe { libc::mincore(self.start.cast(), self.bytes(), status.as_mut_ptr()) };
        match done {
            0 => Ok(status.into_iter().map(|status| status & 1 == 1).collect()),
            _ => Err(PlaceError::last_os_error("mincore")),
        }
    }

    /// Enters these pages in the page table. Pages that are not cached are read from the disk.
    ///
    /// # Errors
    ///
    /// [`PlaceError::NoPage`] if the file ends before; [`PlaceError::KernelLacks`] before Linux
    /// 5.14.
    ///
    /// # References
    ///
    /// `MADV_POPULATE_READ` in madvise(2)
    pub fn map_pages(&self, pages: Range<usize>) -> Result<(), PlaceError> {
        let end = pages.end.min(self.pages);
        let length = end.saturating_sub(pages.start) * base_page();
        populate(self.page(pages.start), length, PopulateAccess::Read, false)
    }

    /// The nodes of these pages, if they are in the page table.
    ///
    /// # Errors
    ///
    /// Those of [`residences`](crate::residences).
    ///
    /// # References
    ///
    /// move_pages(2)
    pub fn residences(&self, pages: &[usize]) -> Result<Vec<Residence>, PlaceError> {
        look_up(None, &pages.iter().map(|page| self.page(*page).addr() as u64).collect::<Vec<_>>())
    }

    /// Moves pages that are in the page table, each to its node, and returns where each is then.
    /// `shared`: also those that other processes map.
    ///
    /// # Errors
    ///
    /// Those of [`move_pages`](crate::move_pages); [`PlaceError::NotPermitted`] if `shared` lacks
    /// CAP_SYS_NICE.
    ///
    /// # References
    ///
    /// `MPOL_MF_MOVE_ALL` in move_pages(2)
    pub fn move_pages(
        &self,
        pages: &[(usize, NodeId)],
        shared: bool,
    ) -> Result<Vec<Residence>, PlaceError> {
        let moved = if shared { MovedPages::All } else { MovedPages::Own };
        let address = |&(page, node): &(usize, NodeId)| (self.page(page).addr() as u64, node);
        move_to(None, &pages.iter().map(address).collect::<Vec<_>>(), moved)
    }

    fn page(&self, page: usize) -> *mut u8 {
        self.start.wrapping_add(page.min(self.pages) * base_page())
    }

    fn bytes(&self) -> usize {
        self.pages * base_page()
    }
}

impl Drop for FileWindow {
    fn drop(&mut self) {
        // SAFETY: this is the mapped range, and no reference to its bytes was ever made.
        unsafe { libc::munmap(self.start.cast::<c_void>(), self.bytes()) };
    }
}

/// Cached bytes of a file's range, counted by the kernel. `length` 0: up to the end.
///
/// # Errors
///
/// [`PlaceError::NotInKernel`] before Linux 6.5, [`PlaceError::NotPermitted`] for files of others,
/// [`PlaceError::Failed`] for file systems without page cache.
///
/// # References
///
/// Documentation/admin-guide/mm/pagemap.rst; mm/filemap.c: cachestat
pub fn cached_bytes(file: BorrowedFd<'_>, offset: u64, length: Bytes) -> Result<Bytes, PlaceError> {
    let range = [offset, length.0];
    let mut counts = [0u64; 5];
    // SAFETY: the kernel reads two numbers, and writes five.
    let done = unsafe {
        libc::syscall(CACHESTAT, file.as_raw_fd(), range.as_ptr(), counts.as_mut_ptr(), 0)
    };
    match done {
        0 => Ok(Bytes(counts[0].saturating_mul(base_page() as u64))),
        _ => Err(PlaceError::from_errno("cachestat", last_errno())),
    }
}

/// Page faults of this thread that waited for a disk.
///
/// # References
///
/// `ru_majflt` in getrusage(2)
pub fn major_faults() -> u64 {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the kernel fills the structure, for which all zeros are valid, too.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    u64::try_from(usage.ru_majflt).unwrap_or(0)
}

/// The size of a base page.
pub fn page_size() -> Bytes {
    Bytes(base_page() as u64)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::AsFd;

    use super::*;
    use crate::get_mempolicy::allowed_nodes;

    const MIB: usize = 1 << 20;

    fn written(length: usize) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; length]).unwrap();
        file
    }

    #[test]
    fn written_pages_are_cached_on_a_node_and_move() {
        let file = written(MIB);
        let window = FileWindow::map(file.as_fd(), 0, Bytes::mib(1)).unwrap();
        assert_eq!(window.pages(), MIB / base_page());
        assert!(window.cached().unwrap().iter().all(|is_cached| *is_cached));
        window.map_pages(0..window.pages()).unwrap();
        let pages: Vec<usize> = (0..window.pages()).collect();
        let nodes = allowed_nodes().unwrap();
        let found = window.residences(&pages).unwrap();
        assert!(found.iter().all(|page| page.node().is_some_and(|node| nodes.contains(node))));
        let node = nodes.first().unwrap();
        let wanted: Vec<(usize, NodeId)> = pages.iter().map(|page| (*page, node)).collect();
        let moved = window.move_pages(&wanted, false).unwrap();
        assert!(moved.iter().all(|page| *page == Residence::Node(node)), "{moved:?}");
    }

    #[test]
    fn a_hole_is_not_cached_and_not_touched() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(64 << 20).unwrap();
        let window = FileWindow::map(file.as_fd(), 0, Bytes::mib(64)).unwrap();
        assert!(window.cached().unwrap().iter().all(|is_cached| !is_cached));
        match cached_bytes(file.as_fd(), 0, Bytes(0)) {
            Ok(cached) => assert_eq!(cached, Bytes(0)),
            Err(error) => assert!(error.to_string().contains("cachestat"), "{error}"),
        }
    }

    #[test]
    fn a_file_that_was_cut_is_an_error_and_no_signal() {
        let file = written(MIB);
        let window = FileWindow::map(file.as_fd(), 0, Bytes::mib(1)).unwrap();
        file.set_len(0).unwrap();
        let error = window.map_pages(0..window.pages()).unwrap_err();
        assert!(matches!(error, PlaceError::NoPage { .. }), "{error}");
    }

    #[test]
    fn files_without_pages_cannot_be_mapped() {
        let file = File::open("/proc/self/status").unwrap();
        assert!(FileWindow::map(file.as_fd(), 0, Bytes::kib(4)).is_err());
    }
}
