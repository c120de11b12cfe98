//! Why there is no such machine: one line that names the file, the key, what is wrong and what to
//! do.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::builtin;
use super::contradictions::DescriptionContradiction;

/// Why a machine cannot be had.
#[derive(Debug, Error)]
pub(crate) enum LabMachineError {
    /// The lab has none of this name.
    #[error(
        "the lab has no machine '{name}': there are {known}; a description of your own is a path \
         that ends in .toml"
    )]
    Unknown { name: String, known: String },
    /// Its file cannot be read.
    #[error("cannot read the machine description {}: {cause}", path.display())]
    Read { path: PathBuf, cause: io::Error },
    /// Its file is no description. Lines count from 1.
    #[error("{file}:{line}: {why}")]
    Syntax { file: String, line: usize, why: String },
    /// A part that every description has is missing.
    #[error("{file}: {what}; docs/lab/lab.md describes each part")]
    Missing { file: String, what: String },
    /// It contradicts itself or asks for what the lab does not have.
    #[error("{}", lines(file, wrong))]
    Contradictions { file: String, wrong: Vec<DescriptionContradiction> },
    /// A table to inject is not there.
    #[error(
        "{file}: firmware.tables: there is no file {}; paths go from the description's folder",
        table.display()
    )]
    NoTable { file: String, table: PathBuf },
}

impl LabMachineError {
    pub(super) fn unknown(name: &str) -> Self {
        let name = name.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect();
        Self::Unknown { name, known: builtin::names().join(", ") }
    }

    pub(super) fn syntax(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let start = error.span().map_or(0, |span| span.start);
        let (file, message) = (file.to_owned(), error.message());
        // What is not there has no line: the span is the table that lacks it, or the whole file.
        if start == 0 && message.starts_with("missing field") {
            return Self::Missing { file, what: message.to_owned() };
        }
        let before = text.get(..start).unwrap_or(text);
        Self::Syntax {
            file,
            line: before.matches('\n').count() + 1,
            why: message.replace('\n', "; "),
        }
    }
}

/// A line for each.
fn lines(file: &str, wrong: &[DescriptionContradiction]) -> String {
    let lines: Vec<_> = wrong.iter().map(|wrong| format!("{file}: {wrong}")).collect();
    lines.join("\n")
}
