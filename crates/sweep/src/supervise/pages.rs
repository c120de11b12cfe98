//! Where the program's pages are while it runs, and how many of them are remote to its threads.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nearfar_machine::Source;
use nearfar_process::{ProcessMemory, with_descendants};

/// The first look.
const FIRST: Duration = Duration::from_millis(50);
/// Each further look waits so much longer: a run has few, however long it is.
const GROWTH: f64 = 1.6;
/// Looking takes at most this share of the time: the kernel holds the program's mappings meanwhile.
const SHARE: f64 = 0.01;

/// The share of pages that were remote when the program had most of them; none where it could not be seen.
pub(super) fn remote_share(source: &Source, own: u32, outside: Option<&Path>, ended: &Receiver<()>) -> Option<f64> {
    let mut fullest: Option<(u64, Option<f64>)> = None;
    let mut wait = FIRST;
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        if fullest.is_none() {
            leave_its_cpus(outside);
        }
        let began = Instant::now();
        let seen = look(source, own);
        if fullest.is_none_or(|(most, _)| seen.0 >= most) {
            fullest = Some(seen);
        }
        wait = wait.mul_f64(GROWTH).max(began.elapsed().div_f64(SHARE));
    }
    fullest?.1
}

/// A look takes CPU time, and not the program's where there are other CPUs. Where that is refused, it is the program's after all.
fn leave_its_cpus(outside: Option<&Path>) {
    let _ = outside.map(|threads| fs::write(threads, "0"));
}

/// How much memory all of the program's processes have, and the remote share of it.
fn look(source: &Source, own: u32) -> (u64, Option<f64>) {
    let (mut total, mut remote) = (0, 0.0);
    for pid in with_descendants(source, own).into_iter().filter(|&pid| pid != own) {
        let Ok(memory) = ProcessMemory::read(source, pid) else { continue };
        let Some(share) = memory.remote_share() else { continue };
        let bytes = memory.by_node().total().0;
        total += bytes;
        remote += share * bytes as f64;
    }
    (total, (total > 0).then(|| remote / total as f64))
}
