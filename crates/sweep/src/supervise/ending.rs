//! How a run is ended: by SIGTERM first, then by SIGKILL.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use nearfar_machine::{MachineError, Process, Source};
use nearfar_process::with_descendants;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, kill_process_group, waitid,
};

/// Time to end after SIGTERM, before SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// Rounds of looking for processes that are forked meanwhile.
const ROUNDS: usize = 20;

/// Ends the program's group after the timeout, unless it has ended before (the channel closes).
/// Returns whether it did.
pub(super) fn end_when_over(group: Pid, timeout: Option<Duration>, ended: &Receiver<()>) -> bool {
    let Some(timeout) = timeout else {
        let _ = ended.recv();
        return false;
    };
    if ended.recv_timeout(timeout) != Err(RecvTimeoutError::Timeout) {
        return false;
    }
    let _ = kill_process_group(group, Signal::TERM);
    if ended.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    true
}

/// Kills all descendants of this process, and returns their number.
pub(super) fn end_descendants(source: &Source) -> u32 {
    if !has_children() {
        return 0;
    }
    let own = std::process::id();
    let mut count = 0;
    for _ in 0..ROUNDS {
        let left: Vec<u32> = with_descendants(source, own)
            .into_iter()
            .filter(|&pid| pid != own && is_alive(source, pid))
            .collect();
        if left.is_empty() {
            return count;
        }
        count = count.max(left.len() as u32);
        for pid in left.into_iter().filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
            let _ = kill_process(pid, Signal::KILL);
        }
        thread::sleep(Duration::from_millis(5));
    }
    count
}

/// Orphans become children of this process, their subreaper: without children there are no
/// descendants.
fn has_children() -> bool {
    !matches!(ended_child(WaitId::All), Err(Errno::CHILD))
}

/// A child that has ended, and is not waited for; an error without such a child.
fn ended_child(which: WaitId<'_>) -> rustix::io::Result<Option<WaitIdStatus>> {
    waitid(which, WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT)
}

/// Zombies do not count. Hidden processes, such as set-uid programs, do.
fn is_alive(source: &Source, pid: u32) -> bool {
    match Process::find(source, pid).and_then(|process| process.stat()) {
        Ok(stat) => !stat.is_dead(),
        Err(MachineError::HiddenProcess { .. }) => !is_zombie_child(pid),
        Err(error) => !error.is_of_ended_process(),
    }
}

/// Whether a child of this process has ended, and is not waited for.
fn is_zombie_child(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| matches!(ended_child(WaitId::Pid(pid)), Ok(Some(_))))
}
