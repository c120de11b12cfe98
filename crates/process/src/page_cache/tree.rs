//! The files below a directory, entry by entry: there may be millions.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nearfar_place::PlaceError;

use super::error::PageCacheError;
use super::file::FileCache;
use super::open_file::{OpenFile, unseen};
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

    /// Reports each file. Returns whether the time did not end before. Fails if the first directory
    /// cannot be read, or a sandbox denies the calls.
    pub(super) fn run(mut self) -> Result<bool, PageCacheError> {
        let mut is_first = true;
        while let Some(folder) = self.folders.pop() {
            self.reporter.at(&folder);
            match fs::read_dir(&folder) {
                Ok(entries) => {
                    for entry in entries {
                        if !(self.goes_on)() {
                            return Ok(false);
                        }
                        match entry {
                            Ok(entry) => self.entry(&entry)?,
                            Err(error) => self.reporter.found(Err(unseen(&error))),
                        }
                    }
                }
                Err(error) if is_first => {
                    return Err(PageCacheError::Open { path: folder, why: error.to_string() });
                }
                Err(error) => self.reporter.found(Err(match unseen(&error) {
                    Unseen::NotReadable => Unseen::DirectoryNotReadable,
                    why => why,
                })),
            }
            is_first = false;
        }
        Ok(true)
    }

    fn entry(&mut self, entry: &fs::DirEntry) -> Result<(), PageCacheError> {
        let (kind, path) = (entry.file_type(), entry.path());
        let found = match kind {
            Ok(kind) if kind.is_dir() => match entry.metadata() {
                Ok(metadata) if metadata.dev() == self.device => {
                    self.folders.push(path);
                    None
                }
                Ok(_) => Some(Err(Unseen::OtherFileSystem)),
                Err(error) => Some(Err(unseen(&error))),
            },
            Ok(kind) if kind.is_file() => {
                self.reporter.at(&path);
                self.file(&path)?
            }
            Ok(_) => None,
            Err(error) => Some(Err(unseen(&error))),
        };
        found.into_iter().for_each(|found| self.reporter.found(found));
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<Option<Finding>, PageCacheError> {
        let file = match OpenFile::in_directory(path) {
            Ok(file) => file,
            Err(why) => return Ok(Some(Err(why))),
        };
        match file.file.metadata() {
            Ok(data) if data.nlink() > 1 && !self.linked.insert((data.dev(), data.ino())) => {
                return Ok(None);
            }
            Ok(_) => {}
            Err(error) => return Ok(Some(Err(unseen(&error)))),
        }
        let mut goes_on = || {
            self.reporter.alive();
            (self.goes_on)()
        };
        match file.read(&mut goes_on) {
            Ok(cache) => Ok(Some(Ok(cache))),
            // For each file: a sandbox, or an old kernel.
            Err(cause) if cause.is_denied() || matches!(cause, PlaceError::KernelLacks { .. }) => {
                Err(PageCacheError::Refused { path: path.to_owned(), cause })
            }
            Err(PlaceError::Failed { call: "mmap", .. }) => Ok(Some(Err(Unseen::NotMapped))),
            Err(_) => Ok(Some(Err(Unseen::Failed))),
        }
    }
}
