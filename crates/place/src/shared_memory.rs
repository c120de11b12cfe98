//! The policy of memory that several programs share: System V segments, and files on tmpfs and
//! hugetlbfs.
//!
//! The policy of a segment, or of a file on tmpfs, belongs to the memory and not to the process
//! that sets it. It stays until the memory is removed, and applies to every process's pages. Memory
//! on *huge pages of the pool* (hugetlbfs, segments with [`RegionRequest::huge`]) cannot store one
//! (`Documentation/admin-guide/mm/numa_memory_policy.rst`). There the policy applies to this
//! mapping only: [`SharedMemory::touch`] places pages by it, and it is lost afterwards. See
//! [`SharedMemory::policy_lasts`]. The page cache of other file systems ignores policies, so a
//! policy is an error there.
//!
//! ```
//! # fn main() -> Result<(), nearfar_place::PlaceError> {
//! use nearfar_model::Bytes;
//! use nearfar_place::shared_memory::{RegionRequest, SharedMemory};
//! use nearfar_place::{ExistingPages, Policy, PolicyFlags, allowed_nodes};
//!
//! # let name = format!("/dev/shm/nearfar-doctest-{}", std::process::id());
//! # let path = std::path::PathBuf::from(name);
//! let request = RegionRequest { length: Some(Bytes::mib(1)), ..RegionRequest::default() };
//! let pool = SharedMemory::file(&path, &request)?;
//! let policy = Policy::Interleave(allowed_nodes()?);
//! pool.set_policy(&policy, PolicyFlags::default(), ExistingPages::Stay)?;
//! pool.touch()?;
//! assert_eq!(pool.verify(&policy)?, []);
//! # std::fs::remove_file(&path).unwrap();
//! # Ok(())
//! # }
//! ```

mod attachment;
mod file_system;
mod region;
mod segment;
mod stretch;
#[cfg(test)]
mod tests;
mod verify;

use std::fs::{File, remove_file};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use nearfar_model::Bytes;
use nearfar_view::owned_files::{Folder, open_file};

use crate::mbind::ExistingPages;
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::policy_flags::PolicyFlags;
use crate::populate::{PopulateAccess, populate};
use crate::range_policy::set_range_policy_with;
use attachment::Attachment;
use file_system::{FileSystem, PolicyLifetime};
use region::{SharedRegion, check_aligned, length_to_create};
use stretch::fault_in;

pub use stretch::Stretch;
pub use verify::Misplaced;

/// Which part of shared memory is requested, and how it is created if it does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionRequest {
    /// The start of the part in bytes: a multiple of the page size.
    pub offset: Bytes,
    /// Its length in bytes: a multiple of the page size. `None`: to the end. New memory, or a file
    /// that grows, gets the size `offset + length`.
    pub length: Option<Bytes>,
    /// The mode of a new segment or file, less the umask.
    pub mode: u32,
    /// Whether a new segment uses huge pages. A file's page size is that of its file system.
    pub huge: bool,
}

impl Default for RegionRequest {
    /// All of it; a new segment or file is accessible to the user alone.
    fn default() -> Self {
        Self { offset: Bytes(0), length: None, mode: 0o600, huge: false }
    }
}

/// A part of shared memory, mapped for reading; unmapped when dropped. Policies that it sets stay.
pub struct SharedMemory {
    attachment: Attachment,
    region: SharedRegion,
    made: bool,
    /// The name in messages.
    name: String,
    policy_lifetime: PolicyLifetime,
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

    /// The part's offset in the memory, in bytes.
    pub fn offset(&self) -> Bytes {
        Bytes(self.region.offset)
    }

    /// The page size in bytes.
    pub fn page(&self) -> Bytes {
        Bytes(self.region.page)
    }

    /// Whether the segment or file was created by this call.
    pub fn was_made(&self) -> bool {
        self.made
    }

    /// Whether a policy outlives this mapping and applies to every process. If not, only
    /// [`SharedMemory::touch`] right after [`SharedMemory::set_policy`] places the pages.
    pub fn policy_lasts(&self) -> bool {
        self.policy_lifetime == PolicyLifetime::UntilRemoved
    }

    /// Sets the policy of the part. It outlives this process if [`SharedMemory::policy_lasts`].
    ///
    /// # Errors
    ///
    /// [`PlaceError::NoSharedPolicy`] on a file system without memory policies; otherwise those of
    /// [`set_range_policy_with`].
    ///
    /// # References
    ///
    /// mbind(2), `Documentation/filesystems/tmpfs.rst`
    pub fn set_policy(
        &self,
        policy: &Policy,
        flags: PolicyFlags,
        existing: ExistingPages,
    ) -> Result<(), PlaceError> {
        if self.policy_lifetime == PolicyLifetime::Unsupported {
            return Err(PlaceError::NoSharedPolicy {
                name: self.name.clone(),
                file_system: self.file_system.clone(),
            });
        }
        set_range_policy_with(self.start(), self.length(), policy, flags, existing)
    }

