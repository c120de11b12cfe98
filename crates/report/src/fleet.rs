//! A fleet: which machine differs from the others, and in what.

mod csv;
mod drift;
mod groups;
pub(crate) mod map;
mod sentences;
mod skipped;

use nearfar_fleet::FleetDocument;
use nearfar_terminal::printable;
use nearfar_terminal::table::{Align, headed};

use crate::paragraph;

pub use csv::csv;
pub(crate) use drift::{DRIFT_COLUMNS, drift_rows};
pub(crate) use groups::{GROUP_COLUMNS, group_rows};
pub(crate) use sentences::{counted, method, sentences};
pub use skipped::skipped;

/// Lines of each kind on a screen; JSON and CSV have all.
const MOST_LINES: usize = 40;

/// Groups, outliers, drift, and what is not used.
pub fn text(fleet: &FleetDocument) -> String {
    let mut text = counted(fleet) + "\n\n";
    text += &headed(GROUP_COLUMNS, group_rows(fleet), &[Align::Right, Align::Right, Align::Left]);
    text.push('\n');
    text += &some(&sentences(fleet), |one| paragraph::of(one, "", "  "));
    if !fleet.findings.is_empty() {
        text += &paragraph::of(&method(fleet), "", "");
    }
    let rows = drift_rows(fleet);
    if !rows.is_empty() {
        let shown = rows.iter().take(MOST_LINES).cloned();
        text += &format!("\n{}", headed(DRIFT_COLUMNS, shown, &[Align::Left]));
        text += &more(rows.len());
    }
    let skipped = skipped(&fleet.skipped);
    if !skipped.is_empty() {
        text.push('\n');
        text += &some(&skipped, |one| paragraph::of(one, "not used: ", "  "));
    }
    text
}

/// Names of slower machines, as Slurm's commands take them; the second are names that are those of
/// files.
pub fn exclude(fleet: &FleetDocument) -> (String, Vec<String>) {
    let slower = fleet.slower_machines();
    let clean = |name: &str| printable::line(name).into_owned();
    let names: Vec<String> = slower.iter().map(|machine| clean(&machine.name)).collect();
    let from_files =
        slower.iter().filter(|machine| machine.name_source == nearfar_fleet::NameSource::File);
    let from_files = from_files.map(|machine| clean(&machine.name)).collect();
    let line = if names.is_empty() { String::new() } else { names.join(",") + "\n" };
    (line, from_files)
}

fn some(all: &[String], line: impl Fn(&str) -> String) -> String {
    let shown: String = all.iter().take(MOST_LINES).map(|one| line(one)).collect();
    shown + &more(all.len())
}

fn more(all: usize) -> String {
    match all.checked_sub(MOST_LINES) {
        Some(more @ 1..) => format!("and {more} more: --json\n"),
        _ => String::new(),
    }
}
