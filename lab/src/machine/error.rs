//! Why there is no such machine: one line that names the file, the key, what is wrong and what to do.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::builtin;
use super::contradictions::Contradiction;

/// Why a machine cannot be had.
#[derive(Debug, Error)]
pub(crate) enum MachineError {
    /// The lab has none of this name.
    #[error(
        "the lab has no machine '{name}': there are {known}; a description of your own is a path that ends in .toml"
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Its file cannot be read.
    #[error("cannot read the machine description {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Its file is no description.
    #[error("{file}:{line}: {why}")]
    Syntax {
        /// The file.
        file: String,
        /// From 1.
        line: usize,
        /// What the reader expected.
        why: String,
    },
    /// A part that every description has is missing.
    #[error("{file}: {what}; docs/lab.md describes each part")]
    Missing {
        /// The file.
        file: String,
        /// Which.
        what: String,
    },
    /// It contradicts itself or asks for what the lab does not have.
    #[error("{}", lines(file, wrong))]
    Contradictions {
        /// The file.
        file: String,
        /// Of each the key, what is wrong, what to do.
        wrong: Vec<Contradiction>,
    },
    /// A table to inject is not there.
    #[error("{file}: firmware.tables: there is no file {}; paths go from the description's folder", table.display())]
    NoTable {
        /// The description.
        file: String,
        /// What is missing.
        table: PathBuf,
    },
}

impl MachineError {
    pub(super) fn unknown(name: &str) -> Self {
        let name = name.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect();
        Self::Unknown { name, known: builtin::names().join(", ") }
    }

    pub(super) fn contradictions(file: &str, wrong: Vec<Contradiction>) -> Self {
        Self::Contradictions { file: file.to_owned(), wrong }
    }

    pub(super) fn syntax(file: &str, text: &str, error: &toml::de::Error) -> Self {
        // What is not there has no line: the span is the table that lacks it, or the whole file.
        let is_top_level = error.span().is_none_or(|span| span.start == 0);
        if is_top_level && error.message().starts_with("missing field") {
            return Self::Missing { file: file.to_owned(), what: error.message().to_owned() };
        }
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or(text);
        let why = error.message().replace('\n', "; ");
        Self::Syntax { file: file.to_owned(), line: before.matches('\n').count() + 1, why }
    }
}

/// A line for each.
fn lines(file: &str, wrong: &[Contradiction]) -> String {
    let lines: Vec<_> = wrong.iter().map(|wrong| format!("{file}: {wrong}")).collect();
    lines.join("\n")
}
