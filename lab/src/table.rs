//! Aligned columns of text: the first stands left when it holds words, numbers stand right.

/// Lines of entries; the widest entry of a column gives its width.
#[derive(Debug, Default)]
pub(crate) struct Table {
    lines: Vec<Vec<String>>,
}

impl Table {
    /// Adds a line.
    pub(crate) fn line<E: Into<String>>(&mut self, entries: impl IntoIterator<Item = E>) {
        self.lines.push(entries.into_iter().map(Into::into).collect());
    }

    /// The text: entries two blanks apart, no blanks at line ends, each line behind `indent` blanks. Columns in `left` stand left.
    pub(crate) fn text(&self, indent: usize, left: &[usize]) -> String {
        let mut widths = vec![0; self.lines.iter().map(Vec::len).max().unwrap_or(0)];
        for line in &self.lines {
            for (width, entry) in widths.iter_mut().zip(line) {
                *width = entry.chars().count().max(*width);
            }
        }
        let mut text = String::new();
        for line in &self.lines {
            let columns = line.iter().zip(&widths).enumerate();
            let padded = columns.map(|(column, (entry, &width))| match left.contains(&column) {
                true => format!("{entry:<width$}"),
                false => format!("{entry:>width$}"),
            });
            let line = format!("{:indent$}{}", "", padded.collect::<Vec<_>>().join("  "));
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_lines_have_no_blanks_at_their_end() {
        let mut table = Table::default();
        table.line(["node", "cost", "name"]);
        table.line(["0", "78.5", "x"]);
        assert_eq!(table.text(2, &[2]), "  node  cost  name\n     0  78.5  x\n");
    }
}
