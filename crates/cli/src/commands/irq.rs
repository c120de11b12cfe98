//! `nearfar irq`: who serves interrupts.

mod set;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use nearfar_devices::irq::text::Folding;
use nearfar_devices::irq::{Earlier, IrqDocument, SavedInterrupts, assess_saved, text as irq};
use nearfar_view::terminal::{Interrupt, output, screen};
use nearfar_view::text::first_lines::shows_all;

use super::verbose::VerboseOption;
use crate::exit::Paused;
use crate::input;
use crate::interrupts::{MachineSetup, snapshot};
use crate::progress::{keep_moving, set_style};
use crate::sent;

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

Near is a CPU of the device's node, or of the nearest node with CPUs. docs/devices/irq.md explains \
all columns and findings."
)]
pub(crate) struct IrqCommand {
    #[command(subcommand)]
    action: Option<IrqAction>,
    /// Show only these devices, and each of their interrupts: NIC0, eth0, nic:eth0, 0000:3b:00.0,
    /// /dev/sda [default: all]
    #[arg(value_name = "DEVICE")]
    devices: Vec<String>,
    /// Count for this time (500ms, 2s, 1m), after the counts since boot; 0 shows these alone
    #[arg(long = "for", value_name = "TIME", default_value = "2s")]
    span: Span,
    /// Count again and again, until Ctrl-C
    #[arg(long, conflicts_with_all = ["json", "csv", "root", "interrupts"])]
    watch: bool,
    /// Read a captured machine: a folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz), or
    /// files of what its programs printed, each with --root. Shows counts since boot [default: this
    /// machine]
    #[arg(long, value_name = "PATH", conflicts_with = "interrupts")]
    root: Vec<PathBuf>,
    /// Read only a saved /proc/interrupts, without nodes. Of a file with two tables, show the
    /// difference [default: this machine's files]
    #[arg(long, value_name = "FILE")]
    interrupts: Option<PathBuf>,
    /// Print JSON (nearfar.irq/1)
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: a line for each interrupt
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    verbose: VerboseOption,
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
        self.verbose.obey();
        if let Some(file) = &self.interrupts {
            return self.print(&self.saved(file)?);
        }
        let source = sent::source(&self.root)?;
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
        if !self.watch && !self.json && !self.csv {
            let since_boot = irq::counts(&machine.document(&now, None, &labels));
            output::text(&(since_boot + "\n"))?;
        }
        let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
        let mut earlier = (now, Instant::now());
        loop {
            if !wait(span, &interrupt, !self.watch) {
                return self.stopped();
            }
            let (now, at) = (snapshot(&source)?, Instant::now());
            let seconds = at.duration_since(earlier.1).as_secs_f64();
            let before = Earlier { snapshot: &earlier.0, seconds: Some(seconds) };
            let document = machine.document(&now, Some(before), &labels);
            if !self.watch {
                return self.print(&document);
            }
            output::text_on_clear(&(irq::text(&document, self.folding()).text() + "\n"))?;
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
        match self.csv {
            true => Ok(output::data(&irq::csv(document))?),
            false => Ok(screen::print(&irq::text(document, self.folding()))?),
        }
    }

    /// Who names a device wants all of its interrupts.
    fn folding(&self) -> Folding {
        let is_whole = !self.devices.is_empty() || shows_all();
        if is_whole { Folding::Nothing } else { Folding::Idle }
    }
}

/// The longest wait without a look at Ctrl-C.
const POLL: Duration = Duration::from_millis(50);

/// A time, or none for counts since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span(Option<Duration>);

/// A day: the longest time, in milliseconds.
const MAX_MS: f64 = 86_400_000.0;
/// The shortest: counters of idle interrupts need longer.
const MIN_MS: f64 = 10.0;

impl Span {
    /// The time; `None` for counts since boot.
    fn time(self) -> Option<Duration> {
        self.0
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units = [("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0), ("h", 3_600_000.0)];
        let in_unit =
            units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
        let (number, factor) = in_unit.unwrap_or((text, 1_000.0));
        let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number: Option<f64> = number.parse().ok().filter(|_| is_plain);
        match number.map(|number| number * factor) {
            Some(0.0) => Ok(Self(None)),
            Some(ms) if (MIN_MS..=MAX_MS).contains(&ms) => {
                Ok(Self(Some(Duration::from_secs_f64(ms / 1_000.0))))
            }
            Some(_) => Err("write a time from 10ms to 24h, or 0 for counts since boot".to_owned()),
            None => Err("write a time such as 500ms, 2s, 1m, or a number of seconds".to_owned()),
        }
    }
}

/// Waits; false if the user stops it. A spinner shows that it does.
fn wait(span: Duration, interrupt: &Interrupt, shows_progress: bool) -> bool {
    let bar = if shows_progress { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    set_style(&bar, "counting interrupts {elapsed} of {msg}");
    bar.set_message(nearfar_model::format_duration(span));
    keep_moving(&bar);
    let start = Instant::now();
    while !interrupt.came() && start.elapsed() < span {
        std::thread::sleep(POLL.min(span.saturating_sub(start.elapsed())));
    }
    bar.finish_and_clear();
    !interrupt.came()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit_or_are_seconds() {
        let ms = |text: &str| {
            let span = text.parse::<Span>().map(Span::time);
            span.map(|time| time.map(|time| time.as_millis()))
        };
        for (text, expected) in
            [("2", 2_000), ("2s", 2_000), ("500ms", 500), ("0.5", 500), ("1m", 60_000)]
        {
            assert_eq!(ms(text), Ok(Some(expected)), "{text}");
        }
        assert_eq!((ms("0"), ms("0s")), (Ok(None), Ok(None)));
        for text in ["", "-1", "1e9", "25h", "1ms", "2x", "nan", "s", "..s"] {
            assert!(ms(text).is_err(), "{text}");
        }
    }
}
