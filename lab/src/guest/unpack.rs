//! The files that a command left in /out.
//!
//! They come as an archive that a guest made, so nothing in it is believed: nothing is written
//! outside the folder, no owner is set, and devices stay where they are.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tar::{Archive, EntryType};

use super::GuestError;

/// Makes the folder, so that one that cannot be written shows before the guest is booted.
pub(super) fn prepare(folder: &Path) -> Result<(), GuestError> {
    let unusable = |source| GuestError::Out { path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(unusable)?;
    tempfile::tempfile_in(folder).map_err(unusable)?;
    Ok(())
}

/// Unpacks an archive into `folder`, or only lists it; gives the files' paths.
pub(super) fn unpack(from: impl Read, folder: Option<&Path>) -> io::Result<Vec<PathBuf>> {
    let mut archive = Archive::new(from);
    archive.set_preserve_ownerships(false);
    archive.set_overwrite(true);
    let mut files = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        let path = entry.path()?.into_owned();
        if !matches!(
            kind,
            EntryType::Directory | EntryType::Regular | EntryType::Symlink | EntryType::Link
        ) {
            continue;
        }
        if let Some(folder) = folder {
            entry.unpack_in(folder)?;
        }
        if kind != EntryType::Directory {
            files.push(path.strip_prefix(".").map(Path::to_owned).unwrap_or(path));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use tar::{Builder, Header};

    use super::*;

    fn archive(entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (path, kind, text) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(0o644);
            header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
            if matches!(kind, EntryType::Symlink) {
                header.set_link_name(text).unwrap();
                header.set_size(0);
                header.set_cksum();
                builder.append(&header, io::empty()).unwrap();
            } else {
                header.set_size(text.len() as u64);
                header.set_cksum();
                builder.append(&header, text.as_bytes()).unwrap();
            }
        }
        builder.into_inner().unwrap()
    }

    #[test]
    fn files_and_folders_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = archive(&[
            ("./", EntryType::Directory, ""),
            ("./a", EntryType::Regular, "one"),
            ("./b/", EntryType::Directory, ""),
            ("./b/c", EntryType::Regular, "two"),
        ]);
        assert_eq!(
            unpack(bytes.as_slice(), Some(folder.path())).unwrap(),
            [Path::new("a"), Path::new("b/c")]
        );
        assert_eq!(fs::read_to_string(folder.path().join("b/c")).unwrap(), "two");
    }

    #[test]
    fn a_guest_cannot_write_outside_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("out");
        prepare(&folder).unwrap();
        let bytes = archive(&[
            ("../escaped", EntryType::Regular, "x"),
            ("link", EntryType::Symlink, ".."),
            ("link/escaped", EntryType::Regular, "x"),
        ]);
        assert!(unpack(bytes.as_slice(), Some(&folder)).is_err());
        assert!(!outer.path().join("escaped").exists());
    }

    #[test]
    fn devices_stay_in_the_guest() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = archive(&[("sda", EntryType::Block, ""), ("file", EntryType::Regular, "x")]);
        assert_eq!(unpack(bytes.as_slice(), Some(folder.path())).unwrap(), [Path::new("file")]);
        assert!(!folder.path().join("sda").exists());
    }

    #[test]
    fn without_a_folder_files_are_listed_and_an_unusable_folder_is_named() {
        let bytes = archive(&[("file", EntryType::Regular, "x")]);
        assert_eq!(unpack(bytes.as_slice(), None).unwrap(), [Path::new("file")]);
        let error = prepare(Path::new("/proc/out")).unwrap_err().to_string();
        assert!(error.contains("/proc/out"), "{error}");
    }
}
