//! Two surveys beside each other.

mod reasons;
mod words;

use nearfar_survey::compare::{CellChange, Comparison, PartChanges};
use nearfar_terminal::printable;
use nearfar_terminal::table::{Align, Table};

use crate::count::count;
use crate::differing;
use crate::paragraph;

pub use reasons::{judgement, of_part};
pub(crate) use words::words;

/// Statements that differ are told up to here; JSON has all.
const MOST_STATEMENTS: usize = 12;

/// What differs in words of the machine, the cells that changed with the largest that did not, and what follows.
pub fn text(comparison: &Comparison) -> String {
    let mut text = machines(comparison);
    for one in comparison.differs.iter().take(MOST_STATEMENTS) {
        text += &paragraph::of(&differing::statement(&one.what, &one.first, &one.second), "differs: ", "  ");
    }
    if comparison.differs.len() > MOST_STATEMENTS {
        text += &format!("and {} statements more (--json)\n", comparison.differs.len() - MOST_STATEMENTS);
    }
    let mut table = Table::default();
    table.line(["cell", "first", "second", "second to first", "95 % interval"]);
    let mut shown: Vec<&CellChange> = Vec::new();
    for part in &comparison.parts {
        for cell in worth_showing(part) {
            table.line(entries(part, cell));
            shown.push(cell);
        }
    }
    if !shown.is_empty() {
        text += &format!("\n{}", table.text(&[Align::Left, Align::Right]));
    }
    if shown.iter().any(|cell| !cell.is_real()) {
        text += "?: not beyond chance (of each part the largest; --csv or --json has all cells)\n";
    }
    text.push('\n');
    text + &paragraph::of(&words(comparison).join(" "), "", "")
}

/// Every cell.
pub fn csv(comparison: &Comparison) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // A vector takes whatever is written.
    let _ = writer.write_record([
        "part",
        "row",
        "column",
        "treatment",
        "unit",
        "first",
        "second",
        "ratio",
        "ci95_low",
        "ci95_high",
        "p",
        "real",
        "ratio_beside",
        "real_beside",
        "why",
    ]);
    for part in &comparison.parts {
        for cell in &part.cells {
            let _ = writer.write_record(record(part, cell));
        }
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn record(part: &PartChanges, cell: &CellChange) -> [String; 15] {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let moved = cell.change.map(|change| change.moved);
    let beside = cell.change.and_then(|change| change.beside);
    let why = cell.why.as_ref().map(reasons::of_cell).unwrap_or_default();
    let with: Vec<String> = cell.treatment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    [
        part.part.clone(),
        printable::line(&cell.row).into_owned(),
        printable::line(&cell.column).into_owned(),
        printable::line(&with.join(" ")).into_owned(),
        part.unit.clone(),
        number(cell.medians[0]),
        number(cell.medians[1]),
        number(moved.map(|moved| moved.ratio)),
        number(moved.map(|moved| moved.ci95[0])),
        number(moved.map(|moved| moved.ci95[1])),
        number(moved.map(|moved| moved.p)),
        moved.map(|moved| moved.real.to_string()).unwrap_or_default(),
        number(beside.map(|beside| beside.ratio)),
        beside.map(|beside| beside.real.to_string()).unwrap_or_default(),
        printable::line(&why).into_owned(),
    ]
}

fn machines(comparison: &Comparison) -> String {
    let line = |at: usize, which: &str| {
        let (machine, started) = (&comparison.machines[at], &comparison.started[at]);
        let kernel = machine.kernel.as_deref().map(|kernel| format!(", Linux {kernel}")).unwrap_or_default();
        let said = format!(
            "{}, {}, {}{kernel}, {started}",
            machine.model,
            count(machine.nodes, "node"),
            count(machine.cpus, "CPU")
        );
        paragraph::of(&said, which, "        ")
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
    let figure = |at: usize| match (cell.medians[at], part.unit.as_str()) {
        (None, _) => String::new(),
        (Some(value), "bytes/s") => format!("{:.2} GB/s", value / 1e9),
        (Some(value), unit) => format!("{value:.1} {unit}"),
    };
    let percent = |ratio: f64| format!("{:+.1} %", 100.0 * ratio);
    let (ratio, interval) = cell.change.map_or_else(Default::default, |change| {
        let doubt = if change.moved.real { "" } else { " ?" };
        let [low, high] = change.moved.ci95;
        (percent(change.moved.ratio) + doubt, format!("{} to {}", percent(low), percent(high)))
    });
    [format!("{}: {}", part.part, cell.name()), figure(0), figure(1), ratio, interval]
}
