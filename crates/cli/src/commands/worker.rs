//! `nearfar worker`: one fresh process of a survey. Not for people.

use std::io;

use clap::Args;

/// Measure one batch: a job on standard input, answers on standard output.
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Worker {}

impl Worker {
    /// Serves one job.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        Ok(nearfar_probe::serve(io::stdin().lock(), io::stdout())?)
    }
}
