//! Why a running process could not be read or moved.

use std::path::PathBuf;

use nearfar_machine::MachineError;
use nearfar_model::NodeSet;
use nearfar_place::PlaceError;
use thiserror::Error;

/// An error with what to do about it.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// The process does not exist, has ended, or belongs to another user.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The kernel refused the call.
    #[error(transparent)]
    PlaceError(#[from] PlaceError),
    /// A kernel thread.
    #[error("process {pid} ({name}) is a kernel thread: it has no memory of its own")]
    KernelThread {
        /// Its number.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// A zombie.
    #[error("process {pid} ({name}) is a zombie: it has ended and has no memory any more")]
    Zombie {
        /// Its number.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// No process of this name.
    #[error("no process has the name '{name}': 'ps -e' lists names and IDs")]
    NoName {
        /// The name.
        name: String,
    },
    /// No visible process of this name, and `/proc` hides processes of other users.
    #[error(
        "no visible process has the name '{name}': /proc hides those of other users (hidepid), \
         and root sees them"
    )]
    NoVisibleName {
        /// The name.
        name: String,
    },
    /// A control group without a process.
    #[error("no process is in {folder} or below it: nothing to move")]
    EmptyGroup {
        /// The group.
        folder: String,
    },
    /// The other process's cpuset excludes nodes.
    #[error(
        "the cpuset of process {pid} allows only nodes {allowed}, not all of {nodes}: move its \
         control group, or run this as root"
    )]
    OutsideCpuset {
        /// The process.
        pid: u32,
        /// The requested nodes.
        nodes: NodeSet,
        /// The nodes of its cpuset.
        allowed: NodeSet,
    },
    /// Its pages alternate between nodes too finely.
    #[error(
        "the pages of process {pid} alternate between nodes too finely to be recorded, so they \
         could not be moved back"
    )]
    TooManyRuns {
        /// The process.
        pid: u32,
    },
    /// A file that keeps a layout.
    #[error("{}: {why}", path.display())]
    Note {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}
