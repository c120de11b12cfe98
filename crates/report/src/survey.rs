//! A survey on one screen, and as CSV.

pub(crate) mod cell;
pub(crate) mod claimed;
mod claims_checked;
mod classes;
pub(crate) mod csv;
mod derived;
mod diagnosis;
mod effort;
mod footer;
pub(crate) mod grid;
pub(crate) mod headline;
pub mod meaning;
pub(crate) mod shade;
pub(crate) mod unmeasured;
pub(crate) mod verdict;
pub(crate) mod warnings;

pub(crate) use claimed::{Claimed, pair};
pub(crate) use grid::Grid;
use nearfar_model::Instrument;
use nearfar_survey::Survey;
use nearfar_terminal::table::{Align, Table};

use crate::instruments::{PartView, view};
use crate::paragraph;
use crate::sections::sections;

pub use crate::instruments::parts;
pub use derived::Derived;

/// Whether a survey is latency's, whether or not it looked for hidden nodes.
pub(crate) fn is_plain(measured: &[Instrument]) -> bool {
    matches!(measured, [] | [Instrument::Latency] | [Instrument::Latency, Instrument::Hidden])
}

/// The one screen: who the machine is, what memory costs, what firmware claims, the verdict, what
/// the system says of itself, what disturbed it. One instrument's document is shown as that
/// instrument shows it; of several, the answers come first.
pub fn text(survey: &Survey) -> String {
    match survey.measured()[..] {
        ref plain if is_plain(plain) => sections([
            headline::text(survey),
            text_of(survey, Instrument::Latency),
            derived::sections(survey),
            text_of(survey, Instrument::Hidden),
            verdict::text(survey) + &diagnosis::text(survey),
            footer::meaning(survey),
            footer::warnings(survey),
        ]),
        [only] => part_text(survey, only),
        [..] => several(survey),
    }
}

/// Verdict and answers, then each part as far as it goes on a screen.
fn several(survey: &Survey) -> String {
    let measured = survey.measured();
    let parts: Vec<String> =
        measured.iter().filter_map(|&part| Some(view(survey, part)?.in_short())).collect();
    let verdict =
        if measured.contains(&Instrument::Latency) { verdict::text(survey) } else { String::new() };
    sections([
        headline::text(survey),
        verdict + &diagnosis::text(survey),
        answers(survey),
        parts.join("\n"),
        derived::sections(survey),
        effort::text(survey),
        footer::meaning(survey),
        footer::warnings(survey),
    ])
}

/// The answer of each part beside latency in a line: latency's is the verdict.
fn answers(survey: &Survey) -> String {
    let mut table = Table::default();
    for part in survey.measured().into_iter().filter(|part| *part != Instrument::Latency) {
        let answer = view(survey, part).and_then(PartView::answer);
        let answer = paragraph::short(&answer.unwrap_or_else(|| "no figure".to_owned()));
        table.line([part.name().to_owned(), answer]);
    }
    table.text(&[Align::Left])
}

fn text_of(survey: &Survey, part: Instrument) -> String {
    view(survey, part).map(PartView::text).unwrap_or_default()
}

/// One part with all that it has, and what disturbed it.
pub fn part_text(survey: &Survey, part: Instrument) -> String {
    sections([
        headline::text(survey),
        text_of(survey, part),
        effort::of(survey, part),
        footer::meaning_of(survey, part),
        footer::warnings_of(survey, part),
    ])
}

/// One part's cells as CSV.
pub fn part_csv(survey: &Survey, part: Instrument) -> String {
    view(survey, part).map(PartView::csv).unwrap_or_default()
}

/// The cells of a document as CSV (RFC 4180), rows and columns by label; of a plain survey,
/// latency's. Several parts follow one another, each under a header of its own, and with its name
/// in the first column.
pub fn csv(survey: &Survey) -> String {
    match survey.measured()[..] {
        ref plain if is_plain(plain) => part_csv(survey, Instrument::Latency),
        [only] => part_csv(survey, only),
        ref several => several
            .iter()
            .map(|part| csv::with_part(part.name(), &part_csv(survey, *part)))
            .collect(),
    }
}

/// One part that no instrument made.
pub fn derived_text(survey: &Survey, part: Derived) -> String {
    sections([headline::text(survey), part.text(survey)])
}

/// The same as CSV.
pub fn derived_csv(survey: &Survey, part: Derived) -> String {
    part.csv(survey)
}
