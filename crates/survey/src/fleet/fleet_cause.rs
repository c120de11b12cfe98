//! What findings share, as documents have it.

use nearfar_model::Unit;
use serde::{Deserialize, Serialize};

use crate::fleet::FleetDirection;

/// What several findings of one machine share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetCause {
    /// The machine's name.
    pub machine: String,
    /// Index of the group.
    pub group: usize,
    /// What is shared.
    #[serde(flatten)]
    pub kind: CauseKind,
    /// Whether it is slower or faster.
    pub direction: FleetDirection,
    /// The findings, by instrument.
    pub parts: Vec<CausePart>,
}

/// What findings share.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CauseKind {
    /// The memory that is read.
    Memory {
        /// Its label: "node 1".
        label: String,
    },
    /// The CPUs that read.
    Cpus {
        /// Their label.
        label: String,
    },
    /// All of the machine.
    Machine,
}

/// Findings of one instrument that share a cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CausePart {
    /// The instrument.
    pub instrument: String,
    /// The unit of its figures.
    #[schemars(with = "String")]
    pub unit: Unit,
    /// How many cells are outliers.
    pub outliers: usize,
    /// How many cells the machine has there.
    pub cells: usize,
    /// Whether ratios are relative to the machine's other cells, in any of the outliers.
    pub is_relative: bool,
    /// The smallest and the largest ratio of the outliers: of costs, above 1 is slower. Relative
    /// ones are divided by `other_cells`.
    pub ratios: [f64; 2],
    /// The same without that division: the machine's ratios in its group.
    #[serde(default)]
    pub cell_ratios: Option<[f64; 2]>,
    /// The median ratio of the machine's other cells, where an outlier is relative to it.
    #[serde(default)]
    pub other_cells: Option<f64>,
    /// From the lowest to the highest end of their 95 % intervals.
    pub ci95: [f64; 2],
    /// The largest of their false-discovery rates.
    pub q: f64,
}
