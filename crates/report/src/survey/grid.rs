//! A matrix's cells by their place. Documents list them in any order, and a large machine has many.

use std::collections::BTreeMap;

use nearfar_survey::{Matrix, MatrixCell};

/// The cells that a matrix has, and what each row's costs are compared with.
pub(crate) struct MatrixIndex<'m> {
    cells: BTreeMap<(usize, usize), &'m MatrixCell>,
    /// By row, the cost of local memory, in the matrix's unit. Rows whose local memory was not
    /// measured have none.
    local: BTreeMap<usize, f64>,
}

impl<'m> MatrixIndex<'m> {
    pub(crate) fn from_matrix(matrix: &'m Matrix) -> Self {
        let mut cells = BTreeMap::new();
        for cell in &matrix.cells {
            cells.entry((cell.row, cell.column)).or_insert(cell);
        }
        let local =
            (0..matrix.rows.len()).filter_map(|row| Some((row, local(matrix, &cells, row)?)));
        Self { local: local.collect(), cells }
    }

    /// The cell at a row and column.
    pub(crate) fn cell(&self, row: usize, column: usize) -> Option<&'m MatrixCell> {
        self.cells.get(&(row, column)).copied()
    }

    pub(crate) fn median(&self, row: usize, column: usize) -> Option<f64> {
        self.cell(row, column)?.median
    }

    /// What it costs over what the row's local memory costs.
    pub(crate) fn ratio(&self, row: usize, column: usize) -> Option<f64> {
        Some(self.median(row, column)? / self.local.get(&row)?)
    }
}

/// The cost of the column on the row's own node; the lowest of the row's where no column is on it.
fn local(
    matrix: &Matrix,
    cells: &BTreeMap<(usize, usize), &MatrixCell>,
    row: usize,
) -> Option<f64> {
    let median = |column| cells.get(&(row, column)).and_then(|cell| cell.median);
    let own = matrix.rows.get(row)?.node;
    match matrix.columns.iter().position(|column| own.is_some() && column.node == own) {
        Some(column) => median(column),
        None => (0..matrix.columns.len()).filter_map(median).reduce(f64::min),
    }
}
