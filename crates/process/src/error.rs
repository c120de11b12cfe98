//! Why a running program could not be looked at or moved.

use nearfar_machine::MachineError;
use nearfar_model::NodeSet;
use nearfar_place::PlaceError;
use thiserror::Error;

/// What went wrong, where, and what to do.
#[derive(Debug, Error)]
pub enum ProcessError {
    /// The process is not there, ended meanwhile, or is another user's.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The kernel refused.
    #[error(transparent)]
    PlaceError(#[from] PlaceError),
    /// A thread of the kernel.
    #[error(
        "process {pid} ({name}) is the kernel's own thread: it has no memory of its own to look at"
    )]
    KernelThread {
        /// Its number.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// A zombie.
    #[error(
        "process {pid} ({name}) has ended and waits for its parent to ask for its status: it has \
         no memory any more"
    )]
    Zombie {
        /// Its number.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// No process of this name.
    #[error("no process is called '{name}': 'ps -e' lists the names, and a number is taken too")]
    NoName {
        /// What was given.
        name: String,
    },
    /// A control group without a process.
    #[error("no process is in {folder} or below it: there is nothing to move")]
    EmptyGroup {
        /// The group.
        folder: String,
    },
    /// The other process's cpuset leaves nodes out.
    #[error(
        "process {pid} may have memory from nodes {allowed} only, not from all of {nodes}: move \
         its control group, or be root"
    )]
    OutsideCpuset {
        /// The process.
        pid: u32,
        /// The nodes asked for.
        nodes: NodeSet,
        /// The nodes of its cpuset.
        allowed: NodeSet,
    },
}
