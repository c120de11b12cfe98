//! The threads' memory in one process: placed when it is first needed, given back when another needs the room.

use std::collections::{BTreeMap, VecDeque};

use nearfar_model::{Bytes, CpuId};
use nearfar_place::{BufferPlace, Proof, WantedPages};

use super::setup::MemoryJob;
use crate::crew::{Berth, Crew, NewBerth};

/// Memory in use together takes at most this share of what a node has free.
const SHARE: u64 = 4;

/// Whose threads need memory, and how much.
pub(crate) struct Tenants<'s> {
    /// The CPUs of each row that threads run on.
    pub(crate) rows: Vec<Vec<CpuId>>,
    /// The memory.
    pub(crate) memory: Vec<MemoryJob>,
    /// What a thread gets, by its number and how many there are.
    pub(crate) bytes_of: Box<dyn Fn(usize, usize) -> Bytes + 's>,
}

/// What is placed now.
pub(crate) struct Berths<'s> {
    tenants: Tenants<'s>,
    crew: Crew,
    /// The crew's threads by CPU.
    members: BTreeMap<CpuId, usize>,
    /// By row and memory, with what it takes; the oldest first.
    placed: VecDeque<((usize, usize), Vec<Berth>, Bytes)>,
}

/// Memory that was placed just now.
pub(crate) struct New {
    /// What carries it.
    pub(crate) backing: String,
    /// What a reader should know.
    pub(crate) note: Option<String>,
}

impl<'s> Berths<'s> {
    /// Nothing placed yet; a thread for every CPU of these rows.
    pub(crate) fn new(tenants: Tenants<'s>, rows: &[usize]) -> Result<Self, String> {
        let mut cpus: Vec<CpuId> = rows.iter().flat_map(|&row| tenants.rows[row].iter().copied()).collect();
        cpus.sort_unstable();
        cpus.dedup();
        let crew = Crew::start(&cpus).map_err(|error| error.to_string())?;
        let members = cpus.into_iter().enumerate().map(|(member, cpu)| (cpu, member)).collect();
        Ok(Self { tenants, crew, members, placed: VecDeque::new() })
    }

    pub(crate) fn crew(&mut self) -> &mut Crew {
        &mut self.crew
    }

    /// The memory of a row's threads on a node, one after the other; what is new of it, where anything is.
    pub(crate) fn of(&mut self, row: usize, memory: usize) -> Result<(Vec<Berth>, Option<New>), String> {
        if let Some((_, berths, _)) = self.placed.iter().find(|(key, ..)| *key == (row, memory)) {
            return Ok((berths.clone(), None));
        }
        let job = &self.tenants.memory[memory].clone();
        if let Some(why) = &job.why_not {
            return Err(why.clone());
        }
        let threads = self.tenants.rows[row].len();
        let more = |sum: Bytes, thread| Bytes(sum.0.saturating_add((self.tenants.bytes_of)(thread, threads).0));
        let bytes = (0..threads).fold(Bytes(0), more);
        // Of the row as a whole: threads sweep unequal parts of it.
        all_of(job, bytes).check_room().map_err(|refused| refused.to_string())?;
        self.make_room(job, memory, bytes);
        let wishes = (0..threads).map(|thread| self.wish(row, thread, job, threads)).collect();
        let placed: Result<Vec<NewBerth>, _> = self.crew.place(wishes).into_iter().collect();
        let placed = placed.map_err(|error| error.to_string())?;
        let berths: Vec<Berth> = placed.iter().map(|new| new.berth).collect();
        self.placed.push_back(((row, memory), berths.clone(), bytes));
        Ok((berths, Some(New::of(&placed))))
    }

    /// Gives the oldest memory on a node back, as long as all of it would be too much.
    fn make_room(&mut self, job: &MemoryJob, memory: usize, bytes: Bytes) {
        let Some(free) = job.free else { return };
        let taken = |placed: &VecDeque<((usize, usize), Vec<Berth>, Bytes)>| {
            let here = placed.iter().filter(|((_, at), ..)| *at == memory);
            here.fold(bytes, |sum, (.., bytes)| sum + *bytes)
        };
        while taken(&self.placed) > Bytes(free.0 / SHARE) {
            let Some(oldest) = self.placed.iter().position(|((_, at), ..)| *at == memory) else { return };
            let Some((_, berths, _)) = self.placed.remove(oldest) else { return };
            // A thread that is gone has no memory left to give back.
            berths.into_iter().for_each(|berth| drop(self.crew.release(berth)));
        }
    }

    fn wish(&self, row: usize, thread: usize, job: &MemoryJob, threads: usize) -> (usize, BufferPlace) {
        let place = BufferPlace { free: None, ..all_of(job, (self.tenants.bytes_of)(thread, threads)) };
        (self.members[&self.tenants.rows[row][thread]], place)
    }
}

/// So much memory where a job wants it.
fn all_of(job: &MemoryJob, bytes: Bytes) -> BufferPlace {
    BufferPlace { node: job.node, bytes, pages: WantedPages::Huge, touch_from: job.touch_from.clone(), free: job.free }
}

impl New {
    fn of(placed: &[NewBerth]) -> Self {
        let unproven = placed.iter().find_map(|new| match &new.proof {
            Proof::Unknown(why) => Some(format!("where its pages are is not proven: {why}")),
            Proof::Proven(_) => None,
        });
        let note = placed.iter().find_map(|new| new.notes.first().cloned()).or(unproven);
        Self { backing: placed.first().map_or_else(String::new, |new| new.backing.name()), note }
    }
}
