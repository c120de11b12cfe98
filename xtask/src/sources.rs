//! The source files of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// The `src` folders of all crates.
pub(crate) fn source_folders(workspace: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut folders = vec![workspace.join("lab/src"), workspace.join("xtask/src")];
    for parent in ["crates", "lab"] {
        for entry in fs::read_dir(workspace.join(parent))? {
            folders.push(entry?.path().join("src"));
        }
    }
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    Ok(folders)
}

/// All Rust files below a folder.
pub(crate) fn rust_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    files_below(folder, &["rs"])
}

/// All files below a folder that have one of these extensions.
fn files_below(folder: &Path, extensions: &[&str]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_below(&path, extensions)?);
        } else if path
            .extension()
            .is_some_and(|own| extensions.iter().any(|extension| own == *extension))
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// All Rust files of the workspace, tests too.
pub(crate) fn all_rust_files(workspace: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in ["crates", "lab", "xtask"] {
        files.extend(rust_files(&workspace.join(folder))?);
    }
    Ok(files)
}

/// Shell scripts and TOML files: `dev`, manifests, the lab's machines.
pub(crate) fn scripts(workspace: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = vec![workspace.join("Cargo.toml"), workspace.join("dev")];
    for folder in ["crates", "docs", "lab", "packages", "xtask"] {
        files.extend(files_below(&workspace.join(folder), &["sh", "toml"])?);
    }
    Ok(files)
}

/// The names in the workspace and the texts of all files under `src`, without files of tests.
pub(crate) fn product_files(workspace: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for folder in source_folders(workspace)? {
        for file in rust_files(&folder)? {
            let name = file.strip_prefix(workspace)?.to_string_lossy().into_owned();
            if !name.contains("/tests") && !name.ends_with("tests.rs") {
                files.push((name, read(&file)?));
            }
        }
    }
    Ok(files)
}

/// The text of a file.
pub(crate) fn read(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}
