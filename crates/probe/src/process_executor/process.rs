//! A running worker process, whose messages are received with a timeout.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::worker_exit::{exit_result, last_bytes};
use super::{KeepWaiting, POLL_INTERVAL};
use crate::probe_error::ProbeError;
use crate::worker_message::WorkerMessage;

/// A worker process: killed and waited for when dropped.
///
/// Threads handle its pipes, since it may neither read nor write for any time. They end with the
/// pipes, at the latest when the process is killed. They are not joined: a process that it left
/// behind could keep a pipe open.
pub(super) struct WorkerProcess {
    child: Child,
    lines: Receiver<io::Result<String>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
}

/// An event within the polling interval.
pub(super) enum WorkerEvent {
    WorkerMessage(WorkerMessage),
    NoMessageYet,
    /// The end of its messages.
    End,
}

impl WorkerProcess {
    /// Starts it with a job, in its own process group, so that Ctrl-C reaches only the survey,
    /// which ends the worker.
    pub(super) fn start(mut command: Command, job: String) -> Result<Self, ProbeError> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let child = command.spawn().map_err(ProbeError::Launch)?;
        let (sender, lines) = channel();
        // From here on it is killed if something fails.
        let mut process = Self { child, lines, stderr: None };
        process.start_threads(job, sender).map_err(ProbeError::NoReader)?;
        Ok(process)
    }

    /// Starts the threads that handle its pipes.
    fn start_threads(&mut self, job: String, sender: Sender<io::Result<String>>) -> io::Result<()> {
        let thread = thread::Builder::new;
        if let Some(stdin) = self.child.stdin.take() {
            thread().spawn(move || write_job(stdin, &job))?;
        }
        if let Some(stdout) = self.child.stdout.take() {
            thread().spawn(move || forward_lines(stdout, &sender))?;
        }
        if let Some(stderr) = self.child.stderr.take() {
            self.stderr = Some(thread().spawn(move || last_bytes(stderr))?);
        }
        Ok(())
    }

    /// The next event within the polling interval.
    pub(super) fn next_event(&mut self) -> Result<WorkerEvent, ProbeError> {
        match self.lines.recv_timeout(POLL_INTERVAL) {
            Ok(line) => parse_line(&line.map_err(ProbeError::Input)?),
            Err(RecvTimeoutError::Timeout) => Ok(WorkerEvent::NoMessageYet),
            Err(RecvTimeoutError::Disconnected) => Ok(WorkerEvent::End),
        }
    }

    /// Waits for its exit, while the caller wants to continue.
    pub(super) fn finish(mut self, keep_waiting: KeepWaiting) -> Result<(), ProbeError> {
        const EXIT_POLL: Duration = Duration::from_millis(5);
        let status = loop {
            match self.child.try_wait().map_err(ProbeError::Input)? {
                Some(status) => break status,
                None if !keep_waiting() => return Ok(()),
                None => thread::sleep(EXIT_POLL),
            }
        };
        // Ctrl-C may reach it before it has left the group of this process.
        if !status.success() && !keep_waiting() {
            return Ok(());
        }
        let stderr = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        exit_result(status, &stderr)
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // Both fail only if the process has been waited for already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A worker that does not read has died, which the end of its messages reveals.
fn write_job(mut stdin: ChildStdin, job: &str) {
    let _ = stdin.write_all(job.as_bytes());
}

/// Forwards line by line, until the end or until the receiver is gone.
fn forward_lines(stdout: ChildStdout, listener: &Sender<io::Result<String>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let mut line = String::new();
        let read = match stdout.read_line(&mut line) {
            Ok(0) => return,
            Ok(_) => Ok(line),
            Err(error) => Err(error),
        };
        let failed = read.is_err();
        if listener.send(read).is_err() || failed {
            return;
        }
    }
}

/// The message in a line. A truncated line is the last one: the exit status reveals the cause.
fn parse_line(line: &str) -> Result<WorkerEvent, ProbeError> {
    if !line.ends_with('\n') {
        return Ok(WorkerEvent::End);
    }
    let line_start = || line.trim_end().chars().take(60).collect();
    let answer = serde_json::from_str(line);
    answer
        .map(WorkerEvent::WorkerMessage)
        .map_err(|why| ProbeError::BadMessage { line: line_start(), why: why.to_string() })
}
