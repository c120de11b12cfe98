//! Records as CSV, for spreadsheets too.
//!
//! A spreadsheet takes a cell that begins like a formula for one, and computes it: names of
//! handlers, programs and machines come from others. Such a text gets an apostrophe before it, as
//! OWASP's page "CSV Injection" has it; spreadsheets show the text without it. Numbers stay.

use std::borrow::Cow;

use csv::{QuoteStyle, WriterBuilder};

use crate::terminal::printable;

/// Records under a header, which is written as it stands in the file.
pub fn under<R: IntoIterator<Item = String>>(
    header: &str,
    records: impl IntoIterator<Item = R>,
) -> String {
    CsvTable::new(header, records).text()
}

/// A column: its name in the header, and its cell.
pub type CsvColumn<R> = (&'static str, fn(&R) -> String);

/// Rows under the names of their columns.
pub fn rows_text<R>(columns: &[CsvColumn<R>], rows: impl IntoIterator<Item = R>) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    under(
        &names.join(","),
        rows.into_iter().map(|row| columns.iter().map(|(_, cell)| cell(&row)).collect::<Vec<_>>()),
    )
}

/// Records alone.
pub fn records_text<R: IntoIterator<Item = S>, S: AsRef<str>>(
    records: impl IntoIterator<Item = R>,
) -> String {
    let mut bytes = Vec::new();
    for record in records {
        let cells: Vec<String> =
            record.into_iter().map(|cell| neutral(cell.as_ref()).into_owned()).collect();
        // Some countries' spreadsheets separate cells by semicolons.
        let is_split = cells.iter().any(|cell| cell.contains(';'));
        let style = if is_split { QuoteStyle::Always } else { QuoteStyle::Necessary };
        let mut writer = WriterBuilder::new()
            .flexible(true)
            .quote_style(style)
            .buffer_capacity(512)
            .from_writer(&mut bytes);
        // Writing to memory does not fail.
        let _ = writer.write_record(cells).and_then(|()| Ok(writer.flush()?));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Records under a header, before they are written. Each is made when it is written: there may be
/// millions.
pub struct CsvTable<'r> {
    header: String,
    records: Box<dyn Iterator<Item = Vec<String>> + 'r>,
}

impl<'r> CsvTable<'r> {
    /// The header is written as it stands in the file.
    pub fn new<R: IntoIterator<Item = String>>(
        header: impl Into<String>,
        records: impl IntoIterator<Item = R, IntoIter: 'r>,
    ) -> Self {
        let records = records.into_iter().map(|record| record.into_iter().collect());
        Self { header: header.into(), records: Box::new(records) }
    }

    /// Its lines.
    pub fn text(self) -> String {
        format!("{}\n{}", self.header, records_text(self.records))
    }

    /// Its lines with a part's name in the first column.
    pub fn text_of_part(self, part: &str) -> String {
        let named = self.records.map(|mut record| {
            record.insert(0, part.to_owned());
            record
        });
        format!("part,{}\n{}", self.header, records_text(named))
    }
}

/// A cell in one line that no spreadsheet computes.
fn neutral(cell: &str) -> Cow<'_, str> {
    // A number with a sign is one, and "inf" is none.
    let is_number = cell.parse::<f64>().is_ok_and(f64::is_finite);
    let begins = |text: &str| text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let clean = printable::line(cell);
    let is_formula = !is_number
        && (cell.starts_with(['\t', '\r', '\n'])
            || begins(clean.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{fffd}')));
    if is_formula { Cow::Owned(format!("'{clean}")) } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> String {
        under("a", [[text.to_owned()]]).strip_prefix("a\n").unwrap().trim_end().to_owned()
    }

    #[test]
    fn no_text_begins_a_formula() {
        for text in [
            "=1+1",
            "+1+1",
            "-1+1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            " =1",
            "\u{202e}=1",
            "=",
            "-",
            "＝1",
            "-inf",
            "+nan",
            "-1-1",
            "=cmd|' /C calc'!A0",
            "\u{feff}=1",
        ] {
            let written = cell(text);
            assert!(written.trim_start_matches('"').starts_with('\''), "{text:?}: {written:?}");
            assert!(!written.contains(['\n', '\r', '\t']), "{text:?}: {written:?}");
        }
        // Excel in many countries splits at semicolons that no quotes enclose.
        assert_eq!(cell("a;=1+1"), "\"a;=1+1\"");
        let split = CsvTable::new("x,y", [["a;=1+1", "b"].map(str::to_owned)]);
        assert_eq!(split.text_of_part("p"), "part,x,y\n\"p\",\"a;=1+1\",\"b\"\n");
    }

    #[test]
    fn numbers_and_other_texts_stay() {
        for text in ["-1.5", "+2", "1e-9", "-0", "", "node 0", "a=b", "x-1", "0-3", "'a"] {
            assert_eq!(cell(text).trim_matches('"'), text);
        }
    }

    #[test]
    fn a_part_stands_before_each_line() {
        let table = || CsvTable::new("row,column,x", [["a", "b,c", "=1"].map(str::to_owned)]);
        assert_eq!(table().text(), "row,column,x\na,\"b,c\",'=1\n");
        assert_eq!(table().text_of_part("io"), "part,row,column,x\nio,a,\"b,c\",'=1\n");
    }
}
