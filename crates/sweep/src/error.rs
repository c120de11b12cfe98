//! Why a sweep failed.

use std::io;
use std::path::PathBuf;

use nearfar_machine::guard::GuardError;
use nearfar_model::NodeId;
use thiserror::Error;

use crate::placement::Unavailable;

/// What went wrong, to what, and what to do about it.
#[derive(Debug, Error)]
pub enum SweepError {
    /// Not a placement.
    #[error(
        "'{0}' is no placement: write unbound, local:N, remote:A/B (CPUs of A, memory of B), \
         preferred:N, interleave, weighted, spread, packed, one-per-core, one-per-cache, or \
         options of 'nearfar run' such as '-N 0 -m 1'"
    )]
    UnknownPlacement(String),
    /// No doses on a machine of one node.
    #[error("--dose needs two nodes with memory: this program may use one")]
    OneMemoryNode,
    /// The node of --dose has no CPU that may be used.
    #[error("--dose: the node has no CPU that this program may use: name one that has")]
    NoDoseCpus,
    /// The far node has no memory that may be used.
    #[error("--dose: node {0} has no memory that this program may use: name one that has")]
    NoDoseMemory(NodeId),
    /// All memory costs the same.
    #[error("--dose: no memory is far from the CPUs of node {0}")]
    NoFarMemory(NodeId),
    /// None of the placements is available. The caller adds the reason of each.
    #[error("no requested placement is available here")]
    NothingToRun(Vec<Unavailable>),
    /// A range of jobs that is none.
    #[error(
        "--jobs {0}: write numbers of jobs as 1,2,4, as 1..8, or as 1..64/2 (each twice the last)"
    )]
    BadJobs(String),
    /// An axis of environment variables that is none.
    #[error("--env {0}: write NAME=VALUE,VALUE")]
    BadEnvironment(String),
    /// Two lists of values for one variable.
    #[error("--env {0} is there twice: write all its values in one, as {0}=VALUE,VALUE")]
    RepeatedVariable(String),
    /// Too many configurations.
    #[error(
        "that makes {0} configurations, more than {1}: name fewer placements, jobs or \
         values"
    )]
    TooMany(usize, usize),
    /// A metric that is none, as it was written, and what is wrong with it.
    #[error("--metric {0}: {1}")]
    BadMetric(String, String),
    /// A file that cannot be read, and why not.
    #[error("cannot read {0}: {1}")]
    Unreadable(PathBuf, String),
    /// A file that cannot be written, and why not.
    #[error("cannot write {0}: {1}")]
    Unwritable(PathBuf, String),
    /// A file that ends too early, in this line.
    #[error("{0} is cut off (line {1}): copy it again, or sweep anew")]
    CutOff(PathBuf, usize),
    /// A document that no sweep wrote, or not so, and what is wrong with it.
    #[error("{0} is damaged: {1}: take a whole copy of it, or sweep anew")]
    Damaged(PathBuf, String),
    /// A document that is no sweep, or of another version.
    #[error(
        "{0} has schema '{1}', and this nearfar reads '{2}'{hint}",
        hint = if .1.starts_with("nearfar.sweep/") {
            ": use the one that wrote it, or sweep anew"
        } else {
            ""
        }
    )]
    OtherSchema(PathBuf, String, &'static str),
    /// Interrupts of a machine or device without far CPUs.
    #[error("--irq: all CPUs are near {0}: there is no other node with CPUs")]
    AllCpusNear(String),
    /// Firmware reports no node of the device.
    #[error("--irq: the node of {0} is unknown, and so are near and far CPUs")]
    UnknownDeviceNode(String),
    /// Interrupts that cannot be set.
    #[error("--irq: {0}")]
    Interrupts(String),
    /// A setting that is refused.
    #[error(transparent)]
    Setting(#[from] GuardError),
    /// The process that runs one run could not be started or did not answer.
    #[error("cannot supervise a run: {0}")]
    Supervisor(io::Error),
}

// Not by `#[from]`: the message has the cause.
impl From<io::Error> for SweepError {
    fn from(cause: io::Error) -> Self {
        Self::Supervisor(cause)
    }
}
