//! The numbers that everything here is computed from: one matrix of cells, sampled in rounds, by processes.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::cell::Cell;

/// The most cells a matrix may have: 4,096 groups of CPUs by 64 nodes. Nobody waits for more to be measured.
pub const MAX_CELLS: usize = 4_096 * 64;

/// One undisturbed sample of one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Index of the row: a group of CPUs.
    pub row: usize,
    /// Index of the column: a memory.
    pub column: usize,
    /// The freshly started process that took it.
    pub process: u32,
    /// The round it belongs to. Each round visits every cell once.
    pub round: u32,
    /// Cost of one access, in nanoseconds (any positive cost will do: only ratios are judged).
    pub ns: f64,
}

/// Why numbers are not readings of a matrix.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InferError {
    /// A sample of a cell that the matrix does not have.
    #[error("a sample of row {row}, column {column} is outside the {rows} by {columns} matrix: count both from 0")]
    OutsideMatrix {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A cost that no access has.
    #[error("a sample of row {row}, column {column} costs {ns} ns: drop it, a cost is finite and above 0")]
    NotACost {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// The value, in nanoseconds.
        ns: f64,
    },
    /// More cells than anybody measures.
    #[error("a {rows} by {columns} matrix has more than {MAX_CELLS} cells: measure fewer rows or columns")]
    TooManyCells {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
    },
}

/// Samples of a matrix, checked and ordered for resampling.
#[derive(Clone, Debug)]
pub struct Readings {
    rows: usize,
    columns: usize,
    /// Row by row; cells without samples are empty.
    cells: Vec<Cell>,
    /// For each process, its blocks. A block is one round of one process.
    processes: Vec<Vec<usize>>,
}

impl Readings {
    /// Takes samples of a matrix of `rows` by `columns`. Cells may lack samples, or have none.
    pub fn new(rows: usize, columns: usize, samples: Vec<Reading>) -> Result<Self, InferError> {
        let cells = rows.checked_mul(columns).filter(|&cells| cells <= MAX_CELLS);
        let cells = cells.ok_or(InferError::TooManyCells { rows, columns })?;
        for &Reading { row, column, ns, .. } in &samples {
            if row >= rows || column >= columns {
                return Err(InferError::OutsideMatrix { row, column, rows, columns });
            }
            if !ns.is_finite() || ns <= 0.0 {
                return Err(InferError::NotACost { row, column, ns });
            }
        }
        let (blocks, processes) = number_blocks(&samples);
        let mut of_cell = vec![Vec::new(); cells];
        for sample in samples {
            of_cell[sample.row * columns + sample.column].push((sample.ns, blocks[&(sample.process, sample.round)]));
        }
        Ok(Self { rows, columns, cells: of_cell.into_iter().map(Cell::new).collect(), processes })
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the matrix.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many rounds have samples, over all processes.
    pub fn rounds(&self) -> usize {
        self.processes.iter().map(Vec::len).sum()
    }

    /// How many processes have samples.
    pub fn processes(&self) -> usize {
        self.processes.len()
    }

    /// The median of a cell's samples, without a word on how certain it is; `None` where it has none.
    pub fn median(&self, row: usize, column: usize) -> Option<f64> {
        self.cells.get(row * self.columns + column).filter(|_| column < self.columns)?.quantile_ns(0.5)
    }

    pub(crate) fn blocks_of_processes(&self) -> &[Vec<usize>] {
        &self.processes
    }

    pub(crate) fn cells(&self) -> &[Cell] {
        &self.cells
    }

    pub(crate) fn row(&self, row: usize) -> &[Cell] {
        &self.cells[row * self.columns..(row + 1) * self.columns]
    }

    /// Two cells of one row, as a matrix of one row and two columns.
    pub(crate) fn pair(&self, row: usize, near: usize, far: usize) -> Option<Self> {
        let cell = |column| self.cells.get(row * self.columns + column).filter(|_| column < self.columns).cloned();
        let cells = vec![cell(near)?, cell(far)?];
        Some(Self { rows: 1, columns: 2, cells, processes: self.processes.clone() })
    }

    /// Each row that has at least two columns to compare, as (row, columns with enough samples).
    pub(crate) fn comparable_rows(&self) -> Vec<(usize, Vec<usize>)> {
        let measurable = |row| (0..self.columns).filter(move |&column| self.row(row)[column].scatters()).collect();
        (0..self.rows)
            .map(|row| (row, measurable(row)))
            .filter(|(_, columns): &(_, Vec<_>)| columns.len() > 1)
            .collect()
    }
}

type BlockNumbers = BTreeMap<(u32, u32), usize>;

/// Numbers the blocks, and lists those of each process.
fn number_blocks(samples: &[Reading]) -> (BlockNumbers, Vec<Vec<usize>>) {
    let mut numbers: BlockNumbers = samples.iter().map(|sample| ((sample.process, sample.round), 0)).collect();
    let mut processes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (block, (&(process, _), number)) in numbers.iter_mut().enumerate() {
        *number = block;
        processes.entry(process).or_default().push(block);
    }
    (numbers, processes.into_values().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(row: usize, column: usize, ns: f64) -> Reading {
        Reading { row, column, process: 0, round: 0, ns }
    }

    #[test]
    fn refuses_what_no_access_costs() {
        for ns in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = Readings::new(1, 1, vec![sample(0, 0, ns)]).unwrap_err();
            assert!(matches!(error, InferError::NotACost { .. }), "{ns}");
        }
        let error = Readings::new(2, 2, vec![sample(0, 2, 80.0)]).unwrap_err();
        let said = "a sample of row 0, column 2 is outside the 2 by 2 matrix: count both from 0";
        assert_eq!(error.to_string(), said);
        assert!(Readings::new(usize::MAX, 2, vec![]).is_err());
    }

    #[test]
    fn the_same_round_number_in_two_processes_is_two_rounds() {
        let again = Reading { process: 1, ..sample(0, 0, 81.0) };
        let readings = Readings::new(1, 1, vec![sample(0, 0, 80.0), again]).unwrap();
        assert_eq!((readings.processes(), readings.rounds()), (2, 2));
    }

    proptest! {
        #[test]
        fn no_numbers_make_it_panic(
            numbers in proptest::collection::vec((0usize..3, 0usize..3, 0u32..3, 0u32..4, 1.0f64..1e9), 0..40),
            seed: u64,
        ) {
            let samples = numbers.into_iter().map(|(row, column, process, round, ns)| {
                Reading { row, column, process, round, ns }
            });
            let readings = Readings::new(3, 3, samples.collect()).unwrap();
            let verdict = crate::verdict(&readings, 0.05, seed);
            prop_assert!(verdict.p.is_none_or(|p| p > 0.0 && p <= 1.0));
            for estimate in crate::estimates(&readings, seed).into_iter().flatten().flatten() {
                prop_assert!(estimate.ci95_ns[0] <= estimate.median_ns && estimate.median_ns <= estimate.ci95_ns[1]);
                prop_assert!(estimate.ci95_ns[1].is_finite());
            }
        }
    }
}
