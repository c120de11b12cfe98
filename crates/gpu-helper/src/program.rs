//! The program that does GPU work, and how it is started.

use std::fmt;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use nearfar_view::owned_files::restrict;

use crate::VERSION;

/// Where the program that does GPU work comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelperOrigin {
    /// This program: it is dynamic, and loads a driver itself.
    ThisProgram,
    /// The copy in this program, which is started from memory.
    Embedded,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for HelperOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ThisProgram => f.write_str("this program"),
            Self::Embedded => f.write_str("the embedded nearfar-gpu"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// A program that can be started.
#[derive(Clone, Debug)]
pub(crate) enum Program {
    This,
    Memory(Arc<OwnedFd>),
    File(PathBuf),
}

impl Program {
    pub(crate) fn origin(&self) -> HelperOrigin {
        match self {
            Self::This => HelperOrigin::ThisProgram,
            Self::Memory(_) => HelperOrigin::Embedded,
            Self::File(path) => HelperOrigin::File(path.clone()),
        }
    }

    /// The command without arguments, but those that make a helper check the version.
    pub(crate) fn command(&self) -> Command {
        let mut command = match self {
            Self::This => {
                let mut command = Command::new("/proc/self/exe");
                restrict(&mut command);
                return command;
            }
            // The child has this descriptor until it becomes the helper, which closes it.
            Self::Memory(file) => Command::new(format!("/proc/self/fd/{}", file.as_raw_fd())),
            Self::File(path) => Command::new(path),
        };
        command.arg0("nearfar-gpu").args(["--for", VERSION]);
        restrict(&mut command);
        command
    }
}
