//! A file that appears whole or not at all.
//!
//! It is written without a name where the file system can do that (`O_TMPFILE`), so that a process
//! that is killed leaves nothing behind; elsewhere as `.nearfar-*.draft` beside its later name.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags, openat};

use crate::owned_files::PathRefusal;
use crate::owned_files::draft::Draft;
use crate::owned_files::folder::{Folder, is_kind};

/// What happens to a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// It stays. An empty file has nothing to lose, and is replaced.
    Refuse,
    /// It is replaced.
    Replace,
}

/// A file that gets its name when it is whole.
///
/// A link is followed where [`Caller`](crate::owned_files::Caller) trusts it: then the file that it
/// leads to is replaced, in that file's folder.
#[derive(Debug)]
pub struct WholeFile {
    draft: Draft,
    folder: Arc<Folder>,
    name: OsString,
    if_exists: IfExists,
}

impl WholeFile {
    /// Opens a file without a name in the folder of `path`, which shows whether that can be
    /// written.
    ///
    /// # Errors
    /// Of kind `AlreadyExists` where a file would be overwritten that must not be. A
    /// [`PathRefusal`] where another user decides what is written.
    pub fn create(path: &Path, if_exists: IfExists) -> io::Result<Self> {
        if fs::metadata(path).is_ok_and(|existing| !existing.is_file()) {
            return Err(io::Error::other("not a regular file"));
        }
        let (folder, name) = Folder::for_file(path)?;
        let size = check_replaceable(&folder, &name)?;
        if if_exists == IfExists::Refuse && size.is_some_and(|size| size > 0) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        Self::in_folder(folder, name, if_exists)
    }

    /// The same for a name that is looked for when the file is whole.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn unnamed(folder: Folder, name: &OsStr) -> io::Result<Self> {
        Self::in_folder(folder, name.to_owned(), IfExists::Refuse)
    }

    fn in_folder(folder: Folder, name: OsString, if_exists: IfExists) -> io::Result<Self> {
        let folder = Arc::new(folder);
        Ok(Self { draft: Draft::create(Arc::clone(&folder))?, folder, name, if_exists })
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        self.draft.file()
    }

    /// Who may read it, whatever the umask.
    ///
    /// # Errors
    /// Those of fchmod(2).
    pub fn set_mode(&mut self, mode: u32) -> io::Result<()> {
        self.file().set_permissions(Permissions::from_mode(mode))
    }

    /// Writes the file to the disk and gives it its name, which is returned.
    ///
    /// Where a file got that name in the meantime and must stay, it is `NAME-2.json` instead, or
    /// the next number that is free.
    ///
    /// # Errors
    /// Nothing is left behind when that fails.
    pub fn keep(mut self) -> io::Result<PathBuf> {
        self.file().sync_all()?;
        let Self { mut draft, folder, name, if_exists } = self;
        let size = check_replaceable(&folder, &name)?;
        if if_exists == IfExists::Replace || size == Some(0) {
            draft.replace(&name)?;
            return Ok(folder.path().join(name));
        }
        let mut number = 1;
        loop {
            let numbered = numbered(&name, number);
            match draft.link(&numbered)? {
                Ok(()) => return Ok(folder.path().join(numbered)),
                Err(unnamed) => draft = unnamed,
            }
            number += 1;
        }
    }

    /// The file with its name at once, for one that grows.
    ///
    /// # Errors
    /// As [`keep`](Self::keep).
    pub fn begin(mut self) -> io::Result<(File, PathBuf)> {
        let file = self.file().try_clone()?;
        Ok((file, self.keep()?))
    }
}

/// Opens a file that a user names and that is there, also for writing, without waiting.
///
/// # Errors
/// A [`PathRefusal`] where another user decides which file it is.
pub fn open_file(path: &Path, is_written: bool) -> io::Result<File> {
    let (folder, name) = Folder::for_file(path)?;
    let how = if is_written { OFlags::RDWR } else { OFlags::RDONLY };
    let others = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(&folder, &name, how | others, Mode::empty())?.into())
}

/// Opens a device or a pipe for writing; `None` where the path has a regular file, or none.
///
/// # Errors
/// A [`PathRefusal`] where another user decides what is written.
pub fn open_device(path: &Path) -> io::Result<Option<File>> {
    if !fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Ok(None);
    }
    let (folder, name) = Folder::for_file(path)?;
    check_replaceable(&folder, &name)?;
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(Some(openat(&folder, &name, flags, Mode::empty())?.into()))
}

/// The size of the file with this name, if it may be replaced; `None` without one. A link that came
/// meanwhile is replaced itself.
fn check_replaceable(folder: &Folder, name: &OsStr) -> io::Result<Option<u64>> {
    let Some(found) = folder.find(name)? else { return Ok(None) };
    if let Some(owner) = folder.caller().foreign_file(&found, &rustix::fs::fstat(folder)?) {
        return Err(PathRefusal::File { path: folder.path().join(name), owner }.into());
    }
    Ok(is_kind(&found, FileType::RegularFile).then(|| u64::try_from(found.st_size).unwrap_or(0)))
}

