//! One run of the program, under a supervisor process.
//!
//! The supervisor (`nearfar supervise`, the same binary) takes a [`RunJob`] on its standard input,
//! applies the placement to the thread that starts the program, which inherits it, and reports what
//! the result on its standard output. It is the program's *subreaper*: whatever the program
//! leaves behind becomes its child and is ended, so that no daemon of one run slows the next. It
//! ends the program when it takes too long, and when its own standard input closes: then the sweep
//! has ended, even by `kill -9`.

mod pages;
mod program;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{io, thread};

use nearfar_machine::{MachineError, Process, Source};
use nearfar_process::with_descendants;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, kill_process_group, waitid,
};
use serde::{Deserialize, Serialize};

use crate::cpusets::CpusetThread;
use crate::error::SweepError;
use crate::line::{receive, send};
use crate::plan::RunAttempt;
use crate::record::{RunFailure, RunRecord};

/// A run to make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunJob {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Set beside what is inherited.
    pub environment: Vec<(String, String)>,
    /// The placement, as words of `nearfar run`.
    pub words: Vec<String>,
    /// Time limit, in seconds.
    pub timeout_s: Option<f64>,
    /// Whether to sample the nodes of its pages.
    pub looks_at_pages: bool,
    /// Expected time; none before any run.
    pub expected_s: Option<f64>,
    /// The file into which a thread writes 0 to leave the program's cpuset.
    pub outside: Option<PathBuf>,
}

impl RunJob {
    fn timeout(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.timeout_s?).ok()
    }

    /// When it is expected to have done half of its work.
    fn halfway(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.expected_s? / 2.0).ok()
    }
}

/// Serves one job: reads it as a line, and writes its result as a line.
pub fn serve(input: impl Read + Send + 'static, mut output: impl Write) -> Result<(), SweepError> {
    let mut input = BufReader::new(input);
    let job: RunJob = receive(&mut input)?;
    let ran: Result<RunRecord, RunFailure> = program::run(&job, input);
    // A write error means that the sweep has ended, and has reported that itself.
    let _ = send(&mut output, &ran);
    Ok(())
}

/// Bytes that are kept of a stream.
const KEPT: usize = 1 << 20;
/// Time to wait for the last output: on a busy machine the reading thread may get no CPU for a
/// while, and descendants that could not be killed may hold the stream open.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// A stream that is being read.
#[derive(Debug)]
struct StreamTail {
    kept: Arc<Mutex<LastBytes>>,
    closed: Receiver<()>,
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct LastBytes(VecDeque<u8>);

impl StreamTail {
    /// Reads a stream in a thread of its own.
    fn new(stream: Option<impl Read + Send + 'static>) -> io::Result<Self> {
        let (closes, closed) = channel();
        let output = Self { kept: Arc::default(), closed };
        let Some(mut stream) = stream else { return Ok(output) };
        let kept = output.kept.clone();
        thread::Builder::new().spawn(move || {
            let _closes = closes;
            let mut piece = vec![0; 64 << 10];
            while let Ok(count @ 1..) = stream.read(&mut piece) {
                if let Ok(mut kept) = kept.lock() {
                    kept.add(&piece[..count]);
                }
            }
        })?;
        Ok(output)
    }

    /// Its end as text, once it is closed or the timeout is over; what is no text is replaced.
    fn text(self) -> String {
        let _ = self.closed.recv_timeout(DRAIN_TIMEOUT);
        self.kept.lock().map_or_else(|_| String::new(), |mut kept| kept.text())
    }
}

impl LastBytes {
    fn add(&mut self, piece: &[u8]) {
        self.0.extend(piece);
        let excess = self.0.len().saturating_sub(KEPT);
        self.0.drain(..excess);
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(self.0.make_contiguous()).into_owned()
    }
}

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
        Ok(answer.map_or_else(RunAttempt::Refused, |ran| RunAttempt::Ran(Box::new(ran))))
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

/// Time to end after SIGTERM, before SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// Rounds of looking for processes that are forked meanwhile.
const ROUNDS: usize = 20;

/// Ends the program's group after the timeout, unless it has ended before (the channel closes).
/// Returns whether it did.
fn end_when_over(group: Pid, timeout: Option<Duration>, ended: &Receiver<()>) -> bool {
    let Some(timeout) = timeout else {
        let _ = ended.recv();
        return false;
    };
    if ended.recv_timeout(timeout) != Err(RecvTimeoutError::Timeout) {
        return false;
    }
    let _ = kill_process_group(group, Signal::TERM);
    if ended.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    true
}

/// Kills all descendants of this process, and returns their number.
fn end_descendants(source: &Source) -> u32 {
    if !has_children() {
        return 0;
    }
    let own = std::process::id();
    let mut count = 0;
    for _ in 0..ROUNDS {
        let left: Vec<u32> = with_descendants(source, own)
            .into_iter()
            .filter(|&pid| pid != own && is_alive(source, pid))
            .collect();
        if left.is_empty() {
            return count;
        }
        count = count.max(left.len() as u32);
        for pid in left.into_iter().filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(Duration::from_millis(5));
    }
    count
}

/// Orphans become children of this process, their subreaper: without children there are no
/// descendants.
fn has_children() -> bool {
    !matches!(ended_child(WaitId::All), Err(Errno::CHILD))
}

/// A child that has ended, and is not waited for; an error without such a child.
fn ended_child(which: WaitId<'_>) -> rustix::io::Result<Option<WaitIdStatus>> {
    waitid(which, WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT)
}

/// Zombies do not count. Hidden processes, such as set-uid programs, do.
fn is_alive(source: &Source, pid: u32) -> bool {
    match Process::find(source, pid).and_then(|process| process.stat()) {
        Ok(stat) => !stat.is_dead(),
        Err(MachineError::HiddenProcess { .. }) => !is_zombie_child(pid),
        Err(error) => !error.is_of_ended_process(),
    }
}

/// Whether a child of this process has ended, and is not waited for.
fn is_zombie_child(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| matches!(ended_child(WaitId::Pid(pid)), Ok(Some(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept() {
        let mut tail = LastBytes::default();
        (0..3).for_each(|piece| tail.add(&vec![b'a' + piece; KEPT / 2]));
        let text = tail.text();
        assert_eq!((text.len(), text.starts_with('b'), text.ends_with('c')), (KEPT, true, true));
        tail.add(&[0xff]);
        assert!(tail.text().ends_with('\u{fffd}'));
    }

    #[test]
    fn a_stream_is_read_to_its_end() {
        assert_eq!(StreamTail::new(Some(&b"text"[..])).unwrap().text(), "text");
        assert_eq!(StreamTail::new(None::<&[u8]>).unwrap().text(), "");
    }
}
