//! The file with a saved `/proc/interrupts`.

use serde::{Deserialize, Serialize};

/// What a file with saved counters had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SavedFile {
    /// Its tables. With several, counts are those between the first and the last.
    pub tables: usize,
    /// Its lines with text.
    pub lines: usize,
    /// Those that are no line of `/proc/interrupts`.
    pub ignored: usize,
}
