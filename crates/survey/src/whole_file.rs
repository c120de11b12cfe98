//! A file that appears whole or not at all.
//!
//! It is written without a name where the file system can do that (`O_TMPFILE`), so that a process
//! that is killed leaves nothing behind; elsewhere as `.nearfar-*.draft` beside its later name.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use tempfile::{NamedTempFile, TempPath};

/// What happens to a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// It stays. An empty file has nothing to lose, and is replaced.
    Refuse,
    /// It is replaced.
    Replace,
}

/// A file that gets its name when it is whole.
#[derive(Debug)]
pub struct WholeFile {
    draft: Draft,
    path: PathBuf,
    if_exists: IfExists,
}

impl WholeFile {
    /// Opens a file without a name in the folder of `path`, which shows whether that can be
    /// written.
    ///
    /// # Errors
    /// Of kind `AlreadyExists` where a file would be overwritten that must not be.
    pub fn create(path: &Path, if_exists: IfExists) -> io::Result<Self> {
        // A link stays a link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Ok(existing) = fs::metadata(&path) {
            if !existing.is_file() {
                return Err(io::Error::other("not a regular file"));
            }
            if if_exists == IfExists::Refuse && existing.len() > 0 {
                return Err(ErrorKind::AlreadyExists.into());
            }
        }
        Ok(Self { draft: Draft::create(folder_of(&path))?, path, if_exists })
    }

    /// The same for a name that is looked for when the file is whole.
    pub(crate) fn unnamed(path: &Path) -> io::Result<Self> {
        Ok(Self {
            draft: Draft::create(folder_of(path))?,
            path: path.to_owned(),
            if_exists: IfExists::Refuse,
        })
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        match &mut self.draft {
            Draft::Nameless(file) => file,
            Draft::Named(file) => file.as_file_mut(),
        }
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
        let Self { mut draft, path, if_exists } = self;
        if if_exists == IfExists::Replace || fs::metadata(&path).is_ok_and(|there| there.len() == 0)
        {
            draft.replace(&path)?;
            return Ok(path);
        }
        let mut number = 1;
        loop {
            let numbered = numbered(&path, number);
            match draft.link(&numbered)? {
                Ok(()) => return Ok(numbered),
                Err(unnamed) => draft = unnamed,
            }
            number += 1;
        }
    }
}

/// `NAME.json`, `NAME-2.json`, `NAME-3.json`, ...
fn numbered(path: &Path, number: u64) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[derive(Debug)]
enum Draft {
    Nameless(File),
    Named(NamedTempFile),
}

/// All that the umask leaves: who may read a file, the user's umask decides.
const MODE: u32 = 0o666;

impl Draft {
    fn create(folder: &Path) -> io::Result<Self> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match rustix::fs::open(folder, flags, Mode::from_raw_mode(MODE)).map(File::from) {
            Ok(file) if fs::metadata(by_number(&file)).is_ok() => Ok(Self::Nameless(file)),
            _ => named(folder).map(Self::Named),
        }
    }

    /// Gives it a name that no file has; the draft where there is such a file: the file system
    /// decides who was first.
    fn link(self, path: &Path) -> io::Result<Result<(), Self>> {
        match self {
            Self::Nameless(file) => match link(&file, path) {
                Ok(()) => Ok(Ok(())),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    Ok(Err(Self::Nameless(file)))
                }
                Err(_) => Self::Named(copy(file, folder_of(path))?).link(path),
            },
            Self::Named(file) => match file.persist_noclobber(path) {
                Ok(_) => Ok(Ok(())),
                Err(taken) if taken.error.kind() == ErrorKind::AlreadyExists => {
                    Ok(Err(Self::Named(taken.file)))
                }
                Err(failed) => Err(failed.error),
            },
        }
    }

    /// Gives it a name, and replaces the file of that name.
    fn replace(self, path: &Path) -> io::Result<()> {
        let file = match self {
            Self::Nameless(file) => copy_or_link(file, folder_of(path))?,
            Self::Named(file) => file.into_temp_path(),
        };
        file.persist(path).map_err(|error| error.error)
    }
}

/// A nameless file by a name of a draft: only such a file can replace another one.
fn copy_or_link(file: File, folder: &Path) -> io::Result<TempPath> {
    let linked = builder().make_in(folder, |path| link(&file, path));
    linked.map(NamedTempFile::into_temp_path).or_else(|_| Ok(copy(file, folder)?.into_temp_path()))
}

/// For file systems that have nameless files and cannot name them.
fn copy(mut file: File, folder: &Path) -> io::Result<NamedTempFile> {
    let mut named = named(folder)?;
    file.rewind()?;
    io::copy(&mut file, &mut named)?;
    named.flush()?;
    named.as_file().sync_all()?;
    Ok(named)
}

fn link(file: &File, path: &Path) -> io::Result<()> {
    Ok(rustix::fs::linkat(CWD, by_number(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// The open file, as this process's own folder names it.
fn by_number(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn builder<'b>() -> tempfile::Builder<'b, 'b> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".nearfar-").suffix(".draft").permissions(Permissions::from_mode(MODE));
    builder
}

fn named(folder: &Path) -> io::Result<NamedTempFile> {
    builder().tempfile_in(folder).map_err(|error| without_name(&error))
}

/// The system's error without the draft's random name, which means nothing to users.
fn without_name(error: &io::Error) -> io::Error {
    let message = error.to_string();
    io::Error::new(error.kind(), message.split(" at path ").next().unwrap_or(&message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both kinds of drafts in a folder.
    fn drafts(folder: &Path) -> [Draft; 2] {
        [Draft::create(folder).unwrap(), Draft::Named(named(folder).unwrap())]
    }

    fn written(draft: Draft, path: &Path, if_exists: IfExists) -> io::Result<PathBuf> {
        let mut file = WholeFile { draft, path: path.to_owned(), if_exists };
        file.file().write_all(b"new").unwrap();
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
        for index in 0..2 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("s.json");
            let write = |if_exists| {
                let [first, second] = drafts(folder.path());
                written(if index == 0 { first } else { second }, &path, if_exists).unwrap()
            };
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
    }

    /// What kill -9 leaves: nothing has a name before it is whole.
    #[test]
    fn drafts_have_no_name_where_supported() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = WholeFile::create(&folder.path().join("s.json"), IfExists::Refuse).unwrap();
        file.file().write_all(b"half").unwrap();
        if matches!(file.draft, Draft::Nameless(_)) {
            assert_eq!(names(folder.path()), [""; 0]);
        }
        drop(file);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn numbers_stand_before_the_extension() {
        let numbered = |path: &str| numbered(Path::new(path), 2).display().to_string();
        assert_eq!(numbered("a/b.c.json"), "a/b.c-2.json");
        assert_eq!(numbered("b"), "b-2");
    }
}
