//! The state before a change, in a file: it is restored after a kill, too.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::owned_files::PathRefusal;
use crate::owned_files::private_folder::PrivateFolder;

/// The state before a change. Its file, in a [`PrivateFolder`], is written whole or not at all.
pub trait Note: Serialize + DeserializeOwned {
    /// The schema that the file names beside the state.
    const SCHEMA: &'static str;
    /// What it means that there is a note already.
    const TAKEN: &'static str;
    /// What to check by hand where a note cannot be used.
    const STATE: &'static str;

    /// Reads a note; `None` if there is none.
    ///
    /// # Errors
    ///
    /// A file that is no such note, or another user's.
    fn read(path: &Path) -> Result<Option<Self>, NoteError> {
        let read = || match PrivateFolder::open(folder_of(path))? {
            Some(folder) => folder.read(name_of(path)),
            None => Ok(None),
        };
        let bytes = read().map_err(|error| NoteError::new(path, &error))?;
        let note = bytes.map(|bytes| parse(&bytes)).transpose();
        note.map_err(|fault| NoteError { path: path.to_owned(), fault })
    }

    /// Writes the note. One that is there stays: the first state is the one to return to.
    ///
    /// # Errors
    ///
    /// [`NoteFault::Taken`] where there is one, and those of the system.
    fn keep_new(&self, path: &Path) -> Result<(), NoteError> {
        write(self, path, PrivateFolder::keep_new)
    }

    /// Writes the note, and replaces the one that is there.
    ///
    /// # Errors
    ///
    /// Those of the system.
    fn replace(&self, path: &Path) -> Result<(), NoteError> {
        write(self, path, PrivateFolder::replace)
    }

    /// Removes the note, and the folder with the last file.
    ///
    /// # Errors
    ///
    /// Those of the system; that there is no note is none.
    fn remove(path: &Path) -> Result<(), NoteError> {
        let removed = PrivateFolder::open(folder_of(path)).and_then(|folder| {
            let Some(folder) = folder else { return Ok(()) };
            folder.remove(name_of(path))?;
            folder.remove_if_empty();
            Ok(())
        });
        removed.map_err(|error| NoteError::new(path, &error))
    }
}

/// A note or a lock that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("cannot use {}: {fault}", path.display())]
pub struct NoteError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: NoteFault,
}

/// Why a note or a lock cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoteFault {
    /// Another process works with it.
    #[error("{0}")]
    Taken(&'static str),
    /// Its text is no note.
    #[error("it is damaged ({why}): nothing can be restored from it; {}", without(state))]
    Damaged {
        /// What is wrong with the text.
        why: String,
        /// What to check by hand.
        state: &'static str,
    },
    /// Another release wrote it.
    #[error(
        "another release wrote it ({schema}): restore with that release, or {}",
        without(state)
    )]
    OtherRelease {
        /// Its schema.
        schema: String,
        /// What to check by hand.
        state: &'static str,
    },
    /// It or its folder is another user's, or no file.
    #[error("{0}")]
    Refused(PathRefusal),
    /// The system's reason.
    #[error("{0}")]
    System(String),
}

/// How to go on without the note.
fn without(state: &str) -> String {
    format!("check {state}, then remove the file")
}

impl NoteError {
    /// An error of a private folder.
    pub fn new(path: &Path, error: &io::Error) -> Self {
        let refused = PathRefusal::of(error).cloned().map(NoteFault::Refused);
        let fault = refused.unwrap_or_else(|| NoteFault::System(error.to_string()));
        Self { path: path.to_owned(), fault }
    }
}

/// The file's form.
#[derive(Serialize, Deserialize)]
struct NoteFile<S, T> {
    schema: S,
    state: T,
}

fn parse<N: Note>(bytes: &[u8]) -> Result<N, NoteFault> {
    let damaged =
        |error: serde_json::Error| NoteFault::Damaged { why: error.to_string(), state: N::STATE };
    // The state of another schema may have any form.
    let NoteFile { schema, state: IgnoredAny } =
        serde_json::from_slice::<NoteFile<String, _>>(bytes).map_err(damaged)?;
    if schema != N::SCHEMA {
        return Err(NoteFault::OtherRelease { schema, state: N::STATE });
    }
    let file: NoteFile<IgnoredAny, N> = serde_json::from_slice(bytes).map_err(damaged)?;
    Ok(file.state)
}

fn write<N: Note>(
    state: &N,
    path: &Path,
    write: fn(&PrivateFolder, &str, &[u8]) -> io::Result<()>,
) -> Result<(), NoteError> {
    let file = serde_json::to_vec(&NoteFile { schema: N::SCHEMA, state });
    let folder = PrivateFolder::create(folder_of(path));
    let written =
        folder.and_then(|folder| write(&folder, name_of(path), &file.map_err(io::Error::from)?));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            NoteError { path: path.to_owned(), fault: NoteFault::Taken(N::TAKEN) }
        }
        _ => NoteError::new(path, &error),
    })
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Before(u32);

    impl Note for Before {
        const SCHEMA: &'static str = "nearfar.test/1";
        const TAKEN: &'static str = "another test is at work";
        const STATE: &'static str = "the settings";
    }

    #[test]
    fn the_first_note_stays() {
        let run = tempfile::tempdir().unwrap();
        let path = run.path().join("nearfar/before.json");
        assert_eq!(Before::read(&path).unwrap(), None);
        Before::remove(&path).unwrap();
        Before(1).keep_new(&path).unwrap();
        let taken = Before(2).keep_new(&path).unwrap_err().to_string();
        assert_eq!(taken, format!("cannot use {}: another test is at work", path.display()));
        assert_eq!(Before::read(&path).unwrap(), Some(Before(1)));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft stays");
        Before(3).replace(&path).unwrap();
        assert_eq!(Before::read(&path).unwrap(), Some(Before(3)));
        Before::remove(&path).unwrap();
        assert!(!path.parent().unwrap().exists(), "others see that nothing is left");
    }

    #[test]
    fn files_that_are_no_notes_name_their_remedy() {
        let run = tempfile::tempdir().unwrap();
        let path = run.path().join("before.json");
        for (text, expected) in [
            ("", "it is damaged ("),
            ("{", "it is damaged ("),
            ("[]", "it is damaged ("),
            (r#"{"schema":"nearfar.test/1","state":"x"}"#, "it is damaged ("),
            (r#"{"schema":"nearfar.test/2","state":"x"}"#, "another release wrote it (nearfar."),
        ] {
            fs::write(&path, text).unwrap();
            let line = Before::read(&path).unwrap_err().to_string();
            assert!(line.starts_with(&format!("cannot use {}: {expected}", path.display())));
            assert!(line.ends_with("check the settings, then remove the file"), "{line}");
        }
    }
}
