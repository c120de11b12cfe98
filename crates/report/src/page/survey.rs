//! One survey on a page: the verdict and what it means first, then the pictures, then how it came
//! about.

use maud::{Markup, html};
use nearfar_survey::{Survey, Warning};

use super::devices;
use super::document::{Origin, SURVEY, SURVEY_WITHOUT_SAMPLES, download};
use super::figure::figures;
use super::interrupts;
use super::method::method;
use super::sentence::{sentence, words};
use super::shell::{Section, page};
use super::summary::summary;
use crate::atlas;
use crate::pictures::{PictureKind, SurveyPicture, SurveyPictures, disturbances};
use crate::survey::verdict::reasons;
use crate::survey::warnings::WarningText;
use crate::survey::{Verbosity, headline, meaning, verdict};

/// The page. Raw samples are in it only where `with_samples` asks for them.
pub fn survey(survey: &Survey, origin: &Origin, with_samples: bool) -> String {
    let mut sections =
        vec![Section::new("verdict", "What it found", findings(survey, HeadingLevel::Third))];
    for kind in PictureKind::all() {
        sections.extend(pictures(survey, kind, &kind.draw(survey, None)));
        if kind == PictureKind::Machine {
            sections.extend(survey.devices.as_ref().and_then(devices::section));
            sections.extend(survey.interrupts.as_ref().and_then(interrupts::section));
        }
    }
    if let Some(warnings) = warnings(survey) {
        sections.push(Section::new("warnings", "Warnings", warnings));
    }
    let method = html! { (method(survey)) (document(survey, origin, with_samples)) };
    sections.push(Section::new("method", "How it was measured", method));
    page(&survey.machine.short_name(), &head(survey, origin), &sections)
}

/// A kind's section; none where it has nothing.
fn pictures(survey: &Survey, kind: PictureKind, drawn: &SurveyPictures) -> Option<Section> {
    if drawn.pictures.is_empty() && drawn.notes.is_empty() && drawn.answers.is_empty() {
        return None;
    }
    let body = html! {
        @for answers in &drawn.answers {
            p { (words(&answers.about)) }
            ul { @for line in &answers.lines { li { (sentence(line)) } } }
        }
        (figures(drawn.pictures.iter().map(SurveyPicture::picture), kind.name()))
        @for note in &drawn.notes { p class="note opens" { (sentence(note)) } }
    };
    Some(Section::new(kind.name(), kind.title(), folded(survey, kind, body)))
}

/// What is looked at in doubt only, under its summary; other kinds as they are.
pub(super) fn folded(survey: &Survey, kind: PictureKind, body: Markup) -> Markup {
    let summary = (kind == PictureKind::Disturbances).then(|| disturbances::summary(survey));
    match summary.flatten() {
        Some(summary) => html! { details { summary { (words(&summary)) } (body) } },
        None => body,
    }
}

/// What was found in a line, which machine it is, and how it was measured.
pub(super) fn head(survey: &Survey, origin: &Origin) -> Markup {
    html! {
        @if let Some(summary) = summary(survey) { p class="summary" { (words(&summary)) } }
        p { (words(&survey.machine.model)) " · " (words(&headline::machine(survey))) }
        p class="quiet" { (words(&headline::measurement(survey))) }
        @if let Some(made_from) = &origin.made_from { p class="origin" { (words(made_from)) } }
    }
}

/// How deep the headings among findings stand.
#[derive(Clone, Copy)]
pub(super) enum HeadingLevel {
    Third,
    /// Under a heading of the survey's own.
    Fourth,
}

impl HeadingLevel {
    fn heading(self, words: &str) -> Markup {
        match self {
            Self::Third => html! { h3 { (words) } },
            Self::Fourth => html! { h4 { (words) } },
        }
    }
}

/// Verdict, reasons, and what it means.
pub(super) fn findings(survey: &Survey, level: HeadingLevel) -> Markup {
    let meaning = meaning::sentences(survey);
    let published = atlas::sentences(&atlas::beside(survey));
    html! {
        @if survey.latency.rows.is_empty() {
            p class="verdict" {
                "Latency was not measured: there is no verdict. " code { "nearfar survey" }
                " gives one."
            }
        } @else {
            (judged(survey))
        }
        @if let Some(diagnosis) = &survey.claims.diagnosis {
            p {
                "Diagnosis (" (diagnosis.confidence.name()) "): "
                (sentence(&crate::survey::diagnosis::sentence(survey, diagnosis)))
                " Evidence: " code { "nearfar diagnose" }
            }
        }
        @if !meaning.is_empty() {
            (level.heading("What this means"))
            ol { @for one in &meaning { li { (sentence(one)) } } }
        }
        @if !published.is_empty() {
            (level.heading("Published figures"))
            ul { @for one in &published { li { (sentence(one)) } } }
        }
    }
}

/// The verdict, its reasons where it is undetermined, and what would settle it.
fn judged(survey: &Survey) -> Markup {
    let verdict = &survey.verdict;
    html! {
        p class="verdict" {
            strong { "NUMA: " (verdict::answer(verdict)) "." } " "
            (words(&verdict::sentence(survey)))
            @if verdict.is_among_shown() { " " (words(&reasons::not_searched_sentence())) }
        }
        @if !verdict.reasons.is_empty() && verdict.numa == nearfar_infer::Numa::Undetermined {
            ul {
                @for reason in &verdict.reasons {
                    li { (sentence(&reasons::reason(reason, Verbosity::Verbose))) }
                }
            }
        }
        @if let Some(settle) = verdict::would_settle(survey, Verbosity::Verbose) {
            p { "What would settle it: " (sentence(&settle)) }
        }
    }
}

fn warnings(survey: &Survey) -> Option<Markup> {
    let warnings: Vec<(&Warning, WarningText)> = survey
        .warnings
        .iter()
        .map(|warning| (warning, WarningText::new(warning, survey, Verbosity::Verbose)))
        .collect();
    (!warnings.is_empty()).then(|| {
        html! {
            ul {
                @for (warning, shown) in &warnings {
                    li {
                        @if let Some(instrument) = &warning.instrument {
                            strong { (words(instrument)) ": " }
                        }
                        (sentence(&shown.text))
                        @if let Some(remedy) = &shown.remedy {
                            br; "Remedy: " (sentence(remedy))
                        }
                    }
                }
            }
        }
    })
}

/// The document in a link, with samples or without.
pub(super) fn document(survey: &Survey, origin: &Origin, with_samples: bool) -> Markup {
    if with_samples && survey.samples.is_some() {
        return download(survey, origin, &SURVEY);
    }
    let mut kept = survey.clone();
    kept.strip_samples();
    download(&kept, origin, &SURVEY_WITHOUT_SAMPLES)
}
