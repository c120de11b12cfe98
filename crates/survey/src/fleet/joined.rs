//! Surveys of one machine, joined.
//!
//! A machine is known by its host's name, which 'nearfar survey --host' keeps; without it, by its
//! file's name. Of several surveys of one machine, each cell has its newest figure: an older one
//! may be of before a repair, so that they are not pooled.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use nearfar_infer::fleet::FleetFigure;

use crate::fleet::boards::{BoardChange, renamed};
use crate::fleet::naming::{name_of, surveys_by_file};
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

/// Machines by name, and surveys that are not used; a machine with a new name begins with it.
pub(crate) fn joined(
    mut surveys: Vec<FleetSurvey>,
    boards: &[BoardChange],
) -> (Vec<JoinedMachine>, Vec<(DocumentPlace, SkippedDocument)>) {
    surveys.sort_by_key(|survey| (survey.place.number, survey.line));
    let by_file = surveys_by_file(&surveys);
    let holds_several = |survey: &FleetSurvey| by_file[&survey.place.number] > 1;
    let renamed = renamed(&surveys, boards);
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
        if let Some(new) = renamed.get(&name) {
            skipped.push(skip(&survey, DocumentFault::Renamed { name: new.clone() }));
            continue;
        }
        machines.entry(natural_key(&name)).or_default().push(survey);
    }
    let joined = machines
        .into_iter()
        .map(|((_, name), surveys)| JoinedMachine::new(name, surveys, holds_several, &mut skipped));
    let machines = joined.collect();
    (machines, skipped)
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
        // Of two that began in the same second, the later document is the newer one; those without
        // a time are older than any.
        surveys.reverse();
        surveys.sort_by_key(|survey| std::cmp::Reverse(survey.began));
        let dated = surveys.iter().take_while(|survey| survey.began.is_some()).count();
        if dated > 0 {
            for undated in surveys.drain(dated..) {
                let started = undated.started.clone();
                skipped.push(skip(&undated, DocumentFault::NoTime { started }));
            }
        }
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
