//! What can go wrong between power-on and the end.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::emulator::EmulatorError;
use crate::image::ImageError;
use crate::kit::KitError;

const LAST_LINES: usize = 15;

/// Why a guest did not do what it was to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GuestError {
    /// Something that it is made of is missing.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// Its first file system cannot be made.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// Its machine cannot be put in QEMU's terms.
    #[error(transparent)]
    Emulator(#[from] EmulatorError),
    /// The host has no room for it.
    #[error("cannot use {} for the guest's files (TMPDIR names another place)", path.display())]
    Scratch { path: PathBuf, source: io::Error },
    /// The lock that keeps labs apart cannot be taken.
    #[error("cannot wait for other labs with {} (--no-wait runs beside them)", path.display())]
    Lock { path: PathBuf, source: io::Error },
    /// The emulator cannot be started.
    #[error("cannot start QEMU by setpriv{hint}")]
    Start { hint: &'static str, source: io::Error },
    /// The server of its disks cannot be started.
    #[error("cannot serve the guest's disks")]
    Disks(#[source] io::Error),
    /// There are too many open files.
    #[error("cannot make a pipe for the guest")]
    Pipe { source: io::Error },
    /// The emulator would not have its arguments.
    #[error("QEMU ended before the guest wrote anything{}", with_reason(words))]
    Refused { words: Vec<String> },
    /// The guest is gone, and the command's status with it.
    #[error("the guest died {when}{}", cause_of_death(words))]
    Died { when: &'static str, words: Vec<String> },
    /// It took too long.
    #[error("the guest was stopped {when}, after the {} s of --timeout", after.as_secs_f64())]
    TimedOut { after: Duration, when: &'static str, words: Vec<String> },
    /// The user stopped it.
    #[error("interrupted: the guest was stopped")]
    Interrupted,
    /// There is no such command.
    #[error(
        "the guest has no '{command}': it has nearfar, busybox's commands ('-- busybox --list' \
         shows them) and what --with brings along"
    )]
    Missing { command: String },
    /// It is a folder, or has no permission to run.
    #[error("the guest cannot run '{command}': it is no program (a script wants 'sh {command}')")]
    Unusable { command: String },
    /// The command's output cannot be passed on.
    #[error("cannot write to standard output")]
    Stdout(#[source] io::Error),
    /// What it left in /out cannot be kept.
    #[error("cannot keep the command's files in {}", path.display())]
    Out { path: PathBuf, source: io::Error },
    /// What it left in /out did not come whole.
    #[error("the guest could not pack the files in /out; some may be missing")]
    Unpacked,
    /// What was charged is not known.
    #[error("the plugin left no account of what it charged")]
    NoLedger(#[source] io::Error),
    /// A shell is for a person.
    #[error("a shell needs a terminal: 'nearfar-lab run MACHINE -- COMMAND' does without")]
    NoTerminal,
    /// A shell's terminal.
    #[error("cannot use the terminal")]
    Terminal(#[source] io::Error),
}

impl GuestError {
    /// The console's last lines, where the guest may have logged the cause.
    pub(crate) fn last_words(&self) -> &[String] {
        match self {
            Self::Died { words, .. } | Self::TimedOut { words, .. } => {
                &words[words.len().saturating_sub(LAST_LINES)..]
            }
            _ => &[],
        }
    }
}

fn with_reason(words: &[String]) -> String {
    words.last().map(|line| format!(": {line}")).unwrap_or_default()
}

/// A kernel that panics logs the cause in one line above its last.
fn cause_of_death(words: &[String]) -> String {
    let panic = words.iter().find_map(|line| line.find("Kernel panic").map(|at| &line[at..]));
    match panic {
        Some(panic) => format!(": {panic}. Its console's last lines:"),
        None if words.is_empty() => " without a word".to_owned(),
        None => ". Its console's last lines:".to_owned(),
    }
}
