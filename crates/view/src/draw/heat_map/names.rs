//! The names of rows and columns beside a grid: as many as there is room for.

use maud::Markup;

use super::grid::HeatGrid;
use crate::draw::canvas::{all, text, upright};
use crate::draw::label::{LINE, SIZE, fitted, widest};

/// The most room for a row's name, and for an upright column's, user units.
const ROW_ROOM: f64 = 275.0;
const COLUMN_ROOM: f64 = 150.0;
/// The least height of a row of names, user units.
const LEAST: f64 = 15.0;
/// Columns up to which each has its name, upright if need be.
const ALL_NAMED: usize = 16;

/// How wide the names of the rows are with what the rows are, user units.
pub(super) fn row_room(grid: &HeatGrid, axis: &str) -> f64 {
    widest(grid.rows.iter().map(String::as_str).chain([axis])).min(ROW_ROOM)
}

/// Names of rows that end at a place.
pub(super) fn rows(grid: &HeatGrid, (x, y): (f64, f64), height: f64) -> Markup {
    let every = steps(LEAST / height);
    let names = grid.rows.iter().enumerate().step_by(every);
    all(names.map(|(k, name)| {
        text("t e", x, y + (k as f64 + 0.5) * height + SIZE * 0.35, &fitted(name, ROW_ROOM))
    }))
}

/// How the columns' names stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ColumnNames {
    upright: bool,
    every: usize,
    /// The height they take, user units.
    pub(super) height: f64,
    /// How far a name reaches beyond its column, user units.
    pub(super) beyond: f64,
}

impl ColumnNames {
    /// Side by side if they fit, thinned out where there are many, or upright.
    pub(super) fn new(grid: &HeatGrid, cell: f64) -> Self {
        let room = widest(&grid.columns);
        let every = steps((room + 6.0) / cell);
        if every == 1 || (grid.columns.len() > ALL_NAMED && every <= 4) {
            return Self {
                upright: false,
                every,
                height: LINE,
                beyond: ((room - cell) / 2.0).max(0.0),
            };
        }
        Self {
            upright: true,
            every: steps(LEAST / cell),
            height: room.min(COLUMN_ROOM) + 6.0,
            beyond: 0.0,
        }
    }

    /// The names above a place.
    pub(super) fn draw(&self, grid: &HeatGrid, (x, y): (f64, f64), cell: f64) -> Markup {
        let names = grid.columns.iter().enumerate().step_by(self.every);
        all(names.map(|(k, name)| {
            let middle = x + (k as f64 + 0.5) * cell;
            match self.upright {
                true => upright("t", middle + SIZE * 0.35, y - 5.0, &fitted(name, COLUMN_ROOM)),
                false => text("t d", middle, y - 5.0, name),
            }
        }))
    }
}

/// How many places one name needs.
fn steps(places: f64) -> usize {
    (places.ceil() as usize).max(1)
}
