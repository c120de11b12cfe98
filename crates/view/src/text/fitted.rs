//! A screen of parts: the answer, what to do, then the sections that fit its first lines.
//!
//! No line is wider than the terminal: what would be continues in further lines.

use std::ops::Range;

use crate::terminal::screen::{MAX_LINES, Screen};
use crate::terminal::{printable, width};
pub use crate::text::to_do::ToDo;
use crate::text::{captured, paragraph, quoted_command, sections};

const BOLD: anstyle::Style = anstyle::Style::new().bold();
const TO_DO: &str = "What to do";
const MORE_TO_DO: &str = "What else to do";
/// Columns of the commands that comments are aligned to.
const MAX_ALIGNED: usize = 40;

/// The parts of a screen, in their order.
#[derive(Clone, Debug, Default)]
pub struct ScreenParts {
    /// The answer, a paragraph for each sentence or two. The first is bold.
    pub answer: Vec<String>,
    /// The best first.
    pub to_do: Vec<ToDo>,
    /// Tables and remarks, the most important first; colours are kept.
    pub sections: Vec<String>,
    /// The answer in one line, for the end.
    pub verdict: String,
}

impl ScreenParts {
    /// The screen: on its first lines the answer, what to do, and every section that has room.
    pub fn screen(self) -> Screen {
        let last = bold(&folded(&paragraph::of(&self.verdict, "", "")));
        let mut page =
            Page { left: MAX_LINES.saturating_sub(last.lines().count() + 1), ..Page::default() };
        let mut answer = self.answer.iter().filter(|text| !text.is_empty());
        let head = answer.next().map(|text| bold(&folded(&paragraph::of(text, "", ""))));
        let others = answer.map(|text| folded(&paragraph::of(text, "", "")));
        page.add_lines(&head.into_iter().chain(others).collect::<String>());
        page.add_to_do(&self.to_do);
        for section in self.sections.iter().filter(|section| !section.is_empty()) {
            page.add(folded(&printable::coloured(section)));
        }
        Screen { first: sections(page.first), rest: sections(page.rest), last }
    }
}

/// A first screen that is filled, and what has no room on it.
#[derive(Default)]
struct Page {
    left: usize,
    first: Vec<String>,
    rest: Vec<String>,
}

impl Page {
    fn add(&mut self, section: String) {
        let lines = section.lines().count() + usize::from(!self.first.is_empty());
        match self.left.checked_sub(lines) {
            Some(left) => {
                self.left = left;
                self.first.push(section);
            }
            None => self.rest.push(section),
        }
    }

    /// The answer: on the narrowest terminals it is longer than a screen.
    fn add_lines(&mut self, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        let (first, rest) = lines.split_at(lines.len().min(self.left));
        for some in [first, rest].into_iter().filter(|some| !some.is_empty()) {
            self.add(some.join("\n") + "\n");
        }
    }

    /// Whole advices, as many as fit.
    fn add_to_do(&mut self, to_do: &[ToDo]) {
        let to_do = captured::to_do(to_do);
        let commands = to_do.iter().map(|one| one.command.chars().count());
        let widest = commands.filter(|&width| width <= MAX_ALIGNED).max().unwrap_or(0);
        // A heading and an empty line.
        let mut room = self.left.saturating_sub(2);
        let mut before = None;
        let fitting = to_do.iter().take_while(|one| {
            let left = room.checked_sub(item(one, before.replace(*one), widest).lines().count());
            left.inspect(|&left| room = left).is_some()
        });
        let (first, rest) = to_do.split_at(fitting.count());
        if !first.is_empty() {
            self.add(format!("{}{}", bold(&format!("{TO_DO}\n")), items(first, widest)));
        }
        if !rest.is_empty() {
            let title = if first.is_empty() { TO_DO } else { MORE_TO_DO };
            self.rest.push(format!("{}{}", bold(&format!("{title}\n")), items(rest, widest)));
        }
    }
}

fn items(to_do: &[ToDo], widest: usize) -> String {
    let before = std::iter::once(None).chain(to_do.iter().map(Some));
    to_do.iter().zip(before).map(|(one, before)| item(one, before, widest)).collect()
}

/// A line or more; after another heading, or none, its own.
fn item(one: &ToDo, before: Option<&ToDo>, widest: usize) -> String {
    let is_first = before.is_none_or(|before| before.under != one.under);
    let heading = match one.under {
        heading if is_first && !heading.is_empty() => format!("  {heading}\n"),
        _ => String::new(),
    };
    let text = one.text(widest);
    heading + &if one.command.is_empty() { folded(&text) } else { text }
}

/// Bold, but for its last line feed.
fn bold(text: &str) -> String {
    let lines = text.lines().map(|line| format!("{BOLD}{line}{BOLD:#}\n"));
    lines.collect()
}

/// Lines that are too wide continue below, a little further to the right.
pub fn folded(text: &str) -> String {
    let columns = width::current();
    text.lines().map(|line| folded_line(line, columns)).collect()
}

