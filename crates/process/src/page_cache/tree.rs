//! The files below a directory, entry by entry: there may be millions.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::PageCacheError;
use super::file::FileCache;
use super::open_file::OpenFile;
use super::timeout::Reporter;
use super::unseen::Unseen;

/// A file, or why its pages may not be seen.
pub(super) type Finding = Result<FileCache, Unseen>;

/// A walk below a directory. It stays on one file system, and follows no symbolic link.
pub(super) struct Walk<'a> {
    reporter: &'a Reporter<Finding>,
    goes_on: &'a dyn Fn() -> bool,
    /// Directories that are still to be read.
    folders: Vec<PathBuf>,
    device: u64,
    /// Files with several names count once.
    linked: BTreeSet<(u64, u64)>,
}

impl<'a> Walk<'a> {
    /// A walk from this directory, while `goes_on`.
    pub(super) fn new(
        folder: &Path,
        device: u64,
        reporter: &'a Reporter<Finding>,
        goes_on: &'a dyn Fn() -> bool,
    ) -> Self {
        let folders = vec![folder.to_owned()];
        Self { reporter, goes_on, folders, device, linked: BTreeSet::new() }
    }

    /// Reports each file. Returns whether these were all before the time ended. Fails if the first
    /// directory cannot be read, or a sandbox denies the calls.
    pub(super) fn run(mut self) -> Result<bool, PageCacheError> {
        let mut is_first = true;
        let mut is_whole = true;
        while let Some(folder) = self.folders.pop() {
            self.reporter.at(&folder);
            match fs::read_dir(&folder) {
                Ok(entries) => {
                    for entry in entries.flatten() {
                        if !(self.goes_on)() {
                            return Ok(false);
                        }
                        is_whole &= self.entry(&entry)?;
                    }
                }
                Err(error) if is_first => {
                    return Err(PageCacheError::Open { path: folder, why: error.to_string() });
                }
                Err(_) => self.reporter.found(Err(Unseen::NotReadable)),
            }
            is_first = false;
        }
        Ok(is_whole)
    }

    /// Returns whether the entry was read to its end.
    fn entry(&mut self, entry: &fs::DirEntry) -> Result<bool, PageCacheError> {
        let Ok(kind) = entry.file_type() else { return Ok(true) };
        let path = entry.path();
        if kind.is_dir() {
            let metadata = entry.metadata();
            if metadata.is_ok_and(|metadata| metadata.dev() == self.device) {
                self.folders.push(path);
            }
            return Ok(true);
        }
        if !kind.is_file() {
            return Ok(true);
        }
        self.reporter.at(&path);
        let found = self.file(&path)?;
        let is_whole = !matches!(&found, Some(Ok(FileCache { is_whole: false, .. })));
        if let Some(found) = found {
            self.reporter.found(found);
        }
        Ok(is_whole)
    }

    fn file(&mut self, path: &Path) -> Result<Option<Finding>, PageCacheError> {
        let file = match OpenFile::in_directory(path) {
            Ok(file) => file,
            Err(why) => return Ok(Some(Err(why))),
        };
        let Ok(metadata) = file.file.metadata() else { return Ok(None) };
        if metadata.nlink() > 1 && !self.linked.insert((metadata.dev(), metadata.ino())) {
            return Ok(None);
        }
        let mut goes_on = || {
            self.reporter.alive();
            (self.goes_on)()
        };
        match file.read(&mut goes_on) {
            Ok(cache) => Ok(Some(Ok(cache))),
            // A sandbox denies it for each file.
            Err(cause) if cause.is_denied() => {
                Err(PageCacheError::Refused { path: path.to_owned(), cause })
            }
            Err(_) => Ok(Some(Err(Unseen::NotMapped))),
        }
    }
}
