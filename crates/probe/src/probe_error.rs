//! Why measuring failed as a whole. What concerns one row or one column is a
//! [`WorkerMessage`](crate::WorkerMessage) instead.

use std::io;

use nearfar_model::CpuId;
use nearfar_place::PlaceError;
use thiserror::Error;

/// What went wrong between a survey and its worker processes.
#[derive(Debug, Error)]
pub enum ProbeError {
    /// A probe whose sizes make no sense.
    #[error("the {probe} probe cannot have {what}: {remedy}")]
    BadSpec {
        /// The probe's name.
        probe: &'static str,
        /// What it cannot have.
        what: String,
        /// What to ask for instead.
        remedy: &'static str,
    },
    /// A name that no streaming loop has.
    #[error(
        "there is no kernel '{0}': choose of read, write, nt-write, copy, nt-copy, triad, 3:1, \
         2:1, 1:1"
    )]
    UnknownKernel(String),
    /// A name that no instruction set has.
    #[error("there is no instruction set '{name}' here: choose auto or one of {here}")]
    UnknownIsa {
        /// What was asked for.
        name: String,
        /// The names of those that this processor has.
        here: String,
    },
    /// An instruction set that this processor has not.
    #[error("this processor has no {name}: choose auto or one of {here}")]
    MissingIsa {
        /// What was asked for.
        name: &'static str,
        /// The names of those that it has.
        here: String,
    },
    /// Memory too small for a streaming loop to go once round.
    #[error("{length} bytes cannot be streamed through: it takes {least} or more")]
    TooShort {
        /// The memory.
        length: usize,
        /// The least that will do.
        least: usize,
    },
    /// A thread of a thread team did not start.
    #[error("a thread for CPU {cpu} cannot be started: {why}{hint}", hint = too_many(why))]
    NoThread {
        /// The CPU.
        cpu: CpuId,
        /// Why not.
        why: io::Error,
    },
    /// A thread of a thread team ended before its time.
    #[error("the thread on CPU {0} has ended before its time: please report this")]
    MemberGone(CpuId),
    /// Threads of a thread team ended before their time.
    #[error("threads have ended before their time: please report this")]
    TeamLost,
    /// An index beyond a thread team's threads.
    #[error("the team has no thread {0}")]
    NoMember(usize),
    /// Two tasks for one thread.
    #[error("the thread on CPU {0} can do one thing at a time")]
    TwoTasks(CpuId),
    /// A task in memory that was given back.
    #[error("the memory of the thread on CPU {0} was given back before")]
    NoBuffer(CpuId),
    /// A thread cannot be pinned, or its memory not be placed.
    #[error(transparent)]
    Refused(#[from] PlaceError),
    /// The worker was given something else than a job.
    #[error("the worker's input is not a job: {0}")]
    BadJob(String),
    /// The worker's answers cannot be written.
    #[error("the worker cannot write its answers: {0}")]
    Output(io::Error),
    /// A worker process did not start.
    #[error("a worker process cannot be started: {0}{hint}", hint = too_many(.0))]
    Launch(io::Error),
    /// A thread that reads a worker's answers did not start.
    #[error(
        "a thread cannot be started: {0}{hint}", hint = too_many(.0)
    )]
    NoReader(io::Error),
    /// Talking with a worker process failed.
    #[error("the worker's answers cannot be read: {0}")]
    Input(io::Error),
    /// A worker said something that is no answer.
    #[error("the worker said '{said}', which is no answer: {why}")]
    BadMessage {
        /// The beginning of it.
        said: String,
        /// What is wrong with it.
        why: String,
    },
    /// A signal ended a worker.
    #[error("a worker process was killed by {signal}{hint}{stderr_tail}")]
    WorkerKilled {
        /// The signal's name.
        signal: String,
        /// What the signal makes likely, beginning with ": ", or nothing.
        hint: &'static str,
        /// The end of what it wrote to stderr, beginning with "; ", or nothing.
        stderr_tail: String,
    },
    /// A worker gave up.
    #[error("a worker process failed with status {status}{stderr_tail}")]
    WorkerFailed {
        /// Its exit status.
        status: i32,
        /// The end of what it wrote to stderr, beginning with "; ", or nothing.
        stderr_tail: String,
    },
}

/// What to do where there are too many processes and threads.
fn too_many(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::WouldBlock => {
            "; raise the limit on processes and threads (pids.max of the cgroup, ulimit -u)"
        }
        _ => "",
    }
}
