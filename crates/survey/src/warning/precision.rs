//! Warnings of cells without a figure, and of cells that are less certain than was aimed at.

use serde::{Deserialize, Serialize};

/// What an instrument's cells lack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PrecisionWarning {
    /// Cells could not be measured.
    CellUnmeasured {
        /// How many, for this reason.
        unmeasured: usize,
        /// All cells.
        cells: usize,
        /// The reason.
        why: String,
    },
    /// Cells are less precise than was aimed at.
    NotPrecise {
        /// Cells whose standard error is above `aim`, or unknown.
        imprecise: usize,
        /// Cells that were to become precise.
        cells: usize,
        /// The standard error that was aimed at, as a fraction.
        aim: f64,
        /// The largest standard error, as a fraction.
        worst: f64,
        /// After this many rounds.
        rounds: u32,
    },
}

impl PrecisionWarning {
    /// Cells that miss the aim: their standard error is above it, or unknown.
    pub fn count(errors: &[Option<f64>], aim: f64) -> usize {
        errors.iter().filter(|error| error.is_none_or(|error| error > aim)).count()
    }

    /// Whether the largest error deserves a warning. A plan judges samples before they are rounded
    /// for the document, which may move a standard error a little above the aim.
    pub(crate) fn is_reported(errors: &[Option<f64>], aim: f64) -> bool {
        const TOLERANCE: f64 = 1.1;
        Self::count(errors, aim * TOLERANCE) > 0
    }
}
