//! A host of guests: it has a place for their files that no other test uses, so that what they
//! leave behind shows.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::lab::machine;

pub(crate) struct Host {
    place: TempDir,
    /// Instead of the kit that tests are given.
    kit: Option<PathBuf>,
}

/// A stand-in for QEMU that reports what a guest does: its command began, and wrote a line. It
/// finds the pipes for that as QEMU does (`Invocation::ports` numbers them).
const STAND_IN: &str = r#"[ "$1" != --version ] || exec echo QEMU emulator version 9.0.0
for word; do
    number=${word#fd=} number=${number%,*}
    case $word in
        fd=*,set=0) stdout=/proc/self/fd/$number ;;
        fd=*,set=3) status=/proc/self/fd/$number ;;
    esac
done
echo began >$status
echo here >$stdout
"#;

impl Host {
    pub(crate) fn new() -> Self {
        Self { place: tempfile::tempdir().unwrap(), kit: None }
    }

    /// A host whose emulator is a script: for what the launcher does, whatever the guest is.
    pub(crate) fn with_stand_in(end: &str) -> Self {
        let mut host = Self::new();
        host.kit = Some(host.kit_with_qemu(&format!("{STAND_IN}{end}")));
        host
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// The call of a lab that charges nothing.
    pub(crate) fn lab(&self, on: &str, options: &[&str], command: &[&str]) -> Command {
        let own = machine(on);
        let on = if Path::new(&own).exists() { own } else { on.to_owned() };
        let mut lab = Command::new(env!("CARGO_BIN_EXE_nearfar-lab"));
        lab.env("TMPDIR", self.place.path()).stdin(Stdio::null());
        lab.envs(self.kit.iter().map(|kit| ("NEARFAR_LAB_KIT", kit)));
        lab.args(["run", &on, "--no-plugin"]).args(options).arg("--").args(command);
        lab
    }

    pub(crate) fn run(&self, options: &[&str], command: &[&str]) -> Output {
        self.run_on("small", options, command)
    }

    pub(crate) fn run_on(&self, on: &str, options: &[&str], command: &[&str]) -> Output {
        self.lab(on, options, command).output().unwrap()
    }

    pub(crate) fn start(&self, options: &[&str], command: &[&str]) -> Running {
        let mut lab = self.lab("small", options, command);
        let mut child = lab.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Running { child, stdout, stderr }
    }

    /// Starts a command that runs until it is stopped, and returns when it does.
    pub(crate) fn start_and_wait_for_its_word(&self, options: &[&str]) -> Running {
        let mut running = self.start(options, &["sh", "-c", "echo here; sleep 1000"]);
        let mut word = String::new();
        running.stdout.read_line(&mut word).unwrap();
        assert_eq!(word, "here\n");
        running
    }

    /// An executable script; gives its path.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A kit of scripts, with a QEMU that does this.
    pub(crate) fn kit_with_qemu(&self, script: &str) -> PathBuf {
        for part in ["vmlinuz", "busybox", "nearfar"] {
            self.script(&format!("kit/x86_64/{part}"), "");
        }
        self.script("kit/qemu/qemu-system-x86_64", script);
        self.path("kit")
    }

    /// Whether an emulator reads files of this host.
    pub(crate) fn has_an_emulator(&self) -> bool {
        let place = self.place.path().as_os_str().as_bytes();
        let processes = fs::read_dir("/proc").unwrap().flatten().map(|process| process.path());
        processes.filter_map(|process| fs::read(process.join("cmdline")).ok()).any(|line| {
            line.windows(b"initramfs".len()).any(|word| word == b"initramfs")
                && line.windows(place.len()).any(|word| word == place)
        })
    }

    pub(crate) fn assert_left_nothing(&self) {
        assert!(!self.has_an_emulator(), "an emulator lives on");
        let names =
            fs::read_dir(self.place.path()).unwrap().flatten().map(|entry| entry.file_name());
        let left: Vec<OsString> =
            names.filter(|name| name.to_string_lossy().starts_with("nearfar-lab-")).collect();
        assert!(left.is_empty(), "{left:?} were left behind");
    }
}

/// A lab that runs.
pub(crate) struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
}

impl Running {
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn next_line_on_the_side(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The rest of its output.
    pub(crate) fn output(mut self) -> Output {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        self.stdout.read_to_end(&mut stdout).unwrap();
        self.stderr.read_to_end(&mut stderr).unwrap();
        Output { status: self.child.wait().unwrap(), stdout, stderr }
    }
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Stderr, which is one line.
pub(crate) fn line(output: &Output) -> String {
    let stderr = stderr(output);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    stderr.trim_end().to_owned()
}
