//! Files of tmpfs and hugetlbfs.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::place_error::PlaceError;
use crate::shared_memory::attachment::Attachment;
use crate::shared_memory::file_system::{FileSystem, Keeping};
use crate::shared_memory::region::{Region, check_aligned, length_to_make};
use crate::shared_memory::unfinished::Unfinished;
use crate::shared_memory::{SharedMemory, Wish};

impl SharedMemory {
    /// A part of a file's memory. The file is made when it does not exist and a length is given,
    /// and grows when it is shorter than offset and length; on a file system that keeps no policies
    /// neither is done, since nothing is gained there.
    pub fn file(path: &Path, wish: &Wish) -> Result<Self, PlaceError> {
        let name = path.display().to_string();
        match OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
            .open(path)
        {
            Ok(file) => existing(name, path, &file, wish),
            Err(error) if error.kind() == ErrorKind::NotFound => made(name, path, wish),
            Err(error) => Err(PlaceError::file("opening", path, &error.to_string())),
        }
    }
}

fn existing(
    name: String,
    path: &Path,
    file: &File,
    wish: &Wish,
) -> Result<SharedMemory, PlaceError> {
    let about = file
        .metadata()
        .map_err(|error| PlaceError::file("looking at", path, &error.to_string()))?;
    if !about.is_file() {
        return Err(PlaceError::file("mapping", path, "it is no regular file"));
    }
    let file_system = FileSystem::of(file, path)?;
    check_aligned(&name, wish, file_system.page())?;
    let mut whole = about.len();
    if whole == 0 && wish.length.is_none() {
        return Err(PlaceError::Region {
            name,
            why: "it is empty: give a length to make it longer".to_owned(),
        });
    }
    let wanted = wish.length.map_or(0, |length| wish.offset.0.saturating_add(length.0));
    if wanted > whole.next_multiple_of(file_system.page()) {
        require_policies(&name, file_system)?;
        whole = length_to_make(&name, wish)?;
        grow(path, whole)?;
    }
    map(name, file, file_system, wish, whole, false)
}

fn made(name: String, path: &Path, wish: &Wish) -> Result<SharedMemory, PlaceError> {
    let whole = length_to_make(&name, wish)?;
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file_system = FileSystem::of_folder(folder)?;
    require_policies(&name, file_system)?;
    check_aligned(&name, wish, file_system.page())?;
    let file =
        OpenOptions::new().read(true).write(true).create_new(true).mode(wish.mode).open(path);
    let file = file.map_err(|error| PlaceError::file("making", path, &error.to_string()))?;
    let unfinished = Unfinished::made(path);
    set_length(path, &file, whole)?;
    let memory = map(name, &file, file_system, wish, whole, true)?;
    unfinished.keep();
    Ok(memory)
}

fn map(
    name: String,
    file: &File,
    file_system: FileSystem,
    wish: &Wish,
    whole: u64,
    made: bool,
) -> Result<SharedMemory, PlaceError> {
    let region = Region::of(&name, wish, whole, file_system.page())?;
    let attachment = Attachment::of_file(file, &region)?;
    let (keeping, file_system) = (file_system.keeping(), file_system.name());
    Ok(SharedMemory { attachment, region, made, name, keeping, file_system })
}

fn require_policies(name: &str, file_system: FileSystem) -> Result<(), PlaceError> {
    match file_system.keeping() {
        Keeping::Always | Keeping::WhileMapped => Ok(()),
        Keeping::Never => Err(PlaceError::NoSharedPolicy {
            name: name.to_owned(),
            file_system: file_system.name(),
        }),
    }
}

fn grow(path: &Path, whole: u64) -> Result<(), PlaceError> {
    let writable = OpenOptions::new().write(true).open(path);
    let file =
        writable.map_err(|error| PlaceError::file("making it longer", path, &error.to_string()))?;
    set_length(path, &file, whole)
}

fn set_length(path: &Path, file: &File, whole: u64) -> Result<(), PlaceError> {
    file.set_len(whole)
        .map_err(|error| PlaceError::file("making it longer", path, &error.to_string()))
}
