//! The host's end of a port: a pipe that the emulator inherits.
//!
//! Pipes need no path (which sockets limit to 108 bytes), hold back a guest whose reader is slow, and end when the emulator does.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::io::FdFlags;
use rustix::pipe::{PipeFlags, pipe_with};

/// The emulator's end.
#[derive(Debug)]
pub(super) struct Inherited(OwnedFd);

impl Inherited {
    /// Its number, here and in the emulator.
    pub(super) fn number(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// Makes a pipe of which children inherit the end to write to.
pub(super) fn pipe() -> io::Result<(File, Inherited)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::fcntl_setfd(&write, FdFlags::empty())?;
    Ok((File::from(read), Inherited(write)))
}
