//! A folder that is laid over a guest's file system: what it holds, in an order in which it can be
//! made.
//!
//! The guest's `/bin`, `/sbin`, `/usr/bin` and `/usr/sbin` are one folder. A tree that brings any
//! of them brings what is in there.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{ImageError, read};

/// One thing in an archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ArchiveEntry {
    /// A folder; those above it come first.
    Folder,
    /// A file: permissions and bytes.
    File(u32, Vec<u8>),
    /// A symbolic link and where it leads.
    Link(String),
}

/// All that a folder holds, by its name in the guest. Sockets, devices and pipes stay behind.
pub(super) fn entries(folder: &Path) -> Result<Vec<(String, ArchiveEntry)>, ImageError> {
    let mut entries = Vec::new();
    collect(folder, "", &mut entries)?;
    Ok(entries)
}

fn collect(
    folder: &Path,
    name: &str,
    entries: &mut Vec<(String, ArchiveEntry)>,
) -> Result<(), ImageError> {
    let unreadable =
        |path: &Path, source: io::Error| ImageError::Unreadable { path: path.to_owned(), source };
    let listed = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut paths: Vec<PathBuf> =
        listed.map_err(|error| unreadable(folder, error))?.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    for path in paths {
        let last = path.file_name().unwrap_or_default().to_string_lossy();
        let name = if name.is_empty() { last.into_owned() } else { format!("{name}/{last}") };
        let found = fs::symlink_metadata(&path).map_err(|error| unreadable(&path, error))?;
        if found.is_dir() {
            entries.push((name.clone(), ArchiveEntry::Folder));
            collect(&path, &name, entries)?;
        } else if found.is_symlink() {
            let target = fs::read_link(&path).map_err(|error| unreadable(&path, error))?;
            entries.push((name, ArchiveEntry::Link(target.to_string_lossy().into_owned())));
        } else if found.is_file() {
            entries
                .push((name, ArchiveEntry::File(found.permissions().mode() & 0o777, read(&path)?)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn folders_come_before_what_they_hold_and_links_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("usr/lib")).unwrap();
        fs::write(folder.path().join("usr/lib/x.so.1"), "x").unwrap();
        fs::set_permissions(
            folder.path().join("usr/lib/x.so.1"),
            fs::Permissions::from_mode(0o640),
        )
        .unwrap();
        symlink("x.so.1", folder.path().join("usr/lib/x.so")).unwrap();
        let entry = |name: &str, entry| (name.to_owned(), entry);
        assert_eq!(
            entries(folder.path()).unwrap(),
            [
                entry("usr", ArchiveEntry::Folder),
                entry("usr/lib", ArchiveEntry::Folder),
                entry("usr/lib/x.so", ArchiveEntry::Link("x.so.1".to_owned())),
                entry("usr/lib/x.so.1", ArchiveEntry::File(0o640, b"x".to_vec())),
            ]
        );
    }
}
