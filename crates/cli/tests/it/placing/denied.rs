//! Where a sandbox denies the memory-policy calls, as containers do: each command says in one line
//! what is denied and what it still can do, and does that. What needs no such call says nothing.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use crate::user::{User, confined, nearfar, refusal, skip, stderr, stdout};

/// A command line in the sandbox: PID stands for a process, FILE for one of 64 KiB in tmpfs, KEY
/// for the file of a segment's key.
struct Case {
    line: &'static str,
    status: i32,
    /// What stderr says, in one line: the call, and what can be had all the same. Empty where it
    /// says nothing.
    says: &'static [&'static str],
    /// What stdout tells in spite of it.
    tells: &'static str,
}

const fn says(
    line: &'static str,
    status: i32,
    says: &'static [&'static str],
    tells: &'static str,
) -> Case {
    Case { line, status, says, tells }
}

/// What needs no denied call.
const fn works(line: &'static str, tells: &'static str) -> Case {
    Case { line, status: 0, says: &[], tells }
}

const CPUS: &str = "CPUs can still be bound (--cpunodebind, --physcpubind)";
const MADE: &str = "without a policy it can still be made, and its pages with --touch";
const MAPPED: &str = "'nearfar where PID --mappings' still tells";
const SEEN: &str =
    "'nearfar where PID' still shows where they are, and 'nearfar move PID --cpus' binds";

const CASES: &[Case] = &[
    says("nearfar run -m 0 true", 1, &["--membind: set_mempolicy was refused", CPUS], ""),
    says("nearfar run -l true", 1, &["--localalloc: set_mempolicy was refused", CPUS], ""),
    says("nearfar run -m 0 --watch true", 1, &["--membind: set_mempolicy was refused", CPUS], ""),
    says("numactl -i 0 true", 1, &["--interleave: set_mempolicy was refused", CPUS], ""),
    works("nearfar run -C 0 echo ran", "ran"),
    works("numactl -N 0 echo ran", "ran"),
    says(
        "nearfar run -s",
        0,
        &["--show: get_mempolicy was refused", "CPUs and nodes are told"],
        "physcpubind: ",
    ),
    says(
        "numactl -s",
        0,
        &["--show: get_mempolicy was refused", "CPUs and nodes are told"],
        "physcpubind: ",
    ),
    works("nearfar run -s --json", "\"denied\":\"get_mempolicy was refused"),
    works("nearfar run -H", "available: "),
    works("numactl -H", "available: "),
    works(
        "nearfar run -m 0 --explain",
        "Refused    It cannot be had here. --membind: set_mempolicy was refused",
    ),
    works("nearfar run --explain", "is not told here: get_mempolicy was refused"),
    works("nearfar run -m 0 --as docker", "--cpuset-mems=0"),
    says("nearfar run --file FILE -m 0", 1, &["--membind: mbind was refused", MADE], ""),
    says("nearfar run --file FILE --dump", 1, &["--dump: get_mempolicy was refused", MAPPED], ""),
    works("nearfar run --file FILE --touch", ""),
    says(
        "nearfar run --file FILE --dump-nodes",
        1,
        &["--dump-nodes: get_mempolicy was refused", MAPPED],
        "",
    ),
    says(
        "numactl --file FILE -m 0 --touch --verify",
        1,
        &["--membind: mbind was refused", MADE],
        "",
    ),
    says("numactl --length 64k --shm KEY -m 0", 1, &["--membind: mbind was refused", MADE], ""),
    says("numactl --shm KEY --dump", 1, &["--dump: get_mempolicy was refused", MAPPED], ""),
    works("numactl --shm KEY --touch", ""),
    says("nearfar migrate PID all all", 1, &["migrate_pages was refused", SEEN], ""),
    says("migratepages PID all all", 1, &["migrate_pages was refused", SEEN], ""),
    says("migspeed all all", 1, &["mbind was refused", "'numademo -f' still times memory"], ""),
    says(
        "memhog 1m membind all",
        1,
        &["mbind was refused", "without a policy it still takes memory"],
        "",
    ),
    says(
        "memhog -fFILE 64k membind all",
        1,
        &["mbind was refused", "without a policy it still takes memory"],
        "",
    ),
    works("memhog 1m", "."),
    says("numademo 64k memset", 1, &["get_mempolicy was refused", "-f still times memory"], ""),
    says(
        "numademo -f 64k memset",
        0,
        &["get_mempolicy was refused", "still timed"],
        "memory with no policy memset ",
    ),
    works("nearfar move PID --cpus all", "bound to CPUs"),
    works("nearfar where PID", "(process PID)"),
    works("nearfar stat PID", "process PID"),
    works("numastat", "numa_hit"),
    works("numastat -p PID", "(sleep)"),
];

/// The sandbox, and what the command lines speak of.
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
fn where_policy_calls_are_denied_each_says_so_and_does_what_is_left() {
    let Some(sandbox) = Sandbox::new() else {
        return skip("/dev/shm cannot be written");
    };
    for case in CASES {
        let output = sandbox.run(case.line);
        let (told, message) = (stdout(&output).replace("\n           ", " "), stderr(&output));
        let shown = format!("{}\nstdout: {told}\nstderr: {message}", case.line);
        assert_eq!(output.status.code(), Some(case.status), "{shown}");
        assert_eq!(message.lines().count(), usize::from(!case.says.is_empty()), "{shown}");
        assert!(case.says.iter().all(|part| message.contains(part)), "{shown}");
        assert_eq!(message.contains("seccomp"), !case.says.is_empty(), "{shown}");
        assert!(told.contains(&sandbox.put_in(case.tells)), "{shown}");
    }
}

#[test]
fn where_cpus_cannot_be_bound_memory_policies_are_named() {
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
