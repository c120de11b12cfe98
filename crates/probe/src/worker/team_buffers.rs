//! The buffers of a thread team in one process: placed on first use, released when other buffers
//! need the memory.

use std::collections::{BTreeMap, VecDeque};

use nearfar_model::CpuId;
use nearfar_place::BufferRequest;

use crate::thread_team::{PlacedThreadBuffer, ThreadBuffer, ThreadTeam};
use crate::worker::memories::first_note;
use crate::worker::station::distinct;
use crate::worker_message::PlacedMemory;

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
