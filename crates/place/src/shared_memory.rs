//! The policy of memory that several programs share: System V segments, and files of tmpfs and
//! hugetlbfs.
//!
//! The policy of a segment, or of a file on tmpfs, belongs to the memory and not to whoever sets
//! it: it stays until the memory is removed, and everybody's pages follow it. Memory on *huge pages
//! of the pool* (hugetlbfs, segments made with [`Wish::huge`]) has no place to keep one:
//! Linux never finished that (`Documentation/admin-guide/mm/numa_memory_policy.rst`). There a
//! policy holds for this mapping, so that what [`SharedMemory::touch`] makes lies where it should,
//! and is gone afterwards: see [`SharedMemory::policy_lasts`]. The page cache of other file systems
//! does not even look at it; there a policy is refused.
//!
//! ```
//! # fn main() -> Result<(), nearfar_place::PlaceError> {
//! use nearfar_model::Bytes;
//! use nearfar_place::shared_memory::{SharedMemory, Wish};
//! use nearfar_place::{ExistingPages, Policy, PolicyFlags, allowed_nodes};
//!
//! # let path = std::path::PathBuf::from(format!("/dev/shm/nearfar-doctest-{}", std::process::id()));
//! let pool = SharedMemory::file(&path, &Wish { length: Some(Bytes::mib(1)), ..Wish::default() })?;
//! let policy = Policy::Interleave(allowed_nodes()?);
//! pool.set_policy(&policy, PolicyFlags::default(), ExistingPages::Stay)?;
//! pool.touch()?;
//! assert_eq!(pool.verify(&policy)?, []);
//! # std::fs::remove_file(&path).unwrap();
//! # Ok(())
//! # }
//! ```

use std::ops::Range;

use nearfar_model::Bytes;

use crate::mbind::ExistingPages;
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;
use crate::populate::{Access, populate};
use crate::range_policy::set_range_policy_with;

mod attachment;
mod file;
mod file_system;
mod region;
mod segment;
mod stretch;
#[cfg(test)]
mod tests;
mod unfinished;
mod verify;

use attachment::Attachment;
use file_system::Keeping;
use region::Region;
pub use stretch::Stretch;
use stretch::fault_in;
pub use verify::Misplaced;

/// Which part of shared memory is meant, and how it is made when there is none yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Where the part begins: a multiple of the memory's page.
    pub offset: Bytes,
    /// How long it is: a multiple of the page. Without: to the end. Memory that is made, or a file
    /// that grows, is `offset` and `length` long together.
    pub length: Option<Bytes>,
    /// The mode of what is made, less the umask.
    pub mode: u32,
    /// Whether a segment that is made stands on huge pages. A file's pages are its file system's.
    pub huge: bool,
}

impl Default for Wish {
    /// All of it; what is made is the user's alone.
    fn default() -> Self {
        Self { offset: Bytes(0), length: None, mode: 0o600, huge: false }
    }
}

/// A part of shared memory, mapped for reading; unmapped when dropped. What it sets stays.
pub struct SharedMemory {
    attachment: Attachment,
    region: Region,
    made: bool,
    /// How a reader knows it.
    name: String,
    keeping: Keeping,
    /// The file system's name; empty for a segment.
    file_system: String,
}

impl SharedMemory {
    /// The address of the part's first byte in this process.
    pub fn start(&self) -> *const u8 {
        self.attachment.start()
    }

    /// The part's length in bytes, whole pages.
    pub fn length(&self) -> usize {
        self.region.length()
    }

    /// Where the part begins in the memory.
    pub fn offset(&self) -> Bytes {
        Bytes(self.region.offset)
    }

    /// The size of its pages.
    pub fn page(&self) -> Bytes {
        Bytes(self.region.page)
    }

    /// Whether the segment or file was made just now.
    pub fn was_made(&self) -> bool {
        self.made
    }

    /// Whether a policy stays when this is dropped, and holds for everybody. Where not,
    /// [`SharedMemory::touch`] right after [`SharedMemory::set_policy`] places the pages, and
    /// nothing else does.
    pub fn policy_lasts(&self) -> bool {
        self.keeping == Keeping::Always
    }

    /// Gives the part a policy, which stays when this process ends where
    /// [`SharedMemory::policy_lasts`].
    pub fn set_policy(
        &self,
        policy: &Policy,
        flags: PolicyFlags,
        existing: ExistingPages,
    ) -> Result<(), PlaceError> {
        if self.keeping == Keeping::Never {
            return Err(PlaceError::NoSharedPolicy {
                name: self.name.clone(),
                file_system: self.file_system.clone(),
            });
        }
        set_range_policy_with(self.start(), self.length(), policy, flags, existing)
    }

    /// Makes all pages of the part exist, where the policy says. Bytes that are there stay as they
    /// are.
    pub fn touch(&self) -> Result<(), PlaceError> {
        match populate(self.start().cast_mut(), self.length(), Access::Read, false) {
            // Kernels before 5.14, and filters: looking a page up makes it, and fails where reading
            // it would end in a signal.
            Err(
                PlaceError::Failed { .. }
                | PlaceError::NotPermitted { .. }
                | PlaceError::NotInKernel { .. },
            ) => self.pages().try_for_each(|page| fault_in(page).map(|_| ())),
            touched => touched,
        }
    }

    /// The addresses of its pages.
    fn pages(&self) -> impl Iterator<Item = *const u8> + '_ {
        self.region.pages().map(|offset| self.start().wrapping_add(offset))
    }

    /// Its addresses in this process.
    fn addresses(&self) -> Range<usize> {
        self.start().addr()..self.start().addr() + self.length()
    }
}
