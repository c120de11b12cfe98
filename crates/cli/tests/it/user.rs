//! Running the command as a user does.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::{Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::json_schema::assert_follows;

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
        self.through(nearfar(), args)
    }

    /// Another program, such as one that confines the command that follows.
    pub(crate) fn through(&self, program: impl AsRef<OsStr>, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).env("XDG_DATA_HOME", self.folder().join("data")).env_remove("NO_COLOR");
        command.env("LC_ALL", "C.UTF-8");
        command
    }

    /// Runs the command to its end, while no test switches settings of the machine.
    pub(crate) fn measure(&self, args: &[&str]) -> Output {
        let _settings = unchanged_settings();
        self.run(args)
    }

    /// Several measurements side by side: most of each is waiting.
    pub(crate) fn measure_all(&self, all: &[Vec<&str>]) -> Vec<Output> {
        thread::scope(|scope| {
            let running: Vec<_> =
                all.iter().map(|args| scope.spawn(move || self.measure(args))).collect();
            running.into_iter().map(|running| running.join().expect("the command ran")).collect()
        })
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("nearfar starts")
    }

    /// Writes a file into the user's folder.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder().join(name);
        fs::write(&path, content).expect("a file is written");
        path.to_str().expect("UTF-8").to_owned()
    }

    pub(crate) fn kept(&self) -> Vec<PathBuf> {
        let store = fs::read_dir(self.folder().join("data/nearfar"));
        store.into_iter().flatten().map(|entry| entry.expect("a readable entry").path()).collect()
    }
}

/// Settings of the whole machine, such as transparent huge pages.
static SETTINGS: RwLock<()> = RwLock::new(());

/// Held while something is measured: no test changes settings meanwhile.
pub(crate) fn unchanged_settings() -> RwLockReadGuard<'static, ()> {
    SETTINGS.read().unwrap_or_else(PoisonError::into_inner)
}

/// Held while a test changes settings, so that no other test measures.
pub(crate) fn own_settings() -> RwLockWriteGuard<'static, ()> {
    SETTINGS.write().unwrap_or_else(PoisonError::into_inner)
}

/// The command's own path, for programs that start it.
pub(crate) fn nearfar() -> &'static str {
    env!("CARGO_BIN_EXE_nearfar")
}

/// The example `confined` of crates/place. Cargo builds it with the workspace's tests, but not with
/// those of this crate alone.
pub(crate) fn confined() -> PathBuf {
    static BUILT: Once = Once::new();
    let path = Path::new(nearfar()).parent().expect("a folder").join("examples/confined");
    BUILT.call_once(|| {
        if !path.exists() {
            let args = ["build", "--quiet", "--package", "nearfar-place", "--example", "confined"];
            let status = Command::new(env!("CARGO")).args(args).status().expect("cargo starts");
            assert!(status.success() && path.exists(), "cargo {}", args.join(" "));
        }
    });
    path
}

/// The CPUs that this process may use.
pub(crate) fn own_cpus() -> Vec<u32> {
    nearfar_place::affinity().expect("an affinity").iter().map(|cpu| cpu.0).collect()
}

/// Whether two CPUs can be used; prints that the test is skipped where they cannot.
pub(crate) fn has_two_cpus() -> bool {
    let enough = own_cpus().len() > 1;
    if !enough {
        skip("one CPU only");
    }
    enough
}

/// Prints why a test is skipped, past the test harness, which hides what a passing test prints.
pub(crate) fn skip(why: &str) {
    io::stderr().write_all(format!("SKIPPED: {why}\n").as_bytes()).expect("stderr is open");
}

/// What it printed. Documents follow the schema of their kind.
pub(crate) fn stdout(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    assert_follows(&text);
    text
}

/// The messages of a sweep about itself on stderr: what a killed one left, the next
/// removes, whichever test that is.
pub(crate) fn own_messages(output: &Output) -> String {
    let message = stderr(output);
    message
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("nearfar: removed cpusets that an earlier"))
        .collect()
}

/// Whether a program's words, each ended by a zero, hold this.
pub(crate) fn is_running(marker: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(marker))
}

/// What the command printed on stderr, without the line about another test's sweep.
pub(crate) fn stderr(output: &Output) -> String {
    let text = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    text.split_inclusive('\n').filter(|line| !is_of_another_sweep(line)).collect()
}

fn is_of_another_sweep(line: &str) -> bool {
    line.starts_with("nearfar: another nearfar (guard ")
        && line.trim_end().ends_with(") switches settings meanwhile")
}

/// What the command printed, after it succeeded, or measured on a host too busy for any figure.
pub(crate) fn success(output: &Output) -> String {
    assert!(is_done(output), "{:?}: {}", output.status, stderr(output));
    stdout(output)
}

/// Whether the command came to its end. Other programs may take every figure; then its status is 1.
pub(crate) fn is_done(output: &Output) -> bool {
    let is_without_figures = || reports_nothing_measured(&stderr(output));
    output.status.success() || (output.status.code() == Some(1) && is_without_figures())
}

fn reports_nothing_measured(lines: &str) -> bool {
    lines.lines().any(|line| line.starts_with("nearfar: nothing was measured: "))
}

/// The output of a command that could not measure anything, and failed.
pub(crate) fn nothing_measured(output: &Output) -> String {
    let lines = stderr(output);
    assert_eq!(output.status.code(), Some(1), "{lines}");
    assert!(reports_nothing_measured(&lines), "{lines}");
    stdout(output)
}

/// The JSON document that the command printed, after it succeeded.
pub(crate) fn document(output: &Output) -> serde_json::Value {
    serde_json::from_str(&success(output)).expect("JSON")
}

/// The exit status, and the one line on stderr.
pub(crate) fn refusal(output: &Output) -> (i32, String) {
    let message = stderr(output);
    assert_eq!(message.lines().count(), 1, "one clear line: {message}");
    (output.status.code().expect("an exit status"), message.trim_end().to_owned())
}

/// As a terminal does.
pub(crate) fn send(signal: &str, child: &Child) {
    send_to(signal, child.id());
}

/// The shell's own `kill` sends it: a bare Debian has no other.
pub(crate) fn send_to(signal: &str, pid: u32) {
    let line = format!("kill -s {signal} {pid}");
    assert!(
        Command::new("sh").args(["-c", &line]).status().expect("sh starts").success(),
        "{line}"
    );
}

/// Waits until the condition holds. The limit only guards against a test that hangs.
pub(crate) fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(120);
    while !holds() {
        assert!(Instant::now() < limit, "{what}");
        sleep(Duration::from_millis(10));
    }
}
