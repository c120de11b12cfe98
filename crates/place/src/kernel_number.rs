//! Process and thread numbers as system calls take them.

use libc::pid_t;

use crate::place_error::PlaceError;

/// The number that a call takes for a process or a thread: 0 is the calling one.
pub(crate) fn kernel_number(call: &'static str, pid: Option<u32>) -> Result<pid_t, PlaceError> {
    match pid {
        None => Ok(0),
        Some(pid @ 0) => Err(PlaceError::ProcessGone { call, pid }),
        Some(pid) => pid_t::try_from(pid).map_err(|_| PlaceError::ProcessGone { call, pid }),
    }
}
