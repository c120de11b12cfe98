//! Input files. A pipe may have no writer: then the command waits, and a line on stderr reports it.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use nearfar_model::Bytes;
use nearfar_view::terminal::output;

/// Waiting time before the line on stderr.
const NOTICE_AFTER: Duration = Duration::from_secs(1);

/// The largest file that is read whole: a document, a table of the kernel, a program's output.
const MAX_BYTES: Bytes = Bytes::mib(512);

/// Reads a whole file.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    read(path, |path| nearfar_view::input::read(path, MAX_BYTES))
}

/// Reads a file by `read`, and reports on stderr if it waits for a pipe.
pub(crate) fn read<T>(path: &Path, read: impl FnOnce(&Path) -> T) -> T {
    let _notice = WaitNotice::new(path);
    read(path)
}

/// A notice that is printed unless it is dropped in time.
struct WaitNotice {
    /// Dropping it ends the wait.
    _done: Option<Sender<()>>,
}

impl WaitNotice {
    fn new(path: &Path) -> Self {
        let is_pipe = fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo());
        Self { _done: is_pipe.then(|| after_a_while(path.to_owned())) }
    }
}

fn after_a_while(path: PathBuf) -> Sender<()> {
    let (done, dropped) = mpsc::channel();
    // If no thread can be started, the command waits without a notice.
    let _ = thread::Builder::new().spawn(move || {
        if dropped.recv_timeout(NOTICE_AFTER) == Err(RecvTimeoutError::Timeout) {
            output::aside(&format!(
                "waiting for data: {} is a pipe that is still open",
                path.display()
            ));
        }
    });
    done
}
