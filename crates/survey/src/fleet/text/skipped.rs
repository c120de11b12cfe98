//! Documents that a fleet does not use.

use crate::fleet::{DocumentFault, SkippedDocument};

/// A sentence for each document.
pub fn skipped(documents: &[SkippedDocument]) -> Vec<String> {
    documents.iter().map(sentence).collect()
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
        DocumentFault::WrongClock { started } => {
            format!("{place} began at {started}, by its clock: set that, and measure anew")
        }
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
