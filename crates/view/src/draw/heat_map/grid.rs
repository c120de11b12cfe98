//! The cells that are drawn: the map's own, or tiles of a map too large for that.
//!
//! A grid is a full rectangle whatever the map was: rows that are short end in empty cells, names
//! that lack are empty.

use super::{HeatCell, HeatMap, finite};
use crate::draw::figure::{figure, with_unit};
use crate::draw::label::fitted;

/// Room for a row's or column's name in a tooltip, user units. Names may be long, and there are
/// many cells.
pub(super) const NAME_ROOM: f64 = 300.0;
/// The same for each end of a tile.
const END_ROOM: f64 = 100.0;

/// A rectangle of cells.
pub(super) struct HeatGrid {
    pub(super) rows: Vec<String>,
    pub(super) columns: Vec<String>,
    /// Each row as long as there are columns. Tooltips include the names of row and column.
    pub(super) cells: Vec<Vec<Option<HeatCell>>>,
    /// Rows and columns in a tile; none where every cell is the map's own.
    pub(super) tile: Option<(usize, usize)>,
}

impl HeatGrid {
    /// The map in at most these numbers of rows and columns.
    pub(super) fn new(map: &HeatMap, most: (usize, usize)) -> Self {
        let rows = map.rows.len().max(map.cells.len()).max(map.figures.len());
        let lengths = map.cells.iter().map(Vec::len).chain(map.figures.iter().map(Vec::len));
        let columns = lengths.chain([map.columns.len()]).max().unwrap_or(0);
        let tile = (rows.div_ceil(most.0.max(1)).max(1), columns.div_ceil(most.1.max(1)).max(1));
        let names = |names: &[String], count: usize, block: usize| -> Vec<String> {
            (0..count)
                .step_by(block)
                .map(|first| span(names, first, (first + block).min(count) - 1))
                .collect()
        };
        let (row_names, column_names) =
            (names(&map.rows, rows, tile.0), names(&map.columns, columns, tile.1));
        let cell = |r: usize, c: usize| match tile {
            (1, 1) => map.cell(r, c),
            _ => median_tile(map, (r * tile.0, tile.0), (c * tile.1, tile.1)),
        };
        let short = |names: &[String]| -> Vec<String> {
            names.iter().map(|name| fitted(name, NAME_ROOM)).collect()
        };
        let (short_rows, short_columns) = (short(&row_names), short(&column_names));
        let cells = short_rows.iter().enumerate().map(|(r, row)| {
            let named = |(c, column): (usize, &String)| {
                cell(r, c).map(|cell| HeatCell {
                    tooltip: format!("{row}, {column}: {}", cell.tooltip),
                    ..cell
                })
            };
            short_columns.iter().enumerate().map(named).collect()
        });
        let cells = cells.collect();
        Self {
            rows: row_names,
            columns: column_names,
            cells,
            tile: (tile != (1, 1)).then_some(tile),
        }
    }

    /// Whether there is nothing to draw.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() || self.columns.is_empty()
    }

    /// All cells that hold a number.
    pub(super) fn figures(&self) -> impl Iterator<Item = &HeatCell> {
        self.cells.iter().flatten().filter_map(|cell| finite(cell.as_ref()))
    }

    /// What cells without a number show.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let cells = self.cells.iter().flatten().flatten();
        cells.filter(|cell| !cell.value.is_finite()).map(|cell| cell.shown.as_str())
    }

    /// What tiles are, in a sentence.
    pub(super) fn tile_note(&self) -> Option<String> {
        let (rows, columns) = self.tile?;
        Some(format!("Each tile is the median of up to {rows} × {columns} cells (rows × columns)."))
    }
}

/// The name of the first, or of first and last.
fn span(names: &[String], first: usize, last: usize) -> String {
    let name = |k: usize| names.get(k).map_or("", String::as_str);
    if first == last {
        return name(first).to_owned();
    }
    format!("{} to {}", fitted(name(first), END_ROOM), fitted(name(last), END_ROOM))
}

/// The median of a block, with its extremes; none where it holds no number. Marked if any of its
/// cells is.
fn median_tile(map: &HeatMap, rows: (usize, usize), columns: (usize, usize)) -> Option<HeatCell> {
    let lines = map.cells.iter().skip(rows.0).take(rows.1);
    let cells = lines.flat_map(|line| line.iter().skip(columns.0).take(columns.1));
    let held: Vec<&HeatCell> = cells.filter_map(|cell| finite(cell.as_ref())).collect();
    let lines = map.figures.iter().skip(rows.0).take(rows.1);
    let figures = lines.flat_map(|line| line.iter().skip(columns.0).take(columns.1)).copied();
    let mut values: Vec<f64> = held.iter().map(|cell| cell.value).collect();
    values.extend(figures.filter(|value| value.is_finite()));
    values.sort_by(f64::total_cmp);
    let (low, high) = (*values.first()?, *values.last()?);
    let value = values[(values.len() - 1) / 2] / 2.0 + values[values.len() / 2] / 2.0;
    let median = with_unit(value, &fitted(&map.unit, END_ROOM));
    let tooltip = format!("median {median}, from {} to {}", figure(low), figure(high));
    let marked = held.iter().any(|cell| cell.marked);
    Some(HeatCell { value, shown: figure(value), tooltip, marked, ..HeatCell::default() })
}
