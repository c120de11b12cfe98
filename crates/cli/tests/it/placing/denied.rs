//! If a sandbox denies the memory-policy calls, as containers do, each command reports in one line
//! what is denied and what still works, and does that. Commands without such calls report nothing.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use crate::user::{User, confined, nearfar, refusal, skip, stderr, stdout};

/// A command line in the sandbox: PID stands for a process, FILE for one of 64 KiB in tmpfs, KEY
/// for the file of a segment's key.
struct Case {
    line: &'static str,
    status: i32,
    /// Parts of the line on stderr: the denied call, and what still works. Empty without a line.
    on_stderr: &'static [&'static str],
    on_stdout: &'static str,
}

const fn reports(
    line: &'static str,
    status: i32,
    on_stderr: &'static [&'static str],
    on_stdout: &'static str,
) -> Case {
    Case { line, status, on_stderr, on_stdout }
}

/// A command without a denied call.
const fn works(line: &'static str, on_stdout: &'static str) -> Case {
    Case { line, status: 0, on_stderr: &[], on_stdout }
}

const CPUS: &str = "CPUs can still be bound (--cpunodebind, --physcpubind)";
const MADE: &str = "without a policy it can still be made, and its pages with --touch";
const MAPPED: &str = "'nearfar where PID --mappings' still shows";
const SEEN: &str = "'nearfar where PID' still shows its pages, and 'nearfar move PID --cpus' binds";

const CASES: &[Case] = &[
    reports("nearfar run -m 0 true", 1, &["--membind: set_mempolicy was refused", CPUS], ""),
    reports("nearfar run -l true", 1, &["--localalloc: set_mempolicy was refused", CPUS], ""),
    reports(
        "nearfar run -m 0 --watch true",
        1,
        &["--membind: set_mempolicy was refused", CPUS],
        "",
    ),
    reports("numactl -i 0 true", 1, &["--interleave: set_mempolicy was refused", CPUS], ""),
    works("nearfar run -C 0 echo ran", "ran"),
    works("numactl -N 0 echo ran", "ran"),
    reports(
        "nearfar run -s",
        0,
        &["--show: get_mempolicy was refused", "CPUs and nodes are shown"],
        "physcpubind: ",
    ),
    reports(
        "numactl -s",
        0,
        &["--show: get_mempolicy was refused", "CPUs and nodes are shown"],
        "physcpubind: ",
    ),
    works("nearfar run -s --json", "\"denied\":\"get_mempolicy was refused"),
    works("nearfar run -H", "available: "),
    works("numactl -H", "available: "),
    works(
        "nearfar run -m 0 --explain",
        "Refused    It cannot be had here. --membind: set_mempolicy was refused",
    ),
    works("nearfar run --explain", "policies are unknown: get_mempolicy was refused"),
    works("nearfar run -m 0 --as docker", "--cpuset-mems=0"),
    reports("nearfar run --file FILE -m 0", 1, &["--membind: mbind was refused", MADE], ""),
    reports(
        "nearfar run --file FILE --dump",
        1,
        &["--dump: get_mempolicy was refused", MAPPED],
        "",
    ),
    works("nearfar run --file FILE --touch", ""),
    reports(
        "nearfar run --file FILE --dump-nodes",
        1,
        &["--dump-nodes: get_mempolicy was refused", MAPPED],
        "",
    ),
    reports(
        "numactl --file FILE -m 0 --touch --verify",
        1,
        &["--membind: mbind was refused", MADE],
        "",
    ),
    reports("numactl --length 64k --shm KEY -m 0", 1, &["--membind: mbind was refused", MADE], ""),
    reports("numactl --shm KEY --dump", 1, &["--dump: get_mempolicy was refused", MAPPED], ""),
    works("numactl --shm KEY --touch", ""),
    reports("nearfar move PID --from all --nodes all", 1, &["migrate_pages was refused", SEEN], ""),
    reports("migratepages PID all all", 1, &["migrate_pages was refused", SEEN], ""),
    reports("migspeed all all", 1, &["mbind was refused", "'numademo -f' still times memory"], ""),
    reports(
        "memhog 1m membind all",
        1,
        &["mbind was refused", "without a policy it still takes memory"],
        "",
    ),
    reports(
        "memhog -fFILE 64k membind all",
        1,
        &["mbind was refused", "without a policy it still takes memory"],
        "",
    ),
    works("memhog 1m", "."),
    reports("numademo 64k memset", 1, &["get_mempolicy was refused", "-f still times memory"], ""),
    reports(
        "numademo -f 64k memset",
        0,
        &["get_mempolicy was refused", "still timed"],
        "memory with no policy memset ",
    ),
    works("nearfar move PID --cpus all", "bound to CPUs"),
    works("nearfar where PID", "(process PID)"),
    works("numastat", "numa_hit"),
    works("numastat -p PID", "(sleep)"),
];

