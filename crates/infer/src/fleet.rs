//! Which machine of a fleet differs from the others, and in which cell?
//!
//! Machines of one shape have the same cells. In each cell, a machine's figure is compared with the
//! median of the others. Its deviation has two parts: the spread between machines, and its own
//! error. Both are logarithms, so that ratios are symmetric.
//!
//! - *Spread*: Rousseeuw and Croux's Qn (*Journal of the American Statistical Association* 88,
//!   1993) with their corrections for few machines. Up to half of the machines may be outliers
//!   without moving it far. It is never below the median of the machines' own errors.
//! - *Moderation*: a spread of few machines is imprecise, and cells of one fleet resemble each
//!   other. So, within one kind of cells, each variance is shrunk towards a common one, by as much
//!   as the cells agree (Smyth, *Statistical Applications in Genetics and Molecular Biology* 3,
//!   2004).
//! - *Common part*: where most of the spread is common to all cells of a machine (its clock, its
//!   temperature), each cell is also compared relative to the median of its machine's cells. The
//!   smaller of both probabilities then counts twice.
//! - *Own error*: a machine whose error exceeds the median of the others needs a larger deviation.
//! - *Decision*: Student's t, then a false-discovery rate of 5 % over all machines and cells
//!   (Benjamini and Hochberg, 1995). Deviations below the floor are never outliers.
//!
//! Intervals count the whole spread as error: a healthy machine's interval contains 1 in 95 % of
//! cells.

mod batches;
mod differences;
mod expected;
mod fit;
mod levels;
mod log_table;
mod moderation;
mod named;
mod qn;
mod reference;
mod smallest;
mod split;
mod spread;

use serde::{Deserialize, Serialize};

pub use batches::FleetBatch;
pub use differences::BatchDifference;
pub use reference::fleet_against_reference;
pub use smallest::SmallestSlowdown;

use crate::student::NORMAL_95;
use fit::FleetFigures;
use log_table::LogTable;

/// Fewer machines of a shape are too few to compare.
pub const MIN_MACHINES: usize = 4;
/// The largest share of false outliers among outliers.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;
/// Smaller deviations are no outliers.
pub const FLEET_FLOOR: f64 = 0.03;

/// Fewer machines that differ in the same way are outliers, not a batch: two may share a fault by
/// chance, and a batch of two has no spread of its own.
pub const MIN_BATCH: usize = 3;

/// A machine's figure in one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleetFigure {
    /// Natural logarithm of the cost, in any unit: of a time, or of the inverse of a rate.
    pub log: f64,
    /// Its standard error within the survey: that of the logarithm.
    pub error: f64,
}

impl FleetFigure {
    /// A cost. Its error is that of the 95 % interval, of the cost or of its inverse; without an
    /// interval it is `se`, a fraction. `None` where that is unknown, or the cost is not above 0.
    pub fn new(cost: f64, ci95: Option<[f64; 2]>, se: Option<f64>) -> Option<Self> {
        let of_interval = ci95.map(|[low, high]| (high / low).ln().abs() / (2.0 * NORMAL_95));
        let figure = Self { log: cost.ln(), error: of_interval.or(se)? };
        figure.is_valid().then_some(figure)
    }

    fn is_valid(&self) -> bool {
        self.log.is_finite() && self.error.is_finite()
    }

    /// The geometric mean of independent figures, for instance of one memory from all CPU groups:
    /// what differs there differs in all of them, and the mean shows it with a smaller spread.
    pub fn mean(figures: &[Self]) -> Option<Self> {
        let count = figures.len() as f64;
        let log = figures.iter().map(|figure| figure.log).sum::<f64>() / count;
        let squares = figures.iter().map(|figure| figure.error.powi(2)).sum::<f64>();
        (count > 0.0).then_some(Self { log, error: squares.sqrt() / count })
    }
}

/// Which cells resemble each other in their spread between machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetCellKind {
    /// Cells of one table have the same number.
    pub table: usize,
    /// Indexes of the cells that it is the mean of, ascending; empty for a single cell.
    pub mean_of: Vec<usize>,
}

/// What the machines of one shape have in common, and the cells that differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetVerdict {
    /// Each cell, in the order of the input.
    pub cells: Vec<FleetCell>,
    /// By machine, then by cell.
    pub outliers: Vec<FleetOutlier>,
    /// One, unless machines fall into several; each machine is compared with its own.
    pub batches: Vec<FleetBatch>,
    /// How the other batches differ from the first.
    pub differences: Vec<BatchDifference>,
    /// Where there is no outlier: what would be one.
    pub smallest: Option<SmallestSlowdown>,
}

/// One cell of all machines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetCell {
    /// Number of machines with a figure. Below [`MIN_MACHINES`], none is tested.
    pub machines: usize,
    /// Standard deviation between machines of a batch, of the logarithms; 0 below
    /// [`MIN_MACHINES`].
    pub spread_log: f64,
}

/// A cell of a machine that differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetOutlier {
    /// Index of the machine.
    pub machine: usize,
    /// Index of the cell.
    pub cell: usize,
    /// Ratio of its cost to the median of its batch, divided by `other_cells`; above 1 it is
    /// slower.
    pub ratio: f64,
    /// The median of the same ratios of its machine's other cells, where it is compared with
    /// those; none where it is compared by itself.
    pub other_cells: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability of at least this deviation of a healthy machine.
    pub p_value: f64,
    /// The smallest false-discovery rate at which it is an outlier.
    pub q_value: f64,
}

/// Finds the cells that differ from those of the other machines. `machines` has one row a machine
/// and the same cells in each, of these kinds. Deviations below `floor` (a fraction) are no
/// outliers.
pub fn fleet_outliers(
    machines: &[Vec<Option<FleetFigure>>],
    kinds: &[FleetCellKind],
    floor: f64,
) -> FleetVerdict {
    if machines.is_empty() {
        return FleetVerdict::default();
    }
    let figures = FleetFigures {
        logs: LogTable::from_figures(machines, kinds.len()),
        errors: LogTable::from_errors(machines, kinds.len()),
        kinds,
    };
    let batched = batches::fit(&figures, floor);
    let outliers = batched.outliers(floor);
    FleetVerdict {
        cells: batched.fit.cells(),
        smallest: outliers.is_empty().then(|| named::smallest(&batched.fit, floor)).flatten(),
        outliers,
        batches: FleetBatch::all(&batched.fit, &batched.unsure),
        differences: batched.differences,
    }
}

#[cfg(test)]
mod tests;
