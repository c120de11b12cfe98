//! Whether a file is a survey or a sweep, by the `schema` of its document.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use nearfar_machine::Source;
use nearfar_model::Bytes;
use serde::Deserialize;
use serde_json::error::Category;
use thiserror::Error;

const MAX_BYTES: Bytes = Bytes::gib(1);
/// Characters of an unknown schema that are shown at most.
pub const MAX_OF_A_SCHEMA: usize = 60;

/// The schema that a JSON file names. A pipe can be read only once, and is not read here.
pub fn schema_of(path: &Path) -> Option<String> {
    let file = nearfar_view::input::open_entry(path, MAX_BYTES).ok()?;
    let schema: Schema = serde_json::from_reader(std::io::BufReader::new(file)).ok()?;
    schema.schema
}

#[derive(Deserialize)]
struct Schema {
    schema: Option<String>,
}

/// Why a file is neither a sweep nor a survey.
#[derive(Debug, Error)]
pub enum NoDocument {
    /// It cannot be opened.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It cannot be read on.
    #[error("cannot read {}: {error}", path.display())]
    NotRead {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: serde_json::Error,
    },
    /// A captured machine.
    #[error(
        "{path} is a captured machine: it has no measurements. Measure on that machine ('nearfar \
         survey -o FILE'), and compare such files; 'nearfar topology --root {path}' shows the \
         capture",
        path = path.display()
    )]
    Capture {
        /// The file.
        path: PathBuf,
    },
    /// Another folder.
    #[error("cannot read {}: not a file", path.display())]
    Folder {
        /// The file.
        path: PathBuf,
    },
    /// It has no byte.
    #[error("{} is neither a sweep nor a survey: it is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It ends too early.
    #[error("{} is cut off (line {line}): copy it again, or make a new one", path.display())]
    CutOff {
        /// The file.
        path: PathBuf,
        /// Its last line.
        line: usize,
    },
    /// It is no JSON.
    #[error("{} is neither a sweep nor a survey: it is not JSON ({error})", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Where not.
        error: serde_json::Error,
    },
    /// It has no schema.
    #[error("{} is neither a sweep nor a survey: it has no \"schema\"", path.display())]
    NoSchema {
        /// The file.
        path: PathBuf,
    },
    /// It is a document of another command.
    #[error("{} is neither a sweep nor a survey: its schema is '{start}'", path.display())]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// The first characters of its schema.
        start: String,
    },
}

/// The kinds of documents that can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DocumentKind {
    /// A sweep.
    Sweep,
    /// A survey.
    Survey,
}

impl DocumentKind {
    /// "sweep"
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sweep => "sweep",
            Self::Survey => "survey",
        }
    }

    /// The kind of a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is another file.
    pub fn from_path(path: &Path) -> Result<Self, NoDocument> {
        let named = || path.to_owned();
        let unreadable = |source| NoDocument::Unreadable { path: named(), source };
        let about = fs::metadata(path).map_err(unreadable)?;
        if about.is_dir() && is_capture(path) {
            return Err(NoDocument::Capture { path: named() });
        }
        if about.is_dir() {
            return Err(NoDocument::Folder { path: named() });
        }
        // A pipe can be read only once. The reader of surveys reads it, and reports what is wrong.
        if about.file_type().is_fifo() {
            return Ok(Self::Survey);
        }
        if about.is_file() && about.len() == 0 {
            return Err(NoDocument::Empty { path: named() });
        }
        let file = nearfar_view::input::open(path, MAX_BYTES).map_err(unreadable)?;
        let schema: Schema = serde_json::from_reader(std::io::BufReader::new(file))
            .map_err(|error| unread(path, error))?;
        match schema.schema {
            Some(schema) if schema.starts_with("nearfar.sweep/") => Ok(Self::Sweep),
            Some(schema) if schema.starts_with("nearfar.survey/") => Ok(Self::Survey),
            Some(schema) => {
                let start: String = schema.chars().take(MAX_OF_A_SCHEMA).collect();
                Err(NoDocument::OtherSchema { path: named(), start })
            }
            None => Err(NoDocument::NoSchema { path: named() }),
        }
    }
}

fn is_capture(path: &Path) -> bool {
    Source::open(path).is_ok()
}

/// Why a file has no schema.
fn unread(path: &Path, error: serde_json::Error) -> NoDocument {
    let (line, is_captured) = (error.line(), error.is_syntax() && is_capture(path));
    let path = path.to_owned();
    match error.classify() {
        _ if is_captured => NoDocument::Capture { path },
        Category::Io => NoDocument::NotRead { path, error },
        Category::Eof => NoDocument::CutOff { path, line },
        Category::Data => NoDocument::NoSchema { path },
        Category::Syntax => NoDocument::NotJson { path, error },
    }
}
