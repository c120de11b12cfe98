//! Why a path is not read.

use std::fs::FileType;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileTypeExt;
use std::time::Duration;

use nearfar_model::Bytes;
use thiserror::Error;

/// What a path leads to instead of a file, or why there is no end to read up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum Refusal {
    #[error("it is a folder, not a file")]
    Folder,
    #[error("it is a device, not a file")]
    Device,
    #[error("it is a socket, not a file")]
    Socket,
    #[error("it is a pipe, not a file")]
    Pipe,
    #[error("it is larger than {0}")]
    TooLarge(Bytes),
    #[error("it is a pipe, and no program wrote to it within {} s", .0.as_secs())]
    NoWriter(Duration),
    #[error("it has no more data yet, and no end")]
    NoEnd,
}

impl Refusal {
    /// Why a file of this type is not read; `None` for regular files, and for pipes if they are
    /// allowed.
    pub(crate) fn of_type(kind: FileType, allows_pipes: bool) -> Option<Self> {
        if kind.is_file() || (kind.is_fifo() && allows_pipes) {
            None
        } else if kind.is_fifo() {
            Some(Self::Pipe)
        } else if kind.is_dir() {
            Some(Self::Folder)
        } else if kind.is_socket() {
            Some(Self::Socket)
        } else {
            Some(Self::Device)
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        let kind = match refusal {
            Refusal::Folder => ErrorKind::IsADirectory,
            Refusal::TooLarge(_) => ErrorKind::FileTooLarge,
            Refusal::NoWriter(_) => ErrorKind::TimedOut,
            // WouldBlock would be tried again by some readers.
            Refusal::Device | Refusal::Socket | Refusal::Pipe | Refusal::NoEnd => {
                ErrorKind::InvalidInput
            }
        };
        Self::new(kind, refusal)
    }
}

/// Whether a file was refused because of its size.
pub fn is_too_large(error: &io::Error) -> bool {
    error.kind() == ErrorKind::FileTooLarge
}
