//! One lab at a time: two on one host disturb each other's timing.
//!
//! The lock is a lock on a file in TMPDIR, which vanishes with its holder, however that one ends.

use std::env;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use nearfar_view::terminal::Interrupt;
use nearfar_view::terminal::output;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::GuestError;

const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// The right to run a guest, as long as it lives.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "an open file holds the lock")] File);

impl Lock {
    /// Takes the lock, and waits for it where another lab has it.
    pub(super) fn take(interrupt: &Interrupt) -> Result<Self, GuestError> {
        let path = env::temp_dir().join("nearfar-lab.lock");
        let failed = |source| GuestError::Lock { path: path.clone(), source };
        let file = open(&path).map_err(failed)?;
        let mut reported = false;
        while !try_lock(&file).map_err(failed)? {
            if interrupt.came() {
                return Err(GuestError::Interrupted);
            }
            if !reported {
                output::aside(
                    "nearfar-lab: another lab is running: waiting for it (--no-wait to run beside \
                     it)",
                );
                reported = true;
            }
            thread::sleep(LOOK_AGAIN);
        }
        Ok(Self(file))
    }
}

/// Another user's file can be locked as well: that takes no right to write it.
fn open(path: &Path) -> io::Result<File> {
    let create = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o644)
            .open(path)
    };
    File::open(path).or_else(|_| create())
}

/// Locks an open file, or reports that another process has.
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_once_and_goes_with_its_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = open(&path).unwrap();
        let second = open(&path).unwrap();
        assert!(try_lock(&first).unwrap());
        assert!(!try_lock(&second).unwrap());
        drop(first);
        assert!(try_lock(&second).unwrap());
    }
}
