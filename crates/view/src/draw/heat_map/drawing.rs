//! A map as SVG.

use maud::{Markup, html};

use super::Shading;
use super::grid::HeatGrid;
use super::names::{self, ColumnNames};
use super::paint::Paint;
use super::{HeatCell, HeatLevel, HeatMap, MOST, finite, in_lines, legend};
use crate::draw::Drawing;
use crate::draw::canvas::{all, lines, n, text};
use crate::draw::label::{LINE, SIZE, clean, fitted, widest, width, wrapped};
use crate::draw::svg::WIDTH;

/// The least and the greatest width of a cell with room for its value, user units.
const WIDE: (f64, f64) = (44.0, 72.0);
/// The greatest width of a cell that is widened for its second line or its column's name, user
/// units.
const WIDEST: f64 = 130.0;
/// The height of a cell, and of one with a second line, user units.
const HIGH: (f64, f64) = (34.0, 46.0);
/// The height that all rows together should not exceed, and the least of a row, user units.
const ALL_HIGH: f64 = 1024.0;
const MIN_HIGH: f64 = 12.0;
/// The smallest text, and how much smaller a second line is, user units.
const SMALLEST: f64 = 9.0;
const SECOND: f64 = 2.0;

/// The sizes of cells and of the text in them.
struct CellSizes {
    wide: f64,
    high: f64,
    text: f64,
    second_lines: bool,
    /// Whether what is marked has a frame, or a corner only: tiles are too small for frames.
    frames: bool,
}

/// Lines that a cell of a map of one row may take.
const CELL_LINES: usize = 4;

pub(super) fn of(map: &HeatMap) -> Drawing {
    let in_lines = in_lines::of(map);
    if !in_lines.is_empty() {
        return of_lines(&in_lines);
    }
    let grid = HeatGrid::new(map, (MOST, MOST));
    if grid.is_empty() {
        return Drawing {
            width: WIDTH / 2.0,
            height: LINE,
            body: text("q", 0.0, 13.0, "There is nothing to show."),
        };
    }
    let shading = Shading::from_map(map);
    let row_room = names::row_room(&grid, &map.row_axis) + 8.0;
    // Names of columns may reach beyond the first and the last of them: at most two columns' width.
    let room = (WIDTH - row_room)
        / (grid.columns.len() as f64 + if grid.columns.len() > 16 { 4.0 } else { 0.0 });
    let sizes = CellSizes::new(&grid, room);
    let column_names = ColumnNames::new(&grid, sizes.wide);
    let left = row_room + column_names.beyond;
    let top = column_names.height + if map.column_axis.is_empty() { 0.0 } else { LINE };
    let right = left + grid.columns.len() as f64 * sizes.wide;
    let bottom = top + grid.rows.len() as f64 * sizes.high;
    let shows_beneath = grid.figures().any(|cell| sizes.beneath(cell).is_some());
    let (legend, legend_width, legend_height) =
        legend::of(map, &shading, &grid, shows_beneath, (right, bottom + 10.0));
    let rows = grid
        .cells
        .iter()
        .enumerate()
        .map(|(r, cells)| row(cells, &sizes, &shading, (left, top + r as f64 * sizes.high)));
    let width = (right + column_names.beyond).max(legend_width).clamp(WIDTH / 2.0, WIDTH);
    let body = html! {
        (text("q", left, 13.0, &fitted(&map.column_axis, width - left)))
        (text("q e", row_room - 8.0, top - 5.0, &fitted(&map.row_axis, row_room - 8.0)))
        (column_names.draw(&grid, (left, top), sizes.wide))
        (names::rows(&grid, (row_room - 8.0, top), sizes.high))
        g font-size=(n(sizes.text)) text-anchor="middle" { (all(rows)) }
        (legend)
    };
    Drawing { width, height: bottom + 10.0 + legend_height + 4.0, body }
}

fn of_lines(in_lines: &[String]) -> Drawing {
    let room = 0.9 * WIDTH;
    let wrapped = in_lines.iter().flat_map(|line| wrapped(line, room, CELL_LINES));
    let wrapped: Vec<String> = wrapped.collect();
    let width = widest(&wrapped).clamp(WIDTH / 2.0, WIDTH);
    let (body, height) = lines("t", (0.0, 0.0), wrapped);
    Drawing { width, height: height + 4.0, body }
}

