//! Surveys out of a file, one after the other.

use std::io::{self, BufRead, BufReader};

use serde::de::DeserializeSeed;

use crate::Survey;
use crate::fleet::SurveySeed;
use crate::fleet::one_document::{DocumentBytes, OneDocument};
use crate::fleet::{DocumentFault, SurveyFigures};

/// A document of a file.
#[derive(Debug)]
pub struct ReadDocument {
    /// The line at which it begins, from 1.
    pub line: usize,
    /// Its figures, or why it has none.
    pub content: Result<SurveyFigures, DocumentFault>,
    /// Which bytes it was: equal documents have the same.
    pub(crate) bytes: DocumentBytes,
}

/// Reads the documents of a file. A document begins in a line that starts with `{`: one line each,
/// or indented over several. What is between documents is one that cannot be read.
pub struct DocumentReader<R> {
    source: R,
    line: usize,
    is_at_end: bool,
    found: usize,
    /// Text after the previous document, which comes next.
    other_text: Option<ReadDocument>,
}

impl<R: BufRead> DocumentReader<R> {
    /// Reads from here.
    pub fn new(source: R) -> Self {
        Self { source, line: 1, is_at_end: false, found: 0, other_text: None }
    }

    /// The next document; none at the file's end.
    fn read(&mut self) -> Option<ReadDocument> {
        let line = self.line;
        let mut document = OneDocument::new(&mut self.source);
        let mut schema = None;
        let (parsed, trailing) = parse(&mut document, &mut schema);
        let bytes = match document.finish() {
            Ok(bytes) => bytes,
            Err(error) => {
                self.is_at_end = true;
                return Some(unreadable(line, &error));
            }
        };
        self.line += bytes.lines;
        if bytes.first_visible.is_none() {
            self.is_at_end = true;
            let fault = DocumentFault::Empty;
            return (self.found == 0).then_some(ReadDocument { line, content: Err(fault), bytes });
        }
        self.found += 1;
        let content = match parsed {
            Ok(survey) => {
                SurveyFigures::new(survey).map_err(|why| DocumentFault::Contradiction { why })
            }
            Err(error) => Err(fault(&error, schema, bytes)),
        };
        if let Some(trailing) = trailing {
            let fault = Err(DocumentFault::OtherText);
            let line = line + trailing.saturating_sub(1);
            self.other_text = Some(ReadDocument { line, content: fault, bytes });
        }
        Some(ReadDocument { line, content, bytes })
    }
}

impl<R: BufRead> Iterator for DocumentReader<R> {
    type Item = ReadDocument;

    fn next(&mut self) -> Option<ReadDocument> {
        if let Some(other_text) = self.other_text.take() {
            return Some(other_text);
        }
        if self.is_at_end { None } else { self.read() }
    }
}

/// The document, and the line of further text after it, counted from the document's first.
fn parse<R: BufRead>(
    document: &mut OneDocument<'_, R>,
    schema: &mut Option<String>,
) -> (serde_json::Result<Survey>, Option<usize>) {
    let mut json =
        serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, document));
    let parsed = SurveySeed { schema }.deserialize(&mut json);
    let trailing = parsed.is_ok().then(|| json.end().err()).flatten();
    (parsed, trailing.map(|error| error.line()))
}

fn unreadable(line: usize, error: &io::Error) -> ReadDocument {
    let fault = DocumentFault::Unreadable { why: error.to_string() };
    ReadDocument { line, content: Err(fault), bytes: DocumentBytes::default() }
}

fn fault(error: &serde_json::Error, schema: Option<String>, bytes: DocumentBytes) -> DocumentFault {
    // The line break after a line that is cut may be in a string, where it is an error.
    let is_at_end = bytes.ends_in_line_break && error.line() > bytes.lines;
    match schema.filter(|schema| !crate::is_readable_schema(schema)) {
        Some(schema) if schema.starts_with("nearfar.survey/") => {
            DocumentFault::OtherSchema { schema: one_line(&schema) }
        }
        Some(schema) => DocumentFault::OtherKind { schema: one_line(&schema) },
        None if error.is_eof() || is_at_end => DocumentFault::CutOff,
        None => DocumentFault::NotASurvey { why: one_line(&without_place(&error.to_string())) },
    }
}

/// The message without its line and column, which are the document's own.
fn without_place(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(before, _)| before).to_owned()
}

/// Enough of a text that quotes the document.
fn one_line(text: &str) -> String {
    const MOST: usize = 120;
    let clean = text.chars().map(|c| if nearfar_model::is_obeyed(c) { '?' } else { c });
    let short: String = clean.take(MOST).collect();
    if text.chars().count() > MOST { short + "..." } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKETCH: &str = include_str!("../sketch.json");

    fn read(text: &str) -> Vec<(usize, Result<usize, DocumentFault>)> {
        let documents = DocumentReader::new(text.as_bytes());
        documents
            .map(|document| (document.line, document.content.map(|figures| figures.figures.len())))
            .collect()
    }

    fn in_a_line() -> String {
        SKETCH.replace('\n', "")
    }

    #[test]
    fn a_file_holds_one_document_or_several() {
        assert_eq!(read(SKETCH), [(1, Ok(6))]);
        let line = in_a_line();
        assert_eq!(read(&format!("{line}\n{line}\n")), [(1, Ok(6)), (2, Ok(6))]);
        assert_eq!(read(&format!("{SKETCH}\n{line}")).len(), 2);
        assert_eq!(read(""), [(1, Err(DocumentFault::Empty))]);
        assert_eq!(read(" \n\n"), [(1, Err(DocumentFault::Empty))]);
    }

    #[test]
    fn the_rest_goes_on_after_a_broken_document() {
        let line = in_a_line();
        let cut = &line[..line.len() / 2];
        let text = format!("srun: error\n{line}\n{cut}\n{line}\nslurmstepd: killed\n{line}\n");
        let found = read(&text);
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 5, 6], "{found:?}");
        let faults: Vec<&DocumentFault> =
            found.iter().filter_map(|(_, one)| one.as_ref().err()).collect();
        assert!(
            matches!(
                &faults[..],
                [DocumentFault::NotASurvey { .. }, DocumentFault::CutOff, DocumentFault::OtherText]
            ),
            "{faults:?}"
        );
    }

    #[test]
    fn other_documents_are_named_by_their_schema() {
        let fault = |text: &str| read(text).remove(0).1.unwrap_err();
        let newer = DocumentFault::OtherSchema { schema: "nearfar.survey/9".to_owned() };
        assert_eq!(fault(r#"{"schema":"nearfar.survey/9","machine":7}"#), newer);
        let sweep = DocumentFault::OtherKind { schema: "nearfar.sweep/1".to_owned() };
        assert_eq!(fault(r#"{"schema":"nearfar.sweep/1"}"#), sweep);
        let why = "missing field `schema`".to_owned();
        assert_eq!(fault("{}"), DocumentFault::NotASurvey { why });
        assert!(matches!(fault("[1]"), DocumentFault::NotASurvey { .. }));
    }

    #[test]
    fn contradicting_figures_are_refused() {
        let text = SKETCH.replace("\"column\":1,\"cpus\"", "\"column\":9,\"cpus\"");
        let (_, content) = read(&text).remove(0);
        let Err(DocumentFault::Contradiction { why }) = content else { panic!("{content:?}") };
        assert!(why.starts_with("latency: cell (0, 9)"), "{why}");
    }
}
