//! Where surveys are kept: files that appear whole or not at all.
//!
//! A [`Destination`] is opened before anything is measured, so that a folder that cannot be written is found in the first
//! second and not after the last. The file is written beside its final name and renamed over it.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::NamedTempFile;

use crate::{Machine, Provenance, Survey, SurveyError, Verdict};

/// The folder of kept surveys: `$XDG_DATA_HOME/nearfar`, or `~/.local/share/nearfar`.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A survey in the store, as its list shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kept {
    /// Its file.
    pub path: PathBuf,
    /// What is in it.
    #[serde(flatten)]
    pub content: Content,
}

/// What a list says of a file in the store.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// A survey.
    Survey {
        /// The machine.
        machine: Box<Machine>,
        /// Its verdict.
        verdict: Box<Verdict>,
        /// When and how it came about.
        provenance: Box<Provenance>,
    },
    /// Something that cannot be read.
    Unreadable {
        /// Why.
        why: String,
    },
}

impl Store {
    /// The user's store.
    pub fn of_user() -> Result<Self, SurveyError> {
        let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let data = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
        data.map(|data| Self { folder: data.join("nearfar") }).ok_or(SurveyError::NoDataFolder)
    }

    /// A store in this folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The place for a survey of this name; a number is added where the name is taken.
    pub fn destination(&self, name: &str) -> Result<Destination, SurveyError> {
        let unwritable = |source| SurveyError::Unwritable { path: self.folder.clone(), source };
        fs::create_dir_all(&self.folder).map_err(unwritable)?;
        let numbered = (2..).map(|number| format!("{name}-{number}.json"));
        let mut names = std::iter::once(format!("{name}.json")).chain(numbered);
        let free = names.find_map(|name| Some(self.folder.join(name)).filter(|path| !path.exists()));
        Destination::file(&free.unwrap_or_else(|| self.folder.join(name)))
    }

    /// The surveys, oldest first; files that cannot be read are listed too.
    pub fn list(&self) -> Result<Vec<Kept>, SurveyError> {
        let unreadable = |source| SurveyError::Unreadable { path: self.folder.clone(), source };
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let mut kept = Vec::new();
        for entry in entries {
            let path = entry.map_err(unreadable)?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                kept.push(Kept { content: content(&path), path });
            }
        }
        kept.sort_by_cached_key(|kept| (started(kept), kept.path.clone()));
        Ok(kept)
    }
}

fn content(path: &Path) -> Content {
    match crate::read(path) {
        Ok(Survey { machine, verdict, provenance, .. }) => {
            Content::Survey { machine: machine.into(), verdict: verdict.into(), provenance: provenance.into() }
        }
        Err(error) => Content::Unreadable { why: error.to_string() },
    }
}

fn started(kept: &Kept) -> String {
    match &kept.content {
        Content::Survey { provenance, .. } => provenance.started.clone(),
        Content::Unreadable { .. } => String::new(),
    }
}

/// A file that is going to hold a survey.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    draft: NamedTempFile,
}

impl Destination {
    /// Opens a draft beside `path`, which shows whether the folder can be written.
    pub fn file(path: &Path) -> Result<Self, SurveyError> {
        let unwritable = |source| SurveyError::Unwritable { path: path.to_owned(), source };
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(unwritable(io::Error::other("not a regular file")));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let draft = tempfile::Builder::new().prefix(".nearfar-").suffix(".draft").tempfile_in(folder);
        Ok(Self { path: path.to_owned(), draft: draft.map_err(|error| unwritable(plain(&error)))? })
    }

    /// Writes the survey and gives it its name. Nothing is left behind when that fails (a full disk, say).
    pub fn keep(mut self, survey: &Survey) -> Result<PathBuf, SurveyError> {
        let written = self.write(survey);
        let path = self.path;
        let unwritable = |source| SurveyError::Unwritable { path: path.clone(), source };
        written.map_err(unwritable)?;
        self.draft.persist(&path).map_err(|error| unwritable(error.error))?;
        Ok(path)
    }

    fn write(&mut self, survey: &Survey) -> io::Result<()> {
        let mut text = serde_json::to_vec(survey)?;
        text.push(b'\n');
        self.draft.write_all(&text)?;
        set_usual_mode(self.draft.as_file())?;
        self.draft.as_file().sync_all()
    }
}

/// Drafts are private; a kept survey is read by others as any file is.
fn set_usual_mode(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

/// The system's error without the draft's random name, which tells the user nothing.
fn plain(error: &io::Error) -> io::Error {
    let said = error.to_string();
    io::Error::new(error.kind(), said.split(" at path ").next().unwrap_or(&said))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_taken_name_gets_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        fs::write(folder.path().join("EPYC.json"), "{}").unwrap();
        assert_eq!(store.destination("EPYC").unwrap().path, folder.path().join("EPYC-2.json"));
    }

    #[test]
    fn damaged_files_are_listed_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("broken.json"), "{").unwrap();
        let kept = Store::at(folder.path()).list().unwrap();
        assert!(matches!(&kept[0].content, Content::Unreadable { why } if why.contains("is cut off")), "{kept:?}");
        assert!(Store::at(folder.path().join("absent")).list().unwrap().is_empty());
    }
}
