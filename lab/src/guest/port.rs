//! The host's end of a port: a pipe that the emulator inherits.
//!
//! Pipes need no path (which sockets limit to 108 bytes), hold back a guest whose reader is slow,
//! and end when the emulator does.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::io::FdFlags;
use rustix::pipe::{PipeFlags, pipe_with};

/// Makes a pipe; children inherit its writing end.
pub(super) fn pipe() -> io::Result<(File, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::fcntl_setfd(&write, FdFlags::empty())?;
    Ok((File::from(read), write))
}
