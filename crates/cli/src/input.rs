//! Files that a user names as input. One that is a pipe may have nobody at its other end: then the
//! command waits, and has to say so.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use nearfar_terminal::output;

/// How long a pipe may take before a line on stderr says what is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads a file by `read`, and says on stderr what it waits for where that is a pipe without data.
pub(crate) fn read<T>(path: &Path, read: impl FnOnce(&Path) -> T) -> T {
    let _remark = Remark::of(path);
    read(path)
}

/// A remark that is made unless it is dropped in time.
struct Remark {
    /// Dropping it ends the wait.
    _done: Option<Sender<()>>,
}

impl Remark {
    fn of(path: &Path) -> Self {
        let is_pipe = fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo());
        Self { _done: is_pipe.then(|| after_a_while(path.to_owned())) }
    }
}

fn after_a_while(path: PathBuf) -> Sender<()> {
    let (done, dropped) = mpsc::channel();
    // Where no thread can be had, the command waits without a remark.
    let _ = thread::Builder::new().spawn(move || {
        if dropped.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            output::aside(&format!(
                "waiting for data: {} is a pipe, and it has no end yet",
                path.display()
            ));
        }
    });
    done
}
