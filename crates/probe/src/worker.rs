//! A worker: one fresh process of a survey. It reads a job, places memory, makes its visits and
//! exits.
//!
//! Processes differ more than samples within one, because each gets other pages. So a survey uses
//! several workers, each with fresh allocations, cycles and CPUs, all drawn from its batch's seed.

pub(crate) mod guards;
pub(crate) mod memories;
pub(crate) mod messages;
pub(crate) mod pinned_cpu;
pub(crate) mod sliced;
pub(crate) mod spinners;
pub(crate) mod station;
pub(crate) mod team_buffers;
#[cfg(test)]
mod tests;
mod throttle;
pub(crate) mod visit_fills;

use std::io::{self, BufRead, Write};

use nearfar_place::{AffinityGuard, raise_oom_score};

use crate::job::WorkerJob;
use crate::probe_error::ProbeError;
use crate::worker::messages::Messages;

/// Configures this process as a worker: it dies with its parent, and is the out-of-memory killer's
/// first victim. Call it at the start of a process that then only runs [`serve`].
pub fn become_worker() {
    end_with_parent();
    raise_oom_score();
}

/// Runs a worker: one line of JSON in (a [`WorkerJob`]), one line out for each [`WorkerMessage`].
/// Ends without an error if the output is closed. Makes no lasting change to the process; see
/// [`become_worker`].
pub fn serve(input: impl BufRead, output: impl Write) -> Result<(), ProbeError> {
    let job = WorkerJob::read(input)?;
    let mut messages = Messages::new(output);
    let restore = AffinityGuard::save();
    station::measure(job.work.setup(), &job.batch, &mut messages);
    drop(restore);
    match messages.finish() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(ProbeError::Output(error)),
        _ => Ok(()),
    }
}

/// Requests that the kernel ends this process when the thread that started it ends.
#[allow(unsafe_code)]
fn end_with_parent() {
    // SAFETY: sets an attribute of this process and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}
