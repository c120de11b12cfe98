//! Files that build scripts watch. Where one is missing, cargo compiles the crate, and all that
//! depend on it, each time.

use std::path::Path;

use anyhow::ensure;

use crate::sources::{read, source_folders};

/// Checks every crate of the workspace.
pub(crate) fn check(workspace: &Path) -> anyhow::Result<()> {
    let mut missing = Vec::new();
    for source in source_folders(workspace)? {
        let folder = source.parent().unwrap_or(workspace);
        let script = folder.join("build.rs");
        if script.is_file() {
            let files = missing_files(&read(&script)?, folder).into_iter();
            missing.extend(files.map(|file| format!("{}: {file}", script.display())));
        }
    }
    ensure!(
        missing.is_empty(),
        "no such file, which cargo shall watch:\n  {}",
        missing.join("\n  ")
    );
    Ok(())
}

/// The watched files, by their names in a script's text, that are not in its folder.
fn missing_files(script: &str, folder: &Path) -> Vec<String> {
    let ends = script.split("rerun-if-changed=").skip(1);
    let names = ends.filter_map(|end| end.split(['"', '{']).next()).filter(|name| !name.is_empty());
    names.filter(|name| !folder.join(name).exists()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_found() {
        let script = "\
            println!(\"cargo::rerun-if-changed=src/main.rs\");\n\
            println!(\"cargo::rerun-if-changed=src/moved.rs\");\n\
            println!(\"cargo::rerun-if-changed={SCHEMAS}\");\n";
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(missing_files(script, folder), ["src/moved.rs"]);
    }
}
