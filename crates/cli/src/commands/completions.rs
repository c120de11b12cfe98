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
  nearfar completions fish > ~/.config/fish/completions/nearfar.fish

In bash, zsh and fish, nearfar itself lists what fits: kinds, parts, saved surveys, processes, \
devices, nodes.")]
pub(crate) struct CompletionsCommand {
    /// Shell
    shell: Shell,
}

impl CompletionsCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        Ok(output::data(&completions(self.shell)?)?)
    }
}

/// The completion script for a shell; those of clap know no values.
fn completions(shell: Shell) -> anyhow::Result<String> {
    let script = match shell {
        Shell::Bash => include_str!("completions/nearfar.bash"),
        Shell::Zsh => include_str!("completions/nearfar.zsh"),
        Shell::Fish => include_str!("completions/nearfar.fish"),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut crate::command(), "nearfar", &mut script);
            return Ok(String::from_utf8(script)?);
        }
    };
    Ok(script.to_owned())
}
