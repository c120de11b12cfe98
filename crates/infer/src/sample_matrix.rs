//! The input of all inference: a matrix of cells, sampled in rounds, by processes.

use std::collections::BTreeMap;

use nearfar_model::{CellIndex, MatrixShape, Sample};
use thiserror::Error;

use crate::cell::{CellSamples, median};

/// Limit of cells in a matrix: 4,096 groups of CPUs by 64 nodes. More take too long to measure.
pub const MAX_CELLS: usize = 4_096 * 64;

/// Why samples do not form a matrix.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum InferError {
    /// A sample outside the matrix.
    #[error("a sample of {place} is outside {shape}: all are counted from 0")]
    OutsideMatrix {
        /// Its cell.
        place: CellIndex,
        /// The size of the matrix.
        shape: MatrixShape,
    },
    /// An impossible value.
    #[error("a sample of {place} is {value}: drop it, a value is finite and above 0")]
    NotAValue {
        /// Its cell.
        place: CellIndex,
        /// The value.
        value: f64,
    },
    /// Too many cells.
    #[error("{shape} are more than {MAX_CELLS} cells: measure fewer rows or columns")]
    TooManyCells {
        /// The requested size.
        shape: MatrixShape,
    },
}

/// Samples of a matrix, validated and ordered for resampling.
#[derive(Clone, Debug)]
pub struct SampleMatrix {
    rows: usize,
    columns: usize,
    /// Row by row; cells without samples are empty.
    cells: Vec<CellSamples>,
    /// The blocks of each process. A block is one round of one process.
    processes: Vec<Vec<usize>>,
}

impl SampleMatrix {
    /// From samples of a matrix with this shape. Each row has all treatments of its columns side by
    /// side ([`MatrixShape::index_in_row`]). Cells may lack some or all samples.
    pub fn new(shape: MatrixShape, samples: &[Sample]) -> Result<Self, InferError> {
        let MatrixShape { rows, columns, treatments } = shape;
        let too_many = InferError::TooManyCells { shape };
        let in_row = columns.checked_mul(treatments).ok_or(too_many.clone())?;
        let cells = rows.checked_mul(in_row).filter(|&cells| cells <= MAX_CELLS).ok_or(too_many)?;
        for &Sample { place, value, .. } in samples {
            if !shape.contains(place) {
                return Err(InferError::OutsideMatrix { place, shape });
            }
            if !value.is_finite() || value <= 0.0 {
                return Err(InferError::NotAValue { place, value });
            }
        }
        let (blocks, processes) = number_blocks(samples);
        let mut values = vec![Vec::new(); cells];
        for sample in samples {
            let block = blocks[&(sample.process, sample.round)];
            values[sample.place.row * in_row + shape.index_in_row(sample.place)]
                .push((sample.value, block));
        }
        Ok(Self {
            rows,
            columns: in_row,
            cells: values.into_iter().map(CellSamples::new).collect(),
            processes,
        })
    }

    /// From the samples of these cells of another matrix: one row, a column for each cell.
    pub fn from_places<'s>(
        places: &[CellIndex],
        samples: impl Iterator<Item = &'s Sample>,
    ) -> Result<Self, InferError> {
        let columns: BTreeMap<CellIndex, usize> = places.iter().copied().zip(0..).collect();
        let moved = |sample: &Sample| {
            Some(Sample { place: CellIndex::new(0, *columns.get(&sample.place)?), ..*sample })
        };
        Self::new(MatrixShape::new(1, places.len()), &samples.filter_map(moved).collect::<Vec<_>>())
    }

    /// From groups of samples: one row, a column for each group.
    pub(crate) fn from_groups(groups: &[&[Sample]]) -> Result<Self, InferError> {
        let moved = |(column, group): (usize, &&[Sample])| -> Vec<Sample> {
            group
                .iter()
                .map(|sample| Sample { place: CellIndex::new(0, column), ..*sample })
                .collect()
        };
        let samples: Vec<Sample> = groups.iter().enumerate().flat_map(moved).collect();
        Self::new(MatrixShape::new(1, groups.len()), &samples)
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Cells of a row: its columns, each with all treatments.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of rounds with samples, over all processes.
    pub fn rounds(&self) -> usize {
        self.processes.iter().map(Vec::len).sum()
    }

    /// Number of processes with samples.
    pub fn processes(&self) -> usize {
        self.processes.len()
    }

    /// The median of a cell's samples; `None` without samples.
    pub fn median(&self, row: usize, column: usize) -> Option<f64> {
        self.cell(row, column)?.quantile_ns(0.5)
    }

    pub(crate) fn blocks_of_processes(&self) -> &[Vec<usize>] {
        &self.processes
    }

    /// The log median of a cell's samples in each process; `None` without samples.
    pub(crate) fn log_medians_of_processes(&self, cell: &CellSamples) -> Vec<Option<f64>> {
        let mut process_of = vec![0; self.rounds()];
        for (process, blocks) in self.processes.iter().enumerate() {
            blocks.iter().for_each(|&block| process_of[block] = process);
        }
        let mut logs = vec![Vec::new(); self.processes.len()];
        cell.logs().for_each(|(log, block)| logs[process_of[block]].push(log));
        logs.into_iter().map(|logs| median(logs.into_iter())).collect()
    }

    pub(crate) fn cells(&self) -> &[CellSamples] {
        &self.cells
    }

    fn cell(&self, row: usize, column: usize) -> Option<&CellSamples> {
        self.cells.get(row * self.columns + column).filter(|_| column < self.columns)
    }

    pub(crate) fn row(&self, row: usize) -> &[CellSamples] {
        &self.cells[row * self.columns..(row + 1) * self.columns]
    }

    /// Two cells of one row, as a matrix of one row and two columns.
    pub(crate) fn pair(&self, row: usize, near: usize, far: usize) -> Option<Self> {
        let cells = vec![self.cell(row, near)?.clone(), self.cell(row, far)?.clone()];
        Some(Self { rows: 1, columns: 2, cells, processes: self.processes.clone() })
    }

    /// Each row that has at least two columns to compare, as (row, columns with enough samples).
    pub(crate) fn comparable_rows(&self) -> Vec<(usize, Vec<usize>)> {
        let measurable = |row| {
            (0..self.columns).filter(move |&column| self.row(row)[column].scatters()).collect()
        };
        (0..self.rows)
            .map(|row| (row, measurable(row)))
            .filter(|(_, columns): &(_, Vec<_>)| columns.len() > 1)
            .collect()
    }
}

