//! `nearfar-lab serve-disks`: the launcher's own helper, not for users.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use nearfar_lab_disk::{DiskCosts, serve};
use nearfar_view::terminal::output;

use crate::guest::READY;

/// Serve the disks of a guest.
#[derive(Debug, Args)]
pub(crate) struct ServeDisks {
    /// The disks and their costs (JSON).
    costs: PathBuf,
}

impl ServeDisks {
    /// Returns when QEMU has left all disks.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let path = self.costs.display();
        let text = fs::read(&self.costs).with_context(|| format!("cannot read {path}"))?;
        let disks: Vec<DiskCosts> =
            serde_json::from_slice(&text).with_context(|| format!("cannot use {path}"))?;
        // A launcher that does not read this line has ended, and this process with it.
        Ok(serve(disks, || drop(output::text(&format!("{READY}\n"))))?)
    }
}
