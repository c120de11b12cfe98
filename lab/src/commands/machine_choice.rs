//! Which machine, and how slow: for all commands that take one.

use clap::Args;

use crate::machine::{LabMachine, LabMachineError};

/// A machine, as it is described or slower.
#[derive(Debug, Args)]
pub(crate) struct MachineChoice {
    /// The machine: a name of 'nearfar-lab list', or a description's path that ends in .toml.
    machine: String,
    /// One nanosecond of the machine takes this many in the lab, instead of the description's
    /// slowdown. Latencies need ten or so; where several CPUs are to be busy at once, the host
    /// takes thousands to play them.
    #[arg(long, value_name = "TIMES")]
    slowdown: Option<f64>,
}

impl MachineChoice {
    pub(crate) fn load(&self) -> Result<LabMachine, LabMachineError> {
        let machine = LabMachine::load(&self.machine)?;
        match self.slowdown {
            Some(slowdown) => machine.slowed_to(slowdown),
            None => Ok(machine),
        }
    }
}
