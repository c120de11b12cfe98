//! The live machine: only here a path means this host's own `/sys` and `/proc`.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use nearfar_model::Bytes;

use super::{FileContents, FolderNames};

/// Reads a file. Files that return EIO, EINVAL and the like count as absent; sysfs has some.
pub(super) fn contents(path: &Path, most: Bytes) -> FileContents {
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?.take(most.0 + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most.0 { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    };
    outcome(read())
}

/// Reads the beginning of a file: the kernel makes no more of it than is read.
pub(super) fn beginning(path: &Path, length: u64) -> FileContents {
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    outcome(read())
}

/// Reads a file of a known length, mostly by one call of the system.
pub(super) fn contents_of_length(path: &Path, length: u64, most: Bytes) -> FileContents {
    let Some(room) = usize::try_from(length).ok().filter(|_| length <= most.0) else {
        return contents(path, most);
    };
    let read = || {
        let mut file = File::open(path)?;
        let mut bytes = vec![0; room];
        let read = file.read(&mut bytes)?;
        bytes.truncate(read);
        // Files of sysfs are shorter than their length, and other file systems may read in parts.
        if read < room {
            file.take(most.0 - read as u64).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    };
    outcome(read())
}

/// The mode of a file.
pub(super) fn mode(path: &Path) -> Option<u32> {
    Some(fs::metadata(path).ok()?.mode())
}

/// The user who owns a file.
pub(super) fn owner(path: &Path) -> Option<u32> {
    Some(fs::metadata(path).ok()?.uid())
}

/// Reads bytes at an offset.
pub(super) fn device(path: &Path, offset: u64, length: usize) -> FileContents {
    let read = || {
        let mut bytes = vec![0; length];
        File::open(path)?.read_exact_at(&mut bytes, offset)?;
        Ok(bytes)
    };
    outcome(read())
}

/// The names in a folder, sorted.
pub(super) fn list(folder: &Path) -> FolderNames {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return FolderNames::Denied,
        Err(_) => return FolderNames::Absent,
    };
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    FolderNames::Names(names)
}

/// Resolves all links in a path.
pub(super) fn real_path(path: &Path) -> Option<String> {
    // One system call for an absent path; resolving it takes one for each of its parts.
    fs::symlink_metadata(path).ok()?;
    fs::canonicalize(path).ok()?.into_os_string().into_string().ok()
}

/// The target of a link.
pub(super) fn link(path: &Path) -> Option<String> {
    fs::read_link(path).ok()?.into_os_string().into_string().ok()
}

pub(super) fn is_folder_denied(folder: &Path) -> bool {
    fs::read_dir(folder).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
}

fn outcome(read: std::io::Result<Vec<u8>>) -> FileContents {
    match read {
        Ok(bytes) => FileContents::Bytes(bytes),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => FileContents::Denied,
        Err(_) => FileContents::Absent,
    }
}
