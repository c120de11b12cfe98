//! Aligned columns of text.

/// How a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Lines of cells; the widest cell of a column gives its width. Colour codes do not count.
#[derive(Debug, Default)]
pub(crate) struct Table {
    lines: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn line(&mut self, cells: Vec<String>) {
        self.lines.push(cells);
    }

    /// The text: cells two blanks apart, no blanks at line ends. Columns beyond `aligns` stand as its last.
    pub(crate) fn text(&self, aligns: &[Align]) -> String {
        let columns = self.lines.iter().map(Vec::len).max().unwrap_or(0);
        let width_of =
            |column: usize| self.lines.iter().filter_map(|line| line.get(column)).map(|cell| width(cell)).max();
        let widths: Vec<usize> = (0..columns).map(|column| width_of(column).unwrap_or(0)).collect();
        let mut text = String::new();
        for line in &self.lines {
            let padded = line.iter().enumerate().map(|(column, cell)| {
                let align = aligns.get(column).or(aligns.last()).copied().unwrap_or(Align::Left);
                pad(cell, widths[column], align)
            });
            text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

fn pad(cell: &str, wanted: usize, align: Align) -> String {
    let blanks = " ".repeat(wanted.saturating_sub(width(cell)));
    match align {
        Align::Left => format!("{cell}{blanks}"),
        Align::Right => format!("{blanks}{cell}"),
    }
}

/// Characters shown: those outside ANSI's colour sequences (ESC [ ... m).
fn width(cell: &str) -> usize {
    let mut shown = 0;
    let mut in_code = false;
    for character in cell.chars() {
        match character {
            '\u{1b}' => in_code = true,
            'm' if in_code => in_code = false,
            _ if !in_code => shown += 1,
            _ => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_colours_take_no_room() {
        let mut table = Table::default();
        table.line(vec!["a".into(), "1".into()]);
        table.line(vec!["long".into(), "\u{1b}[31m22\u{1b}[0m".into()]);
        assert_eq!(table.text(&[Align::Left, Align::Right]), "a      1\nlong  \u{1b}[31m22\u{1b}[0m\n");
    }
}
