//! A/A controls: the same cell, visited twice in each round.

use nearfar_infer::{DesignCell, FactorVerdict, SampleMatrix, factor_effects};
use nearfar_model::CellIndex;
use serde::{Deserialize, Serialize};

/// A cell and its repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CellControl {
    /// Index of the row.
    pub row: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the treatment.
    pub treatment: usize,
    /// The ratio of the repetition's cost to the cell's.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
    /// Whether the two differ beyond the threshold: then the interval of every effect is doubtful.
    pub differs: bool,
}

impl CellControl {
    /// The control of a cell, from the samples of both.
    pub(super) fn new(
        samples: &SampleMatrix,
        (place, column): (CellIndex, usize),
        again: usize,
        threshold: f64,
        seed: u64,
    ) -> Option<Self> {
        let design = [(column, 0), (again, 1)].map(|(column, level)| DesignCell {
            row: place.row,
            column,
            levels: vec![level],
        });
        let effect = factor_effects(samples, &design, &[0], threshold, seed).into_iter().next()?;
        let CellIndex { row, column, treatment } = place;
        let differs = matches!(effect.verdict, FactorVerdict::Slower | FactorVerdict::Faster);
        Some(Self { row, column, treatment, ratio: effect.ratio, ci95: effect.ci95, differs })
    }
}
