//! The lines of a published matrix that are rows of it.

use super::cell::Cell;

/// Rows as they stand in the text, labels included.
pub(super) struct Rows<'a> {
    pub(super) rows: Vec<Vec<Cell<'a>>>,
    /// Lines that are none.
    pub(super) skipped: usize,
}

/// Splits a text into rows.
pub(super) fn rows(text: &str) -> Rows<'_> {
    // Lines end in LF, CR LF, or CR alone, as old spreadsheets write them.
    let lines = || text.trim_start_matches('\u{feff}').split(['\n', '\r']);
    let separator = Separator::of(lines().filter(|line| !line.trim().is_empty() && !is_remark(line)));
    let mut found = Rows { rows: Vec::new(), skipped: 0 };
    for line in lines().filter(|line| !separator.is_blank(line)) {
        if is_remark(line) {
            found.skipped += 1;
        } else {
            found.rows.push(separator.cells(line));
        }
    }
    found.leave_prose_out();
    found
}

impl Rows<'_> {
    /// Among rows of numbers a line of as many cells is a row, whatever stands in it: without it all rows below would be other CPUs'.
    fn leave_prose_out(&mut self) {
        let has_number = |row: &Vec<Cell<'_>>| row.iter().any(Cell::is_number);
        let first = self.rows.iter().position(has_number).unwrap_or(0);
        let last = self.rows.iter().rposition(has_number).unwrap_or(0);
        let longest = self.rows.iter().filter(|row| has_number(row)).map(Vec::len).max().unwrap_or(0);
        let before = self.rows.len();
        let mut line = 0..;
        self.rows.retain(|row| {
            let is_among = line.next().is_some_and(|line| line > first && line < last);
            !is_prose(row) || (is_among && longest > 1 && row.len() == longest)
        });
        self.skipped += before - self.rows.len();
    }
}

fn is_remark(line: &str) -> bool {
    ["#", "//", "%"].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// Words without a number: a title, a remark. Labels are no prose, nor is the label of a row that is empty.
fn is_prose(cells: &[Cell<'_>]) -> bool {
    if cells.iter().any(Cell::is_number) {
        return false;
    }
    let is_word = |cell: &Cell<'_>| matches!(cell, Cell::Text(_)) && cell.label().is_none();
    // A lone label has no cells beside it. A corner ("cpu") may stand before labels.
    let (corner, body) = cells.split_first().unwrap_or((&Cell::Empty, &[]));
    let names_cpus = !body.is_empty() && body.iter().all(|cell| cell.label().is_some());
    body.iter().any(is_word) || (is_word(corner) && !names_cpus) || (body.is_empty() && matches!(corner, Cell::Text(_)))
}

/// What stands between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Semicolon,
    Comma,
    Tab,
    Blanks,
}

impl Separator {
    /// By what most lines hold, since prose has commas, too.
    fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = [0usize; 3];
        let mut all = 0;
        for line in lines {
            all += 1;
            for (count, mark) in counts.iter_mut().zip([';', '\t', ',']) {
                *count += usize::from(line.contains(mark));
            }
        }
        let [semicolons, tabs, commas] = counts.map(|count| 2 * count >= all && all > 0);
        match (semicolons, tabs, commas) {
            (true, ..) => Self::Semicolon,
            (_, true, _) => Self::Tab,
            (.., true) => Self::Comma,
            // The lone first number of a triangle, and one row more.
            _ if counts[2] > 0 => Self::Comma,
            _ => Self::Blanks,
        }
    }

    /// A line of tabs alone is a row where tabs separate.
    fn is_blank(self, line: &str) -> bool {
        if self == Self::Tab { line.trim_matches([' ', '\r']).is_empty() } else { line.trim().is_empty() }
    }

    fn cells(self, line: &str) -> Vec<Cell<'_>> {
        let mark = match self {
            Self::Semicolon => ';',
            Self::Tab => '\t',
            Self::Comma => ',',
            Self::Blanks => return line.split_whitespace().map(|text| Cell::of(text, false)).collect(),
        };
        line.split(mark).map(|text| Cell::of(text, self != Self::Comma)).collect()
    }
}
