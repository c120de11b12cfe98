//! Reading survey files, with one clear line for each way in which a file can be wrong.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use nearfar_model::{Bounded, Bytes, ScannedText};
use nearfar_view::input::is_too_large;
use serde::Deserialize;
use serde_json::error::Category;
use thiserror::Error;

use crate::{SCHEMA, Survey, is_readable_schema, soundness};

/// The largest survey file that is read; beyond it, something else was named.
const MAX_BYTES: Bytes = Bytes::mib(512);
/// Bytes that are read at a time.
const BUFFER: usize = 1 << 16;

/// Why a survey could not be read or kept.
#[derive(Debug, Error)]
pub enum SurveyError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, io::Error),
    /// The file is too large to be a survey.
    #[error("{0} is larger than 512 MiB: not a survey")]
    TooLarge(PathBuf),
    /// The file ends too early, in this line.
    #[error("{0} is cut off (line {1}): copy it again, or run 'nearfar survey' anew")]
    Truncated(PathBuf, usize),
    /// The file is not JSON, or not a survey's JSON, and what is wrong with it.
    #[error("{0} is not a survey: {1}")]
    NotASurvey(PathBuf, String),
    /// A schema this version does not know.
    #[error(
        "{0} has schema '{1}', and this nearfar reads '{SCHEMA}': use the one that wrote it, or \
         measure anew"
    )]
    OtherSchema(PathBuf, String),
    /// The place to keep a survey, a file or a folder, cannot be written.
    #[error("cannot write to {0}: {1}; name another place with -o FILE")]
    Unwritable(PathBuf, io::Error),
    /// A file of this name must not be overwritten.
    #[error("{0} already exists: --force overwrites it")]
    Exists(PathBuf),
    /// No folder for the user's data is known.
    #[error("neither XDG_DATA_HOME nor HOME is set: name a place with -o FILE")]
    NoDataFolder,
}

impl SurveyError {
    /// The same with the file's path below a folder, for a list of the folder's files.
    pub(crate) fn below(self, folder: &Path) -> Self {
        let short = |path: PathBuf| match path.strip_prefix(folder) {
            Ok(below) => below.to_owned(),
            Err(_) => path,
        };
        match self {
            Self::Unreadable(path, why) => Self::Unreadable(short(path), why),
            Self::TooLarge(path) => Self::TooLarge(short(path)),
            Self::Truncated(path, line) => Self::Truncated(short(path), line),
            Self::NotASurvey(path, why) => Self::NotASurvey(short(path), why),
            Self::OtherSchema(path, schema) => Self::OtherSchema(short(path), schema),
            Self::Unwritable(path, why) => Self::Unwritable(short(path), why),
            Self::Exists(path) => Self::Exists(short(path)),
            Self::NoDataFolder => Self::NoDataFolder,
        }
    }
}

/// Reads a survey.
pub fn read(path: &Path) -> Result<Survey, SurveyError> {
    let unreadable = |error| refused(path, error);
    let file = nearfar_view::input::open(path, MAX_BYTES).map_err(unreadable)?;
    if !file.is_pipe() {
        return parse(|| nearfar_view::input::open(path, MAX_BYTES), path);
    }
    // A pipe can be read only once.
    let mut text = Vec::new();
    BufReader::new(file).read_to_end(&mut text).map_err(unreadable)?;
    parse(|| Ok(&text[..]), path)
}

/// Reads a survey that was found in a folder.
pub fn read_entry(path: &Path) -> Result<Survey, SurveyError> {
    parse(|| nearfar_view::input::open_entry(path, MAX_BYTES), path)
}

/// When the survey in such a file began; `None` if there is none. Its figures are not read.
pub(crate) fn read_start(path: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Beginning {
        provenance: Start,
    }
    #[derive(Deserialize)]
    struct Start {
        started: String,
    }
    let text = nearfar_view::input::open_entry(path, MAX_BYTES).ok()?;
    let buffered = BufReader::with_capacity(BUFFER, text);
    Some(serde_json::from_reader::<_, Beginning>(buffered).ok()?.provenance.started)
}

fn refused(path: &Path, error: io::Error) -> SurveyError {
    match is_too_large(&error) {
        true => SurveyError::TooLarge(path.to_owned()),
        false => SurveyError::Unreadable(path.to_owned(), error),
    }
}

#[derive(Deserialize)]
struct Schema {
    schema: Option<String>,
}

