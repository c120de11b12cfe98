//! The machine itself as a respondent: each batch is answered by a freshly started worker process.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::answer::{Answer, Batch, Respondent};
use crate::job::{Job, Setup};
use crate::probe_error::ProbeError;

/// Starts workers and hears them. No worker outlives the call that started it, nor the thread that made the call.
///
/// A machine's speed wanders over a second or so (neighbours, clocks, temperature), and processes that follow one another at once see
/// one moment of it. So they may be [spaced](Silicon::spaced): then the scatter between them, from which intervals are made,
/// holds the wandering too.
pub struct Silicon {
    setup: Setup,
    launch: Box<dyn Fn() -> Command>,
    spacing: Duration,
    started: Option<Instant>,
}

impl Silicon {
    /// `launch` gives the command that runs [`serve`](crate::serve) over its standard input and output.
    pub fn new(setup: Setup, launch: Box<dyn Fn() -> Command>) -> Self {
        Self { setup, launch, spacing: Duration::ZERO, started: None }
    }

    /// Processes start at least so far apart.
    pub fn spaced(self, spacing: Duration) -> Self {
        Self { spacing, ..self }
    }

    /// Waits until the next process may start.
    fn wait_for_turn(&mut self) {
        if let Some(started) = self.started {
            thread::sleep(self.spacing.saturating_sub(started.elapsed()));
        }
        self.started = Some(Instant::now());
    }
}

impl Respondent for Silicon {
    type Error = ProbeError;

    fn answer(&mut self, batch: &Batch, heard: &mut dyn FnMut(Answer) -> bool) -> Result<(), ProbeError> {
        let job = Job { setup: self.setup.clone(), batch: batch.clone() };
        self.wait_for_turn();
        let mut worker = Worker::start((self.launch)())?;
        worker.tell(&job)?;
        while let Some(answer) = worker.hear()? {
            if !heard(answer) {
                return Ok(());
            }
        }
        worker.finish()
    }
}

/// The end of stderr that is kept.
const LAST_WORDS: usize = 2000;

/// A running worker process: killed and waited for when dropped.
struct Worker {
    child: Child,
    answers: Box<dyn BufRead>,
    complaints: Option<JoinHandle<Vec<u8>>>,
}

impl Worker {
    /// Starts it in a process group of its own, so that Ctrl-C reaches the survey alone, which ends it in order.
    fn start(mut command: Command) -> Result<Self, ProbeError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().map_err(ProbeError::Launch)?;
        let answers: Box<dyn BufRead> = match child.stdout.take() {
            Some(stdout) => Box::new(BufReader::new(stdout)),
            None => Box::new(std::io::empty()),
        };
        let complaints = child.stderr.take().map(|stderr| thread::spawn(move || last_bytes(stderr)));
        Ok(Self { child, answers, complaints })
    }

    /// Sends the job. A worker that does not listen has died, which the end of its answers will tell.
    fn tell(&mut self, job: &Job) -> Result<(), ProbeError> {
        let mut line = serde_json::to_string(job).map_err(|error| ProbeError::BadJob(error.to_string()))?;
        line.push('\n');
        if let Some(mut stdin) = self.child.stdin.take() {
            let _ = stdin.write_all(line.as_bytes());
        }
        Ok(())
    }

    /// The next answer, or nothing when it has said all.
    fn hear(&mut self) -> Result<Option<Answer>, ProbeError> {
        let mut line = String::new();
        if self.answers.read_line(&mut line).map_err(ProbeError::Input)? == 0 {
            return Ok(None);
        }
        if !line.ends_with('\n') {
            // Cut off in the middle: how it ended says more.
            return Ok(None);
        }
        let said = || line.trim_end().chars().take(60).collect();
        let answer =
            serde_json::from_str(&line).map_err(|why| ProbeError::BadAnswer { said: said(), why: why.to_string() });
        answer.map(Some)
    }

    /// Waits for the end, which must be an orderly one.
    fn finish(mut self) -> Result<(), ProbeError> {
        let status = self.child.wait().map_err(ProbeError::Input)?;
        let complaints = self.complaints.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        judge(status, &complaints)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Both fail only when the process has been waited for already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads all, keeps the end.
fn last_bytes(source: impl Read) -> Vec<u8> {
    let mut kept = VecDeque::new();
    let mut reader = BufReader::new(source);
    while let Ok(bytes) = reader.fill_buf() {
        let read = bytes.len();
        if read == 0 {
            break;
        }
        kept.extend(bytes);
        reader.consume(read);
        kept.drain(..kept.len().saturating_sub(LAST_WORDS));
    }
    kept.into()
}

/// What an exit status and the end of stderr mean.
fn judge(status: ExitStatus, complaints: &[u8]) -> Result<(), ProbeError> {
    let last_words = last_words(complaints);
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        (Some(status), _) => Err(ProbeError::WorkerFailed { status, last_words }),
        (None, signal) => {
            let signal = signal.unwrap_or(0);
            Err(ProbeError::WorkerKilled { signal: signal_name(signal), hint: signal_hint(signal), last_words })
        }
    }
}

/// The last line of stderr that is not blank.
fn last_words(complaints: &[u8]) -> String {
    let text = String::from_utf8_lossy(complaints);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(String::new, |line| format!("; its last words: {line}"))
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGABRT => "SIGABRT",
        libc::SIGTERM => "SIGTERM",
        libc::SIGINT => "SIGINT",
        libc::SIGXCPU => "SIGXCPU",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

fn signal_hint(signal: i32) -> &'static str {
    match signal {
        libc::SIGKILL => ": likely by the kernel, out of memory; see its log, and ask for less (--size, --nodes)",
        libc::SIGBUS => ": memory that it had was taken away, or is faulty",
        libc::SIGXCPU => ": the limit on CPU time (ulimit -t) is too low",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
