//! Whether a file is a survey or a sweep, by the `schema` of its document.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use anyhow::{Context, bail};
use nearfar_machine::Source;
use nearfar_model::Bytes;
use serde::Deserialize;
use serde_json::error::Category;

/// The largest document.
const MOST_BYTES: Bytes = Bytes::gib(1);
/// Characters of an unknown schema that are shown at most.
pub(super) const MOST_OF_A_SCHEMA: usize = 60;

/// The schema that a JSON file names. A pipe can be read only once, and is not read here.
pub(super) fn schema_of(path: &Path) -> Option<String> {
    let file = nearfar_view::input::open_entry(path, MOST_BYTES).ok()?;
    let schema: Schema = serde_json::from_reader(std::io::BufReader::new(file)).ok()?;
    schema.schema
}

#[derive(Deserialize)]
struct Schema {
    schema: Option<String>,
}

/// The kinds of documents that can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DocumentKind {
    Sweep,
    Survey,
}

impl DocumentKind {
    /// "sweep"
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Sweep => "sweep",
            Self::Survey => "survey",
        }
    }

    /// The kind of a file; the error describes any other file.
    pub(super) fn from_path(path: &Path) -> anyhow::Result<Self> {
        let unreadable = || format!("cannot read {}", path.display());
        let about = fs::metadata(path).with_context(unreadable)?;
        if about.is_dir() && is_capture(path) {
            bail!(captured(path));
        }
        if about.is_dir() {
            bail!("cannot read {}: not a file", path.display());
        }
        // A pipe can be read only once. The reader of surveys reads it, and reports what is wrong.
        if about.file_type().is_fifo() {
            return Ok(Self::Survey);
        }
        if about.is_file() && about.len() == 0 {
            bail!("{} is neither a sweep nor a survey: it is empty", path.display());
        }
        let file = nearfar_view::input::open(path, MOST_BYTES).with_context(unreadable)?;
        let schema: Schema = match serde_json::from_reader(std::io::BufReader::new(file)) {
            Ok(schema) => schema,
            Err(error) => bail!(unread(path, &error)),
        };
        match schema.schema.as_deref() {
            Some(schema) if schema.starts_with("nearfar.sweep/") => Ok(Self::Sweep),
            Some(schema) if schema.starts_with("nearfar.survey/") => Ok(Self::Survey),
            Some(schema) => {
                let start: String = schema.chars().take(MOST_OF_A_SCHEMA).collect();
                bail!("{} is neither a sweep nor a survey: its schema is '{start}'", path.display())
            }
            None => {
                bail!("{} is neither a sweep nor a survey: it has no \"schema\"", path.display())
            }
        }
    }
}

fn is_capture(path: &Path) -> bool {
    Source::open(path).is_ok()
}

/// What a capture is, and where measurements come from.
fn captured(path: &Path) -> String {
    format!(
        "{path} is a captured machine: it has no measurements. Measure on that machine ('nearfar \
         survey -o FILE'), and compare such files; 'nearfar topology --root {path}' shows the \
         capture",
        path = path.display()
    )
}

/// Why a file has no schema.
fn unread(path: &Path, error: &serde_json::Error) -> String {
    if error.is_syntax() && is_capture(path) {
        return captured(path);
    }
    let path = path.display();
    match error.classify() {
        Category::Io => format!("cannot read {path}: {error}"),
        Category::Eof => {
            format!("{path} is cut off (line {}): copy it again, or make a new one", error.line())
        }
        Category::Data => format!("{path} is neither a sweep nor a survey: it has no \"schema\""),
        Category::Syntax => {
            format!("{path} is neither a sweep nor a survey: it is not JSON ({error})")
        }
    }
}
