//! A screen: summary, nodes, processes or control groups, keys.

use anstyle::Style;
use nearfar_view::text::count;

use super::columns::lines as table;
use super::{help, summary};
use crate::{Tick, View};

const KEYS: &str = "F1 help  F4 filter  F6 sort  I invert  c cgroups  Z pause  q quit";
/// The part of a screen that nodes fill at most.
const NODES: usize = 3;

/// The lines of a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// At most as many lines as the screen has, each at most as wide; colours take no width.
    pub lines: Vec<String>,
    /// Lines of the list of processes that the screen has room for.
    pub page: usize,
}

/// The screen of this size.
pub fn frame(tick: &Tick, view: &View, width: usize, height: usize) -> Frame {
    let mut lines: Vec<String> = summary::lines(tick, view);
    if view.help {
        lines.truncate(1);
        lines.extend(help::lines(tick, view, width));
        return whole(lines, 0, width, height);
    }
    lines.extend(node_lines(tick, width, (height / NODES).max(2)));
    // On a low screen the list is worth more than what stands above it.
    lines.truncate(height.saturating_sub(4));
    let page = height.saturating_sub(lines.len() + 2);
    lines.extend(list_lines(tick, view, width, page));
    let room = height.saturating_sub(1);
    lines.resize(room.max(lines.len().min(room)), String::new());
    lines.push(KEYS.to_owned());
    whole(lines, page, width, height)
}

/// All rows of a tick, for a pipe or a file.
pub fn once(tick: &Tick, view: &View, width: usize) -> String {
    let mut lines = summary::lines(tick, view);
    lines.push(String::new());
    lines.extend(table(&tick.nodes, width));
    lines.push(String::new());
    let shown = match (&tick.cgroups, view.groups) {
        (Some(rows), true) => {
            lines.extend(table(rows, width));
            rows.len()
        }
        _ => {
            lines.extend(table(&tick.processes, width));
            tick.processes.len()
        }
    };
    let all = if view.groups { shown } else { tick.counts.matching };
    if all > shown {
        lines.push(format!("and {}", count(all - shown, "more process")));
    }
    lines.iter().map(|line| cut(line, width).trim_end().to_owned() + "\n").collect()
}

/// The table of nodes in a number of lines; the last one counts what is missing.
fn node_lines(tick: &Tick, width: usize, most: usize) -> Vec<String> {
    let mut lines = table(&tick.nodes, width);
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
        (Some(rows), true) => table(&rows[window(rows.len())], width),
        _ => table(&tick.processes[window(tick.processes.len())], width),
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
    Frame { lines: lines.into_iter().take(height).map(plain).collect(), page }
}

fn cut(line: &str, width: usize) -> String {
    line.chars().take(width).collect()
}

#[cfg(test)]
mod tests;
