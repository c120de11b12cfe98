//! A program that does not exist is found missing once, before anything runs.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::bail;
use nearfar_sweep::axes::Variable;

/// Fails if the command's program cannot be executed. A program whose name or search path varies
/// between configurations, or that `--prepare` makes, is found by its runs.
pub(super) fn is_there(command: &[String], variables: &[Variable]) -> anyhow::Result<()> {
    let Some(program) = command.first() else { return Ok(()) };
    if program.contains('{') || variables.iter().any(|variable| variable.name == "PATH") {
        return Ok(());
    }
    let paths = env::var_os("PATH").unwrap_or_default();
    if program.contains('/') {
        if !Path::new(program).exists() {
            bail!("cannot run {program}: there is no such file");
        }
    } else if !env::split_paths(&paths).any(|folder| is_executable(&folder.join(program))) {
        bail!("cannot run {program}: no folder of PATH has such a program");
    }
    Ok(())
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