/// The sandbox, with the files and the process of the command lines.
struct Sandbox {
    user: User,
    shared: tempfile::TempDir,
    sleeper: std::process::Child,
}

impl Sandbox {
    /// None where there is no tmpfs to work in.
    fn new() -> Option<Self> {
        let shared = tempfile::tempdir_in("/dev/shm").ok()?;
        let user = User::new();
        for name in ["numactl", "numastat", "migratepages", "memhog", "migspeed", "numademo"] {
            symlink(nearfar(), user.folder().join(name)).unwrap();
        }
        symlink(nearfar(), user.folder().join("nearfar")).unwrap();
        std::fs::write(shared.path().join("file"), vec![0; 64 << 10]).unwrap();
        std::fs::write(shared.path().join("key"), "").unwrap();
        let sleeper = Command::new("sleep").arg("600").spawn().unwrap();
        Some(Self { user, shared, sleeper })
    }

    fn put_in(&self, text: &str) -> String {
        let path = |name: &str| self.shared.path().join(name).display().to_string();
        let pid = self.sleeper.id().to_string();
        text.replace("PID", &pid).replace("FILE", &path("file")).replace("KEY", &path("key"))
    }

    fn run(&self, line: &str) -> Output {
        let line = self.put_in(line);
        let (name, words) = line.split_once(' ').unwrap_or((&line, ""));
        let program = self.user.folder().join(name);
        let mut command = self.user.through(confined(), &["--deny-memory-policy"]);
        command.arg(program).args(words.split_whitespace()).output().unwrap()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.sleeper.kill();
        let _ = self.sleeper.wait();
        remove_segment(&self.shared.path().join("key"));
    }
}

/// The segment of a key file outlives the test unless removed.
fn remove_segment(key: &Path) {
    let made = Command::new("stat").args(["-c", "%i %d"]).arg(key).output().unwrap();
    let numbers: Vec<u64> =
        stdout(&made).split_whitespace().map(|number| number.parse().unwrap()).collect();
    // As ftok(3) of glibc makes it, of project 0.
    let id = (numbers[0] & 0xffff) | (numbers[1] & 0xff) << 16;
    let _ = Command::new("ipcrm").args(["-M", &format!("{id:#x}")]).output();
}

#[test]
fn denied_policy_calls_are_reported() {
    let Some(sandbox) = Sandbox::new() else {
        return skip("/dev/shm cannot be written");
    };
    for case in CASES {
        let output = sandbox.run(case.line);
        let (shown_text, message) =
            (stdout(&output).replace("\n           ", " "), stderr(&output));
        let shown = format!("{}\nstdout: {shown_text}\nstderr: {message}", case.line);
        assert_eq!(output.status.code(), Some(case.status), "{shown}");
        assert_eq!(message.lines().count(), usize::from(!case.on_stderr.is_empty()), "{shown}");
        assert!(case.on_stderr.iter().all(|part| message.contains(part)), "{shown}");
        assert_eq!(message.contains("seccomp"), !case.on_stderr.is_empty(), "{shown}");
        assert!(shown_text.contains(&sandbox.put_in(case.on_stdout)), "{shown}");
    }
}

/// A kernel without the calls, as WSL2's: scripts read numactl's status.
#[test]
fn numactl_ends_as_the_original_without_numa() {
    let user = User::new();
    symlink(nearfar(), user.folder().join("numactl")).unwrap();
    let numactl = user.folder().join("numactl");
    for (option, on_stdout) in [
        ("-H", "No NUMA available on this system\n"),
        ("-s", "No NUMA support available on this system.\n"),
    ] {
        let mut command = user.through(confined(), &["--lack-memory-policy"]);
        let output = command.arg(&numactl).arg(option).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{option}: {}", stderr(&output));
        assert!(stdout(&output).ends_with(on_stdout), "{option}: {}", stdout(&output));
    }
}

#[test]
fn without_affinity_memory_policies_still_work() {
    let user = User::new();
    let output = user
        .through(confined(), &["--deny-affinity", nearfar(), "run", "-N", "0", "true"])
        .output()
        .unwrap();
    let (status, message) = refusal(&output);
    assert_eq!(status, 1);
    assert!(
        message.contains("--cpunodebind: sched_setaffinity was refused")
            && message.contains("(--membind, "),
        "{message}"
    );
    let output = user
        .through(confined(), &["--deny-affinity", nearfar(), "run", "-m", "0", "true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
