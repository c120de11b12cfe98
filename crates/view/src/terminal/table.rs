//! Aligned columns of text. A table that is wider than the terminal continues in further blocks.

use std::ops::Range;

use anstyle::Style;

use crate::terminal::{printable, width};
use crate::text::paragraph::phrases;

const GAP: usize = 2;
/// The narrowest last column that wraps its sentences instead of moving to another block.
const NARROWEST_TEXT: usize = 28;

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At the column's left edge.
    Left,
    /// At its right edge, as numbers do.
    Right,
}

/// The text of one line in one column, and its style.
#[derive(Clone, Debug)]
pub struct Entry {
    text: String,
    style: Style,
}

impl Entry {
    /// A text in a style. What a terminal would obey in the text is replaced.
    pub fn styled(text: &str, style: Style) -> Self {
        Self { text: printable::line(text).into_owned(), style }
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }

    /// Its words in lines of this many characters; a longer word stays whole.
    fn wrapped(&self, room: usize) -> Vec<Self> {
        let mut lines: Vec<String> = vec![String::new()];
        for word in phrases(&self.text, room) {
            match lines.last_mut() {
                Some(line) if line.is_empty() => *line = word,
                Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                    *line += " ";
                    *line += &word;
                }
                _ => lines.push(word),
            }
        }
        lines.into_iter().map(|text| Self { text, style: self.style }).collect()
    }

    fn padded(&self, wanted: usize, align: Align) -> String {
        let Self { text, style } = self;
        let blanks = " ".repeat(wanted.saturating_sub(self.width()));
        match align {
            Align::Left => format!("{style}{text}{style:#}{blanks}"),
            Align::Right => format!("{blanks}{style}{text}{style:#}"),
        }
    }
}

impl<T: AsRef<str>> From<T> for Entry {
    fn from(text: T) -> Self {
        Self::styled(text.as_ref(), Style::new())
    }
}

/// Lines of entries; the widest entry of a column gives its width.
#[derive(Debug, Default)]
pub struct Table {
    lines: Vec<Vec<Entry>>,
}

impl Table {
    /// Adds a line.
    pub fn line<E: Into<Entry>>(&mut self, entries: impl IntoIterator<Item = E>) {
        self.lines.push(entries.into_iter().map(Into::into).collect());
    }

    /// The text: entries two blanks apart, no blanks at line ends. Columns beyond `aligns` stand as
    /// its last.
    ///
    /// Where the table is wider than [`width::current`], sentences in the last column wrap. Where
    /// that does not suffice, columns continue below in further blocks, each with the row labels:
    /// the columns at the left edge before the first number.
    pub fn text(&self, aligns: &[Align]) -> String {
        let align =
            |column: usize| aligns.get(column).or(aligns.last()).copied().unwrap_or(Align::Left);
        let layout =
            TableLayout { widths: self.widths(), align: &align, columns: width::current() };
        let Some(last) = layout.widths.len().checked_sub(1) else { return String::new() };
        let beside = layout.total(0..last) + GAP;
        let room = layout.columns.saturating_sub(beside);
        let has_text =
            last > 0
                && align(last) == Align::Left
                && self.lines.iter().skip(1).any(|line| {
                    line.get(last).is_some_and(|entry| entry.text.trim().contains(' '))
                });
        if layout.total(0..last + 1) <= layout.columns {
            return self.block(&layout, 0, 0..last + 1);
        }
        if has_text && room >= NARROWEST_TEXT {
            return self.with_wrapped_text(last, room).text_as_is(&align);
        }
        let labels = layout.labels();
        let blocks = layout.blocks(labels);
        blocks
            .into_iter()
            .map(|block| self.block(&layout, labels, block))
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn text_as_is(&self, align: &dyn Fn(usize) -> Align) -> String {
        let layout = TableLayout { widths: self.widths(), align, columns: usize::MAX };
        let all = layout.widths.len();
        self.block(&layout, 0, 0..all)
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.lines.iter().map(Vec::len).max().unwrap_or(0)];
        for line in &self.lines {
            for (width, entry) in widths.iter_mut().zip(line) {
                *width = entry.width().max(*width);
            }
        }
        widths
    }

    /// Some columns, after the labels.
    fn block(&self, layout: &TableLayout<'_>, labels: usize, columns: Range<usize>) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let shown = (0..labels).chain(columns.clone());
            let padded = shown.filter_map(|column| {
                let width = layout.widths[column];
                Some(line.get(column)?.padded(width, (layout.align)(column)))
            });
            text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// The same table, the sentences of one column in several lines.
    fn with_wrapped_text(&self, column: usize, room: usize) -> Self {
        let mut wrapped = Self::default();
        for line in &self.lines {
            let pieces = line.get(column).map_or_else(Vec::new, |entry| entry.wrapped(room));
            let others = line.iter().take(column);
            wrapped.lines.push(others.cloned().chain(pieces.first().cloned()).collect());
            for piece in pieces.into_iter().skip(1) {
                let blank = (0..column).map(|_| Entry::from(""));
                wrapped.lines.push(blank.chain([piece]).collect());
            }
        }
        wrapped
    }
}

/// How wide columns are, and how wide a line may be.
struct TableLayout<'a> {
    widths: Vec<usize>,
    align: &'a dyn Fn(usize) -> Align,
    columns: usize,
}

