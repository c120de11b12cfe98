//! A change of a machine over its surveys.

use serde::{Deserialize, Serialize};

use crate::fleet::{FleetCause, FleetCourse, FleetDirection, FleetFinding};

/// Whether a machine changed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FleetChangeKind {
    /// Between two surveys.
    Step,
    /// Slowly, over several surveys.
    Drift,
}

/// A machine's change: cells that changed together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetChange {
    /// The machine's name.
    pub machine: String,
    /// Whether it changed at once.
    pub kind: FleetChangeKind,
    /// When the first survey with the new level began; of a drift, its last survey.
    pub since: String,
    /// The change was after the first and not after the second of these surveys, at 95 %. Of a
    /// drift, its first and last survey.
    pub between: [String; 2],
    /// Whether the level is again that of before the previous change.
    pub is_return: bool,
    /// Cells that changed. Ratios are of costs after and before the change.
    pub findings: Vec<FleetFinding>,
    /// What several of these cells have in common.
    pub causes: Vec<FleetCause>,
    /// Settings that changed at the same time.
    pub settings: Vec<SettingChange>,
    /// One of these cells over the surveys: all CPUs where they changed together. Null in documents
    /// of older versions.
    #[serde(default)]
    pub course: Option<FleetCourse>,
    /// Its number among the common ones, where other machines have it, too.
    #[serde(default)]
    pub common: Option<usize>,
}

impl FleetChange {
    /// That of most of its cells.
    pub fn direction(&self) -> FleetDirection {
        let is_slower = |it: &&FleetFinding| it.direction == FleetDirection::Slower;
        match 2 * self.findings.iter().filter(is_slower).count() >= self.findings.len() {
            true => FleetDirection::Slower,
            false => FleetDirection::Faster,
        }
    }

    /// Whether it made the machine slower, rather than undid that.
    pub fn is_fault(&self) -> bool {
        !self.is_return
            && self.findings.iter().any(|finding| finding.direction == FleetDirection::Slower)
    }
}

/// A setting that has another value after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SettingChange {
    /// A path in the survey's `environment`, or a fact such as `machine.kernel`.
    pub setting: String,
    /// Its value before the change.
    pub before: String,
    /// Its value after it.
    pub after: String,
}
