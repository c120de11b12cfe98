//! A file that was made, and goes again when the work stops halfway.

use std::fs::remove_file;
use std::path::{Path, PathBuf};

/// Removes its file when dropped, unless kept.
pub(super) struct Unfinished(Option<PathBuf>);

impl Unfinished {
    /// A file that was made just now.
    pub(super) fn made(path: &Path) -> Self {
        Self(Some(path.to_owned()))
    }

    /// The work is done: the file stays.
    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // The trouble that stopped the work is told already.
            let _ = remove_file(path);
        }
    }
}