impl TableLayout<'_> {
    /// The width of some columns with the blanks between them.
    fn total(&self, columns: Range<usize>) -> usize {
        let gaps = columns.len().saturating_sub(1) * GAP;
        self.widths[columns].iter().sum::<usize>() + gaps
    }

    /// How many columns are row labels: those before the first number, and at least one. Labels
    /// that would fill half of a line are one.
    fn labels(&self) -> usize {
        let all = self.widths.len();
        let left = (0..all).take_while(|&column| (self.align)(column) == Align::Left).count();
        let fits = self.total(0..left) <= self.columns / 2;
        if (1..all).contains(&left) && fits { left } else { 1 }
    }

    /// The other columns in blocks that fit, as even as they can be.
    fn blocks(&self, labels: usize) -> Vec<Range<usize>> {
        let room = self.columns.saturating_sub(self.total(0..labels) + GAP);
        let mut blocks: Vec<Range<usize>> = Vec::new();
        for column in labels..self.widths.len() {
            match blocks.last_mut() {
                Some(block) if self.total(block.start..column + 1) <= room => block.end += 1,
                _ => blocks.push(column..column + 1),
            }
        }
        let columns: Vec<usize> = (labels..self.widths.len()).collect();
        let even = columns.len().div_ceil(blocks.len().max(1)).max(1);
        let even: Vec<Range<usize>> =
            columns.chunks(even).map(|some| some[0]..some[0] + some.len()).collect();
        let all_fit = even.iter().all(|block| self.total(block.clone()) <= room);
        if all_fit { even } else { blocks }
    }
}

/// The text of a table with a head and lines under it.
pub fn headed<H: Into<Entry>, E: Into<Entry>, L: IntoIterator<Item = E>>(
    head: impl IntoIterator<Item = H>,
    lines: impl IntoIterator<Item = L>,
    aligns: &[Align],
) -> String {
    let mut table = Table::default();
    table.line(head);
    lines.into_iter().for_each(|line| table.line(line));
    table.text(aligns)
}

#[cfg(test)]
mod tests {
    use anstyle::AnsiColor;

    use super::*;

    fn matrix(columns: usize) -> String {
        let head = ["".to_owned()].into_iter().chain((0..columns).map(|n| format!("node {n}")));
        let line = |row: usize| {
            [format!("node {row}")].into_iter().chain((0..columns).map(|_| "100 ±1".to_owned()))
        };
        headed(head, (0..2).map(line), &[Align::Left, Align::Right])
    }

    #[test]
    fn an_empty_table_has_no_text() {
        assert_eq!(Table::default().text(&[Align::Left]), "");
    }

    #[test]
    fn wide_tables_continue_in_even_blocks_with_their_labels() {
        let text = width::with(60, || matrix(8));
        let blocks: Vec<&str> = text.split("\n\n").collect();
        assert_eq!(blocks.len(), 2, "{text}");
        assert!(blocks.iter().all(|block| block.lines().nth(1).unwrap().starts_with("node 0  ")));
        assert!(blocks[1].starts_with("        node 4"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(!width::with(100, || matrix(8)).contains("\n\n"));
    }

    #[test]
    fn sentences_in_the_last_column_wrap() {
        let sentence = "four words and more ".repeat(4);
        let lines = [["a", "1", sentence.trim()]];
        let aligns = [Align::Left, Align::Right, Align::Left];
        let text = width::with(50, || headed(["", "number", "remark"], lines, &aligns));
        assert!(text.lines().all(|line| line.chars().count() <= 50), "{text}");
        assert!(text.lines().nth(2).unwrap().starts_with("           "), "{text}");
    }

    #[test]
    fn colours_take_no_width() {
        let mut table = Table::default();
        table.line(["a", "1"]);
        table.line([Entry::from("long"), Entry::styled("22", AnsiColor::Red.on_default())]);
        assert_eq!(
            table.text(&[Align::Left, Align::Right]),
            "a      1\nlong  \u{1b}[31m22\u{1b}[0m\n"
        );
    }

    #[test]
    fn entries_keep_no_control_characters() {
        let mut table = Table::default();
        table.line(["a\u{1b}[31m\nb", "c"]);
        assert_eq!(table.text(&[Align::Left]), "a\u{fffd}[31m\u{fffd}b  c\n");
    }
}
