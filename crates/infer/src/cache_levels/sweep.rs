//! Latencies by buffer size.

use std::collections::BTreeSet;

use nearfar_model::{Place, Sample, Shape};

use super::Point;
use crate::readings::{InferError, Readings};

/// The samples of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPoint {
    /// Size of the buffer.
    pub bytes: u64,
    /// Its samples, in any order: nanoseconds an access.
    pub samples: Vec<Sample>,
}

/// Samples of sizes from a few KiB to beyond the last cache, ascending.
#[derive(Clone, Debug)]
pub struct Sweep {
    bytes: Vec<u64>,
    readings: Readings,
    /// Columns with samples enough to see how they scatter: others would move plateaus, and seem
    /// to be known exactly.
    sampled: Vec<usize>,
}

impl Sweep {
    /// Takes points in any order; points of one size are taken together, and sizes of 0 are none.
    pub fn new(points: &[SweepPoint]) -> Result<Self, InferError> {
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
                    .map(|sample| Sample { place: Place::new(0, column), ..*sample }),
            );
        }
        let readings = Readings::new(Shape::new(1, bytes.len()), &samples)?;
        let sampled =
            (0..bytes.len()).filter(|&column| readings.cells()[column].scatters()).collect();
        Ok(Self { bytes, readings, sampled })
    }

    pub(crate) fn readings(&self) -> &Readings {
        &self.readings
    }

    /// The column of the curve's point.
    pub(crate) fn column(&self, place: usize) -> usize {
        self.sampled[place]
    }

    /// Size of the curve's point.
    pub(crate) fn bytes(&self, place: usize) -> u64 {
        self.bytes[self.sampled[place]]
    }

    /// Medians of the sizes that have samples enough.
    pub(crate) fn curve(&self) -> Vec<Point> {
        let point = |&column: &usize| {
            let log_ns = self.readings.cells()[column].log_median()?;
            Some(Point { octave: (self.bytes[column] as f64).log2(), log_ns })
        };
        self.sampled.iter().filter_map(point).collect()
    }
}
