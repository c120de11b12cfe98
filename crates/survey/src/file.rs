//! Reading survey files, with one clear line for each way in which a file can be wrong.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use crate::{SCHEMA, Survey};

/// The largest survey file that is read; beyond it, something else was named.
const MOST_BYTES: u64 = 512 << 20;

/// Why a survey could not be read or kept.
#[derive(Debug, Error)]
pub enum SurveyError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}", path = .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is too large to be a survey.
    #[error("{path} is larger than 512 MiB: not a survey", path = .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file ends too early.
    #[error("{path} is cut off (line {line}): copy it again, or run 'nearfar survey' anew", path = .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Where it ends.
        line: usize,
    },
    /// The file is not JSON, or not a survey's JSON.
    #[error("{path} is not a survey: {why}", path = .path.display())]
    NotASurvey {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A schema this version does not know.
    #[error("{path} has schema '{found}'; this version reads '{SCHEMA}': a newer nearfar reads it", path = .path.display())]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: String,
    },
    /// The place to keep a survey cannot be written.
    #[error("cannot write to {path}: {source}; name another place with -o FILE", path = .path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// No folder for the user's data is known.
    #[error("neither XDG_DATA_HOME nor HOME is set: name a place with -o FILE")]
    NoDataFolder,
}

/// Reads a survey.
pub fn read(path: &Path) -> Result<Survey, SurveyError> {
    let unreadable = |source| SurveyError::Unreadable { path: path.to_owned(), source };
    if fs::metadata(path).map_err(unreadable)?.len() > MOST_BYTES {
        return Err(SurveyError::TooLarge { path: path.to_owned() });
    }
    parse(&fs::read(path).map_err(unreadable)?, path)
}

#[derive(Deserialize)]
struct Schema {
    schema: Option<String>,
}

fn parse(text: &[u8], path: &Path) -> Result<Survey, SurveyError> {
    let explain = |error: serde_json::Error| match error.is_eof() {
        true => SurveyError::Truncated { path: path.to_owned(), line: error.line() },
        false => SurveyError::NotASurvey { path: path.to_owned(), why: error.to_string() },
    };
    let not_one = |why: &str| SurveyError::NotASurvey { path: path.to_owned(), why: why.to_owned() };
    if text.trim_ascii().is_empty() {
        return Err(not_one("it is empty"));
    }
    let schema: Schema = serde_json::from_slice(text).map_err(explain)?;
    match schema.schema.as_deref() {
        Some(SCHEMA) => {}
        Some(found) if found.starts_with("nearfar.survey/") => {
            return Err(SurveyError::OtherSchema { path: path.to_owned(), found: found.to_owned() });
        }
        Some(found) => return Err(not_one(&format!("its schema is '{found}'"))),
        None => return Err(not_one("it has no \"schema\"")),
    }
    let survey: Survey = serde_json::from_slice(text).map_err(explain)?;
    check(&survey).map_err(|why| not_one(&why))?;
    Ok(survey)
}

/// What a reader relies on and types cannot say.
fn check(survey: &Survey) -> Result<(), String> {
    let matrices = [Some(&survey.latency), survey.page_size.as_ref().map(|pages| &pages.matrix)];
    for matrix in matrices.into_iter().flatten() {
        let stray = matrix.cells.iter().find(|c| c.row >= matrix.rows.len() || c.column >= matrix.columns.len());
        if let Some(cell) = stray {
            return Err(format!("cell ({}, {}) has no such row or column", cell.row, cell.column));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        parse(text.as_bytes(), Path::new("s.json")).unwrap_err().to_string()
    }

    #[test]
    fn each_kind_of_damage_has_its_line() {
        assert_eq!(said(""), "s.json is not a survey: it is empty");
        assert_eq!(said("hello"), "s.json is not a survey: expected value at line 1 column 1");
        assert_eq!(said("{}"), "s.json is not a survey: it has no \"schema\"");
        assert_eq!(
            said("[1]"),
            "s.json is not a survey: invalid type: integer `1`, expected a string at line 1 column 2"
        );
        assert!(said(r#"{"schema":"nearfar.survey/1","#).starts_with("s.json is cut off (line 1)"));
        assert!(said(r#"{"schema":"nearfar.survey/2"}"#).contains("a newer nearfar reads it"));
        assert_eq!(said(r#"{"schema":"x/1"}"#), "s.json is not a survey: its schema is 'x/1'");
        assert!(said(r#"{"schema":"nearfar.survey/1"}"#).contains("missing field `machine`"));
    }
}
