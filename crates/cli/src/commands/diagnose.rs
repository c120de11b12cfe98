//! `nearfar diagnose`: why does the OS see these nodes?

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use nearfar_diagnose::text as diagnosis;
use nearfar_diagnose::{LogDifference, Witnesses, diagnose};
use nearfar_firmware::Firmware;
use nearfar_firmware::linux::KernelLog;
use nearfar_machine::{Source, firmware_tables, kernel_log};
use nearfar_view::terminal::{output, screen};

use super::verbose::VerboseOption;
use crate::input;

/// Explain why the OS sees these NUMA nodes, and what to change.
///
/// Reads this machine, a captured one, or only firmware tables and a kernel log.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo nearfar diagnose                          this machine, all tables
  nearfar diagnose --root machine.tar.gz         a captured machine
  nearfar diagnose --tables DIR --log dmesg.txt  output of acpidump and dmesg
  nearfar diagnose --support-report > report.txt evidence for the vendor
  nearfar diagnose --json | jq -r .verdict       visible, turned-off, ...

Without root it lists the tables that only root may read. docs/diagnosis.md explains every \
verdict and code.")]
pub(crate) struct Diagnose {
    /// Firmware tables: one table, a folder, acpidump's text, or a device tree [default: the
    /// machine's]
    #[arg(long, value_name = "PATH")]
    tables: Option<PathBuf>,
    /// Kernel log: a file of dmesg, journalctl -k, syslog or a console [default: the machine's].
    /// A log of another machine is judged alone
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Read a captured machine: a folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz) [default:
    /// this machine]
    #[arg(long, value_name = "PATH")]
    root: Option<PathBuf>,
    /// Print JSON (nearfar.diagnosis/2).
    #[arg(long, conflicts_with = "support_report")]
    json: bool,
    /// Print a report for the vendor's support: evidence as plain text, without private data
    #[arg(long)]
    support_report: bool,
    #[command(flatten)]
    verbose: VerboseOption,
}

impl Diagnose {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        self.verbose.obey();
        let witnesses = self.witnesses()?;
        let found = diagnose(&witnesses);
        if self.json {
            Ok(output::json(&found)?)
        } else if self.support_report {
            Ok(output::text(&diagnosis::support_report(&found, &witnesses))?)
        } else {
            Ok(screen::print(&diagnosis::text(&found))?)
        }
    }

    /// With --tables and without --root, the tables are of another machine: this one is not read.
    /// A log of another machine or boot is never joined with one.
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
                return Ok(Witnesses::for_tables(
                    tables.unwrap_or_default(),
                    log.unwrap_or_default(),
                ));
            }
            (None, None) => Source::live(),
        };
        let machine = Witnesses::read(&source);
        let difference = log.as_ref().and_then(|log| machine.difference(log));
        match (difference, self.root.is_some()) {
            (None, _) | (Some(LogDifference::NoRelease), true) => {}
            (Some(difference), true) => bail!(
                "the log is of another machine, or of another boot, than --root: {}; give it \
                 without --root",
                diagnosis::difference(&difference)
            ),
            (Some(difference), false) => {
                let why = diagnosis::difference(&difference);
                output::aside(&format!("The log is judged alone, without this machine: {why}."));
                return Ok(Witnesses::for_tables(Firmware::default(), log.unwrap_or_default()));
            }
        }
        Ok(machine.replacing(tables, log))
    }
}

fn read_log(path: &Path) -> anyhow::Result<KernelLog> {
    let advice = || {
        format!(
            "cannot read the kernel log {}: give a text file, as dmesg writes it",
            path.display()
        )
    };
    input::read(path, kernel_log::open).with_context(advice)
}
