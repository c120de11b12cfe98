//! Running the command as a user does.

#![allow(dead_code)] // each test file uses its part

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A user with a data folder of their own.
pub(crate) struct User {
    home: TempDir,
}

impl User {
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A folder that is the user's alone.
    pub(crate) fn folder(&self) -> &Path {
        self.home.path()
    }

    /// The command with these arguments, ready to run.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.through(env!("CARGO_BIN_EXE_nearfar"), args)
    }

    /// Another program, such as one that confines the command that follows.
    pub(crate) fn through(&self, program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env("XDG_DATA_HOME", self.folder().join("data")).env_remove("NO_COLOR");
        command
    }

    /// Runs the command to its end, while no other test of this file measures.
    pub(crate) fn measure(&self, args: &[&str]) -> Output {
        let _alone = alone();
        self.run(args)
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("nearfar starts")
    }

    /// The kept surveys.
    pub(crate) fn kept(&self) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.folder().join("data/nearfar")) else { return Vec::new() };
        entries.map(|entry| entry.expect("a readable entry").path()).collect()
    }
}

/// Two measurements at a time on a small machine measure one another.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static MEASURING: Mutex<()> = Mutex::new(());
    MEASURING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The command's own path, for programs that start it.
pub(crate) fn nearfar() -> &'static str {
    env!("CARGO_BIN_EXE_nearfar")
}

/// The example `confined` of crates/place, which cargo builds beside the tests.
pub(crate) fn confined() -> PathBuf {
    let beside = Path::new(nearfar()).parent().expect("a folder").join("examples/confined");
    assert!(beside.exists(), "{} is missing: cargo build --examples -p nearfar-place", beside.display());
    beside
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// The exit status, and the one line on stderr.
pub(crate) fn refusal(output: &Output) -> (i32, String) {
    let said = stderr(output);
    assert_eq!(said.lines().count(), 1, "one clear line: {said}");
    (output.status.code().expect("an exit status"), said.trim_end().to_owned())
}

/// As a terminal does.
pub(crate) fn send(signal: &str, child: &Child) {
    let status = Command::new("sh").args(["-c", &format!("kill -s {signal} {}", child.id())]).status();
    assert!(status.unwrap().success());
}

/// Looks until it holds; a test fails that waits too long.
pub(crate) fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < patience, "{what}");
        sleep(Duration::from_millis(10));
    }
}
