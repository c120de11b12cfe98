//! Where the corpus is, and what is in it.

use std::path::{Path, PathBuf};

/// The corpus, if there is one.
pub(super) fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = std::env::var_os("NEARFAR_CORPUS").map_or_else(beside, PathBuf::from);
    path.is_dir().then_some(path)
}

/// What a test says that has nothing to look at.
pub(super) fn skip() {
    eprintln!("skipped: no corpus");
}

/// All files in a folder and below it.
pub(super) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// What stands below "=== NAME" in a file of several logs.
pub(super) fn section<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = text.find(&format!("=== {name}\n"))? + name.len() + 5;
    let rest = &text[start..];
    Some(&rest[..rest.find("\n=== ").map_or(rest.len(), |end| end + 1)])
}
