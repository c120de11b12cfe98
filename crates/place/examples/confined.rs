//! Runs a program as a container might confine it: memory-policy system calls refused by seccomp,
//! huge pages off.
//!
//!     confined [--deny-memory-policy] [--lack-memory-policy] [--deny-affinity]
//!         [--hide-home-node] [--no-huge-pages] [--fail=NUMBER:ERRNO] PROGRAM [ARGS...]
//!
//! `--fail` takes numbers: a filter of any system call, and the error that it gives.
//!
//! Tests of the whole command use it. It also shows what nearfar prints inside a strict container.

#![allow(unsafe_code)]

use std::env;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use libc::{
    BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, c_int, c_long, c_uint, sock_filter,
    sock_fprog,
};

const MEMORY_POLICY: [c_long; 5] = [
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    libc::SYS_get_mempolicy,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
];

fn main() -> ExitCode {
    let mut args = env::args_os().skip(1).peekable();
    let mut denied: Vec<c_long> = Vec::new();
    let mut hidden: Vec<c_long> = Vec::new();
    let mut failures: Vec<(c_long, c_int)> = Vec::new();
    while let Some(option) = args.next_if(|arg| arg.to_string_lossy().starts_with("--")) {
        match option.to_str() {
            Some("--deny-memory-policy") => denied.extend(MEMORY_POLICY),
            Some("--lack-memory-policy") => hidden.extend(MEMORY_POLICY),
            Some("--deny-affinity") => denied.push(libc::SYS_sched_setaffinity),
            Some("--hide-home-node") => hidden.push(libc::SYS_set_mempolicy_home_node),
            Some("--no-huge-pages") => turn_huge_pages_off(),
            Some(option) => match failing(option) {
                Some((call, errno)) => failures.push((call, errno)),
                None => return usage(),
            },
            None => return usage(),
        }
    }
    let Some(program) = args.next() else { return usage() };
    refuse(&denied, libc::EPERM);
    refuse(&hidden, libc::ENOSYS);
    for (call, errno) in failures {
        refuse(&[call], errno);
    }
    let error = Command::new(program).args(args).exec();
    eprintln!("confined: {error}");
    ExitCode::FAILURE
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: confined [--deny-memory-policy] [--lack-memory-policy] [--deny-affinity] \
         [--hide-home-node] [--no-huge-pages] [--fail=NUMBER:ERRNO] PROGRAM [ARGS...]"
    );
    ExitCode::from(2)
}

/// The call and the error of `--fail=NUMBER:ERRNO`.
fn failing(option: &str) -> Option<(c_long, c_int)> {
    let (call, errno) = option.strip_prefix("--fail=")?.split_once(':')?;
    Some((call.parse().ok()?, errno.parse().ok()?))
}

/// Transparent huge pages off, for this process and those it starts: see PR_SET_THP_DISABLE in
/// prctl(2).
fn turn_huge_pages_off() {
    // SAFETY: prctl with PR_SET_THP_DISABLE takes numbers only.
    let status = unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    assert_eq!(status, 0, "huge pages can be turned off");
}

/// These calls give this error from now on: EPERM as in Docker's default profile, ENOSYS as in one
/// that is older than the call.
fn refuse(calls: &[c_long], errno: c_int) {
    let step = |code: c_uint, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let refuse = libc::SECCOMP_RET_ERRNO | errno as u32;
    let mut program = vec![step(BPF_LD | BPF_W | BPF_ABS, 0, 0, 0)];
    for &call in calls {
        program.push(step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call as u32));
        program.push(step(BPF_RET | BPF_K, 0, 0, refuse));
    }
    program.push(step(BPF_RET | BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW));
    let whole = sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: the kernel reads `len` instructions from `program`, which outlives both calls, and
    // keeps a copy.
    let status = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const whole)
    };
    assert_eq!(status, 0, "seccomp filters can be installed");
}
