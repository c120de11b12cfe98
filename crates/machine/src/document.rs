//! The document that `nearfar topology --json` prints.

use serde::Serialize;

use crate::environment::Environment;
use crate::error::MachineError;
use crate::source::Source;
use crate::topology::Topology;

/// The schema of [`MachineDocument`]. Parts may be added within a number, never changed.
pub const SCHEMA: &str = "nearfar.topology/1";

/// A machine and what stands around it, as one document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MachineDocument {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// What is in the machine.
    pub topology: Topology,
    /// What stands around a measurement on it.
    pub environment: Environment,
}

impl MachineDocument {
    /// Reads a machine. Fails only when it shows no CPU.
    pub fn read(source: &Source) -> Result<Self, MachineError> {
        Ok(Self {
            schema: SCHEMA,
            topology: Topology::read(source)?,
            environment: Environment::read(source),
        })
    }
}
