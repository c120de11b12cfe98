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
        Ok(output::data(&completions(self.shell)?)?)
    }
}

/// The completion script for a shell.
fn completions(shell: Shell) -> anyhow::Result<String> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::command(), "nearfar", &mut script);
    let script = String::from_utf8(script)?;
    Ok(if shell == Shell::Bash { script + WORDS } else { script })
}

/// Replaces the function that clap's script registers.
const WORDS: &str = include_str!("completions.bash");

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// What bash offers for these words; the last one is being typed.
    fn offered(words: &[&str]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("nearfar.bash");
        std::fs::write(&script, completions(Shell::Bash).unwrap()).unwrap();
        let [.., prev, cur] = words else { panic!("two words at least") };
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let line = format!(
            "source {}; COMP_WORDS=({}); COMP_CWORD={}; _nearfar_words nearfar '{cur}' '{prev}'; \
             printf '%s ' \"${{COMPREPLY[@]}}\"",
            script.display(),
            quoted.join(" "),
            words.len() - 1
        );
        let output = Command::new("bash").args(["-c", &line]).output().ok()?;
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    #[test]
    fn bash_offers_words_and_options_only_after_a_dash() {
        let Some(kinds) = offered(&["nearfar", "plot", ""]) else { return };
        assert!(kinds.contains("machine ") && kinds.contains("front "), "{kinds}");
        let first = |words: &[&str]| offered(words).unwrap();
        for words in [&["nearfar", "report", ""][..], &["nearfar", "plot", ""]] {
            let offered = first(words);
            let options: Vec<&str> =
                offered.split_whitespace().filter(|word| word.starts_with('-')).collect();
            assert!(options.is_empty(), "{words:?}: {options:?}");
        }
        assert!(first(&["nearfar", "report", "--f"]).contains("--force"));
        assert!(first(&["nearfar", "show", "x", "--part", ""]).contains("caches "));
        let pid = std::process::id().to_string();
        assert!(first(&["nearfar", "where", &pid]).contains(&pid));
        assert!(first(&["nearfar", "run", "bas"]).contains("bash "));
        assert!(first(&["nearfar", "st"]).contains("structure "));
    }
}
