//! Published figures, and a machine beside them.

mod rows;
mod sentences;

use nearfar_survey::Survey;
use nearfar_survey::atlas::{
    Atlas, AtlasCheck, AtlasComparison, AtlasMatch, AtlasRow, MachineFigures, MatchedBy, compare,
};
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::fitted::{ScreenParts, ToDo};
use nearfar_view::text::{count, paragraph};

pub use rows::{csv, sources, table};
pub(crate) use rows::{latency_method, mode};
pub use sentences::short;
pub(crate) use sentences::{advice, sentences};

/// A survey beside the atlas that comes with nearfar.
pub fn beside(survey: &Survey) -> AtlasComparison {
    compare(&MachineFigures::for_survey(survey), Atlas::built_in())
}

/// The section of a survey's screen; nothing where there is nothing to compare with and nothing is
/// unusual.
pub(crate) fn section(survey: &Survey) -> String {
    text(&beside(survey))
}

/// "Published figures", a sentence each.
pub fn text(comparison: &AtlasComparison) -> String {
    let lines = sentences(comparison);
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| paragraph::of(line, "  ", "    ")).collect();
    format!("Published figures\n{lines}")
}

/// Why there is no such section.
pub fn why_nothing(comparison: &AtlasComparison) -> String {
    match comparison.matched {
        MatchedBy::Nothing => format!(
            "no published row is of '{}' or its family: 'nearfar atlas' lists all",
            comparison.model
        ),
        _ => format!(
            "no published row of '{}' or its family is comparable in this mode",
            comparison.model
        ),
    }
}

/// Rows of the atlas, and a survey beside them: is its figure usual? `drawing` is shown with rows
/// that are few.
pub fn screen(
    rows: &[&AtlasRow],
    comparison: Option<&AtlasComparison>,
    drawing: Option<String>,
) -> Screen {
    let Some(comparison) = comparison else {
        return Page {
            verdict: format!("Atlas: {}", published(rows)),
            rows,
            drawing,
            ..Page::default()
        }
        .screen();
    };
    Page {
        verdict: verdict(comparison),
        more: sentences(comparison),
        rows,
        drawing,
        comparison: Some(comparison),
        ..Page::default()
    }
    .screen()
}

/// All rows, those of this machine's CPU first.
pub fn screen_of_machine(rows: &[&AtlasRow], cpu: &str, own: &AtlasMatch<'_>) -> Screen {
    let all = vec![format!("All: {}.", published(rows))];
    let (own, verdict) = match (own.of_model.as_slice(), own.of_family.as_slice()) {
        ([], []) => {
            let verdict = format!("Atlas: no published row is of this machine's CPU, {cpu}");
            (rows::table(&[]), verdict)
        }
        ([], of_family) => {
            let family = own.family.as_deref().unwrap_or("the same family");
            let published = published(of_family);
            let verdict = format!("Atlas: no row of {cpu} itself; of {family}: {published}");
            (rows::table(of_family), verdict)
        }
        (of_model, _) => (rows::table(of_model), format!("Atlas: {cpu}: {}", published(of_model))),
    };
    Page { verdict, more: all, own, rows, ..Page::default() }.screen()
}

/// What a screen of the atlas shows.
#[derive(Default)]
struct Page<'a> {
    verdict: String,
    more: Vec<String>,
    /// The table of this machine's CPU.
    own: String,
    rows: &'a [&'a AtlasRow],
    drawing: Option<String>,
    comparison: Option<&'a AtlasComparison>,
}

impl Page<'_> {
    fn screen(self) -> Screen {
        let Self { verdict, more, own, rows, drawing, comparison } = self;
        let answer = std::iter::once(format!("{verdict}.")).chain(more).collect();
        let is_all = drawing.is_none();
        let mut sections = vec![own];
        sections.push(if is_all { rows::families(rows) } else { rows::table(rows) });
        sections.extend(drawing);
        sections.push(if is_all { rows::table(rows) } else { rows::sources(rows) });
        ScreenParts { answer, to_do: to_do(comparison, is_all), sections, verdict }.screen()
    }
}

/// "Atlas: unusual: 2 of 6 checks", or that nothing is.
fn verdict(comparison: &AtlasComparison) -> String {
    let checks = comparison.checks.len();
    let unusual = comparison.checks.iter().filter(|check| check.is_unusual()).count();
    match (unusual, comparison.matched) {
        (0, _) if sentences(comparison).is_empty() => format!("Atlas: {}", why_nothing(comparison)),
        (0, _) if comparison.hypervisor.is_some() => {
            "Atlas: a guest, so nothing is called unusual".to_owned()
        }
        (0, MatchedBy::Nothing) => {
            "Atlas: symmetric; no published figure is of this CPU".to_owned()
        }
        (0, _) => format!("Atlas: usual: none of {} is unusual", count(checks, "check")),
        (1, _) => format!("Atlas: unusual: 1 of {}", count(checks, "check")),
        (many, _) => format!("Atlas: unusual: {many} of {}", count(checks, "check")),
    }
}

/// "12 published rows of 3 CPU models, local 81-112 ns, remote 130-240 ns".
fn published(rows: &[&AtlasRow]) -> String {
    let mut cpus: Vec<&str> = rows.iter().map(|row| row.cpu.as_str()).collect();
    cpus.sort_unstable();
    cpus.dedup();
    let all: Vec<&&AtlasRow> = rows.iter().collect();
    let figures = [
        ("local", rows::range(&all, AtlasRow::local)),
        ("remote", rows::range(&all, AtlasRow::remote)),
    ];
    let figures = figures.iter().filter(|(_, range)| !range.is_empty());
    let figures: Vec<String> =
        figures.map(|(name, range)| format!(", {name} {range} ns")).collect();
    let (rows, cpus) = (count(rows.len(), "published row"), count(cpus.len(), "CPU model"));
    format!("{rows} of {cpus}{}", figures.concat())
}

fn to_do(comparison: Option<&AtlasComparison>, is_all: bool) -> Vec<ToDo> {
    let mut all = Vec::new();
    if comparison.is_none() {
        all.push(ToDo::new("nearfar survey -o mine.json", "measures this machine"));
        let command = "nearfar atlas --survey mine.json";
        all.push(ToDo::new(command, "is its figure usual?"));
    }
    if comparison.is_some_and(|one| one.checks.iter().any(AtlasCheck::is_unusual)) {
        all.push(ToDo::new("nearfar diagnose", "settings, modules and faults that explain it"));
    }
    if is_all {
        all.push(ToDo::new("nearfar atlas 7742", "the rows of a model, drawn, with sources"));
    }
    all
}
