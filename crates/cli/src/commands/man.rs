//! `nearfar man`: the manual page.

use clap::Args;

use crate::exit::WrongUsage;
use crate::output;

/// Print the manual page (roff).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar man | man -l -
  nearfar man survey > nearfar-survey.1")]
pub(crate) struct Man {
    /// The subcommand; the whole command when absent.
    subcommand: Option<String>,
}

impl Man {
    /// Prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        output::text(&manual(self.subcommand.as_deref())?)
    }
}

/// The manual page of the command, or of one of its subcommands.
pub fn manual(subcommand: Option<&str>) -> anyhow::Result<String> {
    let mut command = crate::command();
    command.build();
    if let Some(name) = subcommand {
        let found = command.find_subcommand(name).cloned();
        command = found.ok_or_else(|| WrongUsage(format!("there is no subcommand '{name}'")))?;
    }
    let mut page = Vec::new();
    // Else a subcommand's page would give the version as its own.
    let release = concat!("nearfar ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(command).source(release).render(&mut page)?;
    Ok(String::from_utf8(page)?)
}
