//! `nearfar-lab run MACHINE -- COMMAND`: a command in a guest.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use nearfar_survey::{IfExists, WholeFile};
use nearfar_view::terminal::Interrupt;
use nearfar_view::terminal::output;

use super::machine_choice::MachineChoice;
use crate::guest::{self, GuestJob, MAX_TIMEOUT_S, Setup};
use crate::kit::Kit;

/// Boot a machine, run a command in it, and bring back its output and files.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar-lab run epyc-7451-2p -- nearfar survey --quick
  nearfar-lab run xeon-2s -- sh -c 'nearfar topology; cat /sys/devices/system/node/node0/distance'
  nearfar-lab run xeon-2s --out results -- nearfar survey -o /out/survey.json
  nearfar-lab run xeon-2s --with ./mytool -- mytool --all
  nearfar-lab run xeon-2s --with target/lab/x86_64/numactl -- numactl -H
  nearfar-lab run uma-claims-8-nodes --seed 7 --ledger charged.json -- nearfar survey --quick

The guest is a small Linux: nearfar, busybox, what --with brings, and nothing else.
What the command writes to /out comes back with --out.
Exit status: the command's own, 124 when it took too long, 126 when the guest cannot run it,
127 when the guest has not got it.")]
pub(crate) struct LabRun {
    #[command(flatten)]
    machine: MachineChoice,
    /// Stop when all together takes longer than this, from power-on.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 600,
        value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT_S)
    )]
    timeout: u64,
    /// Keep the files that the command leaves in /out in this folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep the plugin's account of what each CPU was charged for each memory in this file (JSON).
    #[arg(long, value_name = "FILE", conflicts_with = "no_plugin")]
    ledger: Option<PathBuf>,
    #[command(flatten)]
    setup: Setup,
    /// The command and its arguments.
    #[arg(required = true, last = true)]
    command: Vec<OsString>,
}

impl LabRun {
    /// Runs it; gives the command's exit status.
    pub(crate) fn run(self) -> anyhow::Result<u8> {
        let machine = self.machine.load()?;
        let kit = Kit::find()?;
        let verbose = self.setup.verbose;
        // Opened before the guest boots, so that an unwritable folder shows at once.
        let account = match self.ledger.as_deref() {
            Some(path) => Some((
                path,
                WholeFile::create(path, IfExists::Replace).with_context(|| unkept(path))?,
            )),
            None => None,
        };
        let job = GuestJob {
            command: self.command,
            stdout: Box::new(io::stdout()),
            stderr: Box::new(io::stderr()),
            out: self.out.clone(),
            timeout: Duration::from_secs(self.timeout),
            setup: self.setup,
        };
        let mut outcome = guest::run(&kit, &machine, job, &Interrupt::listen()?)?;
        match (account, outcome.ledger.take()) {
            (Some((path, mut account)), Some(ledger)) => {
                account
                    .file()
                    .write_all(&serde_json::to_vec(&ledger?)?)
                    .with_context(|| unkept(path))?;
                account.keep().with_context(|| unkept(path))?;
            }
            (None, Some(Err(lost))) => output::aside(&format!("nearfar-lab: {lost}")),
            _ => {}
        }
        if verbose {
            output::aside(&format!(
                "nearfar-lab: booted in {:.1} s",
                outcome.booted_after.as_secs_f64()
            ));
        }
        if self.out.is_none() {
            report_lost_files(&outcome.files);
        }
        Ok(outcome.status)
    }
}

fn unkept(path: &Path) -> String {
    format!("cannot keep the ledger as {}", path.display())
}

fn report_lost_files(files: &[PathBuf]) {
    let [first, others @ ..] = files else { return };
    let others =
        if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    let first = first.display();
    output::aside(&format!(
        "nearfar-lab: /out/{first}{others} is gone with the guest: --out DIR keeps it"
    ));
}
