//! A picture on a page: drawing, caption, and the table behind it.

use maud::{Markup, html};
use nearfar_view::draw::{FigureTable, Picture, inline};

use super::sentence::words;

/// Cells of a table that a page has; larger ones are in the document.
const MAX_CELLS: usize = 6_000;

/// The figure. `id` is its own on the page.
pub(super) fn figure(picture: &dyn Picture, id: &str) -> Markup {
    let heading = picture.heading();
    html! {
        figure id=(id) {
            h3 { (words(&heading.title)) }
            div class="drawing" tabindex="0" role="group" aria-label=(words(&heading.title)) {
                (inline(picture, id))
            }
            figcaption { (words(&heading.description())) }
            (table("The figures as a table", &picture.table()))
        }
    }
}

/// A table that opens below a summary.
pub(super) fn table(summary: &str, table: &FigureTable) -> Markup {
    let cells = table.rows.len() * table.columns.len();
    let shown =
        if cells > MAX_CELLS { MAX_CELLS / table.columns.len().max(1) } else { table.rows.len() };
    html! {
        details {
            summary { (summary) }
            div class="drawing" {
                table {
                    thead {
                        tr {
                            @for column in &table.columns { th scope="col" { (words(column)) } }
                        }
                    }
                    tbody {
                        @for row in table.rows.iter().take(shown) {
                            tr {
                                @for (at, cell) in row.iter().enumerate() {
                                    @if at == 0 {
                                        th scope="row" { (words(cell)) }
                                    } @else {
                                        td { (words(cell)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @if shown < table.rows.len() {
                p { "and " (table.rows.len() - shown) " rows more: they are in the document." }
            }
        }
    }
}
