//! The keys, and what columns show.

use std::collections::BTreeSet;

use nearfar_view::terminal::width;
use nearfar_view::text::paragraph;

use super::columns::is_shown;
use crate::columns::{Column, Row};
use crate::{GroupRow, NodeRow, ProcessRow, Tick, View};

const KEYS: &str = "\
Keys are those of htop. Any key ends this help.

  q F10          quit            up down PgUp PgDn Home End   select
  > . F6  < ,    sort by the next or previous column       I   invert
  R remote memory  S remote share  M memory  P CPU  T threads  V moving  N PID
  \\ / F4         filter by name; Enter keeps it, Esc ends it
  c              control groups or processes
  Z space        pause
  left right     step through a recording
";

const REASONS: &str = "
  ...            not sampled yet: what is on the screen comes first
  denied         not readable: root reads all
  no pages       nothing of it is in memory
  unknown        the nodes of its threads, or a group's CPUs, are unknown
  all CPUs       a group's CPUs are on several nodes: its remote share is unknown
";

/// Keys, the columns of this tick, reasons for missing figures.
pub(super) fn lines(tick: &Tick, view: &View, columns: usize) -> Vec<String> {
    let list = match &tick.cgroups {
        Some(groups) if view.groups => shown(groups, columns),
        _ => shown(&tick.processes, columns),
    };
    let text = [KEYS, "\n", &shown(&tick.nodes, columns), &list, REASONS].concat();
    text.lines().map(str::to_owned).collect()
}

fn shown<R: Row>(rows: &[R], columns: usize) -> String {
    let columns_shown =
        R::COLUMNS.iter().filter(|column| !column.help.is_empty() && is_shown(column, rows));
    let line = |column: &Column<R>| {
        paragraph::of(column.help, &format!("  {:<14} ", column.head), &" ".repeat(17))
    };
    width::with(columns, || columns_shown.map(line).collect())
}

/// The table of columns in docs/live.md.
pub fn column_table() -> String {
    let mut known = BTreeSet::new();
    let all = heads::<NodeRow>().chain(heads::<ProcessRow>()).chain(heads::<GroupRow>());
    let rows = all.filter(|(head, help)| !help.is_empty() && known.insert(*head));
    rows.map(|(head, help)| format!("| `{head}` | {help} |\n")).collect()
}

fn heads<R: Row>() -> impl Iterator<Item = (&'static str, &'static str)> {
    R::COLUMNS.iter().map(|column| (column.head, column.help))
}
