//! A survey on one screen, and as CSV.

pub(crate) mod cell;
pub(crate) mod claimed;
mod claims_checked;
mod classes;
pub(crate) mod csv;
mod derived;
pub(crate) mod diagnosis;
mod effort;
pub(crate) mod fills;
pub(crate) mod grid;
pub(crate) mod headline;
pub mod meaning;
pub(crate) mod shade;
mod trust;
pub(crate) mod unmeasured;
pub(crate) mod verdict;
pub(crate) mod warnings;

pub(crate) use claimed::{Claimed, pair};
pub(crate) use grid::MatrixIndex;
use nearfar_devices::irq::text as irq;
use nearfar_model::Instrument;
use nearfar_survey::Survey;
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;

use crate::atlas;
use crate::instruments::{PartView, view};

pub use crate::instruments::parts;
pub use derived::Derived;

/// How much of a survey a screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// The three most important warnings; of several instruments a table of all.
    Brief,
    /// Every warning with its remedy.
    Verbose,
}

/// Whether a survey measured latency only, with or without a search for hidden nodes.
pub(crate) fn is_plain(measured: &[Instrument]) -> bool {
    matches!(measured, [] | [Instrument::Latency] | [Instrument::Latency, Instrument::Hidden])
}

/// The screen of a survey: is it NUMA, what does remote memory cost, what to do, and how far to
/// trust it. A document of one instrument is shown as [`part_text`].
pub fn text(survey: &Survey, verbosity: Verbosity) -> String {
    match survey.measured()[..] {
        ref plain if is_plain(plain) => sections([
            headline::text(survey),
            verdict::text(survey)
                + &diagnosis::text(survey)
                + &irq::line(survey.interrupts.as_ref()),
            text_of(survey, Instrument::Latency),
            derived::sections(survey),
            text_of(survey, Instrument::Hidden),
            meaning::text(survey),
            atlas::section(survey),
            trust::text(survey, verbosity),
        ]),
        [only] => part_text(survey, only, verbosity),
        [..] => several(survey, verbosity),
    }
}

/// Several instruments. The screen is long, so the verdict is its first and its last line.
fn several(survey: &Survey, verbosity: Verbosity) -> String {
    let measured = survey.measured();
    let parts: Vec<String> =
        measured.iter().filter_map(|&part| Some(view(survey, part)?.in_short())).collect();
    let has_verdict = measured.contains(&Instrument::Latency);
    let if_verdict = |text: String| if has_verdict { text } else { String::new() };
    sections([
        headline::text(survey),
        if_verdict(verdict::text(survey))
            + &diagnosis::text(survey)
            + &irq::line(survey.interrupts.as_ref()),
        answers(survey),
        parts.join("\n"),
        derived::sections(survey),
        meaning::text(survey),
        atlas::section(survey),
        trust::text_of_several(survey, verbosity),
        if_verdict(verdict::line(survey)),
    ])
}

/// The answer of each part in a line; latency's answer is the verdict.
fn answers(survey: &Survey) -> String {
    let parts = || survey.measured().into_iter().filter(|part| *part != Instrument::Latency);
    let width = parts().map(|part| part.name().len()).max().unwrap_or(0) + 2;
    let line = |part: Instrument| {
        let answer = view(survey, part).and_then(PartView::answer);
        let answer = answer.unwrap_or_else(|| "no figure".to_owned());
        let head = format!("{:width$}", part.name());
        paragraph::of(&answer, &head, &" ".repeat(width))
    };
    parts().map(line).collect()
}

fn text_of(survey: &Survey, part: Instrument) -> String {
    view(survey, part).map(PartView::text).unwrap_or_default()
}

/// All figures of one part, and what disturbed them.
pub fn part_text(survey: &Survey, part: Instrument, verbosity: Verbosity) -> String {
    let meaning = if part == Instrument::Latency { meaning::text(survey) } else { String::new() };
    sections([
        headline::text(survey),
        text_of(survey, part),
        effort::of(survey, part),
        meaning,
        trust::text_of_part(survey, part, verbosity),
    ])
}

/// One part's cells as CSV.
pub fn part_csv(survey: &Survey, part: Instrument) -> String {
    tables_of(survey, part).into_iter().map(CsvTable::text).collect()
}

fn tables_of(survey: &Survey, part: Instrument) -> Vec<CsvTable<'_>> {
    view(survey, part).map(PartView::csv).unwrap_or_default()
}

/// The cells of a document as CSV (RFC 4180), rows and columns by label; of a plain survey,
/// latency's. Each of several parts has its own header, and its name in the first column.
pub fn csv(survey: &Survey) -> String {
    match survey.measured()[..] {
        ref plain if is_plain(plain) => part_csv(survey, Instrument::Latency),
        [only] => part_csv(survey, only),
        ref several => {
            let tables = |part: &Instrument| {
                let tables = tables_of(survey, *part).into_iter();
                tables.map(|table| table.text_of_part(part.name())).collect::<String>()
            };
            several.iter().map(tables).collect()
        }
    }
}

/// A part that was computed from latencies.
pub fn derived_text(survey: &Survey, part: Derived) -> String {
    sections([headline::text(survey), part.text(survey)])
}

/// A part that was computed from latencies, as CSV.
pub fn derived_csv(survey: &Survey, part: Derived) -> String {
    part.csv(survey)
}
