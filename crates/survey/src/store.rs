//! Where surveys are kept: a folder of files, one a survey.

use std::env;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nearfar_infer::NumaVerdict;
use nearfar_machine::Topology;
use nearfar_view::owned_files::Folder;
use serde::Serialize;

use crate::{Destination, MachineSummary, Provenance, Survey, SurveyError};

/// The folder of kept surveys: `$XDG_DATA_HOME/nearfar`, or `~/.local/share/nearfar`.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A survey in the store, as its list shows it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct KeptSurvey {
    /// Its file.
    pub path: PathBuf,
    /// What is in it.
    #[serde(flatten)]
    pub content: Content,
}

/// A file of the store, as its list shows it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Content {
    /// A survey.
    Survey {
        /// The machine.
        machine: Box<MachineSummary>,
        /// Its verdict.
        verdict: Box<NumaVerdict>,
        /// When and how it came about.
        provenance: Box<Provenance>,
        /// What was measured: names of instruments.
        measured: Vec<String>,
    },
    /// Something that cannot be read.
    Unreadable {
        /// Why.
        why: String,
        /// The same with the file's path below the store.
        #[serde(skip)]
        why_below: String,
    },
}

impl Store {
    /// The user's store.
    pub fn from_user() -> Result<Self, SurveyError> {
        let absolute =
            |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let data = absolute("XDG_DATA_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
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
        let unwritable = |error| SurveyError::Unwritable(self.folder.clone(), error);
        let folder = Folder::create(&self.folder).map_err(unwritable)?;
        Destination::free_name(folder, name).map_err(unwritable)
    }

    /// The surveys, oldest first; files that cannot be read are listed too.
    pub fn list(&self) -> Result<Vec<KeptSurvey>, SurveyError> {
        let kept = |path: PathBuf| KeptSurvey { content: content(&path, &self.folder), path };
        let mut kept: Vec<KeptSurvey> = self.files()?.into_iter().map(kept).collect();
        kept.sort_by_cached_key(|kept| (started(kept), kept.path.clone()));
        Ok(kept)
    }

    /// The newest survey that `suffices`, and its file, whose name begins with `prefix`. Files that
    /// cannot be read are passed over.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn newest(
        &self,
        prefix: &str,
        suffices: impl Fn(&Survey) -> bool,
    ) -> Result<Option<(PathBuf, Survey)>, SurveyError> {
        let has_prefix = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.as_bytes().starts_with(prefix.as_bytes()))
        };
        let files = self.files()?.into_iter().filter(has_prefix);
        let mut files: Vec<_> = files.map(|path| (crate::file::read_start(&path), path)).collect();
        files.sort();
        let mut read = files.into_iter().rev().filter_map(|(_, path)| {
            let survey = crate::read_entry(&path).ok()?;
            suffices(&survey).then_some((path, survey))
        });
        Ok(read.next())
    }

    /// The newest survey of this user and of the machine with this topology. Without a folder for
    /// surveys there is none.
    pub fn newest_of(
        topology: &Topology,
        suffices: impl Fn(&Survey) -> bool,
    ) -> Option<(PathBuf, Survey)> {
        let suffices = |survey: &Survey| survey.is_of(topology) && suffices(survey);
        Self::from_user().ok()?.newest("", suffices).ok()?
    }

    fn files(&self) -> Result<Vec<PathBuf>, SurveyError> {
        let unreadable = |error| SurveyError::Unreadable(self.folder.clone(), error);
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let paths: Result<Vec<PathBuf>, io::Error> =
            entries.map(|entry| Ok(entry?.path())).collect();
        let mut paths = paths.map_err(unreadable)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        Ok(paths)
    }
}

fn content(path: &Path, folder: &Path) -> Content {
    match crate::read_entry(path) {
        Ok(survey) => {
            let measured =
                survey.measured().into_iter().map(|measured| measured.name().to_owned()).collect();
            let Survey { machine, verdict, provenance, .. } = survey;
            Content::Survey {
                machine: machine.into(),
                verdict: verdict.into(),
                provenance: provenance.into(),
                measured,
            }
        }
        Err(error) => Content::Unreadable {
            why: error.to_string(),
            why_below: error.below(folder).to_string(),
        },
    }
}

fn started(kept: &KeptSurvey) -> String {
    match &kept.content {
        Content::Survey { provenance, .. } => provenance.started.clone(),
        Content::Unreadable { .. } => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_listed_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("broken.json"), "{").unwrap();
        let kept = Store::at(folder.path()).list().unwrap();
        let [KeptSurvey { content: Content::Unreadable { why, why_below }, path }] = &kept[..]
        else {
            panic!("{kept:?}")
        };
        assert!(why.starts_with(&format!("{} is cut off", path.display())), "{why}");
        assert!(why_below.starts_with("broken.json is cut off"), "{why_below}");
        assert!(Store::at(folder.path().join("absent")).list().unwrap().is_empty());
    }
}
