//! A cell of a machine over its surveys, as a change shows it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fleet::FleetCellName;

/// A cell that changed, over all surveys of its machine that have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FleetCourse {
    /// Which cell it is.
    #[serde(flatten)]
    pub cell: FleetCellName,
    /// Its figures, oldest first.
    pub points: Vec<CoursePoint>,
}

/// A figure of a survey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoursePoint {
    /// When the survey began.
    pub started: String,
    /// The figure, in the cell's unit.
    pub figure: f64,
    /// Its 95 % interval within the survey.
    pub ci95: [f64; 2],
}
