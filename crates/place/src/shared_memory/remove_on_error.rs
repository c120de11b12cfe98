//! A new file that is removed again if an error follows.

use std::fs::remove_file;
use std::path::{Path, PathBuf};

/// Removes its file when dropped, unless kept.
pub(super) struct RemoveOnError(Option<PathBuf>);

impl RemoveOnError {
    /// A file that was created just now.
    pub(super) fn new(path: &Path) -> Self {
        Self(Some(path.to_owned()))
    }

    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for RemoveOnError {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // The first error is reported already.
            let _ = remove_file(path);
        }
    }
}
