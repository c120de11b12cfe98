//! A map as SVG.

use maud::{Markup, html};

use super::grid::Grid;
use super::names::{self, ColumnNames};
use super::scale::Scale;
use super::{HeatCell, HeatMap, MOST, finite, legend};
use crate::Drawing;
use crate::canvas::{all, n, text};
use crate::label::{LINE, SIZE, clean, fitted, widest, width};
use crate::ramp::{css, ink_on};
use crate::svg::WIDTH;

/// The least and the greatest width of a cell with room for its value, user units.
const WIDE: (f64, f64) = (44.0, 72.0);
/// The greatest width of a cell that is widened for its second line or its column's name, user
/// units.
const WIDEST: f64 = 110.0;
/// The height of a cell, and of one with a second line, user units.
const HIGH: (f64, f64) = (34.0, 46.0);
/// The height that all rows together should not exceed, and the least of a row, user units.
const ALL_HIGH: f64 = 1024.0;
const LEAST_HIGH: f64 = 12.0;
/// The smallest text, and how much smaller a second line is, user units.
const SMALLEST: f64 = 9.0;
const SECOND: f64 = 2.0;

/// The sizes of cells and of the text in them.
struct Sizes {
    wide: f64,
    high: f64,
    text: f64,
    second_lines: bool,
    /// Whether what is marked has a frame, or a corner only: tiles are too small for frames.
    frames: bool,
}

/// The map, drawn.
pub(super) fn of(map: &HeatMap) -> Drawing {
    let grid = Grid::of(map, (MOST, MOST));
    if grid.is_empty() {
        return Drawing {
            width: WIDTH / 2.0,
            height: LINE,
            body: text("q", 0.0, 13.0, "There is nothing to show."),
        };
    }
    let scale = Scale::of(map);
    let row_room = names::row_room(&grid, &map.row_axis) + 8.0;
    // Names of columns may reach beyond the first and the last of them: at most two columns' width.
    let room = (WIDTH - row_room)
        / (grid.columns.len() as f64 + if grid.columns.len() > 16 { 4.0 } else { 0.0 });
    let sizes = Sizes::of(&grid, room);
    let column_names = ColumnNames::of(&grid, sizes.wide);
    let left = row_room + column_names.beyond;
    let top = column_names.height + if map.column_axis.is_empty() { 0.0 } else { LINE };
    let right = left + grid.columns.len() as f64 * sizes.wide;
    let bottom = top + grid.rows.len() as f64 * sizes.high;
    let (legend, legend_width, legend_height) = legend::of(scale, &map.unit, &grid, bottom + 10.0);
    let width = (right + column_names.beyond).max(legend_width).clamp(WIDTH / 2.0, WIDTH);
    let body = html! {
        (text("q", left, 13.0, &fitted(&map.column_axis, width - left)))
        (text("q e", row_room - 8.0, top - 5.0, &fitted(&map.row_axis, row_room - 8.0)))
        (column_names.draw(&grid, (left, top), sizes.wide))
        (names::rows(&grid, (row_room - 8.0, top), sizes.high))
        g font-size=(n(sizes.text)) text-anchor="middle" { (all(grid.cells.iter().enumerate().map(|(r, cells)| {
            row(cells, &sizes, scale, (left, top + r as f64 * sizes.high))
        }))) }
        (legend)
    };
    Drawing { width, height: bottom + 10.0 + legend_height + 4.0, body }
}

impl Sizes {
    /// Sizes for cells that have this room across.
    fn of(grid: &Grid, room: f64) -> Self {
        let widest = widest(grid.figures().map(|cell| &cell.shown));
        let wanted = (widest + 12.0).clamp(WIDE.0, WIDE.1);
        let seconds = grid.figures().filter_map(|cell| cell.beneath.as_deref());
        let seconds = seconds.map(|beneath| width(beneath) * (SIZE - SECOND) / SIZE + 8.0);
        let names = grid.columns.iter().map(|name| width(name) + 8.0);
        // What does not fit even the widest cell is no reason to widen any.
        let most = WIDEST.min(room);
        let wide = seconds.chain(names).filter(|wide| *wide <= most).fold(wanted, f64::max);
        let wide = wide.min(room).ceil().min(room.floor()).max(1.0);
        let second_lines = wide >= WIDE.0 && grid.figures().any(|cell| cell.beneath.is_some());
        let wanted = if second_lines { HIGH.1 } else { HIGH.0 };
        let high = wanted.min((ALL_HIGH / grid.rows.len() as f64).max(LEAST_HIGH)).floor();
        let text = (SIZE * (wide - 6.0) / widest.max(1.0)).min(high - 4.0).clamp(SMALLEST, SIZE);
        Self {
            wide,
            high,
            text,
            second_lines: second_lines && high >= HIGH.1,
            frames: grid.tile.is_none(),
        }
    }

