//! A process that is killed while its settings are changed, and a guard that is killed with it.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nearfar_machine::guard::{
    GuardTask, RootedFiles, SettingNote, SettingValues, SettingsGuard, Settled, serve, settle,
};
use nearfar_machine::process::TaskStat;
use nearfar_view::owned_files::Note;

use crate::folder::{Folder, others, settings};

/// The folder of the children.
const FOLDER: &str = "NEARFAR_TEST_GUARD_FOLDER";

#[test]
#[ignore = "a child of the tests below"]
fn guard_child() {
    // Its standard output has lines of the test harness.
    serve::<()>(io::stdin(), File::options().write(true).open("/dev/fd/3").unwrap()).unwrap();
}

#[test]
#[ignore = "a child of the tests below"]
fn owner_child() {
    let folder = PathBuf::from(env::var_os(FOLDER).unwrap());
    let files = RootedFiles::below(&folder);
    let before = SettingValues::read(settings(), &files).unwrap();
    let task =
        GuardTask::<()> { before, files: files.clone(), run: folder.join("run"), leftovers: None };
    let guard = SettingsGuard::start(guard_command(), task).unwrap();
    others().set(&files, &files.source().unwrap()).unwrap();
    while !folder.join("end").exists() {
        thread::sleep(Duration::from_millis(2));
    }
    drop(guard);
}

fn guard_command() -> Command {
    let mut command = Command::new("sh");
    let program = env::current_exe().unwrap();
    command.args(["-c", r#"exec "$0" --ignored --exact killed::guard_child 3>&1 >/dev/null"#]);
    command.arg(program);
    command
}

fn owner(folder: &Path) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "killed::owner_child"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The limit only ends a test that hangs.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

fn note(folder: &Folder) -> PathBuf {
    folder.path("/run/nearfar/system-settings.json")
}

#[test]
fn settings_are_restored_after_a_kill() {
    let folder = Folder::new();
    let before = folder.state();
    let mut owner = owner(folder.root());
    wait_for("all are set", || folder.state() == ["0", "2-3", "1"]);
    assert!(note(&folder).exists());
    owner.kill().unwrap();
    owner.wait().unwrap();
    wait_for("all are restored", || folder.state() == before);
    wait_for("the note is removed", || !note(&folder).exists());
}

#[test]
fn settings_are_restored_at_the_end() {
    let folder = Folder::new();
    let before = folder.state();
    let mut owner = owner(folder.root());
    wait_for("all are set", || folder.state() == ["0", "2-3", "1"]);
    fs::write(folder.root().join("end"), "").unwrap();
    assert!(owner.wait().unwrap().success());
    assert_eq!((folder.state(), note(&folder).exists()), (before, false));
}

/// Its parent never waits for it, as in containers without an init.
#[test]
fn a_guard_that_is_a_zombie_is_gone() {
    let folder = Folder::new();
    let before = folder.state();
    let mut owner = owner(folder.root());
    wait_for("all are set", || folder.state() == ["0", "2-3", "1"]);
    let guard = SettingNote::read(&note(&folder)).unwrap().unwrap().guard;
    let kill = |signal: &str, pid: &str| {
        assert!(Command::new("kill").args([signal, pid]).status().unwrap().success());
    };
    kill("-STOP", &owner.id().to_string());
    kill("-KILL", &guard.to_string());
    // Its first thread may end before the others.
    let is_zombie = || {
        let stat = fs::read_to_string(format!("/proc/{guard}/stat")).unwrap();
        TaskStat::parse(&stat).unwrap().is_dead()
    };
    wait_for("a zombie", is_zombie);
    let settled = settle(&folder.path("/run"), &folder.files()).unwrap();
    assert_eq!((settled, is_zombie()), (Settled::Restored, true));
    assert_eq!((folder.state(), note(&folder).exists()), (before, false));
    owner.kill().unwrap();
    owner.wait().unwrap();
}

#[test]
fn a_killed_guard_leaves_a_note() {
    let folder = Folder::new();
    let before = folder.state();
    let mut owner = owner(folder.root());
    wait_for("all are set", || folder.state() == ["0", "2-3", "1"]);
    let guard = SettingNote::read(&note(&folder)).unwrap().unwrap().guard;
    // The owner first: it restores settings when its guard ends.
    let stopped = Command::new("kill").args(["-STOP", &owner.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    assert!(Command::new("kill").args(["-KILL", &guard.to_string()]).status().unwrap().success());
    owner.kill().unwrap();
    owner.wait().unwrap();
    wait_for("the guard is gone", || {
        settle(&folder.path("/run"), &folder.files()).unwrap() == Settled::Restored
    });
    assert_eq!((folder.state(), note(&folder).exists()), (before, false));
}
