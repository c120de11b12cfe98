//! `nearfar-lab completions SHELL`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use nearfar_view::terminal::output;

use crate::Cli;

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar-lab completions bash > /usr/share/bash-completion/completions/nearfar-lab
  nearfar-lab completions fish > ~/.config/fish/completions/nearfar-lab.fish")]
pub(crate) struct LabCompletions {
    /// The shell.
    shell: Shell,
}

impl LabCompletions {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "nearfar-lab", &mut script);
        Ok(output::text(&String::from_utf8(script)?)?)
    }
}
