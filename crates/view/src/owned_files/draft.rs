//! A file before it has its name.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Seek};
use std::sync::Arc;

use rustix::fs::{AtFlags, RenameFlags, linkat, renameat_with};
use rustix::io::Errno;

use crate::owned_files::folder::Folder;

/// All that the umask leaves: who may read a file, the user's umask decides.
pub(crate) const MODE: u32 = 0o666;

#[derive(Debug)]
pub(crate) enum Draft {
    Nameless(File, Arc<Folder>),
    Named(NamedDraft),
}

impl Draft {
    /// Without a name where the file system can do that, so that a kill leaves nothing.
    pub(crate) fn create(folder: Arc<Folder>) -> io::Result<Self> {
        match folder.create_nameless(MODE) {
            Ok(file) => Ok(Self::Nameless(file, folder)),
            Err(_) => NamedDraft::create(folder, MODE).map(Self::Named),
        }
    }

    pub(crate) fn file(&mut self) -> &mut File {
        match self {
            Self::Nameless(file, _) => file,
            Self::Named(draft) => draft.file(),
        }
    }

    /// Gives it a name that no file has; the draft where there is such a file: the file system
    /// decides who was first.
    pub(crate) fn link(self, name: &OsStr) -> io::Result<Result<(), Self>> {
        match self {
            Self::Nameless(file, folder) => match folder.name(&file, name) {
                Ok(()) => Ok(Ok(())),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    Ok(Err(Self::Nameless(file, folder)))
                }
                Err(_) => Self::Named(copy(file, folder)?).link(name),
            },
            Self::Named(draft) => match draft.rename_new(name) {
                Ok(()) => Ok(Ok(())),
                Err((draft, Errno::EXIST)) => Ok(Err(Self::Named(draft))),
                Err((_, error)) => Err(error.into()),
            },
        }
    }

    /// Gives it a name, and replaces the file of that name.
    pub(crate) fn replace(self, name: &OsStr) -> io::Result<()> {
        match self {
            Self::Nameless(file, folder) => named(file, folder)?.replace(name),
            Self::Named(draft) => draft.replace(name),
        }
    }
}

/// A draft with a name of its own: `.nearfar-*.draft`, removed unless it is renamed.
#[derive(Debug)]
pub(crate) struct NamedDraft {
    file: File,
    folder: Arc<Folder>,
    name: OsString,
}

impl NamedDraft {
    pub(crate) fn create(folder: Arc<Folder>, mode: u32) -> io::Result<Self> {
        let (name, file) = with_free_name(|name| folder.create_new(name, mode))?;
        Ok(Self { file, folder, name })
    }

    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives it a name, and replaces the file of that name.
    pub(crate) fn replace(self, name: &OsStr) -> io::Result<()> {
        self.folder.rename(&self.name, name)?;
        self.keep_renamed();
        Ok(())
    }

    /// Gives it a name that no file has. Some file systems have no such renaming, and hard links.
    pub(crate) fn rename_new(self, name: &OsStr) -> Result<(), (Self, Errno)> {
        let (folder, draft) = (&*self.folder, &self.name);
        match renameat_with(folder, draft, folder, name, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS) => {
                match linkat(folder, draft, folder, name, AtFlags::empty()) {
                    Ok(()) => Ok(()), // the draft's own name is dropped
                    Err(error) => Err((self, error)),
                }
            }
            Err(error) => Err((self, error)),
            Ok(()) => {
                self.keep_renamed();
                Ok(())
            }
        }
    }

    /// No name is left to remove.
    fn keep_renamed(mut self) {
        self.name.clear();
    }
}

impl Drop for NamedDraft {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            // An error has no reader any more.
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// A name of a draft that no file has.
fn with_free_name<T>(mut make: impl FnMut(&OsStr) -> io::Result<T>) -> io::Result<(OsString, T)> {
    const ATTEMPTS: u32 = 1000;
    let mut last = Errno::EXIST.into();
    for _ in 0..ATTEMPTS {
        let name = OsString::from(format!(".nearfar-{:016x}.draft", fastrand::u64(..)));
        match make(&name) {
            Ok(made) => return Ok((name, made)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// A nameless file by a name of a draft: only such a file can replace another one.
fn named(file: File, folder: Arc<Folder>) -> io::Result<NamedDraft> {
    match with_free_name(|name| folder.name(&file, name)) {
        Ok((name, ())) => Ok(NamedDraft { file, folder, name }),
        Err(_) => copy(file, folder),
    }
}

/// For file systems that have nameless files and cannot name them.
fn copy(mut file: File, folder: Arc<Folder>) -> io::Result<NamedDraft> {
    let mut named = NamedDraft::create(folder, MODE)?;
    file.rewind()?;
    io::copy(&mut file, &mut named.file)?;
    named.file.set_permissions(file.metadata()?.permissions())?;
    named.file.sync_all()?;
    Ok(named)
}
