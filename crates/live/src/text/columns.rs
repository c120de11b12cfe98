//! Columns that fit a width.

use nearfar_view::terminal::printable;

use crate::columns::{Column, Row};

const GAP: usize = 2;
/// The narrowest last column. Where there is room, its texts take up to 30 % of the width.
const NARROWEST: usize = 6;

/// The sort column's head, and its mark.
pub(super) type Mark = (&'static str, &'static str);

/// The head and the rows, each at most `width` characters. The last column takes what is left.
/// Columns without any text are left out.
pub(super) fn lines<T: Row>(rows: &[T], width: usize, mark: Option<Mark>) -> Vec<String> {
    fit(T::COLUMNS, rows, width, mark)
}

fn fit<T>(columns: &[Column<T>], rows: &[T], width: usize, mark: Option<Mark>) -> Vec<String> {
    let marked = |at: usize| mark.filter(|(head, _)| *head == columns[at].head);
    let head_of = |at: usize| {
        let mark = marked(at).map_or("", |(_, mark)| mark);
        format!("{}{mark}", columns[at].head)
    };
    let texts: Vec<Vec<String>> = columns
        .iter()
        .map(|column| rows.iter().map(|row| printable::line(&(column.cell)(row)).into_owned()))
        .map(Iterator::collect)
        .collect();
    let Some(last) = columns.len().checked_sub(1) else { return Vec::new() };
    let widest = |at: usize| {
        let cells = texts[at].iter().map(|text| text.chars().count());
        cells.chain([columns[at].least, head_of(at).chars().count()]).max().unwrap_or(0)
    };
    let mut kept: Vec<usize> = (0..last).filter(|at| is_shown(&columns[*at], rows)).collect();
    let total = |kept: &[usize]| kept.iter().map(|&at| widest(at) + GAP).sum::<usize>();
    let wanted = widest(last).min(width * 3 / 10).max(NARROWEST);
    while total(&kept) + wanted > width {
        let least = (0..kept.len()).min_by_key(|&at| {
            let column = kept[at];
            (marked(column).is_some(), columns[column].importance)
        });
        let Some(least) = least else { break };
        kept.remove(least);
    }
    let rest = width.saturating_sub(total(&kept));
    let line = |text: &dyn Fn(usize) -> String| {
        let mut line = String::new();
        for &at in &kept {
            line += &format!("{:>1$}", text(at), widest(at));
            line += &" ".repeat(GAP);
        }
        line + &cut(&text(last), rest)
    };
    let head = line(&head_of);
    let rows = (0..rows.len()).map(|row| line(&|at| texts[at][row].clone()));
    [head].into_iter().chain(rows).collect()
}

/// A text that is cut ends in a mark.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.trim_end().chars().count() <= width {
        return text.chars().take(width).collect();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).take(width).collect()
}

/// Whether a column has a text, or stands still without one.
pub(super) fn is_shown<T>(column: &Column<T>, rows: &[T]) -> bool {
    column.least > 0 || rows.iter().any(|row| !(column.cell)(row).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (&'static str, &'static str, &'static str);

    fn columns() -> [Column<Row>; 3] {
        [
            Column::new("A", 9, 3, |row| row.0.to_owned(), ""),
            Column::new("B", 1, 0, |row| row.1.to_owned(), ""),
            Column::new("NAME", 9, 0, |row| row.2.to_owned(), ""),
        ]
    }

    #[test]
    fn the_least_important_column_is_left_out_first() {
        let rows = [("1", "2222", "a long name"), ("22", "", "b\u{1b}")];
        let wide = fit(&columns(), &rows, 40, None);
        let wanted = ["  A     B  NAME", "  1  2222  a long name", " 22        b\u{fffd}"];
        assert_eq!(wide, wanted);
        assert_eq!(fit(&columns(), &rows, 14, None)[1], "  1  a long n…");
        assert_eq!(fit(&columns(), &rows, 4, None)[1], "a l…");
    }

    #[test]
    fn empty_columns_are_left_out() {
        assert_eq!(fit(&columns(), &[("1", "", "x")], 40, None)[0], "  A  NAME");
        assert_eq!(fit(&columns(), &[], 40, None), ["  A  NAME"]);
    }

    #[test]
    fn the_sort_column_is_marked_and_left_out_last() {
        let rows = [("1", "2222", "a long name")];
        let mark = Some(("B", "↓"));
        assert_eq!(fit(&columns(), &rows, 40, mark)[0], "  A    B↓  NAME");
        assert_eq!(fit(&columns(), &rows, 14, mark)[0], "  B↓  NAME");
    }
}