    /// Whether a text of this size fits a cell.
    fn fits(&self, words: &str, size: f64) -> bool {
        self.high >= size + 4.0 && width(words) * size / SIZE <= self.wide - 4.0
    }
}

fn row(
    cells: &[Option<HeatCell>],
    sizes: &Sizes,
    scale: Option<Scale>,
    (x, y): (f64, f64),
) -> Markup {
    html! {
        g transform=(format!("translate({} {})", n(x), n(y))) { (all(cells.iter().enumerate().map(|(c, shown)| {
            let x = c as f64 * sizes.wide;
            match (finite(shown.as_ref()), scale) {
                (Some(cell), Some(scale)) => filled(cell, sizes, &scale, x),
                _ => empty(shown.as_ref(), sizes, x),
            }
        }))) }
    }
}

/// A rectangle of a cell, less a unit so that cells stay apart, and so much smaller on each side.
fn frame(sizes: &Sizes, x: f64, inset: f64) -> String {
    let [wide, high] = [sizes.wide, sizes.high].map(|side| n((side - 1.0 - 2.0 * inset).max(0.0)));
    format!("M{} {}h{wide}v{high}h-{wide}z", n(x + inset), n(inset))
}

fn filled(cell: &HeatCell, sizes: &Sizes, scale: &Scale, x: f64) -> Markup {
    let colour = scale.colour(cell.value);
    let value = inside(cell, sizes, ink_on(colour), x + sizes.wide / 2.0);
    let told = html! { title { (clean(&cell.told)) } };
    let area = |told: Markup| html! { path d=(frame(sizes, x, 0.0)) fill=(css(colour)) { (told) } };
    match (value, cell.marked) {
        (None, false) => area(told),
        (value, marked) => html! {
            g { (told) (area(html! {})) @if marked { (mark(sizes, x)) } @if let Some(value) = value { (value) } }
        },
    }
}

/// The value in a cell, and its second line, as far as they fit.
fn inside(cell: &HeatCell, sizes: &Sizes, ink: &str, x: f64) -> Option<Markup> {
    if cell.shown.is_empty() || !sizes.fits(&cell.shown, sizes.text) {
        return None;
    }
    let small = (sizes.text - SECOND).max(SMALLEST);
    let beneath =
        cell.beneath.as_deref().filter(|beneath| sizes.second_lines && sizes.fits(beneath, small));
    let middle = sizes.high / 2.0 + sizes.text * 0.35;
    let y = if beneath.is_some() { middle - 7.0 } else { middle };
    Some(html! {
        text x=(n(x)) y=(n(y)) fill=(ink) { (clean(&cell.shown)) }
        @if let Some(beneath) = beneath {
            text x=(n(x)) y=(n(middle + 8.0)) fill=(ink) font-size=(n(small)) { (clean(beneath)) }
        }
    })
}

/// A frame on a band of paper, so that it is seen on any colour, and a corner, so that it is seen
/// without colours. Tiles have the corner.
fn mark(sizes: &Sizes, x: f64) -> Markup {
    let (wide, high) = (sizes.wide - 1.0, sizes.high - 1.0);
    let inset = |by: f64| frame(sizes, x, by);
    let corner = |side: f64| format!("M{} 0v{s}l-{s} -{s}z", n(x + wide), s = n(side));
    let side = (wide.min(high) * 0.3).clamp(3.0, 9.0);
    if !sizes.frames {
        return html! { path class="w" d=(corner(side + 2.0)) {} path class="mt" d=(corner(side)) {} };
    }
    html! {
        path class="w" fill-rule="evenodd" d=(format!("{}{}", inset(0.0), inset(3.5_f64.min(wide / 4.0)))) {}
        path class="w" d=(corner(side + 3.0)) {}
        path class="m" d=(inset(1.25)) {}
        path class="mt" d=(corner(side)) {}
    }
}

/// No figure: a frame with a dash in it, or crossed out where it is too small for that.
fn empty(cell: Option<&HeatCell>, sizes: &Sizes, x: f64) -> Markup {
    let dash = sizes.fits("–", sizes.text);
    let (wide, high) = (sizes.wide - 1.0, sizes.high - 1.0);
    html! {
        g {
            @if let Some(cell) = cell { title { (clean(&cell.told)) } }
            @if dash {
                path class="g" d=(frame(sizes, x, 0.0)) {}
                text class="q" x=(n(x + sizes.wide / 2.0)) y=(n(sizes.high / 2.0 + sizes.text * 0.35)) { "–" }
            } @else {
                path class="g" d=(format!("M{} {}L{} 0", n(x), n(high), n(x + wide))) {}
            }
        }
    }
}
