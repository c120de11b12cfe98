//! Rare latencies: medians hide them, users wait for them.

use nearfar_infer::{TailFigure, tail};
use nearfar_model::{CellIndex, DurationCounts};
use serde::{Deserialize, Serialize};

use super::latencies::IoLatencies;

/// The latency that this share of accesses does not exceed.
const QUANTILES: [f64; 3] = [0.5, 0.99, 0.999];

/// The distribution of one cell's latencies. A quantile is null where fewer than ten accesses were
/// beyond it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IoTail {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the treatment.
    pub treatment: usize,
    /// Accesses of all processes.
    pub accesses: u64,
    /// The median.
    pub p50: Option<TailFigure>,
    /// 99 of 100 accesses are faster.
    pub p99: Option<TailFigure>,
    /// 999 of 1,000 accesses are faster.
    pub p999: Option<TailFigure>,
}

impl IoTail {
    /// The distributions of all cells with latencies, in the order of the places.
    pub(super) fn all_of(latencies: &[IoLatencies], places: &[CellIndex], seed: u64) -> Vec<Self> {
        let of_place = |place: &CellIndex| {
            let processes: Vec<DurationCounts> = latencies
                .iter()
                .filter(|record| record.place() == *place)
                .map(IoLatencies::counts)
                .collect();
            let accesses = processes.iter().map(DurationCounts::total).sum();
            let [p50, p99, p999] = tail(&processes, &QUANTILES, seed)[..] else { return None };
            let CellIndex { row, column, treatment } = *place;
            (accesses > 0).then_some(Self { row, column, treatment, accesses, p50, p99, p999 })
        };
        places.iter().filter_map(of_place).collect()
    }
}
