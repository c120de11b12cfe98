//! A matrix with the numbers of its rows and columns.

use nearfar_terminal::table::{Align, Table};
/// How many rows and columns are shown; the JSON document has them all.
const MOST: usize = 128;

/// Lines of a matrix. `corner` names what the rows and columns are.
pub(super) fn text(
    corner: &str,
    columns: impl Iterator<Item = String>,
    rows: impl Iterator<Item = (String, Vec<String>)>,
) -> String {
    let mut table = Table::default();
    let columns: Vec<String> = columns.collect();
    let wide = columns.len() > MOST;
    table.line(std::iter::once(corner.to_owned()).chain(columns.into_iter().take(MOST)));
    let mut left = 0;
    for (index, (title, cells)) in rows.enumerate() {
        if index < MOST {
            table.line(std::iter::once(title).chain(cells.into_iter().take(MOST)));
        } else {
            left += 1;
        }
    }
    let text = table.text(&[Align::Right]);
    if wide || left > 0 { format!("{text}only {MOST} rows and columns are shown: --json has all\n") } else { text }
}