impl CellSizes {
    /// Sizes for cells that have this room across.
    fn new(grid: &HeatGrid, room: f64) -> Self {
        let levels = grid.figures().filter_map(|cell| cell.levels.as_ref()).flatten();
        let figures = grid.figures().map(|cell| &cell.shown);
        let widest = widest(figures.chain(levels.map(|level| &level.shown)));
        let wanted = (widest + 12.0).clamp(WIDE.0, WIDE.1);
        let names = grid.columns.iter().map(|name| width(name) + 8.0);
        let words = grid.words().map(|word| width(word) * SMALLEST / SIZE + 6.0);
        // What does not fit even the widest cell is no reason to widen any.
        let most = WIDEST.min(room);
        let second = |line: &String| width(line) * (SIZE - SECOND) / SIZE + 8.0;
        let seconds = grid.figures().filter_map(|cell| {
            cell.second_lines().map(|line| second(&line)).find(|wide| *wide <= most)
        });
        let wide =
            seconds.chain(names).chain(words).filter(|wide| *wide <= most).fold(wanted, f64::max);
        let wide = wide.min(room).ceil().min(room.floor()).max(1.0);
        let second_lines = wide >= WIDE.0 && grid.figures().any(|cell| !cell.beneath.is_empty());
        let has_halves = grid.figures().any(|cell| cell.levels.is_some());
        let wanted = if second_lines || has_halves { HIGH.1 } else { HIGH.0 };
        let high = wanted.min((ALL_HIGH / grid.rows.len() as f64).max(MIN_HIGH)).floor();
        let text = (SIZE * (wide - 6.0) / widest.max(1.0)).min(high - 4.0).clamp(SMALLEST, SIZE);
        Self {
            wide,
            high,
            text,
            second_lines: second_lines && high >= HIGH.1,
            frames: grid.tile.is_none(),
        }
    }

    /// Whether a text of this size fits a cell of this height.
    fn fits(&self, words: &str, size: f64, high: f64) -> bool {
        high >= size + 4.0 && width(words) * size / SIZE <= self.wide - 4.0
    }

    /// The size of a second line.
    fn small(&self) -> f64 {
        (self.text - SECOND).max(SMALLEST)
    }

    /// The longest second line of a cell that fits it.
    fn beneath(&self, cell: &HeatCell) -> Option<String> {
        let fits = |line: &String| self.fits(line, self.small(), self.high);
        let may = self.second_lines && cell.levels.is_none();
        cell.second_lines().filter(|_| may).find(fits)
    }
}

fn row(
    cells: &[Option<HeatCell>],
    sizes: &CellSizes,
    shading: &Shading,
    (x, y): (f64, f64),
) -> Markup {
    let drawn = cells.iter().enumerate().map(|(column, shown)| {
        let x = column as f64 * sizes.wide;
        match finite(shown.as_ref()) {
            Some(cell) => filled(cell, sizes, (shading, column), x),
            None => empty(shown.as_ref(), sizes, x),
        }
    });
    html! { g transform=(format!("translate({} {})", n(x), n(y))) { (all(drawn)) } }
}

/// A rectangle of a cell, less a unit so that cells stay apart, and smaller by `inset` on each
/// side.
fn frame(sizes: &CellSizes, x: f64, inset: f64) -> String {
    let [wide, high] = [sizes.wide, sizes.high].map(|side| n((side - 1.0 - 2.0 * inset).max(0.0)));
    format!("M{} {}h{wide}v{high}h-{wide}z", n(x + inset), n(inset))
}

fn filled(
    cell: &HeatCell,
    sizes: &CellSizes,
    (shading, column): (&Shading, usize),
    x: f64,
) -> Markup {
    let tooltip = html! { title { (clean(&cell.tooltip)) } };
    if let Some(levels) = &cell.levels {
        let halves = levels
            .iter()
            .enumerate()
            .map(|(at, level)| half(level, sizes, shading.paint(column, level.value), (x, at)));
        let mark = cell.marked.then(|| mark(sizes, x));
        return html! { g { (tooltip) (all(halves)) (all(mark)) } };
    }
    let paint = shading.paint(column, cell.value);
    let value = inside(cell, sizes, paint, x + sizes.wide / 2.0);
    let area = |title: Markup| painted(paint, &frame(sizes, x, 0.0), &title);
    match (value, cell.marked) {
        (None, false) => area(tooltip),
        (value, marked) => html! {
            g {
                (tooltip) (area(html! {}))
                @if marked { (mark(sizes, x)) }
                @if let Some(value) = value { (value) }
            }
        },
    }
}

