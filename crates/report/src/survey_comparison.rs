//! A comparison of two surveys.

mod reasons;
mod sentences;
mod summary;

use nearfar_model::{PlaceLabel, Unit};
use nearfar_survey::compare::{CellChange, PartChanges, SurveyComparison};
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::count;
use nearfar_view::text::csv_text::under;
use nearfar_view::text::fitted::ScreenParts;
use nearfar_view::text::paragraph;
use nearfar_view::text::percent::{change, changes, percent};
use nearfar_view::text::{ends, or_empty};

use crate::differing;

pub use reasons::{for_part, judgement};
pub(crate) use sentences::sentences;

/// Statements that differ on a screen; JSON has all.
const MAX_STATEMENTS: usize = 12;

/// What got slower or faster, and where; then the cells that changed with the largest that did not,
/// the machines and their differences. `files` are the names of the documents.
pub fn text(comparison: &SurveyComparison, files: [&str; 2]) -> Screen {
    let verdict = summary::verdict(comparison);
    let mut answer = vec![format!("{verdict}.")];
    answer.extend(sentences(comparison));
    ScreenParts {
        answer,
        to_do: summary::to_do(comparison, files),
        sections: vec![
            changed_cells(comparison),
            machines(comparison),
            differing::text(&comparison.differs, MAX_STATEMENTS),
        ],
        verdict,
    }
    .screen()
}

fn changed_cells(comparison: &SurveyComparison) -> String {
    let shown: Vec<(&PartChanges, &CellChange)> = comparison
        .parts
        .iter()
        .flat_map(|part| worth_showing(part).into_iter().map(move |cell| (part, cell)))
        .collect();
    if shown.is_empty() {
        return String::new();
    }
    let head = ["cell", "first", "second", "change", "95 % interval"];
    let lines = shown.iter().map(|(part, cell)| entries(part, cell));
    let mut text = headed(head, lines, &[Align::Left, Align::Right]);
    let between = percent(comparison.between);
    let mut note = |sentence: &str| text += &paragraph::of(sentence, "", "  ");
    note(&format!("Intervals include {between} variation between surveys (--between)."));
    if shown.iter().any(|(_, cell)| !cell.is_real()) {
        note("?: not significant. Of each part, only the largest such change is shown.");
    }
    let is_page_set =
        |label: &str| matches!(PlaceLabel::parse(label), Some(PlaceLabel::PageSet(_)));
    if shown.iter().any(|(_, cell)| is_page_set(&cell.column)) {
        note("set N: the N-th set of pages on one node, to find hidden nodes.");
    }
    text
}

/// Every cell.
pub fn csv(comparison: &SurveyComparison) -> String {
    const HEADER: &str = "part,row,column,treatment,unit,first,second,ratio,ci95_low,ci95_high,p,\
                          real,ratio_beside,real_beside,why";
    let cells =
        comparison.parts.iter().flat_map(|part| part.cells.iter().map(move |cell| (part, cell)));
    under(HEADER, cells.map(|(part, cell)| record(part, cell)))
}

fn record(part: &PartChanges, cell: &CellChange) -> [String; 15] {
    let moved = cell.change.map(|change| change.moved);
    let beside = cell.change.and_then(|change| change.beside);
    let [low, high] = ends(moved.map(|moved| moved.ci95));
    let why = cell.why.as_ref().map(reasons::for_cell).unwrap_or_default();
    let with: Vec<String> =
        cell.treatment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    [
        part.part.clone(),
        printable::line(&cell.row).into_owned(),
        printable::line(&cell.column).into_owned(),
        printable::line(&with.join(" ")).into_owned(),
        part.unit.to_string(),
        or_empty(cell.medians[0]),
        or_empty(cell.medians[1]),
        or_empty(moved.map(|moved| moved.ratio)),
        low,
        high,
        or_empty(moved.map(|moved| moved.p)),
        or_empty(moved.map(|moved| moved.real)),
        or_empty(beside.map(|beside| beside.ratio)),
        or_empty(beside.map(|beside| beside.real)),
        printable::line(&why).into_owned(),
    ]
}

fn machines(comparison: &SurveyComparison) -> String {
    let line = |at: usize, which: &str| {
        let (machine, started) = (&comparison.machines[at], &comparison.started[at]);
        let kernel = or_empty(machine.kernel.as_ref().map(|kernel| format!(", Linux {kernel}")));
        let (nodes, cpus) = (count(machine.nodes, "node"), count(machine.cpus, "CPU"));
        paragraph::of(
            &format!("{}, {nodes}, {cpus}{kernel}, {started}", machine.model),
            which,
            "        ",
        )
    };
    line(0, "first:  ") + &line(1, "second: ")
}

/// Cells that changed, then the largest that did not.
fn worth_showing(part: &PartChanges) -> Vec<&CellChange> {
    let size = |cell: &CellChange| cell.change.map_or(0.0, |change| change.moved.ratio.abs());
    let mut real: Vec<&CellChange> = part.cells.iter().filter(|cell| cell.is_real()).collect();
    real.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let rest = part.cells.iter().filter(|cell| cell.change.is_some() && !cell.is_real());
    real.extend(rest.max_by(|a, b| size(a).total_cmp(&size(b))));
    real
}

fn entries(part: &PartChanges, cell: &CellChange) -> [String; 5] {
    let figure =
        |at: usize| {
            let decimals = match part.unit {
                Unit::Nanoseconds => 1,
                Unit::BytesPerSecond => 2,
            };
            or_empty(cell.medians[at].map(|value| {
                format!("{:.decimals$} {}", part.unit.shown(value), part.unit.symbol())
            }))
        };
    let moved = cell.change.map(|change| change.moved);
    let ratio = moved.map(|moved| change(moved.ratio) + if moved.real { "" } else { " ?" });
    let interval = or_empty(moved.map(|moved| changes(moved.ci95)));
    [format!("{}: {}", part.part, cell.name()), figure(0), figure(1), or_empty(ratio), interval]
}
