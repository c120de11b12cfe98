//! Why a running process could not be read or moved.

use std::path::PathBuf;

use nearfar_machine::{HiddenBy, MachineError};
use nearfar_model::NodeSet;
use nearfar_place::PlaceError;
use nearfar_view::owned_files::NoteError;
use nearfar_view::text::count;
use rustix::process::geteuid;
use thiserror::Error;

use crate::bad_target::BadTarget;

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
    /// A word that names nothing that the command is about.
    #[error(transparent)]
    Target(#[from] BadTarget),
    /// A zombie.
    #[error("process {pid} ({name}) is a zombie: it has ended and has no memory any more")]
    Zombie {
        /// Its number.
        pid: u32,
        /// Its name.
        name: String,
    },
    /// No process of this name, or none that is visible.
    #[error("{}", no_name(name, *hidden_by, *is_file))]
    NoName {
        /// The name.
        name: String,
        /// Why one may exist and not be visible.
        hidden_by: Option<HiddenBy>,
        /// Whether the folder has a file of this name.
        is_file: bool,
    },
    /// No process of a job.
    #[error("no process of job '{id}' is on this machine{}", not_read(*unread))]
    NoJob {
        /// The job.
        id: String,
        /// Number of processes whose environment may not be read.
        unread: usize,
    },
    /// No process of a pod.
    #[error("no pod of UID or name '{word}' is on this machine{}", not_read(*unread))]
    NoPod {
        /// The UID or name.
        word: String,
        /// Number of processes whose environment may not be read.
        unread: usize,
    },
    /// A path of nothing.
    #[error("'{word}' is neither a file nor a control group")]
    NoPath {
        /// The path.
        word: String,
    },
    /// No process with this text in its command line, or none that is visible.
    #[error("{}", none_has(&format!("'{text}' in its command line"), *hidden_by, "-ef"))]
    NoCommandLine {
        /// The text.
        text: String,
        /// Why one may exist and not be visible.
        hidden_by: Option<HiddenBy>,
    },
    /// A control group without a process.
    #[error("{}", empty_group(folder, *outside))]
    EmptyGroup {
        /// The group.
        folder: String,
        /// Number of processes outside of this PID namespace.
        outside: usize,
    },
    /// The kernel killed what had the name.
    #[error("no process of '{word}' is left: {why}")]
    Killed {
        /// What the user wrote.
        word: String,
        /// The kill, as a clause.
        why: String,
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
    /// No object of this name.
    #[error("no object '{word}' among the largest of its memory: {names}")]
    NoObject {
        /// The word.
        word: String,
        /// Names of the largest ones.
        names: String,
    },
    /// An object that does not move.
    #[error("'{name}' does not move: {why}")]
    ObjectStays {
        /// Its name.
        name: String,
        /// Why, as a clause.
        why: &'static str,
    },
    /// Addresses without their process.
    #[error("several processes have the addresses '{word}': write PID:{word}, with one of them")]
    AddressesOfSeveral {
        /// The addresses.
        word: String,
    },
    /// Addresses without memory.
    #[error("'{word}' has no memory: nothing to move")]
    EmptyObject {
        /// The object.
        word: String,
    },
    /// The file that keeps a layout.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// Whether a process of a note has ended is unknown.
    #[error(
        "{}: process {pid}, {what}, may still run, and is hidden by /proc: remove this file if it \
         has ended",
        note.display()
    )]
    HiddenOfNote {
        /// The note.
        note: PathBuf,
        /// The process.
        pid: u32,
        /// What it has to do with the note.
        what: &'static str,
    },
}

impl ProcessError {
    /// Whether a sandbox or the kernel denies the call.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::PlaceError(refusal) if refusal.is_denied())
    }

    /// Whether the process has ended, so that nothing is wrong with the others.
    pub fn is_of_ended_process(&self) -> bool {
        match self {
            Self::Machine(error) => error.is_of_ended_process(),
            error => matches!(error, Self::PlaceError(PlaceError::ProcessGone { .. })),
        }
    }
}

/// A word that is no group either.
fn no_name(name: &str, hidden_by: Option<HiddenBy>, is_file: bool) -> String {
    match hidden_by {
        _ if is_file => format!(
            "no process and no control group has the name '{name}'; the file of this name is \
             './{name}'"
        ),
        Some(by) => format!("no visible process has the name '{name}': {by}"),
        None => format!(
            "no process and no control group has the name '{name}': 'ps -e' and 'systemd-cgls' \
             list them"
        ),
    }
}

fn none_has(what: &str, hidden_by: Option<HiddenBy>, option: &str) -> String {
    match hidden_by {
        Some(by) => format!("no visible process has {what}: {by}"),
        None => format!("no process has {what}: 'ps {option}' lists them"),
    }
}

/// Why there may be one after all.
fn not_read(unread: usize) -> String {
    match (unread, geteuid().is_root()) {
        (0, _) => String::new(),
        (_, true) => format!(" ({} cannot be asked)", count(unread, "process")),
        (_, false) => format!(
            ", as far as it is visible ({} cannot be asked): run this as root, or as its user",
            count(unread, "process")
        ),
    }
}

fn empty_group(folder: &str, outside: usize) -> String {
    match outside {
        0 => format!("no process is in {folder} or below it"),
        _ => format!(
            "all processes in {folder} and below it are outside of this PID namespace, and \
             cannot be moved from within it"
        ),
    }
}
