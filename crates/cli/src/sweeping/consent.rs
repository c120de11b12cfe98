//! Whether a file's commands may run: `--resume` runs what its file names.
//!
//! A file that others may write would run their commands with this user's rights. So would one that
//! came from elsewhere, until its commands were read.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, bail};
use nearfar_sweep::{Configuration, Sweep, SweepError};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::{output, printable};

use super::quoted;
use crate::input;

/// Who may write: group and others.
const OTHERS: u32 = 0o022;

/// Reads a sweep that no other user can have written.
pub(super) fn read(file: &Path) -> anyhow::Result<Sweep> {
    let before = own_file(file)?;
    let document = input::read(file, nearfar_sweep::read)?;
    if own_file(file)? != before {
        bail!("{} became another file while it was read: begin again", file.display());
    }
    Ok(document)
}

/// Which file it is, if it is this user's or root's, and others cannot write it.
fn own_file(file: &Path) -> anyhow::Result<[u64; 2]> {
    let unreadable = |error: io::Error| SweepError::Unreadable(file.to_owned(), error.to_string());
    let about = fs::metadata(file).map_err(unreadable)?;
    let (name, own) = (file.display(), rustix::process::geteuid().as_raw());
    if ![0, own].contains(&about.uid()) {
        bail!(
            "{name} belongs to user {}, who may write other commands into it: --resume runs your \
             own files alone",
            about.uid()
        );
    }
    if about.mode() & OTHERS != 0 {
        bail!(
            "{name} can be written by others (mode {:03o}), and --resume runs its commands: read \
             them, then 'chmod go-w {}'",
            about.mode() & 0o777,
            quoted(file)
        );
    }
    Ok([about.dev(), about.ino()])
}

/// Runs nothing unless the user agreed: by `--yes`, or on a terminal after seeing each command.
pub(super) fn ask(file: &Path, document: &Sweep, yes: bool) -> anyhow::Result<()> {
    if yes {
        return Ok(());
    }
    let commands = commands(document);
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let first = commands.first().map_or("", String::as_str);
        let others = match commands.len() {
            0 | 1 => String::new(),
            many => format!(" and {} more", many - 1),
        };
        return Err(WrongUsage(format!(
            "{} would run '{first}'{others}: --yes agrees, where no terminal can be asked",
            file.display()
        ))
        .into());
    }
    output::status(&format!("nearfar: {} runs:", file.display()));
    commands.iter().for_each(|line| output::aside(&format!("    {line}")));
    let mut out = io::stderr();
    write!(out, "Run it? [y/N] ").and_then(|()| out.flush()).context("cannot ask")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).context("cannot read the answer")?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => bail!("nothing was run"),
    }
}

/// Each line that is run, as a shell has it. A hook's words are a shell's already.
fn commands(document: &Sweep) -> Vec<String> {
    let configurations =
        document.configurations.iter().map(|configuration| &configuration.configuration);
    let lines: BTreeSet<String> = configurations.map(Configuration::command_line).collect();
    let hooks =
        [("before each", &document.settings.prepare), ("after each", &document.settings.cleanup)];
    let hooks =
        hooks.into_iter().filter_map(|(when, line)| Some(format!("{when}: {}", line.as_ref()?)));
    lines.into_iter().chain(hooks).map(|line| printable::line(&line).into_owned()).collect()
}
