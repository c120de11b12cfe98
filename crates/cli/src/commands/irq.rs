//! `nearfar irq`: who serves interrupts.

mod set;
mod span;
mod watch;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use nearfar_devices::irq::text as irq;
use nearfar_devices::irq::text::Folding;
use nearfar_devices::irq::{Earlier, IrqDocument, SavedInterrupts, assess_saved};
use nearfar_machine::Source;
use nearfar_view::terminal::{Interrupt, output};

use crate::exit::Paused;
use crate::input;
use crate::interrupts::{MachineSetup, snapshot};
use span::Span;

/// Show who serves interrupts: CPUs, nodes, rates, queues.
///
/// Compares the node of each device with the CPUs that serve its interrupts. Only reads; needs
/// neither root nor drivers. Root adds whether devices on a shared line offer MSI.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  nearfar irq                        all devices, counted for 2 s
  nearfar irq eth0 nvme0 --for 10s   two devices, each interrupt
  nearfar irq --for 0                counts since boot
  nearfar irq --watch                again every 2 s, until Ctrl-C
  nearfar irq set eth0 --near        move them; 'nearfar irq set --help'
  nearfar irq --interrupts saved.txt only a saved /proc/interrupts
  nearfar irq --json | jq -r '.findings[].code'

Near is a CPU of the device's node, or of the nearest node with CPUs. docs/irq.md explains all \
columns and findings."
)]
pub(crate) struct IrqCommand {
    #[command(subcommand)]
    action: Option<IrqAction>,
    /// Show only these devices, and each of their interrupts: NIC0, eth0, nic:eth0, 0000:3b:00.0,
    /// /dev/sda [default: all]
    #[arg(value_name = "DEVICE")]
    devices: Vec<String>,
    /// Count for this time (500ms, 2s, 1m); 0 shows counts since boot
    #[arg(long = "for", value_name = "TIME", default_value = "2s")]
    span: Span,
    /// Count again and again, until Ctrl-C
    #[arg(long, conflicts_with_all = ["json", "csv", "root", "interrupts"])]
    watch: bool,
    /// Read a captured machine: a folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz). Shows
    /// counts since boot [default: this machine]
    #[arg(long, value_name = "PATH", conflicts_with = "interrupts")]
    root: Option<PathBuf>,
    /// Read only a saved /proc/interrupts: no nodes, counts since boot, of two tables between them
    /// [default: this machine's files]
    #[arg(long, value_name = "FILE")]
    interrupts: Option<PathBuf>,
    /// Print JSON (nearfar.irq/1)
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: a line for each interrupt
    #[arg(long)]
    csv: bool,
}

/// What changes interrupts.
#[derive(Debug, Subcommand)]
enum IrqAction {
    Set(set::SetCommand),
}

impl IrqCommand {
    /// Reads, counts and prints.
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        if let Some(IrqAction::Set(set)) = self.action.take() {
            return set.run();
        }
        if let Some(file) = &self.interrupts {
            return self.print(&self.saved(file)?);
        }
        let source = match &self.root {
            Some(root) => input::read(root, Source::open)?,
            None => Source::live(),
        };
        let mut machine = MachineSetup::read(&source)?;
        let labels = machine.labels(&source, &self.devices)?;
        let span = self.span.time().filter(|_| source.is_live());
        let Some(span) = span else {
            if self.watch {
                bail!("--watch counts for a time: give --for a time above 0");
            }
            let now = machine.witnesses.interrupts.take();
            let now = now.map_or_else(|| snapshot(&source), Ok)?;
            return self.print(&machine.document(&now, None, &labels));
        };
        // Read again: setup took a while, and rates need the exact time.
        let now = snapshot(&source)?;
        let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
        let mut earlier = (now, Instant::now());
        loop {
            if !watch::wait(span, &interrupt, !self.watch) {
                return self.stopped();
            }
            let (now, at) = (snapshot(&source)?, Instant::now());
            let seconds = at.duration_since(earlier.1).as_secs_f64();
            let before = Earlier { snapshot: &earlier.0, seconds: Some(seconds) };
            let document = machine.document(&now, Some(before), &labels);
            if !self.watch {
                return self.print(&document);
            }
            output::text_on_clear(&(irq::text(&document, self.folding()) + "\n"))?;
            earlier = (now, at);
        }
    }

    /// Ctrl-C is how a watch ends. A count that is stopped has no result.
    fn stopped(&self) -> anyhow::Result<()> {
        if self.watch { Ok(()) } else { Err(Paused("nothing was counted".to_owned()).into()) }
    }

    fn saved(&self, file: &Path) -> anyhow::Result<IrqDocument> {
        let text = input::bytes(file).with_context(|| format!("cannot read {}", file.display()))?;
        let saved = SavedInterrupts::parse(&text)
            .with_context(|| format!("{} is no /proc/interrupts", file.display()))?;
        let document = assess_saved(&saved, &self.devices);
        let is_there =
            |name: &&String| document.devices.iter().any(|device| device.label == **name);
        match self.devices.iter().find(|name| !is_there(name)) {
            Some(name) => bail!("no interrupt in {} belongs to '{name}'", file.display()),
            None => Ok(document),
        }
    }

    fn print(&self, document: &IrqDocument) -> anyhow::Result<()> {
        if self.json || self.csv {
            irq::notes(document).iter().for_each(|note| output::aside(&format!("nearfar: {note}")));
        }
        if self.json {
            return Ok(output::json(document)?);
        }
        let text = match self.csv {
            true => irq::csv(document),
            false => irq::text(document, self.folding()),
        };
        Ok(output::text(&text)?)
    }

    /// Who names a device wants all of its interrupts.
    fn folding(&self) -> Folding {
        if self.devices.is_empty() { Folding::Idle } else { Folding::Nothing }
    }
}

/// The longest wait without a look at Ctrl-C.
const POLL: Duration = Duration::from_millis(50);
