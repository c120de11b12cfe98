//! `nearfar diagnose`: why does the OS see these nodes?

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use nearfar_diagnose::text as diagnosis;
use nearfar_diagnose::{LogDifference, Witnesses, diagnose};
use nearfar_firmware::Firmware;
use nearfar_firmware::linux::KernelLog;
use nearfar_machine::sent::LOG_FORM;
use nearfar_machine::text::sent::parts;
use nearfar_machine::{Sent, Source, firmware_tables, kernel_log};
use nearfar_view::terminal::{output, screen};

use super::verbose::VerboseOption;
use crate::input;
use crate::sent;

/// Explain why the OS sees these NUMA nodes, and what to change.
///
/// Reads this machine, a captured one, files of what programs printed, or only firmware tables and
/// a kernel log.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo nearfar diagnose                          this machine, all tables
  nearfar diagnose --root machine.tar.gz         a captured machine
  nearfar diagnose dmesg.txt lscpu.txt nodes.txt  what people have of a machine
  nearfar diagnose --tables DIR --log dmesg.txt  output of acpidump and dmesg
  nearfar diagnose --support-report > report.txt evidence for the vendor
  nearfar diagnose --json | jq -r .verdict       visible, turned-off, ...

Without root it lists the tables that only root may read. docs/why/diagnosis.md explains every \
verdict and code.")]
pub(crate) struct Diagnose {
    /// What people have of a machine, in any mix: a kernel log, lscpu, numactl -H, XML of lstopo or
    /// NCCL, nvidia-smi topo -m, /proc/interrupts, acpidump; '-' is standard input [default: this
    /// machine]
    #[arg(value_name = "FILE", conflicts_with_all = ["root", "tables", "log"])]
    files: Vec<PathBuf>,
    /// Firmware tables: one table, a folder, acpidump's text, or a device tree [default: the
    /// machine's]
    #[arg(long, value_name = "PATH")]
    tables: Option<PathBuf>,
    /// Kernel log: a file of dmesg, journalctl -k, syslog or a console [default: the machine's].
    /// A log of another machine is judged alone
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Read a captured machine: a folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz), or a file
    /// of what its programs printed [default: this machine]
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
        let sent = self.sent()?;
        let witnesses = match &sent {
            Some(sent) => of_files(sent)?,
            None => self.witnesses()?,
        };
        let found = diagnose(&witnesses);
        if self.json {
            Ok(output::json(&found)?)
        } else if self.support_report {
            Ok(output::text(&diagnosis::support_report(&found, &witnesses))?)
        } else {
            let files = sent.as_ref().map(parts).unwrap_or_default();
            Ok(screen::print(&diagnosis::text_of_files(
                &found,
                &files,
                witnesses.lacks_pci_functions(),
            ))?)
        }
    }

    fn sent(&self) -> anyhow::Result<Option<Sent>> {
        if self.files.is_empty() {
            return Ok(None);
        }
        Ok(Some(sent::open(&self.files)?))
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
            (Some(root), _) => sent::source(std::slice::from_ref(root))?,
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

/// A log of another machine is refused.
fn of_files(sent: &Sent) -> anyhow::Result<Witnesses> {
    let mut witnesses = Witnesses::read(&sent.source);
    if sent.parts.is_empty() {
        return Ok(witnesses);
    }
    match witnesses.difference(&witnesses.log) {
        None | Some(LogDifference::NoRelease) => {}
        Some(difference) => bail!(
            "the kernel log is of another machine, or of another boot, than the other files: {}; \
             give the files of one machine",
            diagnosis::difference(&difference)
        ),
    }
    if let Some(log) = sent.parts.iter().find(|part| part.form == LOG_FORM) {
        witnesses.log.origin = Some(log.file.clone());
        // Lines of the file, in which other outputs may stand before it.
        witnesses.log.events.iter_mut().for_each(|event| event.line += log.line - 1);
    }
    witnesses.conflicts.clone_from(&sent.conflicts);
    witnesses.smi = sent::smi_matrix(sent);
    Ok(witnesses)
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
