//! Why there is no program that can do GPU work.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::VERSION;
use crate::candidates::HELPER_VARIABLE;
use crate::memory_file::MemoryRefusal;
use crate::program::HelperOrigin;

/// What was tried last, and the remedy.
#[derive(Debug, Error)]
pub enum HelperError {
    /// The environment names a file that does not exist.
    #[error(
        "{HELPER_VARIABLE} names {}, which does not exist: name the file nearfar-gpu, or unset \
         the variable",
        .0.display()
    )]
    NamedMissing(PathBuf),
    /// This program is static and has no copy of the helper, and there is no file.
    #[error(
        "GPUs need the program nearfar-gpu {VERSION}, since this nearfar is static: put it at {}, \
         or name it in {HELPER_VARIABLE}",
        place.display()
    )]
    Missing {
        /// Where the file should be.
        place: PathBuf,
    },
    /// The embedded copy cannot be started from memory, and there is no file.
    #[error(
        "the embedded nearfar-gpu cannot start from memory ({why}): put the file nearfar-gpu \
         {VERSION} at {}{}",
        place.display(),
        setting(why)
    )]
    Memory {
        /// The reason.
        why: MemoryRefusal,
        /// Where the file should be.
        place: PathBuf,
    },
    /// The helper's dynamic loader is missing.
    #[error(
        "{0} needs glibc 2.17 or newer, as GPU drivers do, and this system has none: run nearfar \
         where the driver's libraries are"
    )]
    NoLoader(HelperOrigin),
    /// Another user could replace it.
    #[error("nearfar-gpu is not started: {0}")]
    Untrusted(io::Error),
    /// The helper cannot be started.
    #[error("cannot start {origin}: {why}")]
    Start {
        /// The helper.
        origin: HelperOrigin,
        /// The reason.
        why: io::Error,
    },
    /// The helper starts, and fails: it has another version, or lacks a library.
    #[error("{origin} does not work: {why}")]
    Failed {
        /// The helper.
        origin: HelperOrigin,
        /// Its last line, or its status.
        why: String,
    },
    /// Another program.
    #[error("{0} is not nearfar-gpu: it prints something else")]
    OtherProgram(HelperOrigin),
}

fn setting(why: &MemoryRefusal) -> &'static str {
    match why {
        MemoryRefusal::Forbidden => ", or set vm.memfd_noexec to 1",
        MemoryRefusal::Failed(_) => "",
    }
}
