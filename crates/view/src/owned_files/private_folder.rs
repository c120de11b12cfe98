//! The folder of notes and locks: no other user reads, writes or holds what is in it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{
    Dir, FileType, FlockOperation, Mode, OFlags, Stat, fchmod, flock, fstat, mkdirat, openat,
};
use rustix::io::Errno;

use crate::owned_files::PathRefusal;
use crate::owned_files::caller::Caller;
use crate::owned_files::draft::NamedDraft;
use crate::owned_files::folder::{Folder, is_kind};

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
const PERMISSIONS: u32 = 0o7777;
/// The layout of a process with a million mappings takes less.
const MAX_NOTE: u64 = 1 << 30;

/// A folder of mode 0700 with files of mode 0600, all of the user who runs nearfar.
#[derive(Debug)]
pub struct PrivateFolder {
    folder: Arc<Folder>,
}

impl PrivateFolder {
    /// Makes the folder, or corrects the permissions of the one that is there. The umask changes
    /// nothing.
    ///
    /// # Errors
    /// A [`PathRefusal`] where it is another user's or a link, and those of the system.
    pub fn create(path: &Path) -> io::Result<Self> {
        let (parent, name) = parent_of(path)?;
        let parent = Folder::create(parent)?;
        match mkdirat(&parent, name, Mode::from_raw_mode(FOLDER_MODE)) {
            Ok(()) | Err(Errno::EXIST) => Self::within(&parent, name),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the folder; `None` where there is none.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        let (parent, name) = parent_of(path)?;
        let opened = Folder::open(parent).and_then(|parent| Self::within(&parent, name));
        match opened {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn within(parent: &Folder, name: &OsStr) -> io::Result<Self> {
        let path = parent.path().join(name);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match openat(parent, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::LOOP | Errno::NOTDIR) => {
                return Err(PathRefusal::OtherKind { path, wanted: "folder" }.into());
            }
            Err(error) => return Err(owner_of(parent, name, &path).unwrap_or(error.into())),
        };
        let found = fstat(&file)?;
        check_owner(&found, &path, parent.caller())?;
        correct(&file, &found, FOLDER_MODE)?;
        Ok(Self { folder: Arc::new(Folder::opened(file, path, parent.caller())) })
    }

    /// Where a file of it is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file's bytes; `None` where there is none.
    ///
    /// # Errors
    /// A [`PathRefusal`] for a link, another user's file, or one larger than any note.
    pub(crate) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let Some((file, found)) = self.file(name, OFlags::RDONLY)? else { return Ok(None) };
        correct(&file, &found, FILE_MODE)?;
        let mut bytes = Vec::new();
        File::from(file).take(MAX_NOTE + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_NOTE {
            return Err(PathRefusal::Large { path: self.path(name) }.into());
        }
        Ok(Some(bytes))
    }

    /// Writes a file, whole or not at all, and replaces the one of this name.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.draft(bytes)?.replace(name.as_ref())
    }

    /// The same; the name must be free.
    ///
    /// # Errors
    /// Of kind `AlreadyExists` where it is not.
    pub(crate) fn keep_new(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        Ok(self.draft(bytes)?.rename_new(name.as_ref()).map_err(|(_, error)| error)?)
    }

    fn draft(&self, bytes: &[u8]) -> io::Result<NamedDraft> {
        let mut draft = NamedDraft::create(Arc::clone(&self.folder), FILE_MODE)?;
        fchmod(draft.file(), Mode::from_raw_mode(FILE_MODE))?;
        draft.file().write_all(bytes)?;
        Ok(draft)
    }

    /// Removes a file; one that is not there is no error.
    ///
    /// # Errors
    /// Those of unlinkat(2).
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        match self.folder.remove(name.as_ref()) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Removes the folder, if it is empty: users who are not its owner see then that nothing is in
    /// it.
    pub(crate) fn remove_if_empty(self) {
        let _ = std::fs::remove_dir(self.folder.path());
    }

    /// Names of its files.
    ///
    /// # Errors
    /// Those of getdents(2).
    pub fn names(&self) -> io::Result<Vec<String>> {
        let entries = Dir::read_from(&*self.folder)?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_str().ok().map(str::to_owned)));
        let names: Result<Vec<_>, Errno> = names.collect();
        Ok(names?.into_iter().flatten().filter(|name| name != "." && name != "..").collect())
    }

    /// Takes a lock that is held until the file is dropped; `None` where another process has it.
    ///
    /// A file that others could open is replaced: one of them may hold its lock for ever.
    ///
    /// # Errors
    /// A [`PathRefusal`], and those of the system.
    ///
    /// # References
    /// flock(2)
    pub fn lock(&self, name: &str) -> io::Result<Option<File>> {
        loop {
            let opened = self.file(name, OFlags::WRONLY | OFlags::CREATE)?;
            let (file, found) = opened.ok_or(Errno::NOENT)?;
            if found.st_mode & PERMISSIONS & !FILE_MODE != 0 {
                self.remove(name)?;
                continue;
            }
            correct(&file, &found, FILE_MODE)?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
            // Another process may have replaced the file meanwhile.
            let named = self.folder.find(name.as_ref())?;
            if named.is_some_and(|named| named.st_ino == found.st_ino) {
                return Ok(Some(file.into()));
            }
        }
    }

    /// A regular file of this user's, opened without following a link and without waiting.
    fn file(&self, name: &str, how: OFlags) -> io::Result<Option<(OwnedFd, Stat)>> {
        let path = self.path(name);
        let flags = how | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&*self.folder, name, flags, Mode::from_raw_mode(FILE_MODE)) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => {
                return Err(PathRefusal::OtherKind { path, wanted: "regular file" }.into());
            }
            Err(error) => {
                return Err(owner_of(&self.folder, name.as_ref(), &path).unwrap_or(error.into()));
            }
        };
        let found = fstat(&file)?;
        if !is_kind(&found, FileType::RegularFile) {
            return Err(PathRefusal::OtherKind { path, wanted: "regular file" }.into());
        }
        check_owner(&found, &path, self.folder.caller())?;
        Ok(Some((file, found)))
    }
}