    /// Allocates all pages of the part, on the nodes that the policy selects. Existing bytes stay.
    ///
    /// # Errors
    ///
    /// [`PlaceError::OutOfMemory`] or [`PlaceError::NoPage`] if memory runs out.
    ///
    /// # References
    ///
    /// `MADV_POPULATE_READ` in madvise(2)
    pub fn touch(&self) -> Result<(), PlaceError> {
        match populate(self.start().cast_mut(), self.length(), PopulateAccess::Read, false) {
            // Kernels before 5.14, and filters: looking a page up allocates it, and fails where a
            // read would end in a signal.
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

impl SharedMemory {
    /// A part of a file's memory. A missing file is created if a length is given, and a file
    /// shorter than `offset + length` grows. On a file system without memory policies neither
    /// happens.
    ///
    /// # Errors
    ///
    /// [`PlaceError::File`] if the file cannot be opened, created or grown, [`PlaceError::Region`]
    /// if the part does not fit, [`PlaceError::NoSharedPolicy`] if a file on a file system without
    /// policies would have to be created or grown.
    ///
    /// # References
    ///
    /// open(2), ftruncate(2), mmap(2), statfs(2)
    pub fn file(path: &Path, request: &RegionRequest) -> Result<Self, PlaceError> {
        let name = path.display().to_string();
        match open_file(path, false) {
            Ok(file) => existing(name, path, &file, request),
            Err(error) if error.kind() == ErrorKind::NotFound => create(name, path, request),
            Err(error) => Err(PlaceError::file("opening", path, &error.to_string())),
        }
    }
}

fn existing(
    name: String,
    path: &Path,
    file: &File,
    request: &RegionRequest,
) -> Result<SharedMemory, PlaceError> {
    let metadata =
        file.metadata().map_err(|error| PlaceError::file("reading", path, &error.to_string()))?;
    if !metadata.is_file() {
        return Err(PlaceError::file("mapping", path, "it is not a regular file"));
    }
    let file_system = FileSystem::for_file(file, path)?;
    check_aligned(&name, request, file_system.page())?;
    let mut whole = metadata.len();
    if whole == 0 && request.length.is_none() {
        return Err(PlaceError::Region {
            name,
            why: "it is empty: give a length to make it longer".to_owned(),
        });
    }
    let wanted = request.length.map_or(0, |length| request.offset.0.saturating_add(length.0));
    if wanted > whole.next_multiple_of(file_system.page()) {
        require_policies(&name, file_system)?;
        whole = length_to_create(&name, request)?;
        grow(path, whole)?;
    }
    map(name, file, file_system, request, whole, false)
}

fn create(name: String, path: &Path, request: &RegionRequest) -> Result<SharedMemory, PlaceError> {
    let whole = length_to_create(&name, request)?;
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file_system = FileSystem::for_folder(folder)?;
    require_policies(&name, file_system)?;
    check_aligned(&name, request, file_system.page())?;
    let file =
        Folder::for_file(path).and_then(|(folder, name)| folder.create_new(&name, request.mode));
    let file = file.map_err(|error| PlaceError::file("creating", path, &error.to_string()))?;
    let created = RemoveOnError::new(path);
    set_length(path, &file, whole)?;
    let memory = map(name, &file, file_system, request, whole, true)?;
    created.keep();
    Ok(memory)
}

fn map(
    name: String,
    file: &File,
    file_system: FileSystem,
    request: &RegionRequest,
    whole: u64,
    made: bool,
) -> Result<SharedMemory, PlaceError> {
    let region = SharedRegion::new(&name, request, whole, file_system.page())?;
    let attachment = Attachment::map_file(file, &region)?;
    let (policy_lifetime, file_system) = (file_system.policy_lifetime(), file_system.name());
    Ok(SharedMemory { attachment, region, made, name, policy_lifetime, file_system })
}

fn require_policies(name: &str, file_system: FileSystem) -> Result<(), PlaceError> {
    match file_system.policy_lifetime() {
        PolicyLifetime::UntilRemoved | PolicyLifetime::WhileMapped => Ok(()),
        PolicyLifetime::Unsupported => Err(PlaceError::NoSharedPolicy {
            name: name.to_owned(),
            file_system: file_system.name(),
        }),
    }
}

fn grow(path: &Path, whole: u64) -> Result<(), PlaceError> {
    let file = open_file(path, true)
        .map_err(|error| PlaceError::file("extending", path, &error.to_string()))?;
    set_length(path, &file, whole)
}

fn set_length(path: &Path, file: &File, whole: u64) -> Result<(), PlaceError> {
    file.set_len(whole).map_err(|error| PlaceError::file("extending", path, &error.to_string()))
}

/// Removes its file when dropped, unless kept.
struct RemoveOnError(Option<PathBuf>);

impl RemoveOnError {
    /// A file that was created just now.
    fn new(path: &Path) -> Self {
        Self(Some(path.to_owned()))
    }

    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for RemoveOnError {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // The first error is reported already.
            let _ = remove_file(path);
        }
    }
}
