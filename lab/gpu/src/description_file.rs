//! A description's file: read, parsed and checked.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::contradictions;
use crate::description::Description;

/// The environment variable that names the file.
pub const DESCRIPTION_VARIABLE: &str = "NEARFAR_LAB_GPUS";

/// Why there is no description, in a line.
#[derive(Debug, Error)]
pub enum DescriptionError {
    /// No file is named.
    #[error("{DESCRIPTION_VARIABLE} names no file with a description of GPUs")]
    Unnamed,
    /// The file cannot be read.
    #[error("cannot read the description of GPUs {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system reports.
        cause: io::Error,
    },
    /// The file is no description.
    #[error("{}:{line}: {wrong}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where, from 1.
        line: usize,
        /// What is not understood.
        wrong: String,
    },
    /// It describes what cannot be.
    #[error("{}: {wrong}", path.display())]
    Contradiction {
        /// The file.
        path: PathBuf,
        /// The key, and what is wrong.
        wrong: String,
    },
}

/// The description in the file that a variable's value names.
pub(crate) fn named(value: Option<OsString>) -> Result<Description, DescriptionError> {
    let path = value.map(PathBuf::from).ok_or(DescriptionError::Unnamed)?;
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&path, &text),
        Err(cause) => Err(DescriptionError::Read { path, cause }),
    }
}

/// A description's text, parsed and checked. `path` is for errors.
pub fn parse(path: &Path, text: &str) -> Result<Description, DescriptionError> {
    let path = path.to_owned();
    let description: Description = match toml::from_str(text) {
        Ok(description) => description,
        Err(error) => {
            let start = error.span().map_or(0, |span| span.start);
            let line = text.get(..start).unwrap_or(text).matches('\n').count() + 1;
            let wrong = error.message().replace('\n', "; ");
            return Err(DescriptionError::Syntax { path, line, wrong });
        }
    };
    match contradictions::first(&description) {
        None => Ok(description),
        Some(wrong) => Err(DescriptionError::Contradiction { path, wrong }),
    }
}

#[cfg(test)]
mod tests;
