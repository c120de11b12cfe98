//! Why a sweep cannot be had.

use std::path::PathBuf;

use thiserror::Error;

use crate::placement::Unavailable;

/// What went wrong, to what, and what to do about it.
#[derive(Debug, Error)]
pub enum SweepError {
    /// A word that is no placement.
    #[error(
        "'{0}' is no placement: write unbound, local:N, remote:A/B (CPUs of A, memory of B), preferred:N, interleave, weighted, spread, packed, one-per-core, \
         one-per-cache, or options of 'nearfar run' such as '-N 0 -m 1'"
    )]
    UnknownPlacement(String),
    /// None of the placements can be had. Whoever shows this adds why, of each.
    #[error("no placement that was asked for can be had here")]
    NothingToRun(Vec<Unavailable>),
    /// A range of jobs that is none.
    #[error("--jobs {0}: write numbers of jobs as 1,2,4, as 1..8, or as 1..64/2 (each twice the last)")]
    BadJobs(String),
    /// An axis of environment variables that is none.
    #[error("--env {0}: write NAME=VALUE,VALUE")]
    BadEnvironment(String),
    /// Two lists of values for one variable.
    #[error("--env {0} is there twice: write all its values in one, as {0}=VALUE,VALUE")]
    RepeatedVariable(String),
    /// More configurations than anybody waits for.
    #[error("that makes {count} configurations, of which {most} are the most: name fewer placements, jobs or values")]
    TooMany {
        /// So many.
        count: usize,
        /// The most.
        most: usize,
    },
    /// A metric that is none.
    #[error("--metric {text}: {why}")]
    BadMetric {
        /// As it was written.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A file that cannot be read.
    #[error("cannot read {path}: {why}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A file that cannot be written.
    #[error("cannot write {path}: {why}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A file that ends too early.
    #[error("{path} is cut off (line {line}): copy it again, or sweep anew")]
    CutOff {
        /// The file.
        path: PathBuf,
        /// Where it ends.
        line: usize,
    },
    /// A document that no sweep wrote, or not so.
    #[error("{path} is damaged: {why}: take a whole copy of it, or sweep anew")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A document that is no sweep, or of another version.
    #[error("{path} has schema '{schema}'; this version reads '{expected}'{}", if .schema.starts_with("nearfar.sweep/") { ": a newer nearfar reads it" } else { "" })]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// What it says it is.
        schema: String,
        /// What is read.
        expected: &'static str,
    },
    /// A setting of the machine that cannot be switched.
    #[error("cannot set {name} to {value} ({path}): {why}")]
    Switch {
        /// Which.
        name: &'static str,
        /// To what.
        value: String,
        /// Its file.
        path: &'static str,
        /// Why not.
        why: String,
    },
    /// The process that runs one run could not be started or did not answer.
    #[error("cannot supervise a run: {0}")]
    Supervisor(String),
}
