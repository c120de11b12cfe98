//! The text of a survey: each of its sentences and tables, judged from the machine's description.
//!
//! How it was measured, and warnings, are not about the machine, and are not judged.

mod advice;
mod atlas;
mod claim_grammar;
mod claims;
mod facts;
mod grammar;
mod missed;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use nearfar_report::survey::meaning;
use nearfar_report::survey::{Verbosity, text};
use nearfar_survey::Survey;
use nearfar_view::text::sections;

use super::Slack;
use super::judgement::Judgement;
use super::memory::MemoryTruth;
use crate::check::judged::Judged;
use crate::machine::LabMachine;

use claims::ClaimedTables;
use grammar::SurveySentence;

/// Sections that show how it was measured, or that are judged sentence by sentence.
const NOT_ABOUT_MEMORY: [&str; 6] = [
    "Measurement",
    "Warnings",
    "What to do",
    "What would settle it",
    "Why it is undetermined",
    "time and precision",
];

/// By kind of sentence, what is right, wrong and missed in a survey's text. Nothing where the
/// kernel does not show the nodes: then costs are those of unnamed pages.
pub(crate) fn judged(survey: &Survey, machine: &LabMachine, slack: Slack) -> Vec<Judged> {
    if !machine.shows_nodes() || survey.latency.columns.len() < 2 {
        return Vec::new();
    }
    let sentences = meaning::sentences(survey);
    let screen = text(survey, Verbosity::Verbose);
    // The machine's line is a section of its own. The last line repeats the verdict.
    let screen = sections([screen.first.replacen('\n', "\n\n", 1), screen.rest]);
    let screen = anstream::adapter::strip_str(&screen).to_string();
    SurveyText { survey, truth: &MemoryTruth::new(machine), slack }.judged(&sentences, &screen)
}

/// What sentences are held against.
struct SurveyText<'s> {
    survey: &'s Survey,
    truth: &'s MemoryTruth,
    slack: Slack,
}

