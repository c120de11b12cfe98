//! `nearfar-lab man`: the manual page.

use clap::{Args, CommandFactory};
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use crate::Cli;

/// Print the manual page (roff).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar-lab man | man -l -
  nearfar-lab man run > nearfar-lab-run.1")]
pub(crate) struct LabMan {
    /// The subcommand; the whole command when absent.
    subcommand: Option<String>,
}

impl LabMan {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut command = Cli::command();
        command.build();
        if let Some(name) = self.subcommand {
            let found = command.find_subcommand(&name).cloned();
            command =
                found.ok_or_else(|| WrongUsage(format!("there is no subcommand '{name}'")))?;
        }
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        Ok(output::text(&String::from_utf8(page)?)?)
    }
}
