//! `nearfar-lab show MACHINE`: what it is, what it truly costs, what its firmware claims.

mod claims;
mod devices;
mod text;

use std::ffi::OsStr;
use std::path::Path;

use clap::Args;
use nearfar_view::terminal::output;
use serde_json::json;

use super::machine_choice::MachineChoice;
use crate::emulator::{self, QemuVersion};
use crate::machine::LabMachine;

/// Show a machine: what memory truly costs, what firmware claims, and where the two differ.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar-lab show uma-claims-8-nodes
  nearfar-lab show epyc-7451-2p --toml > mine.toml     a description to begin one's own with
  nearfar-lab show ./mine.toml                         is it well formed?
  nearfar-lab show xeon-2s --json | jq .latency_ns")]
pub(crate) struct LabShow {
    #[command(flatten)]
    machine: MachineChoice,
    /// Print the description as it is written.
    #[arg(long, conflicts_with_all = ["qemu", "json", "slowdown"])]
    toml: bool,
    /// Print QEMU's arguments for the machine itself. Files that they name are written for each
    /// run.
    #[arg(long, conflicts_with = "json")]
    qemu: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl LabShow {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let machine = self.machine.load()?;
        Ok(output::text(&match self {
            Self { toml: true, .. } => machine.text,
            Self { qemu: true, .. } => command_line(&machine)?,
            Self { json: true, .. } => document(&machine),
            Self { .. } => text::text(&machine),
        })?)
    }
}

fn command_line(machine: &LabMachine) -> anyhow::Result<String> {
    let qemu = Path::new(machine.arch().qemu());
    let scratch = tempfile::tempdir()?;
    let arguments =
        emulator::arguments(machine, qemu, QemuVersion::from_program(qemu)?, scratch.path())?;
    let words = std::iter::once(qemu.as_os_str())
        .chain(arguments.iter().map(AsRef::as_ref))
        .map(OsStr::to_string_lossy);
    let mut line = String::new();
    for word in words {
        // An option a line.
        line.push_str(if word.starts_with('-') { " \\\n  " } else { " " });
        line.push_str(&shlex::try_quote(&word)?);
    }
    Ok(format!("{}\n", line.trim_start()))
}

fn document(machine: &LabMachine) -> String {
    let rows: Vec<_> = machine.cpu_nodes().map(|node| node.id).collect();
    let columns: Vec<_> = machine.memory_nodes().map(|node| node.id).collect();
    let document = json!({
        "schema": "nearfar-lab.machine/1",
        "name": machine.name,
        "description": machine.description,
        "rows": rows,
        "columns": columns,
        "latency_ns": machine.latency_ns(),
        "bandwidth_gb_s": machine.bandwidth_gb_s(),
        "claimed_over_true": claims::claimed_over_true(machine),
        "devices": machine.devices(),
        "pairs": machine.device_pairs(),
    });
    format!("{document}\n")
}