fn parent_of(path: &Path) -> io::Result<(&Path, &OsStr)> {
    let name = path.file_name().ok_or(Errno::INVAL)?;
    Ok((path.parent().unwrap_or(Path::new("/")), name))
}

/// Why a name cannot be opened, if that is its owner.
fn owner_of(folder: &Folder, name: &OsStr, path: &Path) -> Option<io::Error> {
    let found = folder.find(name).ok()??;
    check_owner(&found, path, folder.caller()).err()
}

fn check_owner(found: &Stat, path: &Path, caller: Caller) -> io::Result<()> {
    if found.st_uid == caller.user() {
        return Ok(());
    }
    let (path, owner, user) = (path.to_owned(), found.st_uid, caller.user());
    Err(PathRefusal::NotOwn { path, owner, user }.into())
}

/// Sets the permissions, if they differ.
fn correct(file: &OwnedFd, found: &Stat, mode: u32) -> io::Result<()> {
    if found.st_mode & PERMISSIONS != mode {
        fchmod(file, Mode::from_raw_mode(mode))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & PERMISSIONS
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn permissions_of_an_earlier_release_are_corrected() {
        let run = tempfile::tempdir().unwrap();
        let path = run.path().join("nearfar");
        fs::create_dir(&path).unwrap();
        set_mode(&path, 0o755);
        fs::write(path.join("note"), "x").unwrap();
        set_mode(&path.join("note"), 0o644);
        let folder = PrivateFolder::open(&path).unwrap().unwrap();
        assert_eq!(folder.read("note").unwrap().unwrap(), b"x");
        assert_eq!((mode(&path), mode(&path.join("note"))), (0o700, 0o600));
        folder.replace("note", b"y").unwrap();
        folder.keep_new("other", b"z").unwrap();
        let taken = folder.keep_new("other", b"w").unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
        assert_eq!(mode(&path.join("other")), 0o600);
        let mut names = folder.names().unwrap();
        names.sort();
        assert_eq!(names, ["note", "other"], "no draft stays");
    }

    /// Another user may have opened the file and hold its lock for ever.
    #[test]
    fn a_lock_that_others_could_open_is_replaced() {
        let run = tempfile::tempdir().unwrap();
        let path = run.path().join("nearfar");
        let folder = PrivateFolder::create(&path).unwrap();
        fs::write(path.join("lock"), "").unwrap();
        set_mode(&path.join("lock"), 0o644);
        let foreign = File::open(path.join("lock")).unwrap();
        flock(&foreign, FlockOperation::NonBlockingLockExclusive).unwrap();
        let held = folder.lock("lock").unwrap().expect("no process holds the new one");
        assert!(folder.lock("lock").unwrap().is_none(), "one process has it");
        drop(held);
        assert!(folder.lock("lock").unwrap().is_some());
        assert_eq!(mode(&path.join("lock")), 0o600);
    }

    #[test]
    fn what_is_no_folder_or_file_is_refused() {
        let run = tempfile::tempdir().unwrap();
        let at = |name: &str| run.path().join(name);
        fs::create_dir(at("elsewhere")).unwrap();
        symlink("elsewhere", at("link")).unwrap();
        fs::write(at("file"), "").unwrap();
        for name in ["link", "file"] {
            let refused = PrivateFolder::create(&at(name)).unwrap_err().to_string();
            assert_eq!(refused, format!("{} is no folder: remove it", at(name).display()));
        }
        assert!(PrivateFolder::open(&at("none")).unwrap().is_none());
        let folder = PrivateFolder::create(&at("nearfar")).unwrap();
        symlink("../file", at("nearfar/note")).unwrap();
        fs::create_dir(at("nearfar/lock")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at("nearfar/fifo"),
            FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert!(folder.read("note").unwrap_err().to_string().ends_with("regular file: remove it"));
        assert!(folder.read("fifo").unwrap_err().to_string().ends_with("regular file: remove it"));
        assert!(folder.lock("lock").unwrap_err().to_string().ends_with("regular file: remove it"));
        assert!(folder.lock("fifo").unwrap_err().to_string().ends_with("regular file: remove it"));
    }

    #[test]
    fn what_another_user_owns_is_refused() {
        let run = tempfile::tempdir().unwrap();
        let path = run.path().join("nearfar");
        let folder = PrivateFolder::create(&path).unwrap();
        folder.keep_new("note", b"x").unwrap();
        let mallory = Some(4242);
        if std::os::unix::fs::chown(path.join("note"), mallory, None).is_err() {
            return; // only root can do that
        }
        let refused = folder.read("note").unwrap_err().to_string();
        assert!(refused.contains("note belongs to user 4242"), "{refused}");
        std::os::unix::fs::chown(&path, mallory, None).unwrap();
        let refused = PrivateFolder::create(&path).unwrap_err().to_string();
        assert!(refused.contains("nearfar belongs to user 4242"), "{refused}");
    }
}