fn folded_line(line: &str, columns: usize) -> String {
    let indent = line.chars().take_while(|&c| c == ' ').count().min(columns / 3);
    let (mut text, mut rest) = (String::new(), line.to_owned());
    while let Some(end) = end_of_first_line(&rest, columns) {
        text += rest[..end].trim_end();
        // The shell has to read on.
        let is_in_command = quoted_command::ranges(&rest).iter().any(|one| is_within(one, end));
        text.push_str(if is_in_command { " \\\n" } else { "\n" });
        rest = format!("{}{}", " ".repeat(indent + 2), rest[end..].trim_start());
    }
    text + &rest + "\n"
}

fn is_within(command: &Range<usize>, at: usize) -> bool {
    command.start < at && at < command.end
}

/// Where a line of text that is too wide breaks: at its last blank, which is within a command only
/// where the command is longer than a line; else within a word. Colours have no width.
fn end_of_first_line(line: &str, columns: usize) -> Option<usize> {
    let commands = quoted_command::ranges(line);
    let is_in_command = |at: usize| commands.iter().any(|command| is_within(command, at));
    let (mut shown, mut is_colour, mut end) = (0, false, None);
    let (mut blank, mut blank_of_command) = (None, None);
    let indent = line.len() - line.trim_start().len();
    for (at, c) in line.char_indices() {
        if c == '\u{1b}' {
            is_colour = true;
        }
        if is_colour {
            is_colour = c != 'm';
            continue;
        }
        // The character behind the last column may be a blank.
        let is_blank = c == ' ' && at > indent;
        if is_blank && !is_in_command(at) {
            blank = Some(at);
        } else if is_blank && shown + " \\".len() <= columns {
            blank_of_command = Some(at);
        }
        if shown == columns {
            end = Some(at);
            break;
        }
        shown += 1;
    }
    let end = end?;
    // A longer word of a command stays whole.
    let next_blank = || line[end..].find(' ').map(|length| end + length);
    blank.or(blank_of_command).or_else(|| if is_in_command(end) { next_blank() } else { Some(end) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(sections: Vec<String>) -> ScreenParts {
        ScreenParts {
            answer: vec!["Node 1.".to_owned(), "It is certain.".to_owned()],
            to_do: vec![ToDo::new("nearfar run -N 1 PROGRAM", "on that node")],
            sections,
            verdict: "node 1".to_owned(),
        }
    }

    fn plain(text: &str) -> String {
        text.replace(&BOLD.to_string(), "").replace(&format!("{BOLD:#}"), "")
    }

    #[test]
    fn sections_without_room_are_below() {
        let long = "line\n".repeat(30);
        let screen = parts(vec!["short\n".to_owned(), long.clone(), "end\n".to_owned()]).screen();
        assert_eq!(
            plain(&screen.first),
            "Node 1.\nIt is certain.\n\nWhat to do\n  nearfar run -N 1 PROGRAM  # on that node\n\n\
             short\n\nend\n"
        );
        assert_eq!((screen.rest, plain(&screen.last)), (long, "node 1\n".to_owned()));
    }

    /// A list that is cut within a group has the group's heading twice, and never one alone.
    #[test]
    fn headings_stand_above_their_items() {
        let line = "word ".repeat(12);
        for count in 0..30 {
            let mut all = parts(Vec::new());
            let there = ToDo { under: "There:", ..ToDo::new("  nearfar survey", &line) };
            all.to_do = [vec![ToDo::new("", &line); count], vec![there; 3]].concat();
            let screen = width::with(80, || all.screen());
            for text in [&screen.first, &screen.rest] {
                let text = plain(text);
                let has_items = text.contains("nearfar survey");
                assert_eq!(text.matches("There:\n").count(), usize::from(has_items), "{text}");
            }
        }
    }

    #[test]
    fn commands_in_a_section_can_be_pasted() {
        let line = "  nodes  'nearfar run -N 0-3 -m 0-3 PROGRAM' keeps it near";
        let at = |columns| width::with(columns, || folded(line));
        assert_eq!(at(49), "  nodes  'nearfar run -N 0-3 -m 0-3 PROGRAM'\n    keeps it near\n");
        assert_eq!(at(42), "  nodes\n    'nearfar run -N 0-3 -m 0-3 PROGRAM'\n    keeps it near\n");
        let long = "  'nearfar run -N 0-3 -m 0-3 -- PROGRAM --size 1'";
        let folded = width::with(40, || folded(long));
        assert_eq!(folded, "  'nearfar run -N 0-3 -m 0-3 -- \\\n    PROGRAM --size 1'\n");
    }

    #[test]
    fn the_first_lines_and_the_verdict_fit_a_terminal_whatever_is_long() {
        for columns in [40, 60, 80] {
            let shown = width::with(columns, || {
                let mut parts = parts(vec!["x".repeat(500), "word ".repeat(60)]);
                parts.to_do = vec![ToDo::new("a ".repeat(90).trim_end(), "b ".repeat(90)); 9];
                parts.answer.push("c ".repeat(300));
                parts.screen()
            });
            let first = sections([shown.first.clone(), shown.last.clone()]);
            assert!(first.lines().count() <= MAX_LINES, "{first}");
            let all = plain(&shown.text());
            assert!(all.lines().all(|line| line.chars().count() <= columns), "{all}");
            let count = |c: char| all.chars().filter(|&one| one == c).count();
            assert_eq!([count('x'), count('c')], [500, 301], "nothing is cut: {all}");
        }
    }
}
