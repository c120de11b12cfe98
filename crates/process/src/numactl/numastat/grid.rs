//! Tables as numastat prints them: a label, then columns of figures, folded at the screen's width.
//!
//! Scripts cut these tables by words and by columns, so widths follow the original: 16 characters a
//! column, or as little as fits.

/// A table of figures.
#[derive(Debug, Default)]
pub(super) struct StatGrid {
    /// What stands above the labels.
    pub(super) corner: &'static str,
    pub(super) headings: Vec<String>,
    /// The lines of figures.
    pub(super) rows: Vec<StatRow>,
    /// A line below a rule.
    pub(super) footer: Option<StatRow>,
}

/// A label and its figures; absent figures are blank.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StatRow {
    pub(super) label: String,
    pub(super) figures: Vec<Option<f64>>,
}

/// How a table is laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableStyle {
    /// Width of a line.
    pub(super) screen: usize,
    pub(super) decimals: usize,
    /// Whether a rule is below the headings.
    pub(super) ruled: bool,
    /// Whether columns are as narrow as their figures allow.
    pub(super) narrow: bool,
    /// Whether labels may take more than 16 characters.
    pub(super) wide_labels: bool,
    /// Whether lines and columns of nothing but zeros are left out.
    pub(super) skip_zeros: bool,
}

/// The width of a column, the blank before it included.
const WIDTH: usize = 16;
/// Smallest width of a narrow column, without the blank.
const LEAST: usize = 4;
const WIDEST_LABEL: usize = 24;

impl StatRow {
    fn has_data(&self) -> bool {
        self.figures.iter().any(Option::is_some)
    }

    fn is_zero(&self) -> bool {
        self.figures.iter().flatten().all(|figure| *figure == 0.0)
    }
}

impl StatGrid {
    /// Orders the lines by a column, largest first; lines that are equal keep their order.
    pub(super) fn sort_by(&mut self, column: usize) {
        let figure = |row: &StatRow| row.figures.get(column).copied().flatten().unwrap_or(0.0);
        self.rows.sort_by(|a, b| figure(b).total_cmp(&figure(a)));
    }

    pub(super) fn text(&self, look: TableStyle) -> String {
        let rows: Vec<&StatRow> = self.rows.iter().filter(|row| row.has_data()).collect();
        if rows.is_empty() {
            return "Table has no data.\n".to_owned();
        }
        if look.skip_zeros && rows.iter().all(|row| row.is_zero()) {
            return "Table has no non-zero data.\n".to_owned();
        }
        let shown: Vec<usize> =
            (0..self.headings.len()).filter(|&column| self.is_shown(column, look)).collect();
        let widths = self.widths(look);
        let label = self.label_width(look);
        let sections = fold(&shown, &widths, label, look.screen);
        let sections: Vec<String> =
            sections.iter().map(|columns| self.section(columns, &widths, label, look)).collect();
        sections.join("\n")
    }

    fn is_shown(&self, column: usize, look: TableStyle) -> bool {
        let figures =
            || self.rows.iter().filter_map(|row| row.figures.get(column).copied().flatten());
        figures().next().is_some() && !(look.skip_zeros && figures().all(|figure| figure == 0.0))
    }

    /// The lines of some columns.
    fn section(
        &self,
        columns: &[usize],
        widths: &[usize],
        label: usize,
        look: TableStyle,
    ) -> String {
        let line = |left: &str, cell: &dyn Fn(usize) -> String| {
            let left: String = left.chars().take(label).collect();
            let cells: String = columns
                .iter()
                .map(|&column| format!("{:>1$}", cell(column), widths[column]))
                .collect();
            format!("{left:<label$}{cells}\n")
        };
        let rule = |width: usize| "-".repeat(width.saturating_sub(1));
        let figures =
            |row: &StatRow| line(&row.label, &|column| figure(row, column, look.decimals));
        let mut text = line(self.corner, &|column| self.headings[column].clone());
        if look.ruled {
            let left = if self.corner.is_empty() { String::new() } else { rule(label) };
            text.push_str(&line(&left, &|column| rule(widths[column])));
        }
        let rows =
            self.rows.iter().filter(|row| row.has_data() && !(look.skip_zeros && row.is_zero()));
        rows.for_each(|row| text.push_str(&figures(row)));
        if let Some(footer) = &self.footer {
            text.push_str(&line(&rule(label), &|column| rule(widths[column])));
            text.push_str(&figures(footer));
        }
        text
    }

    fn all_rows(&self) -> impl Iterator<Item = &StatRow> {
        self.rows.iter().chain(&self.footer)
    }

