//! The corpus: captured machines and tables of other projects. Tests of other crates include this
//! file.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// `NEARFAR_CORPUS`; `../shared/corpus` of the workspace if it is unset; `None` if it is empty.
pub(crate) fn corpus() -> Option<PathBuf> {
    static SKIPPED: Once = Once::new();
    let folder = match env::var_os("NEARFAR_CORPUS") {
        Some(folder) if folder.is_empty() => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"))
            .filter(|path| path.is_dir()),
    };
    if folder.is_none() {
        print_once(&SKIPPED, "skipped: no corpus\n");
    }
    folder
}

/// Prints past the test harness, which captures what `println!` prints.
pub(crate) fn print_once(once: &Once, text: &str) {
    once.call_once(|| io::stderr().write_all(text.as_bytes()).expect("stderr is open"));
}

/// All files of a folder and of the folders in it, in order of their paths.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] })
        .collect();
    files.sort();
    files
}
