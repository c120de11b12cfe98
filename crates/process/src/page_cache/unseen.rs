//! Why the pages of a file may not be seen.

use std::fmt;

use serde::Serialize;

/// Why the pages of a file, or the files of a directory, may not be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// The kernel reports cached pages to the owner and to those who may write the file.
    NotYours,
    /// No permission to read it.
    NotReadable,
    /// No permission to list a directory: the number of its files is unknown.
    DirectoryNotReadable,
    /// Its pages can be seen only by allocating them.
    Hugetlbfs,
    /// Its file system cannot map files.
    NotMapped,
    /// The kernel refused to open or read it, for another reason.
    Failed,
    /// A directory of another file system, which is not part of this one.
    OtherFileSystem,
    /// It was removed meanwhile.
    Vanished,
}

impl Unseen {
    /// Whether it hides cached pages of what was asked for.
    pub fn hides(self) -> bool {
        !matches!(self, Self::OtherFileSystem | Self::Vanished)
    }

    /// What was not seen: a file or a directory.
    pub fn noun(self) -> &'static str {
        match self {
            Self::DirectoryNotReadable | Self::OtherFileSystem => "directory",
            _ => "file",
        }
    }
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotYours => "other owners' pages may not be seen: run as their owner or root",
            Self::NotReadable => "reading is not permitted: run as their owner or root",
            Self::DirectoryNotReadable => "listing is not permitted: run as their owner or root",
            Self::Hugetlbfs => "hugetlbfs shows only pages that a process maps: name the process",
            Self::NotMapped => "their file system cannot map files",
            Self::Failed => "the kernel refused to open or read them",
            Self::OtherFileSystem => "another file system is mounted there: name it",
            Self::Vanished => "removed meanwhile",
        })
    }
}
