//! `sweep --resume` runs a file's commands: of whose file, and after which question.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::user::{User, nearfar, refusal, skip, stderr, stdout};

/// A user with a sweep of one run, which would make the file `marker` if it was resumed.
fn marked() -> (User, PathBuf, PathBuf) {
    let user = User::new();
    let (file, marker) = (user.folder().join("s.json"), user.folder().join("marker"));
    let name = file.to_str().unwrap();
    let args = ["sweep", "--placement", "unbound", "--runs", "1", "-o", name, "--", "true"];
    let made = user.measure(&args);
    assert!(made.status.success(), "{}", stderr(&made));
    let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode & 0o022, 0, "whatever the umask leaves: {mode:03o}");
    let mut document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    // The head of the document shows another command than the one that is run.
    document["configurations"][0]["command"] = json!(["touch", marker.to_str().unwrap()]);
    document["settings"]["prepare"] = json!("echo \u{1b}[2J\u{202e}hook");
    fs::write(&file, document.to_string()).unwrap();
    (user, file, marker)
}

fn resume(user: &User, file: &Path, more: &[&str]) -> std::process::Output {
    let args = ["sweep", "--resume", file.to_str().unwrap(), "--runs", "2"];
    let mut command = user.command(&[&args, more].concat());
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn nothing_runs_without_an_answer() {
    let (user, file, marker) = marked();
    let (status, message) = refusal(&resume(&user, &file, &[]));
    assert_eq!(status, 2);
    let begin = format!("nearfar: {} would run 'touch {}'", file.display(), marker.display());
    assert!(message.starts_with(&begin) && message.contains("--yes"), "{message}");
    assert!(!marker.exists());
    let agreed = resume(&user, &file, &["--yes"]);
    assert!(agreed.status.success() && marker.exists(), "{}", stderr(&agreed));
}

#[test]
fn a_terminal_shows_each_command_and_asks() {
    let (user, file, marker) = marked();
    let answered = |answer: &str| {
        let line = format!("{} sweep --resume {} --runs 2", nearfar(), file.display());
        let typed = format!("sleep 2; echo {answer}");
        let script = format!("({typed}) | script -qec '{line}' /dev/null");
        // Without such a locale, '?' stands for what is no text.
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).env("LC_ALL", "C.UTF-8").current_dir(user.folder());
        shell.output().unwrap()
    };
    if Command::new("script").arg("--version").output().is_err() {
        return skip("no script");
    }
    let refused = answered("n");
    let shown = stdout(&refused);
    assert!(shown.contains(&format!("touch {}", marker.display())), "{shown}");
    assert!(shown.contains("before each: echo \u{fffd}[2J\u{fffd}hook"), "{shown}");
    assert!(shown.contains("Run it? [y/N]") && shown.contains("nothing was run"), "{shown}");
    assert!(!refused.status.success() && !marker.exists());
    let agreed = answered("y");
    assert!(marker.exists(), "{}", stdout(&agreed));
}

#[test]
fn files_that_others_may_write_are_refused() {
    let (user, file, marker) = marked();
    for mode in [0o664, 0o646, 0o666] {
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let (status, message) = refusal(&resume(&user, &file, &["--yes"]));
        assert_eq!(status, 1, "{message}");
        let why = format!("can be written by others (mode {mode:03o})");
        assert!(message.contains(&why) && message.contains("chmod go-w"), "{message}");
    }
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    if chown(&file, Some(65534), None).is_err() {
        return skip("only root gives files away");
    }
    let (status, message) = refusal(&resume(&user, &file, &["--yes"]));
    assert!(status == 1 && message.contains("belongs to user 65534"), "{message}");
    assert!(!marker.exists());
}
