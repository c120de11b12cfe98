//! The document of `nearfar fleet --json`.

use serde::{Deserialize, Serialize};

use crate::fleet::{
    FleetCause, FleetDirection, FleetDrift, FleetFinding, FleetGroup, FleetMachine, SkippedDocument,
};

/// The schema of [`FleetDocument`]. Within a number, parts may be added, never changed.
pub const SCHEMA: &str = "nearfar.fleet/1";

/// The machines of a fleet: groups, drift, outliers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetDocument {
    /// `nearfar.fleet/1`.
    pub schema: String,
    /// The file of the machine that others are compared with; null where they are compared with
    /// the median of their group.
    pub reference: Option<String>,
    /// Deviations below this fraction are no outliers.
    pub floor: f64,
    /// The largest share of false outliers among outliers, in each group.
    pub false_discovery_rate: f64,
    /// Machines by shape, the largest group first.
    pub groups: Vec<FleetGroup>,
    /// Cells that differ from those of the other machines, by group, machine and cell.
    pub findings: Vec<FleetFinding>,
    /// What several findings of one machine have in common.
    pub causes: Vec<FleetCause>,
    /// Settings that differ within a group.
    pub drift: Vec<FleetDrift>,
    /// Documents that are not used.
    pub skipped: Vec<SkippedDocument>,
}

impl FleetDocument {
    /// The machines of all groups.
    pub fn machines(&self) -> impl Iterator<Item = &FleetMachine> {
        self.groups.iter().flat_map(|group| &group.machines)
    }

    /// Names of machines that are slower in a cell, in their order.
    pub fn slower_machines(&self) -> Vec<&FleetMachine> {
        let slower = |machine: &&FleetMachine| {
            self.findings.iter().any(|finding| {
                finding.machine == machine.name && finding.direction == FleetDirection::Slower
            })
        };
        self.machines().filter(slower).collect()
    }
}
