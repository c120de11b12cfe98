//! Commands where no thread can be started, and where the stack is small.

use std::path::Path;
use std::process::Output;

use crate::user::{User, confined, nearfar, skip, stderr, stdout};

pub(crate) fn document(name: &str) -> String {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery/documents");
    gallery.join(name).display().to_string()
}

/// Commands that start no other program. `A` and `B` stand for surveys, `DIR` for a folder.
const COMMANDS: [&str; 25] = [
    "doctor",
    "doctor --json",
    "fleet A B",
    "fleet DIR",
    "topology",
    "topology --json",
    "diagnose",
    "devices",
    "devices --matrix",
    "irq",
    "firmware",
    "links A",
    "structure A",
    "where 1",
    "stat 1",
    "compare A B",
    "atlas 8280",
    "check A --as nagios",
    "show A",
    "show A --csv",
    "plot latency A",
    "show",
    "completions bash",
    "man",
    "run --explain",
];

fn words(line: &str) -> Vec<String> {
    let put = |word: &str| match word {
        "A" => document("lab-xeon-2s-before.json"),
        "B" => document("lab-xeon-2s-after.json"),
        "DIR" => document(""),
        word => word.to_owned(),
    };
    line.split(' ').map(put).collect()
}

/// Nothing that changes from run to run: numbers.
pub(crate) fn shape(text: &str) -> String {
    let mut shape = String::new();
    // doctor reports the filter that takes the threads.
    let text = text.replace("\"has_seccomp_filter\":true", "\"has_seccomp_filter\":false");
    for part in text.split(|letter: char| letter.is_ascii_digit() || letter == '.') {
        if !part.is_empty() {
            shape.push_str(part);
            shape.push('#');
        }
    }
    shape.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn assert_same(line: &str, usual: &Output, limited: &Output) {
    let message = stderr(limited);
    assert_eq!(limited.status.code(), usual.status.code(), "{line}: {message}");
    assert_eq!(shape(&message), shape(&stderr(usual)), "{line}");
    // Counts of interrupts and times differ from run to run.
    if !["irq", "where 1", "stat 1"].contains(&line) {
        assert_eq!(shape(&stdout(limited)), shape(&stdout(usual)), "{line}");
    }
}

/// Options of `confined`.
fn without_threads() -> [String; 2] {
    [libc::SYS_clone, libc::SYS_clone3].map(|call| format!("--fail={call}:{}", libc::EAGAIN))
}

#[test]
fn commands_work_where_no_thread_can_be_started() {
    let user = User::new();
    // As ulimit -u and pids.max, which do not hold root.
    let fails = without_threads();
    // It tries the placement in a thread, and reports that it cannot.
    // doctor reports a filter, which takes the threads: the usual run has one for a call that
    // nearfar does not make.
    let unused = [format!("--fail={}:{}", libc::SYS_kexec_load, libc::EPERM)];
    let run = |fails: &[String], words: &[String]| {
        let mut command = user.through(confined(), &[]);
        command.args(fails).arg(nearfar()).args(words).output().unwrap()
    };
    for line in COMMANDS.into_iter().filter(|line| *line != "run --explain") {
        let words = words(line);
        assert_same(line, &run(&unused, &words), &run(&fails, &words));
    }
}

#[test]
fn commands_work_with_a_small_stack() {
    let user = User::new();
    for line in COMMANDS {
        let words = words(line);
        let limit = "ulimit -s 64 && exec \"$@\"";
        let mut command = user.through("sh", &["-c", limit, "sh", nearfar()]);
        let limited = command.args(&words).output().unwrap();
        let usual = user.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_same(line, &usual, &limited);
    }
}

/// The program has the limit of the user, and the affinity of the request.
#[test]
fn programs_inherit_the_limit_of_the_stack() {
    let user = User::new();
    let limit = "ulimit -s 64 && exec \"$@\"";
    let shown = "ulimit -s; grep Cpus_allowed_list /proc/self/status";
    let program = ["run", "-C", "0", "sh", "-c", shown];
    let mut command = user.through("sh", &["-c", limit, "sh", nearfar()]);
    let output = command.args(program).output().unwrap();
    let text = stdout(&output);
    if stderr(&output).contains("CPU 0") {
        return skip("CPU 0 cannot be used");
    }
    assert!(text.starts_with("64\n") && text.trim_end().ends_with("\t0"), "{output:?}");
}

#[test]
fn measurements_work_with_a_small_stack() {
    let user = User::new();
    let limit = "ulimit -s 64 && exec \"$@\"";
    let mut command = user.through("sh", &["-c", limit, "sh", nearfar(), "latency"]);
    let cheap = ["--probe", "chase", "--size", "1M", "--accesses", "10000", "--budget", "5s"];
    let output = command.args(cheap).output().unwrap();
    crate::user::success(&output);
}

/// Neither a stack nor a thread: one line, and no signal.
#[test]
fn without_a_stack_and_a_thread_there_is_one_line() {
    let user = User::new();
    let limit = "ulimit -s 64 && exec \"$@\"";
    let confined = confined();
    let fails = without_threads();
    let mut command = user.through("sh", &["-c", limit, "sh"]);
    let output = command.arg(confined).args(fails).args([nearfar(), "topology"]).output().unwrap();
    let (status, line) = crate::user::refusal(&output);
    assert!(status == 1 && line.contains("ulimit -s 8192"), "{line}");
}
