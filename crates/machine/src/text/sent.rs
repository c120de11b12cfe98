//! What files are, a line for each part.

use nearfar_view::text::count;

use crate::sent::{Sent, SentPart};

/// "x3: lscpu of an AMD EPYC 7451, 96 CPUs, 8 nodes"
pub fn parts(sent: &Sent) -> Vec<String> {
    let is_alone =
        |part: &SentPart| sent.parts.iter().filter(|other| other.file == part.file).count() == 1;
    let read = sent.parts.iter().map(|part| line(part, is_alone(part)));
    let others = sent.not_understood.iter().map(|part| {
        format!("{}, line {}: begins as {}, and is not understood", part.file, part.line, part.form)
    });
    read.chain(others).collect()
}

fn line(part: &SentPart, is_alone: bool) -> String {
    let place =
        if is_alone { part.file.clone() } else { format!("{}, line {}", part.file, part.line) };
    let facts = &part.facts;
    let of_model = facts.model.as_ref().map(|model| format!(" of {} {model}", article(model)));
    let of = of_model.unwrap_or_default();
    let mut about: Vec<String> = Vec::new();
    about.extend(facts.cpus.map(|cpus| count(cpus, "CPU")));
    about.extend(facts.nodes.map(|nodes| count(nodes, "node")));
    about.extend(facts.release.as_ref().map(|release| format!("Linux {release}")));
    about.extend((facts.devices > 0).then(|| count(facts.devices, "device")));
    about.extend((facts.lines > 0).then(|| count(facts.lines, "line")));
    let about: String = about.iter().map(|fact| format!(", {fact}")).collect();
    format!("{place}: {}{of}{about}", part.form)
}

fn article(name: &str) -> &'static str {
    let is_vowel = name.starts_with(|c: char| "AEIOUaeiou".contains(c));
    if is_vowel { "an" } else { "a" }
}
