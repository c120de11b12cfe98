//! Why a program of the family failed.

use std::io;
use std::path::PathBuf;

use nearfar_machine::MachineError;
use nearfar_model::{Bytes, NodeSet};
use nearfar_place::PlaceError;
use nearfar_view::terminal::output::OutputError;
use thiserror::Error;

use crate::{BadSelector, ProcessError};

/// What ends a program with an error, in a line.
#[derive(Debug, Error)]
pub enum NumactlError {
    /// Standard output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A machine that cannot be read, or a list that names nothing on it.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The kernel refused.
    #[error(transparent)]
    PlaceError(#[from] PlaceError),
    /// The kernel or a sandbox denies a call.
    #[error("{cause}; {still}")]
    Denied {
        /// Which call.
        cause: PlaceError,
        /// What works without it.
        still: &'static str,
    },
    /// A process that cannot be read or moved.
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// A word that names no process.
    #[error(transparent)]
    NoProcess(#[from] BadSelector),
    /// No node to take memory from.
    #[error("no node has memory that this process may use")]
    NoMemory,
    /// More nodes than the policy takes.
    #[error("preferred takes one node, not {nodes}: preferred-many takes several")]
    ManyPreferred {
        /// Those that were given.
        nodes: NodeSet,
    },
    /// A file that memhog cannot use.
    #[error("cannot {deed} {}", path.display())]
    File {
        /// What was tried: "open".
        deed: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        cause: io::Error,
    },
    /// A file that is too short: memhog makes no file longer.
    #[error(
        "{name} holds {length}, fewer than {wanted}: 'truncate -s {bytes} {name}' makes it long \
         enough",
        name = path.display(), bytes = wanted.0
    )]
    ShortFile {
        /// The file.
        path: PathBuf,
        /// What it holds.
        length: Bytes,
        /// What was to be written.
        wanted: Bytes,
    },
    /// A kernel that does not report the size of its pages.
    #[error("the size of pages is not to be had")]
    NoPageSize,
    /// Too many pages.
    #[error("more memory than there is address space for")]
    TooMuchMemory,
    /// Pages that did not move.
    #[error(
        "pages that are not on nodes {to}: {stayed} of {pages}. The rate of such a move means \
         nothing"
    )]
    PagesStayed {
        /// Pages elsewhere.
        stayed: usize,
        /// All pages.
        pages: u64,
        /// Where they were to go.
        to: NodeSet,
    },
    /// Memory that an exercise cannot be done in.
    #[error("{size} are too few for it")]
    TooSmall {
        /// Its size.
        size: Bytes,
    },
    /// An exercise that was not done, where each has to be.
    #[error("test \"{title}\": {why}")]
    LeftOut {
        /// Its title.
        title: String,
        /// Why not.
        why: String,
    },
}

impl NumactlError {
    /// The same error; for a denied call also what works without it.
    pub(crate) fn but_still(self, still: &'static str) -> Self {
        match self {
            Self::PlaceError(cause) | Self::Process(ProcessError::PlaceError(cause))
                if cause.is_denied() =>
            {
                Self::Denied { cause, still }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denied_calls_name_what_still_works() {
        let denied = || PlaceError::NotPermitted { call: "mbind" };
        for error in [NumactlError::from(denied()), ProcessError::from(denied()).into()] {
            let text = error.but_still("tea can be had").to_string();
            assert!(
                text.starts_with("mbind was refused") && text.ends_with("; tea can be had"),
                "{text}"
            );
        }
        let gone = || PlaceError::ProcessGone { call: "mbind", pid: 7 };
        assert_eq!(NumactlError::from(gone()).but_still("tea").to_string(), gone().to_string());
    }

    #[test]
    fn short_files_are_reported_with_a_remedy() {
        let (length, wanted) = (Bytes::kib(64), Bytes::mib(1));
        let text =
            NumactlError::ShortFile { path: "/dev/shm/x".into(), length, wanted }.to_string();
        assert_eq!(
            text,
            "/dev/shm/x holds 64 KiB, fewer than 1 MiB: 'truncate -s 1048576 /dev/shm/x' makes it \
             long enough"
        );
    }
}
