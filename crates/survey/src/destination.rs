//! Files that appear whole or not at all.
//!
//! A [`Destination`] is opened before anything is measured, so that a folder that cannot be written is found in the first
//! second and not after the last. The survey is written beside its final name, which it gets when it is whole.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::{Survey, SurveyError};

/// A file that is going to hold a survey.
#[derive(Debug)]
pub struct Destination {
    draft: NamedTempFile,
    place: Place,
}

/// What the draft will be called.
#[derive(Debug)]
enum Place {
    /// This, in place of what is there.
    File(PathBuf),
    /// This name, or with the next number that is free: other surveys may end meanwhile.
    Free { folder: PathBuf, name: String },
}

impl Destination {
    /// Opens a draft beside `path`, which shows whether the folder can be written.
    pub fn file(path: &Path) -> Result<Self, SurveyError> {
        let unwritable = |source| SurveyError::Unwritable { path: path.to_owned(), source };
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(unwritable(io::Error::other("not a regular file")));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self { draft: draft(folder).map_err(unwritable)?, place: Place::File(path.to_owned()) })
    }

    /// Opens a draft in a folder, for `NAME.json` or the first of `NAME-2.json`, `NAME-3.json`, .. that is free at the end.
    pub(crate) fn free_name(folder: &Path, name: &str) -> io::Result<Self> {
        let place = Place::Free { folder: folder.to_owned(), name: name.to_owned() };
        Ok(Self { draft: draft(folder)?, place })
    }

    /// Writes the survey and gives it its name. Nothing is left behind when that fails (a full disk, say).
    pub fn keep(mut self, survey: &Survey) -> Result<PathBuf, SurveyError> {
        let (Place::File(path) | Place::Free { folder: path, .. }) = &self.place;
        let path = path.clone();
        let kept = self.write(survey).and_then(|()| self.name());
        kept.map_err(|source| SurveyError::Unwritable { path, source })
    }

    fn write(&mut self, survey: &Survey) -> io::Result<()> {
        let mut text = serde_json::to_vec(survey)?;
        text.push(b'\n');
        self.draft.write_all(&text)?;
        self.draft.as_file().sync_all()
    }

    fn name(self) -> io::Result<PathBuf> {
        match self.place {
            Place::Free { folder, name } => under_free_name(self.draft, &folder, &name),
            Place::File(path) => {
                self.draft.persist(&path).map_err(|error| error.error)?;
                Ok(path)
            }
        }
    }
}

/// A file that has no name of its own yet; who may read it is the user's umask to say.
fn draft(folder: &Path) -> io::Result<NamedTempFile> {
    let all_the_umask_leaves = fs::Permissions::from_mode(0o666);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".nearfar-").suffix(".draft").permissions(all_the_umask_leaves);
    builder.tempfile_in(folder).map_err(|error| plain(&error))
}

/// Gives the draft the name, or the first number that nobody else has: the file system decides who was first.
fn under_free_name(mut draft: NamedTempFile, folder: &Path, name: &str) -> io::Result<PathBuf> {
    let mut file = format!("{name}.json");
    let mut number = 1;
    loop {
        let path = folder.join(&file);
        match draft.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => draft = taken.file,
            Err(failed) => return Err(failed.error),
        }
        number += 1;
        file = format!("{name}-{number}.json");
    }
}

/// The system's error without the draft's random name, which tells the user nothing.
fn plain(error: &io::Error) -> io::Error {
    let said = error.to_string();
    io::Error::new(error.kind(), said.split(" at path ").next().unwrap_or(&said))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::sketch;

    #[test]
    fn a_missing_folder_is_found_before_measuring() {
        let error = Destination::file(Path::new("/nowhere/at/all/s.json")).unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot write to /nowhere/at/all/s.json: No such file or directory (os error 2); name another place with -o FILE"
        );
    }

    #[test]
    fn a_draft_that_is_not_kept_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        drop(Destination::file(&folder.path().join("s.json")).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn surveys_that_end_at_once_under_one_name_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("EPYC.json"), "{}").unwrap();
        let open = || Destination::free_name(folder.path(), "EPYC").unwrap();
        let names = [open(), open()].map(|destination| destination.keep(&sketch::survey()).unwrap());
        assert_eq!(names, ["EPYC-2.json", "EPYC-3.json"].map(|name| folder.path().join(name)));
        assert_eq!(fs::read(folder.path().join("EPYC.json")).unwrap(), b"{}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn a_named_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        fs::write(&path, "old").unwrap();
        Destination::file(&path).unwrap().keep(&sketch::survey()).unwrap();
        assert_eq!(crate::read(&path).unwrap(), sketch::survey());
    }

    /// A process has one umask for all its threads, so this test runs itself once more under another one.
    #[test]
    fn the_umask_says_who_may_read() {
        const FOLDER: &str = "NEARFAR_TEST_FOLDER";
        if let Some(folder) = std::env::var_os(FOLDER) {
            Destination::file(&Path::new(&folder).join("s.json")).unwrap().keep(&sketch::survey()).unwrap();
            return;
        }
        for (umask, mode) in [("077", 0o600), ("022", 0o644), ("002", 0o664)] {
            let folder = tempfile::tempdir().unwrap();
            let again = format!("umask {umask}; exec \"$0\" --exact destination::tests::the_umask_says_who_may_read");
            let this = std::env::current_exe().unwrap();
            let run = Command::new("sh").arg("-c").arg(again).arg(this).env(FOLDER, folder.path()).output().unwrap();
            assert!(run.status.success(), "{run:?}");
            let kept = fs::metadata(folder.path().join("s.json")).unwrap();
            assert_eq!(kept.permissions().mode() & 0o777, mode, "umask {umask}");
        }
    }
}