/// Judged sentences by kind.
#[derive(Default)]
struct ByKind(BTreeMap<&'static str, Judged>);

impl ByKind {
    fn of(&mut self, what: &'static str) -> &mut Judged {
        self.0.entry(what).or_insert_with(|| Judged::new(what))
    }

    fn add(&mut self, what: &'static str, text: &str, judgement: Option<Judgement<'_>>) {
        let judged = self.of(what);
        let Some(judgement) = judgement else {
            judged.unjudged.push(text.to_owned());
            return;
        };
        let [held, all] = judgement.intervals;
        judged.intervals = [judged.intervals[0] + held, judged.intervals[1] + all];
        judged.state(judgement.wrong.is_empty(), || {
            format!("\"{text}\": {}", judgement.wrong.join("; "))
        });
    }
}

impl SurveyText<'_> {
    fn judged(&self, sentences: &[String], screen: &str) -> Vec<Judged> {
        let mut kinds = ByKind::default();
        let printed: Vec<SurveySentence> =
            sentences.iter().filter_map(|text| self.sentence(text, &mut kinds)).collect();
        for section in screen.split("\n\n") {
            self.section(section, &mut kinds);
        }
        let tables = ClaimedTables(&self.survey.claims);
        for (what, missed) in missed::missed(&printed, &tables, self.truth) {
            kinds.of(what).missed.push(missed);
        }
        kinds.0.into_values().collect()
    }

    /// A sentence of "What to do"; parsed, where its kind is known.
    fn sentence(&self, text: &str, kinds: &mut ByKind) -> Option<SurveySentence> {
        let Some(sentence) = SurveySentence::parse(text) else {
            kinds.add("advice: sentences of no known kind", text, None);
            return None;
        };
        if sentence == SurveySentence::Other {
            kinds.add(sentence.what(), text, None);
            return Some(sentence);
        }
        let mut judgement = Judgement::new(self.truth, self.slack);
        match &sentence {
            SurveySentence::Claim(claim) => {
                let tables = ClaimedTables(&self.survey.claims);
                claims::judge(claim, &tables, self.truth, &mut judgement);
            }
            placement => advice::judge(placement, self.truth, &mut judgement),
        }
        kinds.add(sentence.what(), text, Some(judgement));
        Some(sentence)
    }

    /// A part of the screen between empty lines.
    fn section(&self, section: &str, kinds: &mut ByKind) {
        let lines: Vec<&str> = section.lines().collect();
        let Some((title, rows)) = lines.split_first() else { return };
        if NOT_ABOUT_MEMORY.iter().any(|head| title.starts_with(head)) {
            return;
        }
        let mut judgement = Judgement::new(self.truth, self.slack);
        let (what, is_known) = if title.starts_with("NUMA: ") {
            let lines = joined(&lines, |line| line.starts_with("  "));
            let verdict = lines.into_iter().next().unwrap_or_default();
            ("screen: verdict", facts::verdict(&verdict, self.truth, &mut judgement))
        } else if title.starts_with("latency, ns") {
            ("screen: latency table", facts::latency(rows, self.truth, &mut judgement))
        } else if title.starts_with("ratio to local") {
            let truth = (&ClaimedTables(&self.survey.claims), self.truth);
            ("screen: ratio table", facts::ratios(title, rows, truth, &mut judgement))
        } else if title.starts_with("        ") {
            // A table's further columns.
            ("screen: latency table", self.further_columns(&lines, &mut judgement))
        } else if title.starts_with("distance classes") || title.starts_with("links: ") {
            return self.classes(&lines, kinds);
        } else if *title == "Published figures" {
            for line in joined(rows, |line| line.starts_with("    ")) {
                let mut judgement = Judgement::new(self.truth, self.slack);
                let known = atlas::judge(&line, self.truth, &mut judgement);
                kinds.add("screen: published figures", line.trim(), known.map(|()| judgement));
            }
            return;
        } else if self.is_headline(title) {
            return;
        } else {
            ("screen: sections of no known kind", None)
        };
        kinds.add(what, section, is_known.map(|()| judgement));
    }

    /// Further columns of costs, or of ratios.
    fn further_columns(&self, lines: &[&str], judgement: &mut Judgement<'_>) -> Option<()> {
        if lines.iter().any(|line| line.contains('|')) {
            let truth = (&ClaimedTables(&self.survey.claims), self.truth);
            return facts::ratios("", lines, truth, judgement);
        }
        facts::latency(lines, self.truth, judgement)
    }

    fn is_headline(&self, title: &str) -> bool {
        title.starts_with(&self.survey.machine.short_name())
    }

    /// Classes, and the links under them.
    fn classes(&self, lines: &[&str], kinds: &mut ByKind) {
        let (links, classes): (Vec<String>, Vec<String>) = joined(lines, goes_on_in_classes)
            .into_iter()
            .partition(|line| line.contains("links") || line.starts_with("bandwidth "));
        let mut judgement = Judgement::new(self.truth, self.slack);
        let known = match classes.split_first() {
            Some((title, [])) if title.contains("undetermined") => Some(()),
            Some((title, [])) => one_class(title, self.truth, &mut judgement),
            Some((_, rest)) => facts::classes(rest, self.truth, &mut judgement),
            None => None,
        };
        if !classes.is_empty() {
            kinds.add("screen: classes", &classes.join("\n"), known.map(|()| judgement));
        }
        for line in links.iter().filter(|line| line.starts_with("links: ")) {
            let mut judgement = Judgement::new(self.truth, self.slack);
            let known = facts::links_line(line, self.truth, &mut judgement);
            kinds.add("screen: links", line, known.map(|()| judgement));
        }
    }
}

/// "distance classes: one, all memory has 107 ±1 ns".
fn one_class(title: &str, truth: &MemoryTruth, judged: &mut Judgement<'_>) -> Option<()> {
    let ([ns], _) = super::pattern::capture("distance classes: one, all memory has {} ±", title)?;
    let all: Vec<f64> = truth
        .cpu_nodes()
        .flat_map(|cpus| truth.memory_nodes().filter_map(move |memory| truth.cost(cpus, memory)))
        .collect();
    judged.ns(super::pattern::number(ns)?, Some(all.iter().sum::<f64>() / all.len() as f64));
    Some(())
}

/// Paragraphs as one line each; some lines go on with the one before.
fn joined(lines: &[&str], goes_on: fn(&str) -> bool) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for line in lines {
        match joined.last_mut() {
            Some(last) if goes_on(line) => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => joined.push((*line).to_owned()),
        }
    }
    joined
}

/// Under a class, its further pairs are below the first; under links, they are indented.
fn goes_on_in_classes(line: &str) -> bool {
    let is_class = line.split("   ").any(|entry| entry.contains('±'));
    line.starts_with("  ") && !is_class
}