/// Reads a text by parts: the largest documents are not held beside what is in them. `open` opens
/// it, again for each pass.
fn parse<R: Read>(open: impl Fn() -> io::Result<R>, path: &Path) -> Result<Survey, SurveyError> {
    let not_one = |why: &str| SurveyError::NotASurvey(path.to_owned(), one_line(why));
    let explain = |error: serde_json::Error| match error.classify() {
        Category::Io => refused(path, error.into()),
        Category::Eof => SurveyError::Truncated(path.to_owned(), error.line()),
        Category::Syntax | Category::Data => not_one(&error.to_string()),
    };
    let open = || open().map(ScannedText::new).map_err(|error| refused(path, error));
    let buffered = |text| BufReader::with_capacity(BUFFER, text);
    // Read once where all is well. Other versions are recognised by their schema,
    // before anything else.
    let mut text = buffered(open()?);
    let survey: Result<Survey, serde_json::Error> = serde_json::from_reader(&mut text);
    if !text.get_ref().has_content() && survey.as_ref().is_err_and(serde_json::Error::is_eof) {
        return Err(not_one("it is empty"));
    }
    let schema = match &survey {
        Ok(survey) => Some(survey.schema.clone()),
        Err(error) if error.is_io() => None,
        Err(_) => serde_json::from_reader::<_, Schema>(buffered(open()?)).map_err(explain)?.schema,
    };
    match schema.as_deref() {
        Some(known) if is_readable_schema(known) => {}
        Some(found) if found.starts_with("nearfar.survey/") => {
            return Err(SurveyError::OtherSchema(path.to_owned(), one_line(found)));
        }
        Some(found) => return Err(not_one(&format!("its schema is '{found}'"))),
        None => {
            return Err(survey
                .err()
                .filter(serde_json::Error::is_io)
                .map_or_else(|| not_one("it has no \"schema\""), explain));
        }
    }
    if text.get_ref().may_hold_large_figures() {
        let _: Bounded = serde_json::from_reader(buffered(open()?)).map_err(explain)?;
    }
    let survey = survey.map_err(explain)?;
    soundness::check(&survey).map_err(|why| not_one(&why))?;
    Ok(survey)
}

/// Enough of a message that quotes the document: terminals obey control characters.
fn one_line(message: &str) -> String {
    const MOST: usize = 200;
    let clean: String = message
        .chars()
        .take(MOST)
        .map(|c| if nearfar_model::is_obeyed(c) { '?' } else { c })
        .collect();
    if message.chars().count() > MOST { clean + "..." } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch;

    fn error_of(text: &str) -> String {
        parse(|| Ok(text.as_bytes()), Path::new("s.json")).unwrap_err().to_string()
    }

    #[test]
    fn each_kind_of_damage_has_its_line() {
        assert_eq!(error_of(""), "s.json is not a survey: it is empty");
        assert_eq!(error_of("hello"), "s.json is not a survey: expected value at line 1 column 1");
        assert_eq!(error_of("{}"), "s.json is not a survey: it has no \"schema\"");
        assert_eq!(
            error_of("[1]"),
            "s.json is not a survey: invalid type: integer `1`, expected a string at line 1 \
             column 3"
        );
        assert!(
            error_of(r#"{"schema":"nearfar.survey/2","#).starts_with("s.json is cut off (line 1)")
        );
        for other in ["nearfar.survey/1", "nearfar.survey/3"] {
            assert_eq!(
                error_of(&format!(r#"{{"schema":"{other}"}}"#)),
                format!(
                    "s.json has schema '{other}', and this nearfar reads '{SCHEMA}': use the one \
                     that wrote it, or measure anew"
                )
            );
        }
        assert_eq!(error_of(r#"{"schema":"x/1"}"#), "s.json is not a survey: its schema is 'x/1'");
        let bare = format!(r#"{{"schema":"{SCHEMA}"}}"#);
        assert!(error_of(&bare).contains("missing field `machine`"));
    }

    #[test]
    fn whole_documents_are_read() {
        let read = |text: &[u8]| parse(|| Ok(text), Path::new("s.json")).unwrap();
        let written = serde_json::to_vec(&read(sketch::TEXT.as_bytes())).unwrap();
        assert_eq!(serde_json::to_vec(&read(&written)).unwrap(), written);
    }

    #[test]
    fn contradictions_are_refused() {
        let stray = sketch::TEXT.replacen(r#"{"row":0,"column":0"#, r#"{"row":0,"column":9"#, 1);
        assert_eq!(
            error_of(&stray),
            "s.json is not a survey: cell (0, 9) has no such row or column"
        );
        let ragged = error_of(&sketch::TEXT.replace("[[10,21],[21,10]]", "[[10]]"));
        assert!(ragged.contains("2 nodes need as many rows of distances, not 1"), "{ragged}");
        let infinite = error_of(&sketch::TEXT.replace("97.0", "1e999"));
        assert!(infinite.starts_with("s.json is not a survey: number out of range"), "{infinite}");
        let large = error_of(&sketch::TEXT.replace("97.0", "1e308"));
        assert!(large.contains("the number 1e308 is larger than any that is measured"), "{large}");
        let no_ns = error_of(&sketch::TEXT.replace(r#","ns""#, ""));
        assert!(no_ns.contains("samples lack the field 'ns'"), "{no_ns}");
    }

    #[test]
    fn quoted_text_is_short_and_printable() {
        let escape = error_of(r#"{"schema":"\u001b[2J\nx"}"#);
        assert_eq!(escape, "s.json is not a survey: its schema is '?[2J?x'");
        let mode = error_of(
            &sketch::TEXT.replace(r#""default""#, &format!(r#""\u001b{}""#, "x".repeat(9_000))),
        );
        assert!(!mode.contains('\u{1b}') && mode.len() < 300, "{mode:?}");
        let newer = error_of(r#"{"schema":"nearfar.survey/\u009b"}"#);
        assert!(newer.contains("nearfar.survey/?"), "{newer:?}");
    }
}
