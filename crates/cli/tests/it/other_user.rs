//! The program as another user, beside a process 1 of root.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::user::{User, nearfar, skip, stderr};

/// Whether `/proc` shows processes of other users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proc {
    ShowsAll,
    HidesOthers,
}

/// A copy of the program that all users may run.
pub(crate) struct OtherUser {
    user: User,
    folder: tempfile::TempDir,
}

impl OtherUser {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("nearfar").tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let other = Self { user: User::new(), folder };
        // By cp: a file that this process writes is busy (ETXTBSY) for children of other tests.
        let copied = Command::new("cp").arg(nearfar()).arg(other.program()).status();
        assert!(copied.unwrap().success());
        other
    }

    fn program(&self) -> PathBuf {
        Path::join(self.folder.path(), "nearfar")
    }

    /// Runs it as user 65534 in a PID namespace whose first process is root's. `None`, and a word
    /// on why, where that is not allowed.
    pub(crate) fn run(&self, proc: Proc, args: &[&str]) -> Option<Output> {
        let hidepid = match proc {
            Proc::ShowsAll => "0",
            Proc::HidesOthers => "2",
        };
        // The shell stays, as process 1, until the program has ended.
        let script = "mount -t proc -o hidepid=$0 proc /proc || exit 99; \
                      setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"; exit $?";
        let program = self.program();
        let words = ["--pid", "--fork", "--mount", "sh", "-c", script, hidepid];
        let words = [&words[..], &[program.to_str().expect("UTF-8")], args].concat();
        let Ok(output) = self.user.through("unshare", &words).output() else {
            skip("no unshare");
            return None;
        };
        let message = stderr(&output);
        let is_refused =
            ["unshare: ", "setpriv: ", "sh: "].iter().any(|by| message.starts_with(by));
        if output.status.code() == Some(99) || is_refused {
            skip("namespaces and other users need root");
            return None;
        }
        Some(output)
    }
}
