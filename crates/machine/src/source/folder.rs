//! A captured machine in a folder. Files are read on demand, so a whole root file system is no
//! problem.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use nearfar_model::Bytes;

use super::resolve::{PathEntry, resolve};
use super::{FileContents, FolderNames, is_denied, live, root};
use crate::error::MachineError;

/// A folder that represents `/`.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    /// Resolved folders, and links to folders: many files share a few folders.
    known: Mutex<HashMap<String, Option<String>>>,
}

impl Folder {
    /// Finds the machine in a folder.
    pub(super) fn open(path: &Path) -> Result<Self, MachineError> {
        let folders = |inner: &str| {
            let here = path.join(inner);
            let FolderNames::Names(names) = live::list(&here) else { return Vec::new() };
            names.into_iter().filter(|name| here.join(name).is_dir()).collect()
        };
        let inner = root::find(path, folders)?;
        Ok(Self { root: path.join(inner), known: Mutex::default() })
    }

    pub(super) fn contents(&self, path: &str, most: Bytes) -> FileContents {
        // Reading a pipe or a device in a capture could block forever.
        match self.found(path) {
            // Root can read everything, so check how captures store unreadable files.
            Some((found, _)) if found.is_file() && found.len() == 0 && is_denied(found.mode()) => {
                FileContents::Denied
            }
            Some((found, real)) if found.is_file() => {
                live::contents_of_length(&real, found.len(), most)
            }
            _ => FileContents::Absent,
        }
    }

    pub(super) fn mode(&self, path: &str) -> Option<u32> {
        Some(self.found(path)?.0.mode())
    }

    /// What a path leads to, and where it is on this host.
    fn found(&self, path: &str) -> Option<(Metadata, PathBuf)> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        // Most files are no links: one look suffices.
        if !matches!(name, "" | "." | "..") {
            let host = self.host(&self.known_folder(folder)?).join(name);
            let found = fs::symlink_metadata(&host).ok()?;
            if !found.is_symlink() {
                return Some((found, host));
            }
        }
        let real = self.real(path)?;
        Some((fs::symlink_metadata(&real).ok()?, real))
    }

    pub(super) fn list(&self, folder: &str) -> FolderNames {
        let Some(real) = self.real(folder) else { return FolderNames::Absent };
        // Captures store an unreadable folder as an unreadable file. Root can read everything.
        match fs::symlink_metadata(&real) {
            Ok(found) if is_denied(found.mode()) => FolderNames::Denied,
            _ => live::list(&real),
        }
    }

    /// The resolved path on this host.
    fn real(&self, path: &str) -> Option<PathBuf> {
        Some(self.host(&self.real_path(path)?))
    }

    pub(super) fn real_path(&self, path: &str) -> Option<String> {
        if let Some(real) = self.known(path) {
            return real;
        }
        let real = self.look_up(path)?;
        // Links lead to folders of many files.
        if real != path {
            self.learn(&real, &real);
            self.learn(path, &real);
        }
        Some(real)
    }

    /// Resolves a path with few system calls: the folders of a link and of its target are known
    /// from their other entries.
    fn look_up(&self, path: &str) -> Option<String> {
        let Some((folder, name)) = plain_name(path) else { return self.resolve(path) };
        let folder = self.known_folder(folder)?;
        let here = format!("{folder}/{name}");
        let PathEntry::Link(target) = self.entry(&here)? else { return Some(here) };
        let Some(there) = plain_target(&folder, &target) else { return self.resolve(&here) };
        let (above, last) = plain_name(&there)?;
        let there = format!("{}/{last}", self.known_folder(above)?);
        match self.entry(&there)? {
            PathEntry::Solid => Some(there),
            PathEntry::Link(_) => self.resolve(&there),
        }
    }

    fn resolve(&self, path: &str) -> Option<String> {
        resolve(path, |here| {
            if self.is_resolved(here) { Some(PathEntry::Solid) } else { self.entry(here) }
        })
    }

    /// Keeps what a path resolves to.
    fn learn(&self, path: &str, real: &str) {
        if let Ok(mut known) = self.known.lock() {
            known.insert(path.to_owned(), Some(real.to_owned()));
        }
    }

    /// The target of a link, as it was captured.
    pub(super) fn link(&self, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/')?;
        live::link(&self.host(&self.known_folder(folder)?).join(name))
    }

    fn known(&self, path: &str) -> Option<Option<String>> {
        self.known.lock().ok()?.get(path).cloned()
    }

    fn is_resolved(&self, path: &str) -> bool {
        let known = self.known.lock();
        known.is_ok_and(|known| known.get(path).is_some_and(|real| real.as_deref() == Some(path)))
    }

    fn known_folder(&self, folder: &str) -> Option<String> {
        if folder.is_empty() {
            return Some(String::new());
        }
        if let Some(real) = self.known(folder) {
            return real;
        }
        // Not under the lock: entries of the folders above ask for it.
        let real = self.look_up_folder(folder);
        if let Ok(mut known) = self.known.lock() {
            known.insert(folder.to_owned(), real.clone());
        }
        real
    }

    fn look_up_folder(&self, folder: &str) -> Option<String> {
        let Some((above, name)) = plain_name(folder) else { return self.resolve(folder) };
        let here = format!("{}/{name}", self.known_folder(above)?);
        match self.entry(&here)? {
            PathEntry::Solid => Some(here),
            // Not by `look_up`: it would follow a cycle of links forever.
            PathEntry::Link(_) => self.resolve(&here),
        }
    }

    /// The kind of a path whose parents are resolved: one system call for a path that is no link.
    fn entry(&self, inner: &str) -> Option<PathEntry> {
        match fs::read_link(self.host(inner)) {
            Ok(target) => Some(PathEntry::Link(target.into_os_string().into_string().ok()?)),
            // It exists, and is no link.
            Err(error) if error.kind() == ErrorKind::InvalidInput => Some(PathEntry::Solid),
            Err(_) => None,
        }
    }

    fn host(&self, inner: &str) -> PathBuf {
        self.root.join(inner.trim_start_matches('/'))
    }
}

