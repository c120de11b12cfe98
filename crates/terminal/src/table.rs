//! Aligned columns of text.

use anstyle::Style;

use crate::printable;

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At the column's left edge.
    Left,
    /// At its right edge, as numbers do.
    Right,
}

/// What stands at a crossing of line and column, and on what shade.
#[derive(Debug)]
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
    pub fn text(&self, aligns: &[Align]) -> String {
        let mut widths = vec![0; self.lines.iter().map(Vec::len).max().unwrap_or(0)];
        for line in &self.lines {
            for (width, entry) in widths.iter_mut().zip(line) {
                *width = entry.width().max(*width);
            }
        }
        let mut text = String::new();
        for line in &self.lines {
            let padded = line.iter().zip(&widths).enumerate().map(|(column, (entry, width))| {
                let align = aligns.get(column).or(aligns.last()).copied().unwrap_or(Align::Left);
                entry.padded(*width, align)
            });
            text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
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
