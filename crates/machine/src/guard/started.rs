//! Processes by number and start: numbers are used again.

use crate::{Process, Source};

/// When a process was started, in the kernel's ticks since boot; `None` once it is gone.
pub fn start_time(source: &Source, pid: u32) -> Option<u64> {
    Process::find(source, pid).and_then(|process| process.stat()).ok()?.started
}

/// Whether the process that was started then may still exist: one that `/proc` hides may.
pub fn is_alive(source: &Source, pid: u32, started: u64) -> bool {
    Process::still_exists(source, pid, started) != Some(false)
}
