//! Surveys of one machine, joined.
//!
//! A machine is known by its host's name, which 'nearfar survey --host' keeps; without it, by its
//! file's name. Of several surveys of one machine, each cell has its newest figure: an older one
//! may be of before a repair, so that they are not pooled.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use nearfar_infer::fleet::FleetFigure;

use crate::fleet::surveys::{FleetSurvey, Settings};
use crate::fleet::{DocumentFault, DocumentPlace, FleetShape, NameSource, SkippedDocument};
use crate::fleet::{NaturalKey, natural_key};

/// A machine with all of its surveys.
#[derive(Debug)]
pub(crate) struct JoinedMachine {
    pub(crate) name: String,
    pub(crate) name_source: NameSource,
    pub(crate) shape: Arc<FleetShape>,
    pub(crate) is_guest: bool,
    /// When the newest survey began.
    pub(crate) started: String,
    /// The surveys that it has figures of, newest first.
    pub(crate) sources: Vec<String>,
    /// Of the newest survey.
    pub(crate) statements: Arc<Settings>,
    pub(crate) figures: Vec<(u32, FleetFigure)>,
}

/// The name of each survey's machine.
pub(crate) fn names(surveys: &[FleetSurvey]) -> Vec<String> {
    let by_file = surveys_by_file(surveys);
    let name = |survey: &FleetSurvey| name_of(survey, by_file[&survey.place.number] > 1);
    surveys.iter().map(name).collect()
}

/// The file of each survey, with the line where it holds several.
pub(crate) fn sources(surveys: &[FleetSurvey]) -> Vec<String> {
    let by_file = surveys_by_file(surveys);
    let source = |survey: &FleetSurvey| survey.source(by_file[&survey.place.number] > 1);
    surveys.iter().map(source).collect()
}

fn surveys_by_file(surveys: &[FleetSurvey]) -> HashMap<usize, usize> {
    let mut by_file: HashMap<usize, usize> = HashMap::new();
    for survey in surveys {
        *by_file.entry(survey.place.number).or_default() += 1;
    }
    by_file
}

/// Machines by name, and surveys that are not used.
pub(crate) fn joined(
    mut surveys: Vec<FleetSurvey>,
) -> (Vec<JoinedMachine>, Vec<(DocumentPlace, SkippedDocument)>) {
    surveys.sort_by_key(|survey| (survey.place.number, survey.line));
    let by_file = surveys_by_file(&surveys);
    let holds_several = |survey: &FleetSurvey| by_file[&survey.place.number] > 1;
    let mut skipped = Vec::new();
    let mut first_with: HashMap<(u64, u64), String> = HashMap::new();
    let mut machines: BTreeMap<NaturalKey, Vec<FleetSurvey>> = BTreeMap::new();
    for survey in surveys {
        let source = survey.source(holds_several(&survey));
        let bytes = (survey.bytes.hash, survey.bytes.bytes);
        if let Some(first) = first_with.get(&bytes) {
            skipped.push(skip(&survey, DocumentFault::Duplicate { of: first.clone() }));
            continue;
        }
        first_with.insert(bytes, source);
        let name = name_of(&survey, holds_several(&survey));
        machines.entry(natural_key(&name)).or_default().push(survey);
    }
    let joined = machines
        .into_iter()
        .map(|((_, name), surveys)| JoinedMachine::new(name, surveys, holds_several, &mut skipped));
    let machines = joined.collect();
    (machines, skipped)
}

fn name_of(survey: &FleetSurvey, holds_several: bool) -> String {
    match (survey.host.as_ref().or(survey.kept_name.as_ref()), holds_several) {
        (Some(name), _) => name.clone(),
        (None, false) => survey.file_stem(),
        (None, true) => format!("{}:{}", survey.file_stem(), survey.line),
    }
}

fn skip(survey: &FleetSurvey, fault: DocumentFault) -> (DocumentPlace, SkippedDocument) {
    let file = survey.place.file.to_string();
    (survey.place.clone(), SkippedDocument { file, line: Some(survey.line), fault })
}

impl JoinedMachine {
    fn new(
        name: String,
        mut surveys: Vec<FleetSurvey>,
        holds_several: impl Fn(&FleetSurvey) -> bool,
        skipped: &mut Vec<(DocumentPlace, SkippedDocument)>,
    ) -> Self {
        // Of two that began in the same second, the later document is the newer one.
        surveys.reverse();
        surveys.sort_by(|a, b| b.started.cmp(&a.started));
        let mut surveys = surveys.into_iter();
        let newest = surveys.next().expect("a machine has a survey");
        let source = newest.source(holds_several(&newest));
        let mut board = newest.board;
        let mut machine = Self {
            name,
            name_source: if newest.host.is_some() { NameSource::Host } else { NameSource::File },
            is_guest: newest.is_guest,
            sources: vec![source.clone()],
            shape: newest.shape,
            started: newest.started,
            statements: newest.statements,
            figures: newest.figures,
        };
        let mut is_swapped = false;
        let mut known: BTreeSet<u32> = machine.figures.iter().map(|(cell, _)| *cell).collect();
        for older in surveys {
            if older.shape != machine.shape {
                let newest = source.clone();
                skipped.push(skip(&older, DocumentFault::OtherShape { newest }));
                continue;
            }
            // Once another board was there, all older surveys are of that one, or earlier ones.
            let is_other = board.as_ref().zip(older.board.as_ref()).is_some_and(|(a, b)| a != b);
            if is_other || is_swapped {
                is_swapped = true;
                let newest = source.clone();
                skipped.push(skip(&older, DocumentFault::OtherBoard { newest }));
                continue;
            }
            board = board.or_else(|| older.board.clone());
            let (before, older_source) = (known.len(), older.source(holds_several(&older)));
            let new = older.figures.iter().filter(|(cell, _)| known.insert(*cell));
            machine.figures.extend(new.copied());
            if known.len() == before {
                let newest = source.clone();
                skipped.push(skip(&older, DocumentFault::Older { newest }));
            } else {
                machine.sources.push(older_source);
            }
        }
        machine
    }
}
