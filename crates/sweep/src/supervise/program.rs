//! The program itself: started in its place, waited for, measured.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::panic::resume_unwind;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use nearfar_machine::{Allocations, Source};
use nearfar_process::launch::Placement;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use rustix::process::{Pid, Signal, getpid, kill_process_group, set_child_subreaper};

use super::RunJob;
use super::StreamTail;
use super::pages::{SampledPages, sampled_pages};
use super::{end_descendants, end_when_over};
use crate::placement::checked;
use crate::record::{ProgramOutput, ResourceUsage, RunEnd, RunFailure, RunRecord};

/// Runs the job. `alive` carries no data, and closes when the sweep has ended.
pub(super) fn run(
    job: &RunJob,
    alive: impl Read + Send + 'static,
) -> Result<RunRecord, RunFailure> {
    let source = Source::live();
    let placement = checked(&job.words, &source).map_err(RunFailure::refused)?.placement;
    // Without it, orphans of the program are not found.
    let _ = set_child_subreaper(Some(getpid()));
    let before = Allocations::read(&source);
    let (started, mut child) = start_in_place(job, &placement)?;
    let (stdout, stderr, watch) = match attend(&mut child, job, alive) {
        Ok(threads) => threads,
        Err(error) => {
            // Nothing else would end it.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            let _ = child.wait();
            return Err(no_thread(&error));
        }
    };
    let status = child.wait().map_err(RunFailure::refused)?;
    let wall = started.elapsed();
    let used = used().map_err(RunFailure::refused)?;
    let (timed_out, pages) = watch.end();
    let after = Allocations::read(&source);
    let left_behind = end_descendants(&source);
    Ok(RunRecord {
        wall_s: wall.as_secs_f64(),
        used,
        allocations: after.since(&before),
        remote_share: pages.remote_share,
        looked_s: pages.looked(started + wall).as_secs_f64(),
        // The sweep itself repeats a run.
        slowed_by_looks: None,
        // The sweep itself counts them.
        interrupts: None,
        end: if timed_out { RunEnd::TimedOut } else { end_of(status) },
        left_behind,
        printed: ProgramOutput { stdout: stdout.text(), stderr: stderr.text() },
    })
}

/// Starts the threads that read what the program prints, and watch it.
fn attend(
    child: &mut Child,
    job: &RunJob,
    alive: impl Read + Send + 'static,
) -> io::Result<(StreamTail, StreamTail, RunWatchers)> {
    let (stdout, stderr) =
        (StreamTail::new(child.stdout.take())?, StreamTail::new(child.stderr.take())?);
    Ok((stdout, stderr, RunWatchers::over(child, job, alive)?))
}

fn no_thread(error: &io::Error) -> RunFailure {
    RunFailure::NoThread { error: error.to_string() }
}

/// From a thread that takes the placement first: programs inherit it from threads, and watching
/// threads keep off the program's CPUs where there are others.
fn start_in_place(job: &RunJob, placement: &Placement) -> Result<(Instant, Child), RunFailure> {
    let starter = || {
        placement.apply().map_err(RunFailure::refused)?;
        let started = Instant::now();
        start(job).map(|child| (started, child))
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .spawn_scoped(scope, starter)
            .map_err(|error| no_thread(&error))?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// In a group of its own, so that all of it can be ended, and without a terminal.
fn start(job: &RunJob) -> Result<Child, RunFailure> {
    let (program, arguments) = job.command.split_first().ok_or(RunFailure::NoProgram)?;
    let mut command = Command::new(program);
    command.args(arguments).envs(job.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    command.spawn().map_err(|error| RunFailure::NotStarted {
        program: program.clone(),
        error: error.to_string(),
    })
}

/// Usage of the program and of all descendants that it waited for: this process has no other
/// children.
fn used() -> nix::Result<ResourceUsage> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: TimeVal| time.num_microseconds() as f64 / 1e6;
    let count = |value: i64| u64::try_from(value).unwrap_or(0);
    Ok(ResourceUsage {
        user_s: seconds(usage.user_time()),
        sys_s: seconds(usage.system_time()),
        // The kernel counts KiB here.
        max_rss_bytes: count(usage.max_rss()) << 10,
        minor_faults: count(usage.minor_page_faults()),
        major_faults: count(usage.major_page_faults()),
    })
}

fn end_of(status: ExitStatus) -> RunEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => RunEnd::Exited { code },
        (None, signal) => RunEnd::Killed { signal: signal.unwrap_or(0) },
    }
}

/// Threads for the timeout and for the program's pages, until it has ended.
struct RunWatchers {
    ends: Vec<Sender<()>>,
    clock: JoinHandle<bool>,
    pages: Option<JoinHandle<SampledPages>>,
}

impl RunWatchers {
    fn over(
        child: &Child,
        job: &RunJob,
        mut alive: impl Read + Send + 'static,
    ) -> io::Result<Self> {
        let group = Pid::from_child(child);
        let thread = thread::Builder::new;
        thread().spawn(move || {
            let mut nothing = [0];
            while let Ok(1..) = alive.read(&mut nothing) {}
            let _ = kill_process_group(group, Signal::KILL);
        })?;
        let mut ends = Vec::new();
        let mut subscribe = || -> Receiver<()> {
            let (end, ended) = channel();
            ends.push(end);
            ended
        };
        let (timeout, ended) = (job.timeout(), subscribe());
        let clock = thread().spawn(move || end_when_over(group, timeout, &ended))?;
        let (outside, halfway) = (job.outside.clone(), job.halfway());
        let pages = job.looks_at_pages.then(subscribe).map(|ended| {
            let own = std::process::id();
            thread().spawn(move || {
                sampled_pages(&Source::live(), own, outside.as_deref(), halfway, &ended)
            })
        });
        Ok(Self { ends, clock, pages: pages.transpose()? })
    }

    /// Whether the program was ended, and what samples of its pages show.
    fn end(self) -> (bool, SampledPages) {
        drop(self.ends);
        let pages = self.pages.and_then(|pages| pages.join().ok()).unwrap_or_default();
        (self.clock.join().unwrap_or(false), pages)
    }
}
