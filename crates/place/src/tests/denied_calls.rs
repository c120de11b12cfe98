//! Runs code in a thread whose system calls are denied, as by a container's seccomp profile or an
//! older kernel.
//!
//! Seccomp filters belong to threads, so a filter in a fresh thread does not affect other tests.
//! See seccomp(2).

#![allow(unsafe_code)]

use libc::{
    BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, c_long, c_uint, sock_filter,
    sock_fprog,
};

/// The error number of a denied call.
#[derive(Clone, Copy)]
pub(crate) enum Denied {
    /// As Docker's and Podman's profiles.
    Eperm,
    /// As a kernel without the call.
    Enosys,
    /// As a kernel that lacks an argument.
    Einval,
    /// As a kernel at a limit.
    Enomem,
}

/// Runs `work` in a thread in which these system calls fail.
pub(crate) fn without<R: Send>(
    calls: &[c_long],
    how: Denied,
    work: impl FnOnce() -> R + Send,
) -> R {
    let program = filter(calls, how);
    std::thread::scope(|scope| {
        let thread = scope.spawn(move || {
            install(&program);
            work()
        });
        thread.join().expect("the work does not panic")
    })
}

/// Loads the call's number (first field of `seccomp_data`), compares it with each denied one,
/// allows the rest.
fn filter(calls: &[c_long], how: Denied) -> Vec<sock_filter> {
    let step = |code: c_uint, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let errno = match how {
        Denied::Eperm => libc::EPERM,
        Denied::Enosys => libc::ENOSYS,
        Denied::Einval => libc::EINVAL,
        Denied::Enomem => libc::ENOMEM,
    };
    let refuse = libc::SECCOMP_RET_ERRNO | errno as u32;
    let mut program = vec![step(BPF_LD | BPF_W | BPF_ABS, 0, 0, 0)];
    for &call in calls {
        program.push(step(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, call as u32));
        program.push(step(BPF_RET | BPF_K, 0, 0, refuse));
    }
    program.push(step(BPF_RET | BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW));
    program
}

fn install(program: &[sock_filter]) {
    let length = u16::try_from(program.len()).expect("a short program");
    let whole = sock_fprog { len: length, filter: program.as_ptr().cast_mut() };
    // SAFETY: the kernel reads `length` instructions from the program, which outlives both calls,
    // and keeps a copy.
    let status = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const whole)
    };
    assert_eq!(status, 0, "seccomp filters can be installed");
}
