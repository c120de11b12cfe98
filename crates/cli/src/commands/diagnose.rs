//! `nearfar diagnose`: why does the operating system not see it?

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use nearfar_diagnose::{Witnesses, diagnose};
use nearfar_linux::KernelLog;
use nearfar_machine::{Source, firmware_tables, kernel_log};
use nearfar_report::diagnosis;
use nearfar_terminal::output;

use crate::input;

/// Explain why the OS sees these NUMA nodes, and what to change.
///
/// Of this machine, of a captured one, or of firmware tables and a kernel log.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo nearfar diagnose                          this machine; without root it says what is missing
  nearfar diagnose --root machine.tar.gz         a captured machine: a folder or an archive
  nearfar diagnose --tables DIR --log dmesg.txt  what somebody sent, of acpidump or acpixtract
  nearfar diagnose --letter > letter.txt         the evidence for the vendor's support
  nearfar diagnose --json | jq -r .verdict       withheld-by-firmware, turned-off, visible, ...

docs/diagnosis.md lists the verdicts and every code.")]
pub(crate) struct Diagnose {
    /// Read firmware's tables from here: one table, a folder of them, the text of acpidump, a
    /// device tree.
    #[arg(long, value_name = "PATH")]
    tables: Option<PathBuf>,
    /// Read the kernel's log from this file: dmesg, journalctl -k, syslog, a console.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Read this folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz) in place of the live /sys
    /// and /proc.
    #[arg(long, value_name = "PATH")]
    root: Option<PathBuf>,
    /// Print JSON (nearfar.diagnosis/2).
    #[arg(long, conflicts_with = "letter")]
    json: bool,
    /// Print a letter to the vendor's support: the evidence as plain text, without private data.
    #[arg(long)]
    letter: bool,
}

impl Diagnose {
    /// Asks the witnesses and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let witnesses = self.witnesses()?;
        let found = diagnose(&witnesses);
        if self.json {
            Ok(output::json(&found)?)
        } else if self.letter {
            Ok(output::text(&diagnosis::letter(&found, &witnesses))?)
        } else {
            Ok(output::text(&diagnosis::text(&found))?)
        }
    }

    /// Tables without a machine are somebody else's: this one is not asked.
    fn witnesses(&self) -> anyhow::Result<Witnesses> {
        let log = self.log.as_deref().map(read_log).transpose()?;
        let tables = self
            .tables
            .as_deref()
            .map(|path| input::read(path, firmware_tables::open))
            .transpose()?;
        let source = match (&self.root, &tables) {
            (Some(root), _) => input::read(root, Source::open)?,
            (None, Some(_)) => {
                return Ok(Witnesses::of_tables(
                    tables.unwrap_or_default(),
                    log.unwrap_or_default(),
                ));
            }
            (None, None) => Source::live(),
        };
        Ok(Witnesses::read(&source).replacing(tables, log))
    }
}

fn read_log(path: &Path) -> anyhow::Result<KernelLog> {
    let advice = || {
        format!(
            "cannot read the kernel's log {}: give a text file, as dmesg writes it",
            path.display()
        )
    };
    input::read(path, kernel_log::open).with_context(advice)
}
