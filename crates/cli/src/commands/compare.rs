//! `nearfar compare A B`: what two sweeps say of each other.

use std::path::PathBuf;

use clap::Args;

use crate::exit::WrongUsage;
use crate::output;

/// Compare two kept sweeps: two machines, two kernels, two settings of firmware.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar compare before.json after.json              which differences are real, and where curves over jobs cross
  nearfar compare epyc.json xeon.json --json | jq '.crossings'

Runs are compared as ratios of the second to the first; differences are called at a family-wise 5 %.")]
pub(crate) struct Compare {
    /// The first file.
    first: PathBuf,
    /// The second file.
    second: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Compare {
    /// Reads, compares and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (first, second) = (nearfar_sweep::read(&self.first)?, nearfar_sweep::read(&self.second)?);
        let comparison =
            nearfar_sweep::compare::compare(&first, &second).map_err(|error| WrongUsage(error.to_string()))?;
        match self.json {
            true => output::json(&comparison),
            false => output::text(&nearfar_report::sweep_comparison::text(&comparison)),
        }
    }
}