    fn widths(&self, look: TableStyle) -> Vec<usize> {
        let longest = |column: usize| {
            let figures = self.all_rows().map(|row| figure(row, column, look.decimals).len());
            figures.chain([self.headings[column].len()]).max().unwrap_or(0)
        };
        let least = if look.narrow { LEAST } else { WIDTH - 1 };
        (0..self.headings.len()).map(|column| longest(column).max(least) + 1).collect()
    }

    fn label_width(&self, look: TableStyle) -> usize {
        let (least, most) = match (look.narrow, look.wide_labels) {
            (true, _) => (LEAST, WIDTH),
            (false, true) => (WIDTH, WIDEST_LABEL),
            (false, false) => return WIDTH,
        };
        let labels =
            self.all_rows().map(|row| row.label.chars().count()).chain([self.corner.len()]);
        (labels.max().unwrap_or(0).max(least) + 1).min(most)
    }
}

fn figure(row: &StatRow, column: usize, decimals: usize) -> String {
    row.figures
        .get(column)
        .copied()
        .flatten()
        .map_or_else(String::new, |figure| format!("{figure:.decimals$}"))
}

/// The columns of each section: as many as a line takes, at least one.
fn fold(columns: &[usize], widths: &[usize], label: usize, screen: usize) -> Vec<Vec<usize>> {
    let mut sections: Vec<Vec<usize>> = Vec::new();
    let mut taken = usize::MAX;
    for &column in columns {
        if taken.saturating_add(widths[column]) > screen {
            sections.push(Vec::new());
            taken = label;
        }
        taken = taken.saturating_add(widths[column]);
        if let Some(section) = sections.last_mut() {
            section.push(column);
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> StatGrid {
        let row = |label: &str, figures: [f64; 3]| StatRow {
            label: label.to_owned(),
            figures: figures.map(Some).to_vec(),
        };
        StatGrid {
            corner: "",
            headings: ["Node 0", "Node 8", "Total"].map(str::to_owned).to_vec(),
            rows: vec![
                row("A", [1.0, 0.0, 1.0]),
                row("B", [0.0, 0.0, 0.0]),
                row("C", [12345.678, 0.0, 12345.678]),
            ],
            footer: None,
        }
    }

    const STYLE: TableStyle = TableStyle {
        screen: 80,
        decimals: 2,
        ruled: true,
        narrow: false,
        wide_labels: false,
        skip_zeros: false,
    };

    #[test]
    fn columns_take_sixteen_characters() {
        let text = grid().text(STYLE);
        assert_eq!(
            text.lines().nth(4),
            Some("C                       12345.68            0.00        12345.68")
        );
        assert_eq!(
            text.lines().nth(1),
            Some("                 --------------- --------------- ---------------")
        );
    }

    #[test]
    fn narrow_columns_take_what_their_figures_take() {
        let text = grid().text(TableStyle { narrow: true, decimals: 0, ..STYLE });
        assert_eq!(
            text,
            concat!(
                "      Node 0 Node 8 Total\n      ------ ------ -----\n",
                "A          1      0     1\nB          0      0     0\n",
                "C      12346      0 12346\n",
            )
        );
    }

    #[test]
    fn zeros_are_left_out_on_request() {
        let text = grid().text(TableStyle { skip_zeros: true, ..STYLE });
        assert!(!text.contains("Node 8") && !text.contains("\nB"), "{text}");
        let mut nothing = grid();
        nothing.rows.truncate(2);
        nothing.rows.remove(0);
        assert_eq!(
            nothing.text(TableStyle { skip_zeros: true, ..STYLE }),
            "Table has no non-zero data.\n"
        );
        nothing.rows.clear();
        assert_eq!(nothing.text(STYLE), "Table has no data.\n");
    }

    #[test]
    fn a_narrow_screen_folds_the_columns() {
        let text = grid().text(TableStyle { screen: 48, ..STYLE });
        let sections: Vec<&str> = text.split("\n\n").collect();
        assert_eq!(sections.len(), 2);
        assert!(sections[0].contains("Node 8") && sections[1].contains("Total"), "{text}");
        assert_eq!(grid().text(TableStyle { screen: 1, ..STYLE }).matches("\nA  ").count(), 3);
    }

    #[test]
    fn sorting_is_stable_and_largest_first() {
        let mut grid = grid();
        grid.sort_by(0);
        let order =
            |grid: &StatGrid| grid.rows.iter().map(|row| row.label.clone()).collect::<String>();
        assert_eq!(order(&grid), "CAB");
        grid.sort_by(1);
        assert_eq!(order(&grid), "CAB");
    }
}
