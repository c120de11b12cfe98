//! Programs that nearfar starts on its own account: whose they are.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::user::{User, nearfar, refusal, skip, stderr, stdout};

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A script that leaves a mark; in a folder of this mode.
fn script(user: &User, name: &str, folder_mode: u32) -> (PathBuf, PathBuf) {
    let folder = user.folder().join("programs");
    fs::create_dir_all(&folder).unwrap();
    let (program, mark) = (folder.join(name), user.folder().join("mark"));
    fs::write(&program, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(folder_mode)).unwrap();
    (program, mark)
}

#[test]
fn path_does_not_decide_what_root_starts() {
    if !is_root() {
        return skip("PATH is trusted for users that are not root");
    }
    let user = User::new();
    let (program, mark) = script(&user, "nvidia-smi", 0o755);
    let output =
        user.command(&["devices", "--matrix"]).env("PATH", program.parent().unwrap()).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!mark.exists(), "{}", stdout(&output));
}

#[test]
fn root_starts_no_helper_that_others_can_change() {
    if !is_root() {
        return skip("users that are not root choose their helper");
    }
    let user = User::new();
    for (folder_mode, file_mode, owner) in
        [(0o777, 0o755, 0), (0o755, 0o775, 0), (0o755, 0o757, 0), (0o755, 0o755, 4242)]
    {
        let (program, mark) = script(&user, "nearfar-gpu", folder_mode);
        fs::set_permissions(&program, Permissions::from_mode(file_mode)).unwrap();
        std::os::unix::fs::chown(&program, Some(owner), None).unwrap();
        let output = user.command(&["gpu"]).env("NEARFAR_GPU_HELPER", &program).output().unwrap();
        let (status, line) = refusal(&output);
        assert!(status == 1 && line.contains("can be changed by "), "{line}");
        assert!(!mark.exists(), "{folder_mode:o} {file_mode:o} {owner}");
    }
}

/// A helper that a folder's owner could exchange is not started, and one of root's is tried.
#[test]
fn a_helper_of_root_is_tried() {
    let user = User::new();
    let (program, mark) = script(&user, "nearfar-gpu", 0o755);
    let output = user.command(&["gpu"]).env("NEARFAR_GPU_HELPER", &program).output().unwrap();
    let (_, line) = refusal(&output);
    assert!(line.contains("is not nearfar-gpu") && mark.exists(), "{line}");
}

#[test]
fn a_setuid_nearfar_refuses_to_run() {
    if !is_root() {
        return skip("only root makes setuid programs of root");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let copy = folder.path().join("nearfar");
    fs::copy(nearfar(), &copy).unwrap();
    for mode in [0o4755, 0o2755] {
        fs::set_permissions(&copy, Permissions::from_mode(mode)).unwrap();
        let output = as_other(&copy, &["topology"]);
        if stderr(&output).starts_with("setpriv: ") || output.status.success() {
            return skip("setuid programs do not work here");
        }
        let (status, line) = refusal(&output);
        assert!(status == 1 && line.contains("setuid or setgid"), "{line}");
    }
}

fn as_other(program: &Path, words: &[&str]) -> std::process::Output {
    let user = User::new();
    let mut command =
        user.through("setpriv", &["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.arg(program).args(words).output().expect("setpriv starts")
}
