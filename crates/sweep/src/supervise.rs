//! One run of the program, under a supervisor process.
//!
//! The supervisor (`nearfar supervise`, the same binary) takes a [`RunJob`] on its standard input,
//! applies the placement to the thread that starts the program, which inherits it, and reports what
//! the result on its standard output. It is the program's *subreaper*: whatever the program
//! leaves behind becomes its child and is ended, so that no daemon of one run slows the next. It
//! ends the program when it takes too long, and when its own standard input closes: then the sweep
//! has ended, even by `kill -9`.

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
