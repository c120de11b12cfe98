//! Work on files in a thread of its own: a network file system may never answer.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::error::PageCacheError;

/// Longest time for one step: opening, a directory's entry, a window.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Results that wait.
const WAITING: usize = 256;

/// Sends what a thread found, and that it still works.
pub(super) struct Reporter<T> {
    sender: SyncSender<Report<T>>,
    at: Arc<Mutex<PathBuf>>,
}

enum Report<T> {
    Alive,
    Found(T),
    Ended(Result<(), PageCacheError>),
}

impl<T> Reporter<T> {
    /// The next step is about this path.
    pub(super) fn at(&self, path: &Path) {
        path.clone_into(&mut self.at.lock().unwrap_or_else(PoisonError::into_inner));
        self.alive();
    }

    /// A step is done.
    pub(super) fn alive(&self) {
        // Without a receiver, the program is about to end.
        let _ = self.sender.send(Report::Alive);
    }

    pub(super) fn found(&self, found: T) {
        let _ = self.sender.send(Report::Found(found));
    }
}

/// Runs `work` in a thread, and `each` with what it finds. A thread that hangs is left behind.
pub(super) fn watched<T: Send + 'static>(
    work: impl FnOnce(&Reporter<T>) -> Result<(), PageCacheError> + Send + 'static,
    each: impl FnMut(T),
) -> Result<(), PageCacheError> {
    watched_for(TIMEOUT, work, each)
}

fn watched_for<T: Send + 'static>(
    timeout: Duration,
    work: impl FnOnce(&Reporter<T>) -> Result<(), PageCacheError> + Send + 'static,
    mut each: impl FnMut(T),
) -> Result<(), PageCacheError> {
    let (sender, receiver) = sync_channel(WAITING);
    let at = Arc::new(Mutex::new(PathBuf::new()));
    let reporter = Reporter { sender, at: Arc::clone(&at) };
    let run = move || {
        let done = work(&reporter);
        let _ = reporter.sender.send(Report::Ended(done));
    };
    let started = thread::Builder::new().spawn(run);
    started.map_err(|error| PageCacheError::NoThread { why: error.to_string() })?;
    loop {
        match receiver.recv_timeout(timeout) {
            Ok(Report::Alive) => {}
            Ok(Report::Found(found)) => each(found),
            Ok(Report::Ended(done)) => return done,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PageCacheError::NoThread { why: "it ended early".to_owned() });
            }
            Err(RecvTimeoutError::Timeout) => {
                let path = at.lock().unwrap_or_else(PoisonError::into_inner).clone();
                return Err(PageCacheError::Hangs { path, after: timeout });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_hangs_is_an_error_with_its_path() {
        let hangs = watched_for(
            Duration::from_millis(50),
            |reporter: &Reporter<u8>| {
                reporter.at(Path::new("/mnt/x"));
                thread::sleep(Duration::from_secs(30));
                Ok(())
            },
            |_| {},
        );
        let error = hangs.unwrap_err().to_string();
        assert!(error.starts_with("/mnt/x does not answer"), "{error}");
    }

    #[test]
    fn results_come_in_order_while_steps_are_slow() {
        let mut found = Vec::new();
        let work = |reporter: &Reporter<u8>| {
            for number in 0..4 {
                thread::sleep(Duration::from_millis(20));
                reporter.found(number);
            }
            Ok(())
        };
        watched_for(Duration::from_secs(5), work, |number| found.push(number)).unwrap();
        assert_eq!(found, [0, 1, 2, 3]);
    }
}
