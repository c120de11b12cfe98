//! `nearfar topology`: what a machine says it is.

use std::path::PathBuf;

use clap::Args;
use nearfar_machine::{MachineDocument, Source};
use nearfar_report::topology::{self, TopologyText};
use nearfar_terminal::output;

use crate::input;

/// Show the CPUs, caches, nodes and distances the kernel reports.
///
/// Of this machine, or of a captured one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar topology                          this machine
  nearfar topology --maps                   each logical CPU's core, package, node and caches
  nearfar topology --root machine.tar.gz    a captured machine: a folder or an archive with /sys \
                        and /proc
  nearfar topology --json | jq .topology.nodes")]
pub(crate) struct Topology {
    /// Read this folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz) in place of the live /sys
    /// and /proc.
    #[arg(long, value_name = "PATH")]
    root: Option<PathBuf>,
    /// Also map every logical CPU to its core, package, node and caches.
    #[arg(long)]
    maps: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Topology {
    /// Reads and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = match &self.root {
            Some(root) => input::read(root, Source::open)?,
            None => Source::live(),
        };
        let report = MachineDocument::read(&source)?;
        if self.json {
            return Ok(output::json(&report)?);
        }
        Ok(output::text(&topology::text(
            &report.topology,
            &report.environment,
            TopologyText { maps: self.maps },
        ))?)
    }
}
