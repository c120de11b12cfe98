//! Why the pages of a file may not be seen.

use std::fmt;

use serde::Serialize;

/// Why the pages of a file may not be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// The kernel reports cached pages to the owner and to those who may write the file.
    NotYours,
    /// No permission to read it.
    NotReadable,
    /// Its pages can be seen only by allocating them.
    Hugetlbfs,
    /// Its file system cannot map files.
    NotMapped,
    /// It was removed meanwhile.
    Vanished,
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotYours => "other owners' pages may not be seen: run as their owner or root",
            Self::NotReadable => "reading is not permitted: run as their owner or root",
            Self::Hugetlbfs => "hugetlbfs shows only pages that a process maps: name the process",
            Self::NotMapped => "their file system cannot map files",
            Self::Vanished => "removed meanwhile",
        })
    }
}