fn painted(paint: Paint, d: &str, title: &Markup) -> Markup {
    html! {
        path class=[paint.class()] d=(d) fill=[paint.fill()] fill-opacity=[paint.opacity()] {
            (title)
        }
    }
}

/// The upper (0) or lower (1) half of a cell: one of its two levels.
fn half(level: &HeatLevel, sizes: &CellSizes, paint: Paint, (x, at): (f64, usize)) -> Markup {
    let high = (sizes.high - 1.0) / 2.0;
    let (wide, y) = (n((sizes.wide - 1.0).max(0.0)), at as f64 * high);
    let d = format!("M{} {}h{wide}v{}h-{wide}z", n(x), n(y), n(high));
    let middle = (x + sizes.wide / 2.0, y + high / 2.0 + sizes.text * 0.35);
    html! {
        (painted(paint, &d, &html! {}))
        @if sizes.fits(&level.shown, sizes.text, high) {
            text class=[paint.ink_class()] x=(n(middle.0)) y=(n(middle.1)) fill=[paint.ink()] {
                (clean(&level.shown))
            }
        }
    }
}

/// The value in a cell, and its second line, as far as they fit.
fn inside(cell: &HeatCell, sizes: &CellSizes, paint: Paint, x: f64) -> Option<Markup> {
    if cell.shown.is_empty() || !sizes.fits(&cell.shown, sizes.text, sizes.high) {
        return None;
    }
    let beneath = sizes.beneath(cell);
    let middle = sizes.high / 2.0 + sizes.text * 0.35;
    let y = if beneath.is_some() { middle - 7.0 } else { middle };
    let (class, ink) = (paint.ink_class(), paint.ink());
    Some(html! {
        text class=[class] x=(n(x)) y=(n(y)) fill=[ink] { (clean(&cell.shown)) }
        @if let Some(beneath) = beneath {
            text class=[class] x=(n(x)) y=(n(middle + 8.0)) fill=[ink]
                font-size=(n(sizes.small())) { (clean(&beneath)) }
        }
    })
}

/// A frame on a band of paper, so that it is seen on any colour, and a corner, so that it is seen
/// without colours. Tiles have the corner.
fn mark(sizes: &CellSizes, x: f64) -> Markup {
    let (wide, high) = (sizes.wide - 1.0, sizes.high - 1.0);
    let inset = |by: f64| frame(sizes, x, by);
    let corner = |side: f64| format!("M{} 0v{s}l-{s} -{s}z", n(x + wide), s = n(side));
    let side = (wide.min(high) * 0.3).clamp(3.0, 9.0);
    if !sizes.frames {
        return html! {
            path class="w" d=(corner(side + 2.0)) {}
            path class="mt" d=(corner(side)) {}
        };
    }
    let band = format!("{}{}", inset(0.0), inset(3.5_f64.min(wide / 4.0)));
    html! {
        path class="w" fill-rule="evenodd" d=(band) {}
        path class="w" d=(corner(side + 3.0)) {}
        path class="m" d=(inset(1.25)) {}
        path class="mt" d=(corner(side)) {}
    }
}

/// No figure: a frame with the reason or a dash in it. It is crossed out where neither fits.
fn empty(cell: Option<&HeatCell>, sizes: &CellSizes, x: f64) -> Markup {
    let word = cell.map_or("", |cell| cell.shown.as_str());
    let size = if sizes.fits(word, sizes.text, sizes.high) { sizes.text } else { SMALLEST };
    let word = match word {
        "" => "–",
        word if sizes.fits(word, size, sizes.high) => word,
        _ => "?",
    };
    let has_room = sizes.fits(word, size, sizes.high);
    let (wide, high) = (sizes.wide - 1.0, sizes.high - 1.0);
    let (middle, base) = (x + sizes.wide / 2.0, sizes.high / 2.0 + sizes.text * 0.35);
    html! {
        g {
            @if let Some(cell) = cell { title { (clean(&cell.tooltip)) } }
            @if has_room {
                path class="g" d=(frame(sizes, x, 0.0)) {}
                text class="q" x=(n(middle)) y=(n(base))
                    font-size=[(size < sizes.text).then(|| n(size))] { (clean(word)) }
            } @else {
                path class="g" d=(format!("M{} {}L{} 0", n(x), n(high), n(x + wide))) {}
            }
        }
    }
}
