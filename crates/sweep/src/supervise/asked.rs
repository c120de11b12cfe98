//! The sweep's side: starts a supervisor, sends it a job, receives the result.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::RunJob;
use crate::cpusets::CpusetThread;
use crate::error::SweepError;
use crate::line::send;
use crate::plan::RunAttempt;
use crate::record::{RunFailure, RunRecord};

/// How a supervisor is started.
#[derive(Clone, Debug)]
pub struct Supervisor {
    /// The binary.
    pub program: PathBuf,
    /// The arguments that make it one.
    pub arguments: Vec<OsString>,
}

/// How often interruption is checked.
const SOON: Duration = Duration::from_millis(50);

impl Supervisor {
    /// Runs a job, in a cpuset where there is one, unless the user stops it meanwhile.
    pub(crate) fn run(
        &self,
        job: &RunJob,
        cpuset_thread: Option<&CpusetThread>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<RunAttempt, SweepError> {
        let mut child = self.start(job, cpuset_thread)?;
        // Closing it ends the run.
        let mut alive = child.stdin.take();
        let (sender, receiver) = channel();
        let output = child.stdout.take();
        let listener = thread::Builder::new().spawn(move || {
            let mut text = Vec::new();
            let _ = output.map(|mut output| output.read_to_end(&mut text));
            let _ = sender.send(text);
        });
        let listener = listener.inspect_err(|_| {
            // It ends its program, and itself, once the other end is closed.
            drop(alive.take());
            let _ = child.wait();
        })?;
        let text = loop {
            match receiver.recv_timeout(SOON) {
                Err(RecvTimeoutError::Timeout) if is_stopped() => drop(alive.take()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Vec::new(),
                Ok(text) => break text,
            }
        };
        let _ = listener.join();
        let status = child.wait()?;
        // Ctrl-C may reach it before it has left the group of this process.
        if alive.is_none() || (!status.success() && is_stopped()) {
            return Ok(RunAttempt::Interrupted);
        }
        let no_answer = |_| io::Error::other(format!("it ended with {status}, without an answer"));
        let answer: Result<RunRecord, RunFailure> =
            serde_json::from_slice(&text).map_err(no_answer)?;
        Ok(answer.map_or_else(RunAttempt::Refused, RunAttempt::Ran))
    }

    fn start(&self, job: &RunJob, cpuset_thread: Option<&CpusetThread>) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        // Ctrl-C goes to the sweep alone: it ends its runs itself.
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = match cpuset_thread {
            Some(cpuset_thread) => cpuset_thread.start(command)?,
            None => command.spawn()?,
        };
        if let Some(input) = &mut child.stdin {
            // A supervisor that dies is recognised by how it ended.
            let _ = send(input, job);
        }
        Ok(child)
    }
}
