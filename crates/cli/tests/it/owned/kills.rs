//! Ctrl-C and kill -9 in a command's first moments leave nothing.

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use nearfar_machine::{CpusetParent, Source};

use crate::user::{User, send, stderr, wait_for};

/// As a terminal does: to the whole group.
fn interrupt_group(child: &Child) {
    let line = format!("kill -s INT -- -{}", child.id());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
}

/// Groups of a sweep below the one of this process.
fn cpusets_of(pid: u32) -> usize {
    let Ok(home) = CpusetParent::find(&Source::live()) else { return 0 };
    let prefix = format!("nearfar-sweep-{pid}-");
    let entries = fs::read_dir(home.folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)).count()
}

fn is_running(marker: &Path) -> bool {
    crate::user::is_running(marker.to_str().unwrap())
}

/// A sweep in a group of its own; its program has the folder's name among its words.
fn sweep(user: &User) -> Command {
    let mut command = user.command(&["sweep", "--placement", "unbound", "--runs", "2", "-o"]);
    command.arg(user.folder().join("sweep.json")).args(["--", "sh", "-c", "sleep 600", "sh"]);
    command.arg(user.folder()).process_group(0);
    command
}

/// The moments are arbitrary, and closer than a guard's first.
#[test]
fn ctrl_c_in_the_first_moments_of_a_sweep_is_an_interruption() {
    for moment in (0..40).chain([60, 100]) {
        let user = User::new();
        let child = sweep(&user).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let pid = child.id();
        sleep(Duration::from_millis(moment));
        interrupt_group(&child);
        let output = child.wait_with_output().unwrap();
        let message = stderr(&output);
        // Before the command listens, the signal itself ends it.
        if output.status.signal() != Some(2) {
            assert_eq!(output.status.code(), Some(130), "{moment} ms: {message}");
            let last = message.lines().last().unwrap_or_default();
            assert!(last.starts_with("nearfar: interrupted: "), "{moment} ms: {message}");
        }
        assert_eq!(cpusets_of(pid), 0, "{moment} ms");
        wait_for("no program is left", || !is_running(user.folder()));
    }
}

#[test]
fn kill_in_the_first_moments_of_a_sweep_leaves_no_cpuset() {
    for moment in (0..40).chain([60, 100]) {
        let user = User::new();
        let mut child = sweep(&user).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(moment));
        send("KILL", &child);
        child.wait().unwrap();
        wait_for("its guard removes its cpusets", || cpusets_of(child.id()) == 0);
        wait_for("no program is left", || !is_running(user.folder()));
    }
}

#[test]
fn a_killed_io_leaves_no_file() {
    for moment in [0, 5, 20, 50, 100, 300, 1000] {
        let (user, folder) = (User::new(), tempfile::tempdir().unwrap());
        let made = folder.path().join("made");
        let words = ["io", "--write", made.to_str().unwrap(), "--file-size=256M", "--quick"];
        let mut command = user.command(&words);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(moment));
        // It may have refused a folder without a disk by then.
        if child.try_wait().unwrap().is_none() {
            send("KILL", &child);
        }
        child.wait().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{moment} ms");
    }
}
