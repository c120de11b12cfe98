//! The program as another user, in a PID namespace of its own.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::user::{User, nearfar, skip, stderr};

/// Whether `/proc` shows processes of other users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proc {
    ShowsAll,
    HidesOthers,
}

/// A user without rights. Process 1 is root's, unless a test replaces it.
pub(crate) struct OtherUser {
    user: User,
    folder: tempfile::TempDir,
}

impl OtherUser {
    /// `None`, and a word on why, where that is not allowed.
    pub(crate) fn new() -> Option<Self> {
        let folder = tempfile::Builder::new().prefix("nearfar").tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.path().join("nearfar"), "").unwrap();
        let other = Self { user: User::new(), folder };
        let probe = other.shell(Proc::HidesOthers, "$as_other true").output();
        match probe {
            Ok(output) if output.status.success() => Some(other),
            Ok(output) => {
                skip(&format!("namespaces need root: {}", stderr(&output).trim_end()));
                None
            }
            Err(_) => {
                skip("no unshare");
                None
            }
        }
    }

    /// Runs it with these words, process 1 being a shell of root's.
    pub(crate) fn run(&self, proc: Proc, words: &str) -> Output {
        self.run_lines(proc, &format!("$as_other $nearfar {words}; exit $?"))
    }

    /// Runs lines of shell as root: `$nearfar` is the program, and `$as_other` gives all rights up.
    pub(crate) fn run_lines(&self, proc: Proc, lines: &str) -> Output {
        let output = self.shell(proc, lines).output().expect("unshare starts");
        let message = stderr(&output);
        let own = ["unshare: ", "setpriv: ", "mount: ", "sh: "];
        assert!(!own.iter().any(|by| message.starts_with(by)), "{message}");
        output
    }

    /// The program is mounted where every user can reach it. Kernels before Linux 5.8 ignore
    /// options of `/proc` unless it is mounted again.
    fn shell(&self, proc: Proc, lines: &str) -> Command {
        let hidepid = match proc {
            Proc::ShowsAll => 0,
            Proc::HidesOthers => 2,
        };
        let reached = self.folder.path().join("nearfar");
        let script = format!(
            "as_other='setpriv --reuid=65534 --regid=65534 --clear-groups'\n\
             nearfar='{reached}'\n\
             mount --make-rprivate / && mount --bind '{program}' $nearfar && \
             mount -t proc proc /proc && mount -o remount,hidepid={hidepid} /proc || exit 99\n\
             {lines}",
            reached = reached.display(),
            program = nearfar(),
        );
        self.user.through("unshare", &["--pid", "--fork", "--mount", "sh", "-c", &script])
    }
}
