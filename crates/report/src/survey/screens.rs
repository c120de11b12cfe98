//! The screens of surveys and of their parts: the answer, what to do, the table that answers; then
//! all others; then the answer once more.

use std::path::Path;

use nearfar_devices::irq::text as irq;
use nearfar_infer::NumaReason;
use nearfar_model::Instrument;
use nearfar_survey::Survey;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::paragraph;

use super::{Derived, Verbosity, classes, derived, diagnosis, effort, headline, is_plain};
use super::{meaning, near_far, trust, verdict};
use crate::atlas;
use crate::first_screen::FirstScreen;
use crate::instruments::{PartView, view};

/// The screen of a survey: is it NUMA, what to do, what remote memory costs, and how far to trust
/// it. A document of one instrument is shown as [`part_text`].
pub fn text(survey: &Survey, verbosity: Verbosity) -> Screen {
    match survey.measured()[..] {
        ref plain if is_plain(plain) => latency_text(survey, verbosity),
        [only] => part_text(survey, only, verbosity),
        [..] => several(survey, verbosity),
    }
}

fn latency_text(survey: &Survey, verbosity: Verbosity) -> Screen {
    let mut screen = with_answer(survey, None, verbosity);
    screen.list(meaning::TITLE, &meaning::entries(survey, verbosity));
    screen.section(verdict::open_points(survey, verbosity));
    let mut tables = sections_of(survey, Instrument::Latency, verbosity);
    let mut hidden = sections_of(survey, Instrument::Hidden, verbosity);
    // The verdict's figures are of hidden nodes: their table comes first.
    if survey.verdict.reasons.contains(&NumaReason::NotShown) && hidden.len() > 1 {
        tables.insert(0, hidden.remove(0));
    }
    screen.tables(tables, &near_and_far(survey));
    screen.section(why_these_nodes(survey));
    let [classes, links] = derived::sections(survey, verbosity);
    let classes = if screen.has(&classes) { String::new() } else { classes };
    screen.below(classes + &links);
    hidden.into_iter().for_each(|section| screen.below(section));
    screen.below(atlas::section(survey));
    screen.below(trust::text(survey, verbosity));
    screen.screen()
}

fn several(survey: &Survey, verbosity: Verbosity) -> Screen {
    let measured = survey.measured();
    let mut screen = with_answer(survey, None, verbosity);
    screen.list(meaning::TITLE, &meaning::entries(survey, verbosity));
    screen.list("", &answers(survey));
    if measured.contains(&Instrument::Latency) {
        screen.section(verdict::open_points(survey, verbosity));
    }
    screen.below(why_these_nodes(survey));
    let parts = measured.iter().filter_map(|&part| Some(view(survey, part)?.in_short(verbosity)));
    parts.for_each(|part| screen.below(part));
    screen.below(derived::sections(survey, verbosity).concat());
    screen.below(atlas::section(survey));
    screen.below(trust::text_of_several(survey, verbosity));
    screen.screen()
}

/// All figures of one part, and what disturbed them.
pub fn part_text(survey: &Survey, part: Instrument, verbosity: Verbosity) -> Screen {
    let mut screen = with_answer(survey, Some(part), verbosity);
    screen.list(meaning::TITLE, &meaning::entries_of(survey, part, verbosity));
    let summary = match part {
        Instrument::Latency => near_and_far(survey),
        _ => String::new(),
    };
    screen.tables(sections_of(survey, part, verbosity), &summary);
    if verbosity == Verbosity::Verbose {
        screen.below(effort::of(survey, part));
    }
    screen.below(trust::text_of_part(survey, part, verbosity));
    screen.screen()
}

/// A part that was computed from latencies.
pub fn derived_text(survey: &Survey, part: Derived, verbosity: Verbosity) -> Screen {
    let answer = part.answer(survey);
    let lines = paragraph::of(&answer, "", "  ");
    let mut screen = FirstScreen::new(headline::line(survey) + &lines, &lines);
    screen.tables(part.sections(survey, verbosity), "");
    screen.screen()
}

/// The last line: the answer of a part, or of all, and where the document is.
pub fn last_line(survey: &Survey, part: Option<Instrument>, saved_as: Option<&Path>) -> String {
    let saved = saved_as.map(|path| format!("; saved as {}", path.display())).unwrap_or_default();
    crate::first_screen::bold(&paragraph::of(&(answer(survey, part) + &saved), "", "  "))
}

/// The machine in a line, and the answer.
fn with_answer(survey: &Survey, part: Option<Instrument>, verbosity: Verbosity) -> FirstScreen {
    let of = part.or_else(|| answering(survey));
    let long = match of {
        None | Some(Instrument::Latency) => verdict::line(survey, verbosity),
        Some(part) => {
            let head = format!("{}: ", part.name());
            paragraph::with_bold_head(&head, &answer_of(survey, part), "  ")
        }
    };
    let last = paragraph::of(&answer(survey, part), "", "  ");
    FirstScreen::new(headline::line(survey) + &long, &last)
}

/// The instrument whose answer is the survey's: latency has the verdict.
fn answering(survey: &Survey) -> Option<Instrument> {
    let measured = survey.measured();
    let latency = measured.iter().find(|&&part| part == Instrument::Latency);
    latency.or(measured.first()).copied()
}

/// The answer of a part, or of all, in a line.
pub fn answer(survey: &Survey, part: Option<Instrument>) -> String {
    match part.or_else(|| answering(survey)) {
        None | Some(Instrument::Latency) => verdict::in_short(survey),
        Some(part) => format!("{}: {}", part.name(), answer_of(survey, part)),
    }
}

fn answer_of(survey: &Survey, part: Instrument) -> String {
    let answer = view(survey, part).and_then(PartView::screen_answer);
    answer.unwrap_or_else(|| "no figure".to_owned())
}

/// The answer of each part in a line; latency's answer is the verdict.
fn answers(survey: &Survey) -> Vec<String> {
    let parts = || survey.measured().into_iter().filter(|part| *part != Instrument::Latency);
    let width = parts().map(|part| part.name().len()).max().unwrap_or(0) + 2;
    let line = |part: Instrument| {
        let head = format!("{:width$}", part.name());
        paragraph::of(&answer_of(survey, part), &head, &" ".repeat(width))
    };
    parts().map(line).collect()
}

fn sections_of(survey: &Survey, part: Instrument, verbosity: Verbosity) -> Vec<String> {
    view(survey, part).map(|view| view.sections(verbosity)).unwrap_or_default()
}

/// The matrix in a few lines: its classes, or the range of local and of remote memory.
fn near_and_far(survey: &Survey) -> String {
    let classes = survey.classes.as_ref().filter(|classes| classes.refused.is_none());
    let by_class = classes.map(classes::in_short);
    by_class.unwrap_or_else(|| near_far::text(&survey.latency))
}

/// Why the system shows its nodes, and who serves interrupts.
fn why_these_nodes(survey: &Survey) -> String {
    diagnosis::text(survey) + &irq::line(survey.interrupts.as_ref())
}
