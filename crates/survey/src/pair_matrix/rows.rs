//! The lines of a published matrix that are rows of it.

use super::cell::CsvField;

/// Rows of the text, with labels.
pub(super) struct CsvRows<'a> {
    pub(super) rows: Vec<Vec<CsvField<'a>>>,
    /// Lines that are none.
    pub(super) skipped: usize,
}

/// Splits a text into rows.
pub(super) fn rows(text: &str) -> CsvRows<'_> {
    // Lines end in LF, CR LF, or CR alone, as old spreadsheets write them.
    let lines = || text.trim_start_matches('\u{feff}').split(['\n', '\r']);
    let separator = separator(lines().filter(|line| !line.trim().is_empty() && !is_remark(line)));
    let mut found = CsvRows { rows: Vec::new(), skipped: 0 };
    for line in lines().filter(|line| !is_blank(line, separator)) {
        if is_remark(line) {
            found.skipped += 1;
        } else {
            found.rows.push(cells(line, separator));
        }
    }
    found.leave_prose_out();
    found
}

impl CsvRows<'_> {
    /// Among rows of numbers a line of as many cells is a row, whatever stands in it: without it
    /// all rows below would be other CPUs'.
    fn leave_prose_out(&mut self) {
        let has_number = |row: &Vec<CsvField<'_>>| row.iter().any(CsvField::is_number);
        let first = self.rows.iter().position(has_number).unwrap_or(0);
        let last = self.rows.iter().rposition(has_number).unwrap_or(0);
        let longest =
            self.rows.iter().filter(|row| has_number(row)).map(Vec::len).max().unwrap_or(0);
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

/// Words without a number: a title, a remark. Labels are no prose, nor is the label of a row that
/// is empty.
fn is_prose(cells: &[CsvField<'_>]) -> bool {
    if cells.iter().any(CsvField::is_number) {
        return false;
    }
    let is_word = |cell: &CsvField<'_>| matches!(cell, CsvField::Text(_)) && cell.label().is_none();
    // A lone label has no cells beside it. A corner ("cpu") may stand before labels.
    let (corner, body) = cells.split_first().unwrap_or((&CsvField::Empty, &[]));
    let names_cpus = !body.is_empty() && body.iter().all(|cell| cell.label().is_some());
    body.iter().any(is_word)
        || (is_word(corner) && !names_cpus)
        || (body.is_empty() && matches!(corner, CsvField::Text(_)))
}

/// What stands between cells: blanks where it is no mark. By what most lines hold, since prose has
/// commas, too.
fn separator<'a>(lines: impl Iterator<Item = &'a str>) -> Option<char> {
    let lines: Vec<&str> = lines.collect();
    let holding = |mark: char| lines.iter().filter(|line| line.contains(mark)).count();
    let is_usual = |mark: &char| !lines.is_empty() && 2 * holding(*mark) >= lines.len();
    // Of few commas: the lone first number of a triangle, and one row more.
    [';', '\t', ','].into_iter().find(is_usual).or_else(|| (holding(',') > 0).then_some(','))
}

/// A line of tabs alone is a row where tabs separate.
fn is_blank(line: &str, separator: Option<char>) -> bool {
    if separator == Some('\t') {
        line.trim_matches([' ', '\r']).is_empty()
    } else {
        line.trim().is_empty()
    }
}

fn cells(line: &str, separator: Option<char>) -> Vec<CsvField<'_>> {
    match separator {
        Some(mark) => line.split(mark).map(|text| CsvField::parse(text, mark != ',')).collect(),
        None => line.split_whitespace().map(|text| CsvField::parse(text, false)).collect(),
    }
}
