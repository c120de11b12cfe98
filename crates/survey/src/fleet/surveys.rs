//! The surveys of a fleet.

use std::collections::HashSet;
use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use nearfar_infer::fleet::FleetFigure;

use crate::fleet::Interned;
use crate::fleet::one_document::DocumentBytes;
use crate::fleet::reader::ReadDocument;
use crate::fleet::{DocumentFault, FleetCellName, FleetShape, SkippedDocument, SurveyFigures};

/// Where a document was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentPlace {
    /// The file's number in the order of the command: of two equal documents, the first is used.
    pub number: usize,
    /// The file, as it is shown.
    pub file: Arc<str>,
}

/// How a fleet is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleetSettings {
    /// Deviations below this fraction are no outliers.
    pub floor: f64,
}

/// Why there is no judgement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotJudged {
    /// All surveys are later than a time that was asked for.
    #[error("all surveys are later than {0}: name a later day with --at")]
    AllLater(Timestamp),
    /// There is no survey.
    #[error("no document is a survey with figures")]
    NoSurvey,
    /// The reference has no figure.
    #[error("{0} is no reference: it has no survey with figures")]
    NoReference(String),
}

/// The surveys of a fleet, as they are read; their order does not matter.
#[derive(Debug, Default)]
pub struct FleetSurveys {
    pub(crate) cells: Interned<FleetCellName>,
    /// Names and values of statements.
    pub(crate) texts: Interned<String>,
    /// Most surveys share their settings and their shape with others.
    settings: HashSet<Arc<Settings>>,
    shapes: HashSet<Arc<FleetShape>>,
    pub(crate) surveys: Vec<FleetSurvey>,
    pub(crate) skipped: Vec<(DocumentPlace, SkippedDocument)>,
    pub(crate) reference: Option<FleetSurvey>,
}

/// Numbers of names and of values; none where the value is not readable.
pub(crate) type Settings = Vec<(u32, Option<u32>)>;

#[derive(Debug)]
pub(crate) struct FleetSurvey {
    pub(crate) place: DocumentPlace,
    pub(crate) line: usize,
    pub(crate) bytes: DocumentBytes,
    pub(crate) host: Option<String>,
    /// A hash of its board's serial number.
    pub(crate) board: Option<String>,
    /// The machine's name in tables, where it is not the host's.
    pub(crate) kept_name: Option<String>,
    pub(crate) is_guest: bool,
    /// When it began: in UTC, or what stands there where that is no time.
    pub(crate) started: String,
    /// The same; none where it is no time.
    pub(crate) began: Option<Timestamp>,
    /// How long it took, in seconds.
    pub(crate) duration_s: Option<f64>,
    /// The day on which its kernel or its BIOS was built, the later one.
    pub(crate) built: Option<Timestamp>,
    pub(crate) shape: Arc<FleetShape>,
    pub(crate) statements: Arc<Settings>,
    /// Figures by the cell's number, in the document's order.
    pub(crate) figures: Vec<(u32, FleetFigure)>,
}

impl FleetSurveys {
    /// Adds a document, or why it is not used.
    pub fn add(&mut self, place: &DocumentPlace, document: ReadDocument) {
        let ReadDocument { line, content, bytes } = document;
        match content {
            Ok(survey) if survey.figures.is_empty() => {
                self.skip(place, Some(line), DocumentFault::NoFigure);
            }
            Ok(survey) => {
                let survey = self.interned(place, line, bytes, survey);
                self.surveys.push(survey);
            }
            Err(fault @ (DocumentFault::Unreadable { .. } | DocumentFault::Empty)) => {
                self.skip(place, None, fault);
            }
            Err(fault) => self.skip(place, Some(line), fault),
        }
    }

    /// Notes a file, or a document of it, that is not used.
    pub fn skip(&mut self, place: &DocumentPlace, line: Option<usize>, fault: DocumentFault) {
        let file = place.file.to_string();
        self.skipped.push((place.clone(), SkippedDocument { file, line, fault }));
    }

    /// Compares with this machine rather than with the median of each group.
    ///
    /// # Errors
    /// If the document has no figure.
    pub fn set_reference(
        &mut self,
        place: &DocumentPlace,
        document: Option<ReadDocument>,
    ) -> Result<(), NotJudged> {
        let usable = document.and_then(|document| {
            let survey = document.content.ok().filter(|survey| !survey.figures.is_empty())?;
            Some((document.line, document.bytes, survey))
        });
        let (line, bytes, survey) =
            usable.ok_or_else(|| NotJudged::NoReference(place.file.to_string()))?;
        self.reference = Some(self.interned(place, line, bytes, survey));
        Ok(())
    }

    /// Documents that are not used so far.
    pub fn skipped(&self) -> Vec<SkippedDocument> {
        let mut all: Vec<&(DocumentPlace, SkippedDocument)> = self.skipped.iter().collect();
        all.sort_by_key(|(place, skipped)| (place.number, skipped.line));
        all.into_iter().map(|(_, skipped)| skipped.clone()).collect()
    }

    fn interned(
        &mut self,
        place: &DocumentPlace,
        line: usize,
        bytes: DocumentBytes,
        survey: SurveyFigures,
    ) -> FleetSurvey {
        let shape = self.shared_shape(FleetShape::new(&survey));
        let statements = survey.statements.into_iter().map(|(name, value)| {
            (self.texts.number(name), value.map(|value| self.texts.number(value)))
        });
        let statements = statements.collect();
        let statements = self.shared_settings(statements);
        let figures = survey.figures.into_iter();
        let (started, began) = read_time(survey.started);
        FleetSurvey {
            place: place.clone(),
            line,
            bytes,
            host: survey.machine.host,
            board: survey.machine.board,
            kept_name: None,
            is_guest: survey.machine.hypervisor.is_some(),
            started,
            began,
            duration_s: Some(survey.duration_s).filter(|it| it.is_finite() && *it > 0.0),
            built: survey.built,
            shape,
            statements,
            figures: figures.map(|(cell, figure)| (self.cells.number(cell), figure)).collect(),
        }
    }
}

impl FleetSurveys {
    /// These settings, or equal ones that another survey has.
    pub(crate) fn shared_settings(&mut self, settings: Settings) -> Arc<Settings> {
        shared(&mut self.settings, settings)
    }

    /// This shape, or an equal one that another survey has.
    pub(crate) fn shared_shape(&mut self, shape: FleetShape) -> Arc<FleetShape> {
        shared(&mut self.shapes, shape)
    }
}

/// A time in UTC and as an instant; else the text as it is.
pub(crate) fn read_time(text: String) -> (String, Option<Timestamp>) {
    match text.parse::<Timestamp>() {
        Ok(time) => (time.to_string(), Some(time)),
        Err(_) => (text, None),
    }
}

/// One of equal values.
fn shared<T: Hash + Eq>(known: &mut HashSet<Arc<T>>, value: T) -> Arc<T> {
    if let Some(same) = known.get(&value) {
        return Arc::clone(same);
    }
    let new = Arc::new(value);
    known.insert(Arc::clone(&new));
    new
}

impl FleetSurvey {
    /// The file, with the line where it holds several documents.
    pub(crate) fn source(&self, holds_several: bool) -> String {
        let file = &self.place.file;
        if holds_several { format!("{file}:{}", self.line) } else { file.to_string() }
    }

    /// The file's name without its folder and extension.
    pub(crate) fn file_stem(&self) -> String {
        let stem = Path::new(&*self.place.file).file_stem();
        stem.map_or_else(|| self.place.file.to_string(), |stem| stem.to_string_lossy().into_owned())
    }
}
