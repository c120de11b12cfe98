//! A screen: summary, nodes, processes or control groups, keys.

use anstyle::Style;
use nearfar_process::text::stat;
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::{count, paragraph, sections};

use super::columns::{Mark, cut, lines as table};
use super::{help, keys, most_remote, summary};
use crate::{Tick, View};

/// The part of a screen that nodes fill at most.
const NODES: usize = 3;
/// Processes of a first screen.
const FIRST_ROWS: usize = 8;

/// The lines of a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// At most as many lines as the screen has, each at most as wide; colours take no width.
    pub lines: Vec<String>,
    /// Lines of the list of processes, or of a panel, that the screen has room for.
    pub page: usize,
    /// The first line of the panel, which ends on the screen.
    pub panel_first: usize,
}

/// The screen of this size.
pub fn frame(tick: &Tick, view: &View, width: usize, height: usize) -> Frame {
    if view.help {
        return panel(&help::lines(tick, view, width), view, width, height);
    }
    if !view.panel.is_empty() {
        let lines: Vec<String> = view.panel.lines().map(str::to_owned).collect();
        return panel(&lines, view, width, height);
    }
    let mut lines: Vec<String> = summary::lines(tick, view);
    lines.extend(node_lines(tick, width, (height / NODES).max(2)));
    // On a low screen the list is worth more than what stands above it.
    lines.truncate(height.saturating_sub(4));
    let page = height.saturating_sub(lines.len() + 2);
    lines.extend(list_lines(tick, view, width, page));
    let room = height.saturating_sub(1);
    lines.resize(room.max(lines.len().min(room)), String::new());
    lines.push(printable::line(&keys::line(view, width)).into_owned());
    whole(lines, page, width, height)
}

/// A text that is longer than the screen, from a line on.
fn panel(text: &[String], view: &View, width: usize, height: usize) -> Frame {
    let folded = |line: &String| {
        let letters: Vec<char> = printable::line(line).chars().collect();
        match letters.is_empty() {
            true => vec![String::new()],
            false => letters.chunks(width.max(1)).map(|part| part.iter().collect()).collect(),
        }
    };
    let lines: Vec<String> = text.iter().flat_map(folded).collect();
    let page = height.saturating_sub(1);
    let first = view.panel_first.min(lines.len().saturating_sub(page));
    let last = lines.len().min(first + page);
    let mut shown = lines[first..last].to_vec();
    shown.resize(page, String::new());
    shown.push(match page < lines.len() {
        true => format!("lines {}-{last} of {}: PgDn, PgUp; q ends it", first + 1, lines.len()),
        false => "any key ends it".to_owned(),
    });
    Frame { panel_first: first, ..whole(shown, page, width, height) }
}

/// All rows of a tick, for a pipe or a file.
pub fn once(tick: &Tick, view: &View, width: usize) -> String {
    let (head, rows) = parts(tick, view, width);
    let lines: String = head.iter().chain(&rows).map(|line| line_of(line, width)).collect();
    lines + &left_out(tick, view)
}

/// One interval: the machine and the first processes, then the others and counters since boot, and
/// who has the most remote memory.
pub fn screen(tick: &Tick, view: &View, width: usize) -> Screen {
    let (head, rows) = parts(tick, view, width);
    let all = |lines: &[String]| lines.iter().map(|line| line_of(line, width)).collect::<String>();
    let (first, others) = rows.split_at(rows.len().min(FIRST_ROWS + 1));
    // What is below has the head of its table again.
    let head_again = if others.is_empty() { &[][..] } else { &rows[..1] };
    let counters = tick.counters.as_deref().map(stat::nodes).unwrap_or_default();
    Screen {
        first: all(&head) + &all(first),
        rest: sections([all(head_again) + &all(others) + &left_out(tick, view), counters]),
        last: paragraph::bold(&most_remote::sentence(tick)),
    }
}

/// Everything above the list, and the list.
fn parts(tick: &Tick, view: &View, width: usize) -> (Vec<String>, Vec<String>) {
    let mut head: Vec<String> = summary::lines(tick, view)
        .iter()
        .flat_map(|line| paragraph::filled(line.split(' ').map(str::to_owned), width, "", "  "))
        .collect();
    head.push(String::new());
    head.extend(table(&tick.nodes, width, None));
    head.push(String::new());
    let rows = match (&tick.cgroups, view.groups) {
        (Some(rows), true) => table(rows, width, mark(view)),
        _ => table(&tick.processes, width, mark(view)),
    };
    (head, rows)
}

fn left_out(tick: &Tick, view: &View) -> String {
    let left = tick.counts.matching.saturating_sub(tick.processes.len());
    match left {
        left if left > 0 && !view.groups => {
            paragraph::of(&format!("and {}", count(left, "more process")), "", "  ")
        }
        _ => String::new(),
    }
}

fn line_of(line: &str, width: usize) -> String {
    cut(line, width).trim_end().to_owned() + "\n"
}

/// The head of the sort column, and its direction.
fn mark(view: &View) -> Option<Mark> {
    let head = view.sort.heads()[usize::from(view.groups)];
    let mark = if view.sort.is_ascending() == view.inverted { "↓" } else { "↑" };
    Some((head, mark))
}

/// The table of nodes in a number of lines; the last one counts what is missing.
fn node_lines(tick: &Tick, width: usize, most: usize) -> Vec<String> {
    let mut lines = table(&tick.nodes, width, None);
    if lines.len() > most {
        let missing = lines.len() + 1 - most;
        lines.truncate(most - 1);
        lines.push(format!("and {}", count(missing, "node")));
    }
    bold_head(&mut lines, width);
    lines
}

/// The head of the list and a page of its rows.
fn list_lines(tick: &Tick, view: &View, width: usize, page: usize) -> Vec<String> {
    let window = |len: usize| view.first.min(len)..view.first.saturating_add(page).min(len);
    let mut lines = match (&tick.cgroups, view.groups) {
        (Some(rows), true) => table(&rows[window(rows.len())], width, mark(view)),
        _ => table(&tick.processes[window(tick.processes.len())], width, mark(view)),
    };
    bold_head(&mut lines, width);
    let selected = (view.selected + 1).saturating_sub(view.first);
    if let Some(line) = lines.get_mut(selected.max(1)) {
        *line = styled(line, Style::new().invert(), width);
    }
    lines
}

fn bold_head(lines: &mut [String], width: usize) {
    if let Some(head) = lines.first_mut() {
        *head = styled(head, Style::new().bold(), width);
    }
}

fn styled(line: &str, style: Style, width: usize) -> String {
    format!("{style}{}{style:#}", cut(line, width))
}

fn whole(lines: Vec<String>, page: usize, width: usize, height: usize) -> Frame {
    let plain = |line: String| if line.contains('\u{1b}') { line } else { cut(&line, width) };
    let lines = lines.into_iter().take(height).map(plain).collect();
    Frame { lines, page, panel_first: 0 }
}

#[cfg(test)]
mod tests;
