//! Replaces this process by the program: execvp(3), so that signals and exit status are its own.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{Access, access};
use rustix::io::Errno;

/// Why a program was not started.
#[derive(Debug)]
pub(super) struct NotRun {
    program: OsString,
    error: io::Error,
}

/// Replaces this process by the program. Returns only if that fails.
pub(super) fn become_program(command: &[OsString]) -> NotRun {
    let Some((program, arguments)) = command.split_first() else {
        return NotRun::new(OsStr::new(""), io::ErrorKind::NotFound.into());
    };
    let mut error = Command::new(program).args(arguments).exec();
    if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) {
        if let Some(script) = found(program) {
            error = Command::new("/bin/sh").arg(script).args(arguments).exec();
        }
    }
    NotRun::new(program, error)
}

/// A program's file, as a shell finds it. For scripts without an interpreter line: a shell runs
/// them, but not every C library's execvp does.
fn found(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(program.into());
    }
    let folders = std::env::var_os("PATH")?;
    let files = std::env::split_paths(&folders).map(|folder| folder.join(program));
    files.into_iter().find(|file| access(file, Access::EXEC_OK).is_ok())
}

impl NotRun {
    pub(super) fn new(program: &OsStr, error: io::Error) -> Self {
        Self { program: program.to_owned(), error }
    }

    /// As in shells: 127 if there is no such program, 126 if it cannot be executed.
    pub(super) fn status(&self) -> u8 {
        if self.is_absent() { 127 } else { 126 }
    }

    /// The kernel also reports "no such file" if the interpreter of a script is missing.
    fn is_absent(&self) -> bool {
        let named = self.program.as_bytes().contains(&b'/') && Path::new(&self.program).exists();
        self.error.kind() == io::ErrorKind::NotFound && !named
    }
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.program.to_string_lossy();
        match (self.error.kind(), self.is_absent()) {
            (_, true) if program.contains('/') => {
                write!(f, "there is no program '{program}': check its path")
            }
            (_, true) => {
                write!(f, "there is no program '{program}' in PATH: install it, or give its path")
            }
            (io::ErrorKind::NotFound, false) => {
                write!(
                    f,
                    "'{program}' cannot be executed: the interpreter in its first line does not \
                     exist"
                )
            }
            (io::ErrorKind::PermissionDenied, _) => {
                write!(
                    f,
                    "'{program}' cannot be executed ({}): is it a program, with its x bit set?",
                    self.error
                )
            }
            _ => write!(f, "'{program}' cannot be executed: {}", self.error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(program: &str) -> NotRun {
        become_program(&[program.into()])
    }

    #[test]
    fn missing_and_unexecutable_programs_differ() {
        for (program, status) in [
            ("no-such-program-7", 127),
            ("/no/such", 127),
            ("", 127),
            ("/etc/passwd", 126),
            ("/", 126),
        ] {
            let not_run = tried(program);
            assert_eq!(not_run.status(), status, "{not_run}");
            assert!(!not_run.to_string().contains('\n'));
        }
    }

    #[test]
    fn a_missing_interpreter_is_not_a_missing_program() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        // By a shell: a file that this process writes is busy (ETXTBSY) for other tests.
        let write = "echo '#!/no/such/interpreter' > \"$0\" && chmod 755 \"$0\"";
        assert!(Command::new("sh").args(["-c", write]).arg(&script).status().unwrap().success());
        let not_run = tried(script.to_str().unwrap());
        assert_eq!(not_run.status(), 126);
        assert!(not_run.to_string().contains("interpreter"), "{not_run}");
    }

    #[test]
    fn programs_are_found_in_the_path() {
        assert!(
            found(OsStr::new("sh")).is_some_and(|file| file.ends_with("sh") && file.is_absolute())
        );
        assert_eq!(found(OsStr::new("./x")), Some("./x".into()));
        assert_eq!(found(OsStr::new("no-such-program-7")), None);
    }
}
