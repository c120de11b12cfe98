//! What to do about objects that cost something where they are, with commands to paste.

use std::collections::BTreeSet;

use nearfar_infer::object_effects::ObjectVerdict;
use nearfar_process::{MemoryObject, ObjectKind};
use nearfar_view::terminal::printable;
use nearfar_view::text::percent::{percent, share};

use super::object_words::object_name;
use crate::explain::{DosedProcess, MeasuredObject, ObjectsDocument, ObjectsStage};

/// A share of an object that is remote, from which on moving it is worth a sentence.
const SOME: f64 = 0.02;

/// A sentence, and the commands that it is about.
pub(super) struct Remedy {
    pub(super) text: String,
    pub(super) commands: Vec<String>,
}

/// For each object that is on the slower node what puts it on the other; last those that are right.
pub(super) fn remedies(document: &ObjectsDocument) -> Vec<Remedy> {
    let mut all: Vec<Remedy> = match document.is_of_threads() {
        true => objects(&document.stages).filter_map(|one| bound(document, one)).collect(),
        false => to_be_moved(document).filter_map(|one| moved(document, one)).collect(),
    };
    let first = document.stages.iter().take(1).flat_map(|stage| &stage.objects);
    let is_near = |one: &&MeasuredObject| one.costs() && one.remote_share < SOME;
    let near: Vec<String> = first.filter(is_near).map(|one| object_name(&one.object)).collect();
    if !near.is_empty() {
        let text = format!("Near already, keep it there: {}.", near.join(", "));
        all.push(Remedy { text, commands: Vec::new() });
    }
    all
}

fn objects(stages: &[ObjectsStage]) -> impl Iterator<Item = &MeasuredObject> {
    stages.iter().flat_map(|stage| &stage.objects)
}

fn is_lost(one: &MeasuredObject) -> bool {
    one.costs() && one.remote_share >= SOME
}

/// Of an object that was cut its ranges; itself, if all of these are to be moved.
fn to_be_moved(document: &ObjectsDocument) -> impl Iterator<Item = &MeasuredObject> {
    let name = |one: &MeasuredObject| one.object.name.clone();
    let (mut cut, mut within) = (BTreeSet::new(), BTreeSet::new());
    for stage in &document.stages {
        let Some(of) = &stage.cut else { continue };
        if within.contains(of) || stage.objects.iter().all(is_lost) {
            within.extend(stage.objects.iter().map(name));
        } else {
            cut.insert(of.clone());
        }
    }
    objects(&document.stages).filter(move |one| {
        is_lost(one) && !cut.contains(&one.object.name) && !within.contains(&one.object.name)
    })
}

fn moved(document: &ObjectsDocument, one: &MeasuredObject) -> Option<Remedy> {
    let effect = one.effect.effect?;
    let object = &one.object;
    // Which of its pages it uses is not known, nor those of other remote objects.
    let most = percent(1.0 - 1.0 / (1.0 + effect.ci95[1]));
    let is_named = !matches!(object.kind, ObjectKind::Rest | ObjectKind::SmallAnonymous);
    let commands = if is_named { commands(document, object) } else { Vec::new() };
    let text = format!(
        "{} of {} is remote. Near memory would save up to {most} of the program's time{}. {}",
        share(one.remote_share),
        object_name(object),
        if is_named { ": the first command tries it, the second moves it" } else { "" },
        created_again(object)
    );
    Some(Remedy { text, commands })
}

/// What measures that moving an object pays, and what moves it.
fn commands(document: &ObjectsDocument, object: &MemoryObject) -> Vec<String> {
    let target = match &document.nodes[..] {
        [one] => one.pid.to_string(),
        _ => printable::line(&document.target).into_owned(),
    };
    let near = process_of(document, object).or(document.nodes.first()).map_or(0, |one| one.near.0);
    let name = printable::line(&object.name).replace('\'', "'\\''");
    vec![
        format!("nearfar explain {target} --try --object '{name}' --to {near}"),
        format!("nearfar move {target} --object '{name}' --nodes {near}"),
    ]
}

fn process_of<'d>(
    document: &'d ObjectsDocument,
    object: &MemoryObject,
) -> Option<&'d DosedProcess> {
    let part = object.parts.first()?;
    document.nodes.iter().find(|process| process.pid == part.pid)
}

/// How the program gets it there at its next start.
fn created_again(object: &MemoryObject) -> &'static str {
    match object.kind {
        ObjectKind::Shared => {
            "The program that creates it decides its policy: start it with 'nearfar run -m'."
        }
        ObjectKind::File => {
            "Its cached pages stay there: 'nearfar run --warm' reads it onto a node."
        }
        _ => "New pages of it go where the program's policy puts them.",
    }
}

/// What binds a thread that ran on the slower one of both nodes.
fn bound(document: &ObjectsDocument, one: &MeasuredObject) -> Option<Remedy> {
    let effect = one.effect.effect?;
    let process = process_of(document, &one.object)?;
    let is_near = one.remote_share < SOME;
    let (node, saves) = match one.effect.verdict {
        ObjectVerdict::Costs if !is_near => (process.near, 1.0 - 1.0 / (1.0 + effect.ci95[1])),
        ObjectVerdict::FarIsFaster if is_near => (process.far, -effect.ci95[0]),
        _ => return None,
    };
    let (_, tid) = one.object.name.rsplit_once(", thread ")?;
    let text = format!(
        "{} ran on another node than {node}, where the program is faster. Binding it saves up to \
         {} of the program's time.",
        object_name(&one.object),
        percent(saves)
    );
    let bind = format!("taskset -cp $(cat /sys/devices/system/node/node{node}/cpulist) {tid}");
    Some(Remedy { text, commands: vec![bind] })
}
