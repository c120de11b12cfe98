//! `nearfar completions SHELL`.

use clap::Args;
use clap_complete::Shell;
use nearfar_view::terminal::output;

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar completions bash > ~/.local/share/bash-completion/completions/nearfar
  nearfar completions zsh > ~/.zfunc/_nearfar
  nearfar completions fish > ~/.config/fish/completions/nearfar.fish")]
pub(crate) struct CompletionsCommand {
    /// Shell
    shell: Shell,
}

impl CompletionsCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        Ok(output::text(&completions(self.shell)?)?)
    }
}

/// The completion script for a shell.
fn completions(shell: Shell) -> anyhow::Result<String> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::command(), "nearfar", &mut script);
    Ok(String::from_utf8(script)?)
}
