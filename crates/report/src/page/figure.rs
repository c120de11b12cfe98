//! A picture on a page: drawing, caption, and the table behind it.

use maud::{Markup, html};
use nearfar_view::draw::{FigureTable, Picture, inline};

use super::sentence::words;

/// Cells of a table that a page has; larger ones are in the document.
const MAX_CELLS: usize = 6_000;

/// The figure under its title. `id` is its own on the page.
pub(super) fn figure(picture: &dyn Picture, id: &str) -> Markup {
    titled(picture, id, true)
}

/// The figures of a section, whose heading is title enough for the only one.
pub(super) fn figures<'p>(
    pictures: impl ExactSizeIterator<Item = &'p dyn Picture>,
    id: &str,
) -> Markup {
    let is_alone = pictures.len() == 1;
    html! {
        @for (number, picture) in (1..).zip(pictures) {
            (titled(picture, &format!("{id}-{number}"), !is_alone))
        }
    }
}

/// Drawing, caption and table; or lines of text where they are all that it shows.
fn titled(picture: &dyn Picture, id: &str, has_title: bool) -> Markup {
    let (heading, lines) = (picture.heading(), picture.in_lines());
    html! {
        figure id=(id) {
            @if has_title { h3 { (words(&heading.title)) } }
            @if lines.is_empty() {
                div class="drawing" { (inline(picture, id)) }
            } @else {
                ul class="figures" { @for line in &lines { li { (words(line)) } } }
            }
            figcaption { (words(&heading.description())) }
            @if lines.is_empty() { (table("The figures as a table", &picture.table())) }
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
