//! The keys, and what columns show.

use std::collections::BTreeSet;

use nearfar_view::text::paragraph;

use super::columns::is_shown;
use super::keys;
use crate::columns::{Column, Row};
use crate::{GroupRow, NodeRow, ProcessRow, Tick, View};

const INTRO: &str = "Keys are those of htop. Arrows scroll; any other key ends this help.";

/// What stands in a cell without a figure.
const REASONS: [(&str, &str); 5] = [
    ("...", "not sampled yet: what is on the screen comes first"),
    ("denied", "not readable: root reads all"),
    ("no pages", "nothing of it is in memory"),
    ("unknown", "the nodes of its threads, or a group's CPUs, are unknown"),
    ("all CPUs", "a group's CPUs are on several nodes: its remote share is unknown"),
];

/// Columns of the first part of an entry, with its margin.
const HEAD: usize = 21;
/// Narrower terminals have the meaning below the head.
const NARROW: usize = 50;

/// Keys, the columns of this tick, reasons for missing figures.
pub(super) fn lines(tick: &Tick, view: &View, width: usize) -> Vec<String> {
    let list = match &tick.cgroups {
        Some(groups) if view.groups => shown(groups),
        _ => shown(&tick.processes),
    };
    let mut lines = filled(INTRO, width, "", "");
    for part in [keys::ALL.to_vec(), shown(&tick.nodes), list, REASONS.to_vec()] {
        if part.is_empty() {
            continue;
        }
        lines.push(String::new());
        lines.extend(part.into_iter().flat_map(|(head, meaning)| entry(head, meaning, width)));
    }
    lines
}

fn entry(head: &str, meaning: &str, width: usize) -> Vec<String> {
    if width < NARROW {
        let mut lines = filled(head, width, "", "");
        lines.extend(filled(meaning, width, "  ", "  "));
        return lines;
    }
    filled(meaning, width, &format!("  {head:<0$} ", HEAD - 3), &" ".repeat(HEAD))
}

fn filled(text: &str, width: usize, head: &str, indent: &str) -> Vec<String> {
    paragraph::filled(text.split(' ').map(str::to_owned), width, head, indent)
}

fn shown<R: Row>(rows: &[R]) -> Vec<(&'static str, &'static str)> {
    let explained = |column: &&Column<R>| !column.help.is_empty() && is_shown(column, rows);
    R::COLUMNS.iter().filter(explained).map(|column| (column.head, column.help)).collect()
}

/// The table of columns in docs/why/live.md.
pub fn column_table() -> String {
    let mut known = BTreeSet::new();
    let all = heads::<NodeRow>().chain(heads::<ProcessRow>()).chain(heads::<GroupRow>());
    let rows = all.filter(|(head, help)| !help.is_empty() && known.insert(*head));
    rows.map(|(head, help)| format!("| `{head}` | {help} |\n")).collect()
}

fn heads<R: Row>() -> impl Iterator<Item = (&'static str, &'static str)> {
    R::COLUMNS.iter().map(|column| (column.head, column.help))
}
