//! Where an export goes: standard output, or a file that appears whole or not at all.

use std::path::PathBuf;

use clap::Args;
use nearfar_view::terminal::output;

use crate::output_path::OutputPath;
use crate::whole_file::{self, Force, OutputFile};

/// Systems that another command exports for.
const ELSEWHERE: [(&str, &str); 9] = [
    ("nccl", "nearfar devices --as nccl"),
    ("rccl", "nearfar devices --as rccl"),
    ("kubernetes", "nearfar devices --as kubernetes' or 'nearfar run --as kubernetes"),
    ("hwloc", "nearfar show SURVEY --as hwloc"),
    ("systemd", "nearfar run --as systemd"),
    ("docker", "nearfar run --as docker"),
    ("slurm", "nearfar run --as slurm"),
    ("libvirt", "nearfar run --as libvirt"),
    ("json", "the option --json"),
];

/// The file of an export.
#[derive(Debug, Args)]
pub(super) struct ExportFile {
    /// File to write with --as; '-' is standard output [default: standard output]
    #[arg(short, long, value_name = "FILE", requires = "system")]
    output: Option<OutputPath>,
    #[command(flatten)]
    force: Force,
}

impl ExportFile {
    /// Writes the export; `documents` are the files that it is made from.
    pub(super) fn write(&self, text: &str, documents: &[PathBuf]) -> anyhow::Result<()> {
        let Some(path) = self.output.as_ref().and_then(OutputPath::file) else {
            return Ok(output::data(text)?);
        };
        whole_file::spare(path, documents)?;
        let path = OutputFile::create(path, self.force.if_exists())?
            .keep(|out| out.write_all(text.as_bytes()))?;
        output::status(&format!("saved as {}", path.display()));
        Ok(())
    }
}

/// Why a system is not one of `here`: the command that exports for it.
pub(super) fn not_here(name: &str, here: &[&str]) -> String {
    match ELSEWHERE.iter().find(|(system, _)| *system == name) {
        Some((_, command)) => format!("for {name} use '{command}'"),
        None => format!("write {}", here.join(", ")),
    }
}
