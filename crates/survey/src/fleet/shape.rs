//! The shape of a machine: what must be equal for figures to be comparable.

use nearfar_model::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fleet::SurveyFigures;
use crate::fleet::rounded_memory::rounded_memory;

/// What machines of one group have in common.
///
/// Kernel and settings are no part of it. Machines that differ in them alone have the same
/// hardware, and a machine whose kernel or setting differs is what a fleet looks for: in a group
/// of its own, its figures would be compared with none. They are drift.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct FleetShape {
    /// The CPU's model.
    pub model: String,
    /// Packages (sockets).
    pub packages: usize,
    /// Online nodes.
    pub nodes: usize,
    /// Online logical CPUs.
    pub cpus: usize,
    /// Memory, rounded up: what firmware and kernel reserve differs between equal machines. Null
    /// where the kernel does not report it.
    #[schemars(with = "Option<u64>")]
    pub memory_bytes: Option<Bytes>,
    /// Each node's CPUs, in list form.
    pub node_cpus: Vec<String>,
}

impl FleetShape {
    /// The shape of a survey's machine.
    pub(crate) fn new(survey: &SurveyFigures) -> Self {
        let machine = &survey.machine;
        Self {
            model: machine.model.clone(),
            packages: machine.packages,
            nodes: machine.nodes,
            cpus: machine.cpus,
            memory_bytes: machine.memory_bytes.map(rounded_memory),
            node_cpus: survey.node_cpus.clone(),
        }
    }
}