/// A path's folder and name, unless it ends in `.` or `..`.
fn plain_name(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once('/').filter(|(_, name)| !matches!(*name, "" | "." | ".."))
}

/// Where a link in a resolved folder leads, by name; `None` if `..` may follow another link.
fn plain_target(folder: &str, target: &str) -> Option<String> {
    let (mut above, mut rest) =
        if target.starts_with('/') { ("", target) } else { (folder, target) };
    while let Some(after) = rest.strip_prefix("../") {
        above = above.rsplit_once('/').map_or("", |(above, _)| above);
        rest = after;
    }
    let rest = rest.trim_start_matches('/');
    let is_plain = rest.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_plain.then(|| format!("{above}/{rest}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::source::MAX_FILE_SIZE;

    #[test]
    fn reads_through_links_and_stays_inside() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("capture");
        fs::create_dir_all(root.join("sys/cpu/cpu0")).unwrap();
        fs::create_dir_all(root.join("sys/cpux")).unwrap();
        fs::write(root.join("sys/cpu/cpu0/core_id"), "7").unwrap();
        fs::write(place.path().join("secret"), "host").unwrap();
        symlink("../cpu", root.join("sys/cpux/relative")).unwrap();
        symlink("/sys/cpu", root.join("sys/absolute")).unwrap();
        symlink("../../../../secret", root.join("sys/out")).unwrap();
        symlink(place.path().join("secret"), root.join("sys/host")).unwrap();

        let folder = Folder::open(place.path()).unwrap();
        let contents = |path| folder.contents(path, MAX_FILE_SIZE);
        assert_eq!(contents("/sys/cpux/relative/cpu0/core_id"), FileContents::Bytes(b"7".to_vec()));
        assert_eq!(contents("/sys/absolute/cpu0/core_id"), FileContents::Bytes(b"7".to_vec()));
        assert_eq!(contents("/sys/out"), FileContents::Absent);
        assert_eq!(contents("/sys/host"), FileContents::Absent);
        assert_eq!(contents("/sys/cpu"), FileContents::Absent);
        assert_eq!(folder.list("/sys/absolute"), FolderNames::Names(vec!["cpu0".to_owned()]));
        assert!(
            folder.real("/sys/absolute/cpu0").is_some() && folder.real("/sys/cpu/cpu1").is_none()
        );
    }

    #[test]
    fn folder_without_sys_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let message = Folder::open(place.path()).unwrap_err().to_string();
        assert!(message.contains("has no 'sys' folder"), "{message}");
    }
}
