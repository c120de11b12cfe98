//! Groups of machines, and the cells of them that differ.

use nearfar_infer::fleet::SmallestSlowdown;
use serde::{Deserialize, Serialize};

use crate::fleet::{FleetCause, FleetCellName, FleetDirection, FleetShape};

/// Machines of one shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetGroup {
    /// What they have in common.
    pub shape: FleetShape,
    /// Whether they are compared.
    pub state: GroupState,
    /// The cells that they have, in the order of their surveys.
    pub cells: Vec<FleetCellSummary>,
    /// The machines, by name.
    pub machines: Vec<FleetMachine>,
    /// Two to five, where machines fall into batches: each machine is compared with its own. Else
    /// none.
    #[serde(default)]
    pub batches: Vec<FleetBatch>,
    /// Where no machine is an outlier: slowdowns that would be. Null with outliers, and against a
    /// reference.
    #[serde(default)]
    pub smallest: Option<SmallestSlowdown>,
}

impl FleetGroup {
    /// What a machine's cell is compared with: by the cell's index.
    pub fn center(&self, machine: &FleetMachine, cell: usize) -> Option<f64> {
        let batch = machine.batch.and_then(|batch| self.batches.get(batch));
        batch.map_or(self.cells[cell].center, |batch| batch.centers[cell])
    }
}

/// Machines of a group that are alike, and differ from others as a whole: memory of another
/// vendor, another BIOS.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetBatch {
    /// Names of its machines.
    pub machines: Vec<String>,
    /// Of these, which may be of another batch by their figures.
    #[serde(default)]
    pub unsure: Vec<String>,
    /// The median of each cell, in the order of the group's; null where no machine has a figure.
    pub centers: Vec<Option<f64>>,
    /// Cells whose median differs from that of the first batch. `machine` is that of the batch's
    /// first machine.
    pub differences: Vec<FleetFinding>,
    /// What several of these differences have in common.
    pub causes: Vec<FleetCause>,
}

/// Whether the machines of a group are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupState {
    /// They are.
    Compared,
    /// They are fewer than four: too few to judge.
    TooFew,
    /// The reference has another shape.
    OtherThanReference,
}

/// A cell of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetCellSummary {
    /// Which cell it is.
    #[serde(flatten)]
    pub name: FleetCellName,
    /// Machines with a figure.
    pub machines: usize,
    /// Their median, or the reference's figure; null where the reference has none. With batches,
    /// the median of the first.
    pub center: Option<f64>,
    /// Standard deviation between machines, as a fraction; null where machines are too few.
    pub spread: Option<f64>,
}

/// A machine of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetMachine {
    /// Its name.
    pub name: String,
    /// Where the name is from.
    pub name_source: NameSource,
    /// When its newest survey began, UTC (RFC 3339).
    pub started: String,
    /// The documents that it has figures of, newest first.
    pub surveys: Vec<String>,
    /// Each cell's cost (a time, or the inverse of a rate), divided by that of its `center`: above
    /// 1 it is slower. Null where the machine has no figure, or nothing to compare it with.
    pub ratios: Vec<Option<f64>>,
    /// Index of its batch; null without batches.
    #[serde(default)]
    pub batch: Option<usize>,
}

/// Where a machine's name is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NameSource {
    /// The survey has the host's name.
    Host,
    /// The file's name; with a line, where the file holds several documents.
    File,
}

/// A cell of a machine that differs from those of the other machines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetFinding {
    /// The machine's name.
    pub machine: String,
    /// Index of the group.
    pub group: usize,
    /// Which cell it is.
    #[serde(flatten)]
    pub cell: FleetCellName,
    /// Whether it is slower or faster.
    pub direction: FleetDirection,
    /// The machine's figure, in the cell's unit.
    pub figure: Option<f64>,
    /// Its cost (a time, or the inverse of a rate), divided by the median of the machines, or by
    /// the reference's: above 1 it is slower. With `other_cells`, divided by that.
    pub ratio: f64,
    /// The same without that division: the machine's ratio in its group.
    #[serde(default)]
    pub cell_ratio: Option<f64>,
    /// The median ratio of the machine's other cells, where the cell is compared with those.
    #[serde(default)]
    pub other_cells: Option<f64>,
    /// The ratio is relative to the machine's other cells: what is common to all of them is divided
    /// out.
    pub is_relative: bool,
    /// 95 % interval of the ratio.
    pub ci95: [f64; 2],
    /// Probability of at least this deviation of a healthy machine.
    pub p: f64,
    /// The smallest false-discovery rate at which it is an outlier.
    pub q: f64,
    /// Index of its cause; null where it shares none.
    pub cause: Option<usize>,
}
