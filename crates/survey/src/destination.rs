//! Where a survey is going to be kept.
//!
//! A [`Destination`] is opened before anything is measured, so that a folder that cannot be written
//! is found in the first second and not after the last.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use nearfar_view::owned_files::Folder;

use crate::{IfExists, Survey, SurveyError, WholeFile};

/// A file that is going to hold a survey.
#[derive(Debug)]
pub struct Destination {
    file: WholeFile,
    path: PathBuf,
}

impl Destination {
    /// Opens a file that is going to be `path`, which shows whether the folder can be written.
    pub fn file(path: &Path, if_exists: IfExists) -> Result<Self, SurveyError> {
        let path = path.to_owned();
        match WholeFile::create(&path, if_exists) {
            Ok(file) => Ok(Self { file, path }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Err(SurveyError::Exists(path))
            }
            Err(error) => Err(SurveyError::Unwritable(path, error)),
        }
    }

    /// Opens a file in a folder, for `NAME.json` or the first of `NAME-2.json`, `NAME-3.json`, ..
    /// that is free at the end.
    pub(crate) fn free_name(folder: Folder, name: &str) -> io::Result<Self> {
        // Whatever has the name now may be gone then, and the other way round: the end decides.
        let name = format!("{name}.json");
        let path = folder.path().join(&name);
        Ok(Self { file: WholeFile::unnamed(folder, name.as_ref())?, path })
    }

    /// Writes the survey and gives it its name. Nothing is left behind when that fails (on a
    /// full disk, for example).
    pub fn keep(self, survey: &Survey) -> Result<PathBuf, SurveyError> {
        let Self { mut file, path } = self;
        let written = write(&mut file, survey).and_then(|()| file.keep());
        written.map_err(|error| SurveyError::Unwritable(path, error))
    }
}

fn write(file: &mut WholeFile, survey: &Survey) -> io::Result<()> {
    file.file().write_all(nearfar_model::json_line(survey)?.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;
    use crate::sketch;

    #[test]
    fn missing_folders_fail_before_measuring() {
        let error = Destination::file(Path::new("/nowhere/at/all/s.json"), IfExists::Refuse)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "cannot write to /nowhere/at/all/s.json: No such file or directory (os error 2); name \
             another place with -o FILE"
        );
    }

    #[test]
    fn dropped_drafts_leave_no_file() {
        let folder = tempfile::tempdir().unwrap();
        drop(Destination::file(&folder.path().join("s.json"), IfExists::Refuse).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn simultaneous_surveys_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("EPYC.json"), "{}").unwrap();
        let open = || {
            let folder = Folder::open(folder.path()).unwrap();
            Destination::free_name(folder, "EPYC").unwrap()
        };
        let names =
            [open(), open()].map(|destination| destination.keep(&sketch::survey()).unwrap());
        assert_eq!(names, ["EPYC-2.json", "EPYC-3.json"].map(|name| folder.path().join(name)));
        assert_eq!(fs::read(folder.path().join("EPYC.json")).unwrap(), b"{}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn files_are_replaced_only_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        fs::write(&path, "old").unwrap();
        let refused = Destination::file(&path, IfExists::Refuse).unwrap_err().to_string();
        assert_eq!(refused, format!("{} already exists: --force overwrites it", path.display()));
        Destination::file(&path, IfExists::Replace).unwrap().keep(&sketch::survey()).unwrap();
        let as_written_today =
            crate::Survey { schema: crate::SCHEMA.to_owned(), ..sketch::survey() };
        assert_eq!(crate::read(&path).unwrap(), as_written_today);
    }

    /// A process has one umask for all its threads, so this test runs itself once more under
    /// another one.
    #[test]
    fn the_umask_decides_permissions() {
        const FOLDER: &str = "NEARFAR_TEST_FOLDER";
        if let Some(folder) = std::env::var_os(FOLDER) {
            Destination::file(&Path::new(&folder).join("s.json"), IfExists::Refuse)
                .unwrap()
                .keep(&sketch::survey())
                .unwrap();
            return;
        }
        for (umask, mode) in [("077", 0o600), ("022", 0o644), ("002", 0o664)] {
            let folder = tempfile::tempdir().unwrap();
            let again = format!(
                "umask {umask}; exec \"$0\" --exact \
                 destination::tests::the_umask_decides_permissions"
            );
            let this = std::env::current_exe().unwrap();
            let run = Command::new("sh")
                .arg("-c")
                .arg(again)
                .arg(this)
                .env(FOLDER, folder.path())
                .output()
                .unwrap();
            assert!(run.status.success(), "{run:?}");
            let kept = fs::metadata(folder.path().join("s.json")).unwrap();
            assert_eq!(kept.permissions().mode() & 0o777, mode, "umask {umask}");
        }
    }
}
