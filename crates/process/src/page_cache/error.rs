//! Why the page cache of a file cannot be shown, moved or filled.

use std::path::PathBuf;
use std::time::Duration;

use nearfar_model::{Bytes, NodeSet};
use nearfar_place::PlaceError;
use thiserror::Error;

use super::unseen::Unseen;

/// An error with what to do about it.
#[derive(Debug, Error)]
pub enum PageCacheError {
    /// Something without pages of its own.
    #[error("{} is {kind}: name a file with data", path.display())]
    NoFile {
        /// Its path.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// A directory where files are meant.
    #[error("{} is a directory: name files in it", path.display())]
    Directory {
        /// Its path.
        path: PathBuf,
    },
    /// The kernel refused to open it.
    #[error("cannot open {}: {why}", path.display())]
    Open {
        /// Its path.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// Its pages may not be seen.
    #[error("{}: not readable, because {why}", path.display())]
    Unseen {
        /// Its path.
        path: PathBuf,
        /// The reason.
        why: Unseen,
    },
    /// The thread that reads files.
    #[error("no thread for reading files: {why}")]
    NoThread {
        /// The reason.
        why: String,
    },
    /// A file system that does not answer.
    #[error(
        "{} does not answer within {} s: is it on a network file system whose server is down?",
        path.display(), after.as_secs()
    )]
    Hangs {
        /// What was opened or read.
        path: PathBuf,
        /// The time.
        after: Duration,
    },
    /// The kernel refused a call.
    #[error("{}: {cause}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The refusal.
        cause: PlaceError,
    },
    /// Files that do not fit the nodes.
    #[error(
        "--warm: {wanted} more do not fit on the program's nodes ({nodes}): {available} there are \
         free or in other files' cache. Name more nodes, or fewer files"
    )]
    NoSpace {
        /// The nodes.
        nodes: NodeSet,
        /// What has to come there.
        wanted: Bytes,
        /// What is there.
        available: Bytes,
    },
}
