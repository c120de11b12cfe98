//! An open folder: a name in it means what was checked, whatever others rename meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, linkat, mkdirat, openat, readlinkat,
    renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use crate::owned_files::PathRefusal;
use crate::owned_files::caller::Caller;

const MAX_LINKS: usize = 40;
/// What the umask leaves of it.
const FOLDER_MODE: u32 = 0o777;

/// A folder to which no untrusted link led.
#[derive(Debug)]
pub struct Folder {
    file: OwnedFd,
    /// Where it was found.
    path: PathBuf,
    caller: Caller,
}

/// What the walk does with the last component, and with missing ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    Folder,
    /// Missing folders are made.
    NewFolder,
    /// The last component is a file that may be missing.
    File,
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// A [`PathRefusal`] for a link that another user can change, and those of the system.
    pub fn open(path: &Path) -> io::Result<Self> {
        Walk::new(path, Caller::from_this_process())?.to(Goal::Folder).map(|(folder, _)| folder)
    }

    /// The same; makes the folders that are missing.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn create(path: &Path) -> io::Result<Self> {
        Walk::new(path, Caller::from_this_process())?.to(Goal::NewFolder).map(|(folder, _)| folder)
    }

    /// The folder of a file, and its name there: links that may be followed are.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn for_file(path: &Path) -> io::Result<(Self, OsString)> {
        if path.as_os_str().as_bytes().ends_with(b"/") {
            return Err(Errno::ISDIR.into());
        }
        let (folder, name) = Walk::new(path, Caller::from_this_process())?.to(Goal::File)?;
        name.map(|name| (folder, name)).ok_or_else(|| Errno::ISDIR.into())
    }

    /// A folder that was opened and checked.
    pub(crate) fn opened(file: OwnedFd, path: PathBuf, caller: Caller) -> Self {
        Self { file, path, caller }
    }

    /// Where it was found.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn caller(&self) -> Caller {
        self.caller
    }

    /// What has this name; a link is not followed. `None` where nothing has it.
    ///
    /// # Errors
    /// Those of fstatat(2).
    pub fn find(&self, name: &OsStr) -> io::Result<Option<Stat>> {
        match statat(&self.file, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a file that must be new. No link is followed.
    ///
    /// # Errors
    /// Of kind `AlreadyExists` where something has the name.
    pub fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW;
        let mode = Mode::from_raw_mode(mode);
        Ok(openat(&self.file, name, flags | OFlags::CLOEXEC, mode)?.into())
    }

    /// Makes a file without a name (`O_TMPFILE`): a kill leaves nothing. [`name`](Self::name) gives
    /// it one later.
    ///
    /// # Errors
    /// The file system has no such files, or `/proc` does not show descriptors.
    pub fn create_nameless(&self, mode: u32) -> io::Result<File> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let file = File::from(openat(&self.file, ".", flags, Mode::from_raw_mode(mode))?);
        std::fs::metadata(by_number(&file)).map(|_| file)
    }

    /// Gives a file without a name one that must be free.
    ///
    /// # Errors
    /// Of kind `AlreadyExists` where it is not.
    pub fn name(&self, file: &File, name: &OsStr) -> io::Result<()> {
        Ok(linkat(CWD, by_number(file), &self.file, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Makes a link that must be new.
    ///
    /// # Errors
    /// Those of symlinkat(2).
    pub fn link_to(&self, target: &Path, name: &OsStr) -> io::Result<()> {
        Ok(symlinkat(target, &self.file, name)?)
    }

    /// Gives a file of this folder another name in it, and replaces what has that.
    ///
    /// # Errors
    /// Those of renameat(2).
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.file, from, &self.file, to)?)
    }

    /// Removes a name.
    ///
    /// # Errors
    /// Those of unlinkat(2).
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.file, name, AtFlags::empty())?)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// The open file, as this process's own folder names it; a child that inherits the descriptor has
/// the same name for it.
pub fn by_number(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// A path on the way, component by component.
struct Walk {
    folder: Folder,
    /// Components that are left, the next one last.
    left: Vec<OsString>,
    links: usize,
    /// Whether each folder on the way must be safe from others.
    is_strict: bool,
}

/// Checks that only trusted users can change a file or what leads to it. The path is absolute.
pub(crate) fn check_program(path: &Path, caller: Caller) -> io::Result<()> {
    let mut walk = Walk::new(path, caller)?;
    walk.is_strict = true;
    walk.check_unchanged()?;
    let (folder, name) = walk.to(Goal::File)?;
    let Some(name) = name else { return Ok(()) };
    let found = folder.find(&name)?.ok_or(Errno::NOENT)?;
    let is_folder = is_kind(&found, FileType::Directory);
    refuse_changed(&found, is_folder, folder.path.join(name), caller)
}

fn refuse_changed(found: &Stat, is_folder: bool, path: PathBuf, caller: Caller) -> io::Result<()> {
    match caller.changed_by(found, is_folder) {
        Some(owner) => Err(PathRefusal::Program { path, owner }.into()),
        None => Ok(()),
    }
}

impl Walk {
    fn new(path: &Path, caller: Caller) -> io::Result<Self> {
        let start = Path::new(if path.is_absolute() { "/" } else { "" });
        let file = entry(CWD, if path.is_absolute() { "/" } else { "." }.as_ref())?;
        let folder = Folder { file, path: start.to_owned(), caller };
        let mut walk = Self { folder, left: Vec::new(), links: 0, is_strict: false };
        walk.add(path);
        Ok(walk)
    }

    fn add(&mut self, path: &Path) {
        let names = path.components().rev().filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        });
        self.left.extend(names);
    }

    /// The folder, and the name of the file in it, if the goal is one.
    fn to(mut self, goal: Goal) -> io::Result<(Folder, Option<OsString>)> {
        while let Some(name) = self.left.pop() {
            let is_last_name = goal == Goal::File && self.left.is_empty() && name != "..";
            match self.folder.find(&name)? {
                Some(found) if is_kind(&found, FileType::Symlink) => self.follow(&name)?,
                _ if is_last_name => return Ok((self.folder, Some(name))),
                None if goal == Goal::NewFolder => self.make(name)?,
                _ => self.enter(&name)?,
            }
        }
        Ok((self.folder, None))
    }

    fn make(&mut self, name: OsString) -> io::Result<()> {
        match mkdirat(&self.folder.file, &name, Mode::from_raw_mode(FOLDER_MODE)) {
            Ok(()) | Err(Errno::EXIST) => self.left.push(name),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn enter(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder.file = entry(self.folder.file.as_fd(), name)?;
        self.folder.path.push(name);
        self.check_unchanged()
    }

    fn check_unchanged(&self) -> io::Result<()> {
        if !self.is_strict {
            return Ok(());
        }
        let folder = &self.folder;
        refuse_changed(&fstat(&folder.file)?, true, folder.path.clone(), folder.caller)
    }

    /// Replaces a link by its components, if it may be followed. What is examined is what is read:
    /// both by one descriptor.
    fn follow(&mut self, name: &OsStr) -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let link = openat(&self.folder.file, name, flags, Mode::empty())?;
        let owner = self.folder.caller.foreign_link(&fstat(&link)?, &fstat(&self.folder.file)?);
        if let Some(owner) = owner {
            return Err(PathRefusal::Link { path: self.folder.path.join(name), owner }.into());
        }
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Errno::LOOP.into());
        }
        let target = readlinkat(&link, "", Vec::new())?;
        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
        if target.is_absolute() {
            self.folder.file = entry(CWD, OsStr::new("/"))?;
            self.folder.path = PathBuf::from("/");
        }
        self.add(&target);
        Ok(())
    }
}

/// A folder that is no link.
fn entry(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?)
}

/// Whether it is a file of this kind.
pub(crate) fn is_kind(found: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(found.st_mode) == kind
}
