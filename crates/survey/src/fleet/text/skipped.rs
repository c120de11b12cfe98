//! Documents that a fleet does not use.

use std::mem::{Discriminant, discriminant};

use crate::fleet::{DocumentFault, SkippedDocument};

/// More documents than these, for one reason, are a sentence.
const MAX_SINGLE: usize = 3;

/// A sentence for each document; one for many that are whole, and not used for one reason.
pub fn skipped(documents: &[SkippedDocument]) -> Vec<String> {
    let mut by_reason: Vec<(Option<Reason<'_>>, Vec<&SkippedDocument>)> = Vec::new();
    for document in documents {
        let reason = reason(document);
        let mut same = by_reason.iter_mut();
        match same.find(|(other, _)| reason.is_some() && *other == reason) {
            Some((_, same)) => same.push(document),
            None => by_reason.push((reason, vec![document])),
        }
    }
    let sentences = by_reason.iter().flat_map(|(_, same)| match same[..] {
        [first, ..] if same.len() > MAX_SINGLE => vec![together(first, same.len())],
        _ => same.iter().map(|document| sentence(document)).collect(),
    });
    sentences.collect()
}

/// The same for documents that one sentence may have.
type Reason<'d> = (Discriminant<DocumentFault>, &'d str);

/// None of a document that may have to be repaired.
fn reason(document: &SkippedDocument) -> Option<Reason<'_>> {
    let of = match &document.fault {
        DocumentFault::Older { .. } | DocumentFault::Duplicate { .. } => "",
        DocumentFault::Renamed { name } => name,
        DocumentFault::OtherBoard { newest } | DocumentFault::OtherShape { newest } => newest,
        DocumentFault::WrongClock { .. } | DocumentFault::NoTime { .. } => &document.file,
        _ => return None,
    };
    Some((discriminant(&document.fault), of))
}

fn together(first: &SkippedDocument, documents: usize) -> String {
    match &first.fault {
        DocumentFault::Older { .. } => {
            format!("{documents} documents are older than the newest of their machines")
        }
        DocumentFault::Renamed { name } => {
            format!("{documents} documents are of the machine that is now {name}")
        }
        _ => format!("{}; {} more likewise", sentence(first), documents - 1),
    }
}

fn sentence(document: &SkippedDocument) -> String {
    let SkippedDocument { file, line, fault } = document;
    let place = match line {
        Some(line @ 2..) => format!("{file}, line {line}"),
        _ => file.clone(),
    };
    match fault {
        DocumentFault::Unreadable { why } => format!("{place} cannot be read: {why}"),
        DocumentFault::Empty => format!("{place} is empty: did its survey fail?"),
        DocumentFault::CutOff => format!("{place} is cut off: copy it again, or repeat the survey"),
        DocumentFault::NotASurvey { why } => format!("{place} is not a survey: {why}"),
        DocumentFault::OtherKind { schema } => {
            format!("{place} is not a survey: its schema is '{schema}'")
        }
        DocumentFault::OtherSchema { schema } => {
            format!(
                "{place} has schema '{schema}', and this nearfar reads '{}': measure anew",
                crate::SCHEMA
            )
        }
        DocumentFault::Contradiction { why } => format!("{place} contradicts itself: {why}"),
        DocumentFault::OtherText => format!("{place} is text of another program"),
        DocumentFault::NoFigure => format!("{place} has no figure: nothing was measured"),
        DocumentFault::Duplicate { of } => format!("{place} is the same document as {of}"),
        DocumentFault::WrongClock { started, built: None } => {
            format!("{place} began at {started}, by its clock: set that, and measure anew")
        }
        DocumentFault::WrongClock { started, built: Some(day) } => format!(
            "{place} began at {started}, by its clock, and its kernel or BIOS is of {day}: set the \
             clock, and measure anew"
        ),
        DocumentFault::NoTime { started } => {
            format!("{place} has no time that can be read: '{started}'")
        }
        DocumentFault::Folder => format!("{place} is a folder: name it, too, to read its files"),
        DocumentFault::Older { newest } => format!("{place} is older than {newest}, same machine"),
        DocumentFault::Renamed { name } => format!("{place} is of the machine that is now {name}"),
        DocumentFault::OtherBoard { newest } => {
            format!("{place} is of the board that the machine of {newest} had before")
        }
        DocumentFault::OtherShape { newest } => {
            format!("{place} shows the machine of {newest} in another shape, and is older")
        }
    }
}
