//! Why a word is nothing that a command can be about.

use thiserror::Error;

/// What a word can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A process by its ID.
    Pid,
    /// Processes by their name.
    Name,
    /// A control group.
    Cgroup,
    /// A file.
    File,
    /// A device.
    Device,
    /// A batch job.
    Job,
    /// A Kubernetes pod.
    Pod,
}

impl TargetKind {
    pub(crate) const ALL: [Self; 7] =
        [Self::Pid, Self::Name, Self::Cgroup, Self::File, Self::Device, Self::Job, Self::Pod];

    /// The word before the colon.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Pid => "pid",
            Self::Name => "name",
            Self::Cgroup => "cgroup",
            Self::File => "file",
            Self::Device => "device",
            Self::Job => "job",
            Self::Pod => "pod",
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::Pid => "a process ID",
            Self::Name => "the name of a process",
            Self::Cgroup => "a control group",
            Self::File => "a file",
            Self::Device => "a device",
            Self::Job => "a batch job",
            Self::Pod => "a pod",
        }
    }
}

/// A word that is no target, or more than one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadTarget {
    /// Nothing.
    #[error("'' is no process: give a process ID, a name or a control group ('ps -e' lists IDs)")]
    Empty,
    /// Digits that are no process ID.
    #[error("'{0}' is not a process ID: 'ps -e' lists them (up to 4194304)")]
    NoNumber(String),
    /// It fits several kinds.
    #[error("'{word}' is {}: write {}", nouns(kinds), prefixed(kinds, word))]
    Ambiguous {
        /// The word.
        word: String,
        /// What it is.
        kinds: Vec<TargetKind>,
    },
    /// The command is about other things.
    #[error("'{word}' is {}, and this command takes a process, a name or a control group{hint}",
        kind.noun())]
    NotTaken {
        /// The word.
        word: String,
        /// What it is.
        kind: TargetKind,
        /// What shows it, with its separator; may be empty.
        hint: String,
    },
}

fn nouns(kinds: &[TargetKind]) -> String {
    kinds.iter().map(|kind| kind.noun()).collect::<Vec<_>>().join(" and ")
}

fn prefixed(kinds: &[TargetKind], word: &str) -> String {
    let words = kinds.iter().map(|kind| format!("{}:{word}", kind.prefix()));
    words.collect::<Vec<_>>().join(" or ")
}
