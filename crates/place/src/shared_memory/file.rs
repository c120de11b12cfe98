//! Files on tmpfs and hugetlbfs.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use nearfar_view::owned_files::{Folder, open_file};

use crate::place_error::PlaceError;
use crate::shared_memory::attachment::Attachment;
use crate::shared_memory::file_system::{FileSystem, PolicyLifetime};
use crate::shared_memory::region::{SharedRegion, check_aligned, length_to_create};
use crate::shared_memory::remove_on_error::RemoveOnError;
use crate::shared_memory::{RegionRequest, SharedMemory};

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
