//! Why nothing was set.

use std::io;
use std::path::PathBuf;

use nearfar_machine::guard::SettingFiles;
use nearfar_machine::interrupts::InterruptSetting;
use nearfar_model::{CpuId, CpuSet};
use nearfar_view::owned_files::NoteError;
use rustix::io::Errno;
use thiserror::Error;

/// An error of planning, setting or undoing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IrqSetError {
    /// Managed interrupts cannot be set.
    #[error("{}{}", managed(label, numbers), skip(*others))]
    Managed {
        /// The device.
        label: String,
        /// The interrupts.
        numbers: Vec<u32>,
        /// Interrupts of the device that are not managed.
        others: usize,
    },
    /// Interrupts whose chip has no affinity.
    #[error("{label}: interrupt {} is fixed: its controller has no affinity", list(numbers))]
    Fixed {
        /// The device.
        label: String,
        /// The interrupts.
        numbers: Vec<u32>,
    },
    /// No interrupts, no queues.
    #[error("{0} has no interrupts now: its driver may allocate them when the device is opened")]
    NoInterrupts(String),
    /// XPS and RPS are of network interfaces.
    #[error("{0} has no network interface: --xps and --rps set queues of interfaces")]
    NoInterface(String),
    /// Firmware reports no node.
    #[error("the node of {0} is unknown: give --cpus, or --spread all")]
    UnknownNode(String),
    /// A list of CPUs that are not all online.
    #[error("{}", offline(cpus, online))]
    Offline {
        /// The CPUs that are not online; empty for an empty list.
        cpus: CpuSet,
        /// The CPUs that are.
        online: CpuSet,
    },
    /// No permission.
    #[error("cannot set {setting}: {why}")]
    Refused {
        /// The file.
        setting: String,
        /// The reason.
        why: String,
    },
    /// The state before is unknown.
    #[error("cannot read {setting} ({path}): {why}")]
    Unreadable {
        /// The file.
        setting: String,
        /// Its path.
        path: String,
        /// The reason.
        why: String,
    },
    /// The state before is no list of CPUs.
    #[error("cannot read {setting}: {path} is no list of CPUs")]
    Malformed {
        /// The file.
        setting: String,
        /// Its path.
        path: String,
    },
    /// Putting back failed as well.
    #[error("{why}; {stuck} could not be put back: {} has the state before", note.display())]
    HalfSet {
        /// Why the set failed.
        why: Box<IrqSetError>,
        /// The files that are not as before.
        stuck: String,
        /// The note.
        note: PathBuf,
    },
    /// The state before cannot be kept or read.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// No set before, or a reboot since.
    #[error("nothing to undo for {label}: {} does not exist", note.display())]
    NothingToUndo {
        /// The device.
        label: String,
        /// The note.
        note: PathBuf,
    },
}

impl IrqSetError {
    /// The same without an option of `irq set`: other commands have no such option.
    pub fn without_options(self) -> Self {
        match self {
            Self::Managed { label, numbers, others: _ } => {
                Self::Managed { label, numbers, others: 0 }
            }
            other => other,
        }
    }

    /// A write or an open that failed.
    pub(crate) fn refused(label: &str, setting: &InterruptSetting, error: &io::Error) -> Self {
        // Linux before 6.12 answers EIO, newer ones EPERM.
        let is_managed = matches!(Errno::from_io_error(error), Some(Errno::IO | Errno::PERM));
        if let (InterruptSetting::Irq(number), true) = (setting, is_managed) {
            return Self::Managed { label: label.to_owned(), numbers: vec![*number], others: 0 };
        }
        Self::Refused { setting: setting.to_string(), why: reason(setting, error) }
    }

    /// A read that failed. Where no interrupt has a folder, the absence of this one's means
    /// nothing.
    pub(crate) fn unreadable(
        setting: &InterruptSetting,
        error: &io::Error,
        files: &impl SettingFiles,
    ) -> Self {
        let is_irq = matches!(setting, InterruptSetting::Irq(_));
        let is_absent = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
        let path = setting.path();
        // It has the folder of each interrupt, and a file on each kernel that can move them.
        let folder = path.rsplitn(3, '/').last().unwrap_or_default();
        let is_hidden = || {
            let default_cpus = files.read(&format!("{folder}/default_smp_affinity"));
            default_cpus.is_err_and(|error| is_absent(&error))
        };
        let why = match is_irq && is_absent(error) && is_hidden() {
            true => format!("{folder} is not there: mount /proc, or show it to this container"),
            false => reason(setting, error),
        };
        Self::Unreadable { setting: setting.to_string(), path, why }
    }
}

fn reason(setting: &InterruptSetting, error: &io::Error) -> String {
    let reason = match (Errno::from_io_error(error), setting) {
        (Some(Errno::ACCESS | Errno::PERM), _) => "permission denied: run it as root",
        (Some(Errno::ROFS), _) => "the file system is read-only, as in containers",
        (Some(Errno::NOENT), InterruptSetting::Xps { .. }) => {
            "the kernel has no XPS for an interface with one transmit queue"
        }
        (Some(Errno::NOENT), InterruptSetting::Irq(_)) => "it has no handler now",
        (Some(Errno::NOENT), _) => "the file does not exist",
        (Some(Errno::INVAL), InterruptSetting::Irq(_)) => "the kernel finds no online CPU in it",
        (Some(Errno::NOSPC), InterruptSetting::Irq(_)) => {
            "these CPUs have no free interrupt vectors"
        }
        _ => return error.to_string(),
    };
    reason.to_owned()
}

fn managed(label: &str, numbers: &[u32]) -> String {
    let subject = match numbers {
        [number] => format!("interrupt {number} is"),
        _ => format!("interrupts {} are", list(numbers)),
    };
    format!(
        "{label}: {subject} managed by the kernel: change the number of queues, or \
         isolcpus=managed_irq"
    )
}

/// The option of `irq set` for the other interrupts.
fn skip(others: usize) -> String {
    match others {
        0 => String::new(),
        _ => format!("; --skip-managed sets the other {others}"),
    }
}

fn offline(cpus: &CpuSet, online: &CpuSet) -> String {
    match cpus.is_empty() {
        true => "the list of CPUs is empty".to_owned(),
        false => format!("CPU {cpus} is not online: CPUs {online} are"),
    }
}

/// `24-27,30`.
fn list(numbers: &[u32]) -> String {
    numbers.iter().map(|number| CpuId(*number)).collect::<CpuSet>().to_string()
}
