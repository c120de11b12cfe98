//! A matrix's cells by their place. Documents list them in any order, and a large machine has many.

use std::collections::BTreeMap;

use nearfar_survey::{Cell, Matrix};

/// The cells that a matrix has, and the nearest memory of each row.
pub(super) struct Grid<'m> {
    cells: BTreeMap<(usize, usize), &'m Cell>,
    /// Lowest median by row, in the matrix's unit.
    nearest: BTreeMap<usize, f64>,
}

impl<'m> Grid<'m> {
    pub(super) fn of(matrix: &'m Matrix) -> Self {
        let (mut cells, mut nearest) = (BTreeMap::new(), BTreeMap::new());
        for cell in &matrix.cells {
            cells.entry((cell.row, cell.column)).or_insert(cell);
            if let Some(median) = cell.median {
                let lowest: &mut f64 = nearest.entry(cell.row).or_insert(median);
                *lowest = lowest.min(median);
            }
        }
        Self { cells, nearest }
    }

    /// The cell at a row and column.
    pub(super) fn cell(&self, row: usize, column: usize) -> Option<&'m Cell> {
        self.cells.get(&(row, column)).copied()
    }

    /// What it costs.
    pub(super) fn median(&self, row: usize, column: usize) -> Option<f64> {
        self.cell(row, column)?.median
    }

    /// What it costs over what the row's nearest memory costs.
    pub(super) fn ratio(&self, row: usize, column: usize) -> Option<f64> {
        Some(self.median(row, column)? / self.nearest.get(&row)?)
    }
}
