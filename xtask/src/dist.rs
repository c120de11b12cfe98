//! What stands beside the binary in a release: man pages, completions, the schema.

use std::fs;
use std::path::Path;

use anyhow::Context;
use nearfar::Shell;

const SHELLS: [(Shell, &str); 3] =
    [(Shell::Bash, "nearfar.bash"), (Shell::Zsh, "_nearfar"), (Shell::Fish, "nearfar.fish")];

/// Writes them under `folder`, as the command itself prints them.
pub(crate) fn write(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (shell, file) in SHELLS {
        fs::write(folder.join(file), nearfar::completions(shell)?)?;
    }
    fs::write(folder.join("nearfar.1"), nearfar::manual(None)?)?;
    let command = nearfar::command();
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        let name = subcommand.get_name();
        fs::write(folder.join(format!("nearfar-{name}.1")), nearfar::manual(Some(name))?)?;
    }
    let schema = serde_json::to_string_pretty(&nearfar_survey::json_schema())? + "\n";
    fs::write(folder.join("nearfar.survey-1.schema.json"), schema)?;
    println!("dist: {}", folder.display());
    Ok(())
}
