//! The document that `nearfar topology --json` prints.

use serde::Serialize;

use crate::environment::Environment;
use crate::error::MachineError;
use crate::source::Source;
use crate::topology::Topology;

/// The schema of [`MachineDocument`]. Fields may be added to a version, never changed.
pub const SCHEMA: &str = "nearfar.topology/1";

/// Topology and environment of a machine as one document.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MachineDocument {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The topology.
    pub topology: Topology,
    /// The settings that influence measurements.
    pub environment: Environment,
}

impl MachineDocument {
    /// Reads a machine.
    ///
    /// # Errors
    ///
    /// [`MachineError::NoCpus`] if sysfs has no CPU.
    ///
    /// # References
    ///
    /// Documentation/ABI/stable/sysfs-devices-system-cpu,
    /// Documentation/ABI/stable/sysfs-devices-node
    pub fn read(source: &Source) -> Result<Self, MachineError> {
        Ok(Self {
            schema: SCHEMA,
            topology: Topology::read(source)?,
            environment: Environment::read(source),
        })
    }
}
