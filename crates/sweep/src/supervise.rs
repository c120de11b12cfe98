//! One run of the program, in a process of its own that watches over it.
//!
//! The supervisor (`nearfar supervise`, the same binary) takes a [`Job`] on its standard input,
//! applies the placement to the thread that starts the program, which inherits it, and reports what
//! became of it on its standard output. It is the program's *subreaper*: whatever the program
//! leaves behind becomes its child and is ended, so that no daemon of one run slows the next. It
//! ends the program when it takes too long, and when its own standard input closes: then the sweep
//! itself is gone, be it by `kill -9`.

mod asked;
mod ending;
mod output;
mod pages;
mod program;

use std::io::{BufReader, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use asked::Supervisor;

use crate::error::SweepError;
use crate::line::{receive, send};
use crate::record::{Failure, RunRecord};

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Set beside what is inherited.
    pub environment: Vec<(String, String)>,
    /// The placement, as words of `nearfar run`.
    pub words: Vec<String>,
    /// It is ended after so long.
    pub timeout_s: Option<f64>,
    /// Whether to look where its pages are meanwhile.
    pub looks_at_pages: bool,
    /// It is expected to take so long; none before any run.
    pub expected_s: Option<f64>,
    /// The file into which a thread writes 0 to leave the program's cpuset.
    pub outside: Option<PathBuf>,
}

impl Job {
    fn timeout(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.timeout_s?).ok()
    }

    /// When it is expected to have done half of its work.
    fn halfway(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.expected_s? / 2.0).ok()
    }
}

/// The supervisor's life: a job in one line, what became of it in one line.
pub fn serve(input: impl Read + Send + 'static, mut output: impl Write) -> Result<(), SweepError> {
    let mut input = BufReader::new(input);
    let job: Job = receive(&mut input)?;
    let ran: Result<RunRecord, Failure> = program::run(&job, input);
    // A write error means that the sweep has ended, and has reported that itself.
    let _ = send(&mut output, &ran);
    Ok(())
}
