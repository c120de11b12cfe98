//! Each system call that a command uses, refused by a filter, over all commands: no command aborts,
//! and none gives another answer without a word on why.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use crate::owned::limits::{document, shape};
use crate::user::{User, confined, nearfar, stdout};

/// System calls of all commands, as strace(1) shows them, and their numbers. Left out is what
/// cannot fail by its man page (`getpid`, `geteuid`), and what the standard library aborts for
/// (`futex`, `clock_nanosleep`).
const CALLS: [(&str, libc::c_long); 68] = [
    ("access", libc::SYS_access),
    ("brk", libc::SYS_brk),
    ("clock_gettime", libc::SYS_clock_gettime),
    ("clone3", libc::SYS_clone3),
    ("dup2", libc::SYS_dup2),
    ("fchmod", libc::SYS_fchmod),
    ("fcntl", libc::SYS_fcntl),
    ("flock", libc::SYS_flock),
    ("fstat", libc::SYS_fstat),
    ("fstatfs", libc::SYS_fstatfs),
    ("fsync", libc::SYS_fsync),
    ("get_mempolicy", libc::SYS_get_mempolicy),
    ("getcpu", libc::SYS_getcpu),
    ("getdents64", libc::SYS_getdents64),
    ("getrandom", libc::SYS_getrandom),
    ("getrusage", libc::SYS_getrusage),
    ("io_uring_setup", libc::SYS_io_uring_setup),
    ("ioctl", libc::SYS_ioctl),
    ("kill", libc::SYS_kill),
    ("linkat", libc::SYS_linkat),
    ("lseek", libc::SYS_lseek),
    ("madvise", libc::SYS_madvise),
    ("mbind", libc::SYS_mbind),
    ("memfd_create", libc::SYS_memfd_create),
    ("migrate_pages", libc::SYS_migrate_pages),
    ("mkdirat", libc::SYS_mkdirat),
    ("mkdir", libc::SYS_mkdir),
    ("mlock", libc::SYS_mlock),
    ("mmap", libc::SYS_mmap),
    ("move_pages", libc::SYS_move_pages),
    ("mprotect", libc::SYS_mprotect),
    ("mremap", libc::SYS_mremap),
    ("munmap", libc::SYS_munmap),
    ("newfstatat", libc::SYS_newfstatat),
    ("openat", libc::SYS_openat),
    ("perf_event_open", libc::SYS_perf_event_open),
    ("pipe2", libc::SYS_pipe2),
    ("poll", libc::SYS_poll),
    ("prctl", libc::SYS_prctl),
    ("pread64", libc::SYS_pread64),
    ("prlimit64", libc::SYS_prlimit64),
    ("pwrite64", libc::SYS_pwrite64),
    ("read", libc::SYS_read),
    ("readlink", libc::SYS_readlink),
    ("readlinkat", libc::SYS_readlinkat),
    ("renameat", libc::SYS_renameat),
    ("renameat2", libc::SYS_renameat2),
    ("rmdir", libc::SYS_rmdir),
    ("rseq", libc::SYS_rseq),
    ("rt_sigaction", libc::SYS_rt_sigaction),
    ("rt_sigprocmask", libc::SYS_rt_sigprocmask),
    ("sched_getaffinity", libc::SYS_sched_getaffinity),
    ("sched_setaffinity", libc::SYS_sched_setaffinity),
    ("set_mempolicy", libc::SYS_set_mempolicy),
    ("set_mempolicy_home_node", libc::SYS_set_mempolicy_home_node),
    ("set_robust_list", libc::SYS_set_robust_list),
    ("setpgid", libc::SYS_setpgid),
    ("sigaltstack", libc::SYS_sigaltstack),
    ("socket", libc::SYS_socket),
    ("statx", libc::SYS_statx),
    ("symlinkat", libc::SYS_symlinkat),
    ("sysinfo", libc::SYS_sysinfo),
    ("uname", libc::SYS_uname),
    ("unlink", libc::SYS_unlink),
    ("unlinkat", libc::SYS_unlinkat),
    ("wait4", libc::SYS_wait4),
    ("waitid", libc::SYS_waitid),
    ("write", libc::SYS_write),
];

/// How an answer under a filter compares with the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// It is the same text.
    Same,
    /// It has other numbers.
    Alike,
    /// The machine may differ from moment to moment.
    Varies,
}

