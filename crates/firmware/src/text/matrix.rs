//! A matrix with the numbers of its rows and columns.

use nearfar_view::terminal::table::{Align, headed};

/// How many rows and columns are shown; the JSON document has them all.
const MOST: usize = 128;

/// Lines of a matrix. `corner` names what the rows and columns are.
pub(super) fn text(
    corner: &str,
    columns: impl Iterator<Item = String>,
    mut rows: impl Iterator<Item = (String, Vec<String>)>,
) -> String {
    let columns: Vec<String> = columns.collect();
    let lines = rows
        .by_ref()
        .take(MOST)
        .map(|(title, cells)| [title].into_iter().chain(cells.into_iter().take(MOST)));
    let head = [corner].into_iter().chain(columns.iter().map(String::as_str).take(MOST));
    let text = headed(head, lines, &[Align::Right]);
    if columns.len() <= MOST && rows.next().is_none() {
        return text;
    }
    text + &format!("only {MOST} rows and columns are shown: --json has all\n")
}
