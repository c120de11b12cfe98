//! A map of one row as lines of text: a single cell has nothing to be compared with by colour.

use super::grid::{HeatGrid, NAME_ROOM};
use super::{HeatMap, MOST};
use crate::draw::label::fitted;

/// Cells of a row that are lines; more are compared better by colour.
const MOST_LINES: usize = 12;

/// The only row's name and its only figure, or a line for each of its figures beneath its name;
/// nothing of other maps.
pub(super) fn of(map: &HeatMap) -> Vec<String> {
    let grid = HeatGrid::new(map, (MOST, MOST));
    if grid.tile.is_some() || !(1..=MOST_LINES).contains(&grid.columns.len()) {
        return Vec::new();
    }
    let ([row], [cells]) = (&grid.rows[..], &grid.cells[..]) else { return Vec::new() };
    let head = format!("{}, ", fitted(row, NAME_ROOM));
    let figures = cells.iter().zip(&grid.columns).map(|(cell, column)| match cell {
        Some(cell) => cell.tooltip.strip_prefix(&head).unwrap_or(&cell.tooltip).to_owned(),
        None => format!("{column}: not measured"),
    });
    let figures: Vec<String> = figures.collect();
    match &figures[..] {
        [only] => vec![head + only],
        _ => [format!("{row}:")].into_iter().chain(figures).collect(),
    }
}
