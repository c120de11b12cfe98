//! A worker: one fresh process of a survey. It reads a job, places memory, makes its visits and ends.
//!
//! Runs differ more than samples within one do, because each run gets other pages; so a survey is split over several
//! workers, each with fresh allocations, cycles and CPUs, all drawn from its batch's seed.

pub(crate) mod guards;
mod latency;
pub(crate) mod memories;
pub(crate) mod seat;
pub(crate) mod speaker;
pub(crate) mod spinners;
#[cfg(test)]
mod tests;
mod throttle;
pub(crate) mod visiting;

use std::io::{self, BufRead, Write};

use nearfar_place::{AffinityGuard, volunteer_for_oom_kill};

use crate::bandwidth;
use crate::caches;
use crate::core_to_core;
use crate::hidden;
use crate::interleave;
use crate::job::{Job, Work};
use crate::loaded;
use crate::probe_error::ProbeError;
use crate::worker::speaker::Speaker;

/// Makes this process a worker's: it dies with its parent, and offers itself to the out-of-memory killer first. For the beginning of a
/// process that then does nothing but [`serve`].
pub fn become_worker() {
    end_with_parent();
    volunteer_for_oom_kill();
}

/// What a worker does: one line of JSON in (a [`Job`]), one line out for each [`Answer`]. Ends quietly when nobody reads any more. Changes
/// nothing of the process that lasts: see [`become_worker`].
pub fn serve(input: impl BufRead, output: impl Write) -> Result<(), ProbeError> {
    let job = Job::read(input)?;
    let mut speaker = Speaker::new(output);
    match work(&job, &mut speaker).and_then(|()| speaker.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(ProbeError::Output(error)),
        _ => Ok(()),
    }
}

fn work(job: &Job, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let _back_afterwards = AffinityGuard::stay();
    match &job.work {
        Work::Latency(setup) => latency::work(setup, &job.batch, speaker),
        Work::Bandwidth(setup) => bandwidth::work(setup, &job.batch, speaker),
        Work::CoreToCore(setup) => core_to_core::work(setup, &job.batch, speaker),
        Work::Caches(setup) => caches::work(setup, &job.batch, speaker),
        Work::Loaded(setup) => loaded::work(setup, &job.batch, speaker),
        Work::Interleave(setup) => interleave::work(setup, &job.batch, speaker),
        Work::Hidden(setup) => hidden::work(setup, &job.batch, speaker),
    }
}

/// Asks the kernel to end this process when the thread that started it ends.
#[allow(unsafe_code)]
fn end_with_parent() {
    // SAFETY: sets an attribute of this process and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}