type BlockNumbers = BTreeMap<(u32, u32), usize>;

/// Numbers the blocks, and lists those of each process.
fn number_blocks(samples: &[Sample]) -> (BlockNumbers, Vec<Vec<usize>>) {
    let mut numbers: BlockNumbers =
        samples.iter().map(|sample| ((sample.process, sample.round), 0)).collect();
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

    fn sample(row: usize, column: usize, value: f64) -> Sample {
        Sample::new(0, 0, CellIndex::new(row, column), value)
    }

    #[test]
    fn impossible_samples_are_refused() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error =
                SampleMatrix::new(MatrixShape::new(1, 1), &[sample(0, 0, value)]).unwrap_err();
            assert!(matches!(error, InferError::NotAValue { .. }), "{value}");
        }
        let error = SampleMatrix::new(MatrixShape::new(2, 2), &[sample(0, 2, 80.0)]).unwrap_err();
        let expected =
            "a sample of row 0, column 2 is outside 2 rows by 2 columns: all are counted from 0";
        assert_eq!(error.to_string(), expected);
        assert!(SampleMatrix::new(MatrixShape::new(usize::MAX, 2), &[]).is_err());
    }

    #[test]
    fn treatments_are_separate_cells() {
        let at = |column, treatment, value| Sample {
            place: CellIndex::new(0, column).with_treatment(treatment),
            ..sample(0, 0, value)
        };
        let samples = [at(0, 1, 80.0), at(1, 0, 90.0), at(1, 1, 70.0)];
        let shape = MatrixShape { rows: 1, columns: 2, treatments: 2 };
        let medians = |matrix: &SampleMatrix| {
            (0..matrix.columns()).map(|cell| matrix.median(0, cell)).collect::<Vec<_>>()
        };
        assert_eq!(
            medians(&SampleMatrix::new(shape, &samples).unwrap()),
            [None, Some(80.0), Some(90.0), Some(70.0)]
        );
        let error = SampleMatrix::new(MatrixShape::new(1, 2), &samples).unwrap_err().to_string();
        assert!(
            error.starts_with("a sample of row 0, column 0, treatment 1 is outside"),
            "{error}"
        );
        let picked =
            SampleMatrix::from_places(&[samples[2].place, samples[0].place], samples.iter())
                .unwrap();
        assert_eq!(medians(&picked), [Some(70.0), Some(80.0)]);
    }

    #[test]
    fn rounds_are_numbered_within_processes() {
        let again = Sample { process: 1, ..sample(0, 0, 81.0) };
        let matrix =
            SampleMatrix::new(MatrixShape::new(1, 1), &[sample(0, 0, 80.0), again]).unwrap();
        assert_eq!((matrix.processes(), matrix.rounds()), (2, 2));
    }

    proptest! {
        #[test]
        fn no_samples_cause_a_panic(
            numbers in proptest::collection::vec(
                (0usize..3, 0usize..3, 0u32..3, 0u32..4, 1.0f64..1e9),
                0..40,
            ),
            seed: u64,
        ) {
            let samples = numbers.into_iter().map(|(row, column, process, round, ns)| {
                Sample::new(process, round, CellIndex::new(row, column), ns)
            });
            let samples: Vec<Sample> = samples.collect();
            let matrix = SampleMatrix::new(MatrixShape::new(3, 3), &samples).unwrap();
            let verdict = crate::verdict(&matrix, 0.05, seed);
            prop_assert!(verdict.p.is_none_or(|p| p > 0.0 && p <= 1.0));
            for estimate in crate::estimates(&matrix, seed).into_iter().flatten().flatten() {
                let [low, high] = estimate.ci95_ns;
                prop_assert!(low <= estimate.median_ns && estimate.median_ns <= high);
                prop_assert!(high.is_finite());
            }
        }
    }
}
