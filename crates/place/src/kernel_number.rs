//! How the kernel's calls name processes and threads.

use libc::pid_t;

use crate::refusal::Refusal;

/// The number by which a call knows a process or a thread: 0 is the calling one.
pub(crate) fn kernel_number(call: &'static str, pid: Option<u32>) -> Result<pid_t, Refusal> {
    match pid {
        None => Ok(0),
        Some(pid @ 0) => Err(Refusal::ProcessGone { call, pid }),
        Some(pid) => pid_t::try_from(pid).map_err(|_| Refusal::ProcessGone { call, pid }),
    }
}