/// Commands, and what they answer. `A` and `B` stand for surveys, `OUT` for a file in a folder of
/// the test.
const COMMANDS: [(&str, Answer); 26] = [
    ("doctor", Answer::Alike),
    ("topology", Answer::Same),
    ("diagnose", Answer::Alike),
    ("devices", Answer::Alike),
    ("irq", Answer::Varies),
    ("firmware", Answer::Alike),
    ("fleet A B", Answer::Same),
    ("links A", Answer::Same),
    ("structure A", Answer::Same),
    ("compare A B", Answer::Same),
    ("atlas 8280", Answer::Same),
    ("check A --as nagios", Answer::Same),
    ("show A", Answer::Same),
    ("show A --csv", Answer::Same),
    ("plot latency A", Answer::Same),
    ("report A -o OUT --force", Answer::Varies),
    ("export --textfile OUT", Answer::Varies),
    ("capture -o OUT --force", Answer::Varies),
    ("top --once -d 0.1 --json", Answer::Varies),
    ("where 1", Answer::Varies),
    ("stat 1", Answer::Varies),
    ("show", Answer::Varies),
    ("run --explain", Answer::Alike),
    ("run -N 0 -m 0 echo ran", Answer::Same),
    ("sweep --placement unbound --runs 1 -o OUT --force -- true", Answer::Varies),
    ("latency --size 1M --accesses 10000 --budget 2s --csv", Answer::Varies),
];

/// Words of an answer that is not whole.
const REASONS: [&str; 17] = [
    "refused",
    "denied",
    "permitted",
    "not implemented",
    "cannot",
    "not readable",
    "unreadable",
    "could not",
    "not visible",
    "hidden",
    "missing",
    "unknown",
    "not known",
    "lacks",
    "no such",
    "without",
    "none",
];

struct Filtered {
    user: User,
    filter: String,
}

impl Filtered {
    fn command(&self, program: &std::ffi::OsStr, words: &[String]) -> Output {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "60"]).arg(confined()).arg(&self.filter).arg(program).args(words);
        command.env("XDG_DATA_HOME", self.user.folder().join("data")).stdin(Stdio::null());
        command.output().unwrap()
    }

    /// Whether a program of Rust that does nothing runs: else the loader or the runtime needs it.
    fn is_survived_by_others(&self) -> bool {
        self.command(confined().as_os_str(), &[]).status.code() == Some(2)
    }

    fn words(&self, line: &str) -> Vec<String> {
        let out = self.user.folder().join("out");
        let put = |word: &str| match word {
            "A" => document("lab-xeon-2s-before.json"),
            "B" => document("lab-xeon-2s-after.json"),
            "OUT" => out.display().to_string(),
            word => word.to_owned(),
        };
        line.split(' ').map(put).collect()
    }

    /// What is wrong with a command under the filter, if anything is.
    fn fault(&self, line: &str, answer: Answer, usual: &Output) -> Option<String> {
        let output = self.command(nearfar().as_ref(), &self.words(line));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let code = output.status.code();
        if output.status.signal().is_some() || matches!(code, None | Some(101 | 124 | 128..)) {
            return Some(format!("{:?}: {message}", output.status));
        }
        if code != Some(0) {
            return message.trim().is_empty().then(|| format!("{code:?} without a word"));
        }
        let same = match answer {
            Answer::Same => text == stdout(usual),
            Answer::Alike => shape(&text) == shape(&stdout(usual)),
            Answer::Varies => true,
        };
        let all = format!("{text}{message}").to_lowercase();
        let has_reason = REASONS.iter().any(|reason| all.contains(reason));
        (!same && !has_reason).then(|| format!("another answer: {message}{text}"))
    }
}

/// What each command gives without a filter.
fn usual() -> Vec<Output> {
    let unfiltered = Filtered { user: User::new(), filter: String::new() };
    let run = |line: &str| {
        let words = unfiltered.words(line);
        unfiltered.user.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    COMMANDS.iter().map(|(line, _)| run(line)).collect()
}

fn faults(name: &str, call: libc::c_long, errno: i32, usual: &[Output]) -> Vec<String> {
    let filtered = Filtered { user: User::new(), filter: format!("--fail={call}:{errno}") };
    if !filtered.is_survived_by_others() {
        return Vec::new();
    }
    let fault = |((line, answer), usual): (&(&str, Answer), &Output)| {
        let fault = filtered.fault(line, *answer, usual)?;
        Some(format!("{name} -> errno {errno}, {line}: {fault}"))
    };
    COMMANDS.iter().zip(usual).filter_map(fault).collect()
}

#[test]
#[ignore = "long: thousands of runs"]
fn refused_calls_abort_no_command_and_falsify_no_answer() {
    let only = std::env::var("NEARFAR_TEST_CALL").ok();
    let (usual, mut all) = (usual(), Vec::new());
    for (name, call) in CALLS {
        if only.as_ref().is_some_and(|only| !only.split(',').any(|one| one == name)) {
            continue;
        }
        for errno in [libc::EPERM, libc::ENOSYS] {
            all.extend(faults(name, call, errno, &usual));
        }
    }
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}
