//! Why a measurement failed as a whole. A failure of one row or column is a
//! [`WorkerMessage`](crate::WorkerMessage) instead.

use std::io;

use nearfar_model::CpuId;
use nearfar_place::PlaceError;
use thiserror::Error;

/// A failure between a survey and its worker processes.
#[derive(Debug, Error)]
pub enum ProbeError {
    /// A probe with invalid sizes.
    #[error("the {probe} probe cannot have {what}: {remedy}")]
    BadSpec {
        /// The probe's name.
        probe: &'static str,
        /// The invalid property.
        what: String,
        /// A valid alternative.
        remedy: &'static str,
    },
    /// An unknown name of a streaming loop.
    #[error(
        "unknown kernel '{0}': choose read, write, nt-write, copy, nt-copy, triad, 3:1, \
         2:1 or 1:1"
    )]
    UnknownKernel(String),
    /// An unknown name of an instruction set.
    #[error("unknown instruction set '{name}': choose auto or one of {here}")]
    UnknownIsa {
        /// The requested name.
        name: String,
        /// The names that this processor has.
        here: String,
    },
    /// An instruction set that this processor lacks.
    #[error("this processor has no {name}: choose auto or one of {here}")]
    MissingIsa {
        /// The requested name.
        name: &'static str,
        /// The names that it has.
        here: String,
    },
    /// Memory that is too small for one turn of a streaming loop.
    #[error("{length} bytes are too few to stream through: at least {least} are needed")]
    TooShort {
        /// The memory.
        length: usize,
        /// The minimum.
        least: usize,
    },
    /// A thread of a thread team did not start.
    #[error("a thread for CPU {cpu} cannot be started: {why}{hint}", hint = too_many(why))]
    NoThread {
        /// The CPU.
        cpu: CpuId,
        /// The reason.
        why: io::Error,
    },
    /// A thread of a thread team ended early.
    #[error("the thread on CPU {0} ended unexpectedly: please report this")]
    MemberGone(CpuId),
    /// Threads of a thread team ended early.
    #[error("threads ended unexpectedly: please report this")]
    TeamLost,
    /// An index beyond a thread team's threads.
    #[error("the team has no thread {0}")]
    NoMember(usize),
    /// Two tasks for one thread.
    #[error("the thread on CPU {0} has two tasks, but can do one at a time")]
    TwoTasks(CpuId),
    /// A task in released memory.
    #[error("the memory of the thread on CPU {0} is already released")]
    NoBuffer(CpuId),
    /// A thread cannot be pinned, or its memory cannot be placed.
    #[error(transparent)]
    Refused(#[from] PlaceError),
    /// The worker's input is not a job.
    #[error("the worker's input is not a job: {0}")]
    BadJob(String),
    /// The worker's messages cannot be written.
    #[error("the worker cannot write its messages: {0}")]
    Output(io::Error),
    /// A worker process did not start.
    #[error("a worker process cannot be started: {0}{hint}", hint = too_many(.0))]
    Launch(io::Error),
    /// A thread that reads a worker's messages did not start.
    #[error(
        "a thread cannot be started: {0}{hint}", hint = too_many(.0)
    )]
    NoReader(io::Error),
    /// A worker's messages cannot be read.
    #[error("the worker's messages cannot be read: {0}")]
    Input(io::Error),
    /// A worker sent a line that is not a message.
    #[error("the worker sent '{line}', which is not a message: {why}")]
    BadMessage {
        /// The beginning of the line.
        line: String,
        /// What is wrong with it.
        why: String,
    },
    /// A signal ended a worker.
    #[error("a worker process was killed by {signal}{hint}{stderr_tail}")]
    WorkerKilled {
        /// The signal's name.
        signal: String,
        /// The likely cause, beginning with ": ", or nothing.
        hint: &'static str,
        /// The last line of its stderr, beginning with "; ", or nothing.
        stderr_tail: String,
    },
    /// A worker gave up.
    #[error("a worker process failed with status {status}{stderr_tail}")]
    WorkerFailed {
        /// Its exit status.
        status: i32,
        /// The last line of its stderr, beginning with "; ", or nothing.
        stderr_tail: String,
    },
}

/// The remedy for too many processes and threads.
fn too_many(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::WouldBlock => {
            "; raise the limit on processes and threads (pids.max of the cgroup, ulimit -u)"
        }
        _ => "",
    }
}
