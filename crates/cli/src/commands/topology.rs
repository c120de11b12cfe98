//! `nearfar topology`: the CPUs, caches and nodes that the kernel reports.

use std::path::PathBuf;

use clap::Args;
use nearfar_machine::MachineDocument;
use nearfar_machine::text::topology;
use nearfar_machine::text::topology::TopologyText;
use nearfar_view::terminal::{output, screen};

use crate::sent;

/// Show the CPUs, caches, nodes and distances the kernel reports.
///
/// Reads this machine, or a captured one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar topology                        this machine
  nearfar topology --maps                 core, package, caches of each CPU
  nearfar topology --root machine.tar.gz  a captured machine
  nearfar topology --root lscpu.txt nodes.txt  what programs printed
  nearfar topology --json | jq .topology.nodes
  nearfar plot machine -o machine.svg     a drawing, as lstopo makes it")]
pub(crate) struct TopologyCommand {
    /// Read a captured machine: a folder, an archive (.tar, .tar.gz, .tar.bz2, .tar.xz), XML of
    /// lstopo or NCCL, or files of what its programs printed (lscpu, numactl -H), several together
    /// [default: this machine]
    #[arg(long, value_name = "PATH", num_args = 1..)]
    root: Vec<PathBuf>,
    /// Also show core, package, node and caches of every logical CPU
    #[arg(long)]
    maps: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl TopologyCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = sent::source(&self.root)?;
        let report = MachineDocument::read(&source)?;
        if self.json {
            return Ok(output::json(&report)?);
        }
        Ok(screen::print(&topology::text(
            &report.topology,
            &report.environment,
            TopologyText { maps: self.maps },
        ))?)
    }
}
