//! `nearfar capture`: a machine's description as one archive.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use nearfar_diagnose::Witnesses;
use nearfar_machine::capture::{Capture as Captured, Privacy};
use nearfar_machine::{InventoryScope, Source};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;
use rustix::fs::Mode;

use crate::input;
use crate::output_path::OutputPath;
use crate::whole_file::{self, Force, OutputFile};

/// Pack this machine's description into one archive.
///
/// The archive has what the other commands read (/sys, /proc, firmware tables, kernel log), without
/// private data: numbers, known words, and the kernel's parameters and messages that a rule reads.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  sudo nearfar capture                 all, as nearfar-capture-DATE.tar.gz
  nearfar capture -o box.tar.gz        without what only root may read
  nearfar topology --root box.tar.gz   read it, on any machine
  ssh box sudo nearfar capture -o - > box.tar.gz
  sudo nearfar capture --show          what it would pack and leave out
  nearfar capture --show box.tar.gz    what an archive holds

Other words are overwritten, other parameters and lines left out and counted: \
docs/start/capture.md. Only its owner may read the archive.")]
pub(crate) struct CaptureCommand {
    /// Archive to write; '-' is standard output [default: nearfar-capture-DATE.tar.gz in this
    /// folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    #[command(flatten)]
    force: Force,
    /// Keep everything: serial numbers, addresses, host names, passwords
    #[arg(long)]
    full: bool,
    /// List the files, their sizes and what is left out, and write nothing; of FILE: what that
    /// archive holds [default: this machine]
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["output", "force"])]
    show: Option<Option<PathBuf>>,
    /// Pack this folder or archive again, without private data [default: this machine]
    #[arg(long, value_name = "PATH")]
    root: Option<PathBuf>,
}

impl CaptureCommand {
    /// Reads, packs, and reports what is missing.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if let Some(Some(archive)) = &self.show {
            return show(archive);
        }
        let source = match &self.root {
            Some(root) => machine(root)?,
            None => Source::live(),
        };
        let privacy = if self.full { Privacy::Kept } else { Privacy::Removed };
        if self.show.is_some() {
            return Ok(output::text(&captured(source, privacy).manifest())?);
        }
        // Only its owner may read a file of this process, from its first byte on.
        rustix::process::umask(Mode::from_raw_mode(0o077));
        if self.output.as_ref().is_some_and(OutputPath::is_standard_output) {
            return to_standard_output(source, privacy);
        }
        // Opened before anything is read, so that an unwritable folder fails at once.
        let path = self.output.and_then(OutputPath::into_file);
        let path = path.unwrap_or_else(|| PathBuf::from(default_name()));
        let file = OutputFile::create(&path, self.force.if_exists())?;
        let captured = captured(source, privacy);
        let path = file.keep(|draft| captured.write(draft))?;
        output::aside(&kept(&path, &captured));
        Ok(())
    }
}

/// A machine's own files: what programs printed is no capture.
fn machine(root: &Path) -> anyhow::Result<Source> {
    let source = input::read(root, Source::open)?;
    if source.is_sent() {
        bail!(
            "{} is what a program printed, not a machine's files: send it as it is, or run \
             'nearfar capture' on that machine",
            root.display()
        );
    }
    Ok(source)
}

/// Lists what an archive holds.
fn show(archive: &Path) -> anyhow::Result<()> {
    let open = || input::read(archive, Source::open);
    let source = open()?;
    let again = captured(open()?, Privacy::Removed);
    let text = if source.is_live() { again.manifest() } else { again.show(&source) };
    Ok(output::text(&text)?)
}

/// All files that the libraries and a diagnosis read.
fn captured(source: Source, privacy: Privacy) -> Captured {
    Captured::read(source, privacy, |source| {
        Witnesses::with_devices(source, InventoryScope::All);
    })
}

fn to_standard_output(source: Source, privacy: Privacy) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        return Err(WrongUsage(
            "an archive cannot be printed on a terminal: redirect it, or name a file with -o"
                .to_owned(),
        )
        .into());
    }
    let written = captured(source, privacy).write(&mut out).and_then(|()| out.flush());
    written.map_err(whole_file::unfinished)
}

/// Without the host name, which is private.
fn default_name() -> String {
    format!("nearfar-capture-{}.tar.gz", jiff::Zoned::now().strftime("%Y%m%d-%H%M%S"))
}

fn kept(path: &Path, captured: &Captured) -> String {
    let denied = captured.denied().count();
    let missing = match denied {
        0 => String::new(),
        _ => format!("; only root may read {denied} more: sudo nearfar capture"),
    };
    format!(
        "saved as {} ({} files{missing}); --show lists them, and what was left out",
        path.display(),
        captured.files()
    )
}
