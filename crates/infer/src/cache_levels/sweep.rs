//! Latencies by buffer size.

use std::collections::BTreeSet;

use nearfar_model::{CellIndex, MatrixShape, Sample};

use super::Point;
use crate::sample_matrix::{InferError, SampleMatrix};

/// The samples of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeSweepPoint {
    /// Size of the buffer.
    pub bytes: u64,
    /// Its samples, in any order: nanoseconds per access.
    pub samples: Vec<Sample>,
}

/// Samples of sizes from a few KiB to beyond the last cache, ascending.
#[derive(Clone, Debug)]
pub struct SizeSweep {
    bytes: Vec<u64>,
    matrix: SampleMatrix,
    /// Columns with enough samples to estimate scatter: others would move plateaus, with zero
    /// apparent scatter.
    sampled: Vec<usize>,
}

impl SizeSweep {
    /// From points in any order. Points of one size are combined, and sizes of 0 are skipped.
    pub fn new(points: &[SizeSweepPoint]) -> Result<Self, InferError> {
        let sizes: BTreeSet<u64> =
            points.iter().map(|point| point.bytes).filter(|&bytes| bytes > 0).collect();
        let bytes = Vec::from_iter(sizes);
        let mut samples = Vec::new();
        for point in points {
            let Ok(column) = bytes.binary_search(&point.bytes) else { continue };
            samples.extend(
                point
                    .samples
                    .iter()
                    .map(|sample| Sample { place: CellIndex::new(0, column), ..*sample }),
            );
        }
        let matrix = SampleMatrix::new(MatrixShape::new(1, bytes.len()), &samples)?;
        let sampled =
            (0..bytes.len()).filter(|&column| matrix.cells()[column].scatters()).collect();
        Ok(Self { bytes, matrix, sampled })
    }

    pub(crate) fn matrix(&self) -> &SampleMatrix {
        &self.matrix
    }

    /// The column of the curve's point.
    pub(crate) fn column(&self, place: usize) -> usize {
        self.sampled[place]
    }

    /// Size of the curve's point.
    pub(crate) fn bytes(&self, place: usize) -> u64 {
        self.bytes[self.sampled[place]]
    }

    /// Medians of the sizes with enough samples.
    pub(crate) fn curve(&self) -> Vec<Point> {
        let point = |&column: &usize| {
            let log_ns = self.matrix.cells()[column].log_median()?;
            Some(Point { octave: (self.bytes[column] as f64).log2(), log_ns })
        };
        self.sampled.iter().filter_map(point).collect()
    }
}