/// `NAME.json`, `NAME-2.json`, `NAME-3.json`, ...
fn numbered(name: &OsStr, number: u64) -> OsString {
    if number == 1 {
        return name.to_owned();
    }
    let path = Path::new(name);
    let mut numbered = path.file_stem().unwrap_or_default().to_owned();
    numbered.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        numbered.push(".");
        numbered.push(extension);
    }
    numbered
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::owned_files::draft::{MODE, NamedDraft};

    /// Both kinds of drafts in a folder.
    fn written(is_named: bool, path: &Path, if_exists: IfExists) -> io::Result<PathBuf> {
        let mut file = WholeFile::create(path, IfExists::Replace)?;
        file.if_exists = if_exists;
        if is_named {
            file.draft = Draft::Named(NamedDraft::create(Arc::clone(&file.folder), MODE)?);
        }
        file.file().write_all(b"new")?;
        file.keep()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn replacing_follows_the_option() {
        for is_named in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("s.json");
            let write = |if_exists| written(is_named, &path, if_exists).unwrap();
            assert_eq!(write(IfExists::Refuse), path);
            fs::write(&path, "old").unwrap();
            assert_eq!(
                write(IfExists::Refuse),
                folder.path().join("s-2.json"),
                "it came meanwhile"
            );
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(write(IfExists::Replace), path);
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(names(folder.path()), ["s-2.json", "s.json"]);
        }
    }

    #[test]
    fn existing_files_are_refused_unless_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        fs::write(&path, "old").unwrap();
        let refused = WholeFile::create(&path, IfExists::Refuse).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert!(WholeFile::create(&path, IfExists::Replace).is_ok());
        fs::write(&path, "").unwrap();
        assert_eq!(WholeFile::create(&path, IfExists::Refuse).unwrap().keep().unwrap(), path);
        assert!(WholeFile::create(folder.path(), IfExists::Replace).is_err(), "a folder");
        assert!(WholeFile::create(&folder.path().join("new/"), IfExists::Replace).is_err());
    }

    /// What kill -9 leaves: nothing has a name before it is whole.
    #[test]
    fn drafts_have_no_name_where_supported() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = WholeFile::create(&folder.path().join("s.json"), IfExists::Refuse).unwrap();
        file.file().write_all(b"half").unwrap();
        if matches!(file.draft, Draft::Nameless(..)) {
            assert_eq!(names(folder.path()), [""; 0]);
        }
        drop(file);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    /// A link stays a link, and the file that it leads to is replaced.
    #[test]
    fn own_links_lead_to_what_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("real")).unwrap();
        symlink("real", at("near")).unwrap();
        symlink(at("near/s.json"), at("link")).unwrap();
        for content in ["first", "second"] {
            let mut file = WholeFile::create(&at("link"), IfExists::Replace).unwrap();
            file.file().write_all(content.as_bytes()).unwrap();
            assert_eq!(file.keep().unwrap(), at("real/s.json"));
            assert_eq!(fs::read_to_string(at("real/s.json")).unwrap(), content);
        }
        assert!(at("link").is_symlink() && at("near").is_symlink());
        symlink("loop", at("loop")).unwrap();
        assert!(WholeFile::create(&at("loop"), IfExists::Replace).is_err());
    }

    /// A link that is put there after the check is replaced, and not followed.
    #[test]
    fn links_that_come_late_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("kept"), "kept").unwrap();
        for if_exists in [IfExists::Refuse, IfExists::Replace] {
            let mut file = WholeFile::create(&at("s.json"), if_exists).unwrap();
            file.file().write_all(b"new").unwrap();
            file.set_mode(0o644).unwrap();
            symlink("kept", at("s.json")).unwrap();
            let kept = file.keep().unwrap();
            assert_eq!(fs::read_to_string(at("kept")).unwrap(), "kept");
            assert_eq!(fs::read_to_string(kept).unwrap(), "new");
            fs::remove_file(at("s.json")).unwrap();
        }
    }

    /// The folder stays the one that was opened, whatever gets its name.
    #[test]
    fn a_folder_that_is_exchanged_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("mine")).unwrap();
        fs::create_dir(at("victim")).unwrap();
        let file = WholeFile::create(&at("mine/s.json"), IfExists::Replace).unwrap();
        fs::rename(at("mine"), at("moved")).unwrap();
        symlink("victim", at("mine")).unwrap();
        file.keep().unwrap();
        assert_eq!((names(&at("victim")).len(), names(&at("moved")).len()), (0, 1));
    }

    #[test]
    fn numbers_stand_before_the_extension() {
        assert_eq!(numbered("b.c.json".as_ref(), 2), "b.c-2.json");
        assert_eq!(numbered("b".as_ref(), 2), "b-2");
    }
}
