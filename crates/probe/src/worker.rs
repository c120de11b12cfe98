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
#[cfg(test)]
mod tests;
mod throttle;
pub(crate) mod visit_fills;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::io::{BufRead, Write};

use nearfar_model::CpuId;
use nearfar_place::{AffinityGuard, BufferRequest, raise_oom_score};

use crate::job::WorkerJob;
use crate::probe_error::ProbeError;
use crate::thread_team::{PlacedThreadBuffer, ThreadBuffer, ThreadTeam};
use crate::worker::messages::Messages;
use crate::worker_message::PlacedMemory;
use memories::first_note;
use station::distinct;

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

/// A team and its placed buffers, by key.
pub(crate) struct TeamBuffers<K> {
    pub(crate) team: ThreadTeam,
    /// The team's threads by CPU.
    members: BTreeMap<CpuId, usize>,
    placed: VecDeque<(K, Vec<ThreadBuffer>)>,
}

impl<K: PartialEq> TeamBuffers<K> {
    /// Starts a thread for each of these CPUs; places nothing.
    pub(crate) fn start(cpus: impl Iterator<Item = CpuId>) -> Result<Self, String> {
        let cpus = distinct(cpus);
        let team = ThreadTeam::start(&cpus).map_err(|error| error.to_string())?;
        let members = cpus.into_iter().enumerate().map(|(member, cpu)| (cpu, member)).collect();
        Ok(Self { team, members, placed: VecDeque::new() })
    }

    /// The keys, oldest first.
    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = &K> {
        self.placed.iter().map(|(key, _)| key)
    }

    /// The buffers of this key, if placed.
    pub(crate) fn known(&self, key: &K) -> Option<Vec<ThreadBuffer>> {
        self.placed.iter().find(|(known, _)| known == key).map(|(_, buffers)| buffers.clone())
    }

    /// Places buffers of threads on these CPUs.
    pub(crate) fn place<W: Into<BufferRequest>>(
        &mut self,
        key: K,
        requests: impl Iterator<Item = (CpuId, W)>,
    ) -> Result<(Vec<ThreadBuffer>, PlacedMemory), String> {
        let requests = requests.map(|(cpu, request)| (self.members[&cpu], request)).collect();
        let placed: Result<Vec<PlacedThreadBuffer>, _> =
            self.team.place(requests).into_iter().collect();
        let placed = placed.map_err(|error| error.to_string())?;
        let buffers: Vec<ThreadBuffer> = placed.iter().map(|new| new.buffer).collect();
        self.placed.push_back((key, buffers.clone()));
        let backing = placed.first().map_or_else(String::new, |new| new.backing.name());
        let note = first_note(placed.iter().map(|new| (new.notes.as_slice(), &new.proof)));
        let pages = buffers.len() as u32;
        Ok((buffers, PlacedMemory { pages, backing, note }))
    }

    /// Releases the oldest buffers whose key satisfies `is_such`; returns whether there were any.
    pub(crate) fn release_oldest(&mut self, is_such: impl Fn(&K) -> bool) -> bool {
        let Some(oldest) = self.keys().position(is_such) else { return false };
        for buffer in self.placed.remove(oldest).into_iter().flat_map(|(_, buffers)| buffers) {
            // A thread that has ended has no memory to release.
            drop(self.team.release(buffer));
        }
        true
    }
}
