//! The threads' memory in one process: dealt out when it is first needed, given back when other weights need the room.

use std::collections::{BTreeMap, VecDeque};

use nearfar_model::CpuId;
use nearfar_place::{Backing, Proof, SpreadPlace};

use super::setup::InterleaveSetup;
use crate::crew::{Berth, Crew, NewBerth};

/// What is placed now.
pub(super) struct Berths<'s> {
    setup: &'s InterleaveSetup,
    crew: Crew,
    /// The crew's threads by CPU.
    members: BTreeMap<CpuId, usize>,
    /// The oldest first.
    placed: VecDeque<Spread>,
}

/// Memory of a row's threads.
struct Spread {
    row: usize,
    weights: Vec<u32>,
    berths: Vec<Berth>,
}

/// Memory that was placed just now.
pub(super) struct New {
    /// What carries it.
    pub(super) backing: String,
    /// How many buffers.
    pub(super) buffers: u32,
    /// What a reader should know.
    pub(super) note: Option<String>,
}

impl<'s> Berths<'s> {
    /// Nothing placed yet; a thread for every CPU of these rows.
    pub(super) fn new(setup: &'s InterleaveSetup, rows: &[usize]) -> Result<Self, String> {
        let mut cpus: Vec<CpuId> = rows.iter().flat_map(|&row| setup.rows[row].iter().copied()).collect();
        cpus.sort_unstable();
        cpus.dedup();
        let crew = Crew::start(&cpus).map_err(|error| error.to_string())?;
        let members = cpus.into_iter().enumerate().map(|(member, cpu)| (cpu, member)).collect();
        Ok(Self { setup, crew, members, placed: VecDeque::new() })
    }

    pub(super) fn crew(&mut self) -> &mut Crew {
        &mut self.crew
    }

    /// The memory of a row's threads, spread by these weights, one after the other; what is new of it, where anything is.
    pub(super) fn of(&mut self, row: usize, weights: &[u32]) -> Result<(Vec<Berth>, Option<New>), String> {
        if let Some(known) = self.placed.iter().find(|known| known.row == row && known.weights == weights) {
            return Ok((known.berths.clone(), None));
        }
        self.make_room();
        let threads = self.setup.rows[row].len();
        let wishes: Vec<(usize, SpreadPlace)> = (0..threads)
            .map(|thread| (self.members[&self.setup.rows[row][thread]], self.setup.thread_memory(row, thread, weights)))
            .collect();
        let placed: Result<Vec<NewBerth>, _> = self.crew.place(wishes).into_iter().collect();
        let placed = placed.map_err(|error| error.to_string())?;
        let berths: Vec<Berth> = placed.iter().map(|new| new.berth).collect();
        self.placed.push_back(Spread { row, weights: weights.to_vec(), berths: berths.clone() });
        Ok((berths, Some(New::of(&placed))))
    }

    /// Gives the oldest memory back, as long as all of it and as much again would be too much.
    fn make_room(&mut self) {
        let Some(room) = self.setup.room() else { return };
        while (self.placed.len() as u64 + 1).saturating_mul(self.setup.footprint.0) > room.0 {
            let Some(oldest) = self.placed.pop_front() else { return };
            // A thread that is gone has no memory left to give back.
            oldest.berths.into_iter().for_each(|berth| drop(self.crew.release(berth)));
        }
    }
}

impl New {
    fn of(placed: &[NewBerth]) -> Self {
        let note = placed.iter().find_map(|new| note(&new.notes, &new.proof));
        let backing = placed.first().map_or(Backing::Base, |new| new.backing).name();
        Self { backing, buffers: placed.len() as u32, note }
    }
}

/// What a reader should know of placed memory.
pub(super) fn note(notes: &[String], proof: &Proof) -> Option<String> {
    let unproven = || match proof {
        Proof::Unknown(why) => Some(format!("where its pages are is not proven: {why}")),
        Proof::Proven(_) => None,
    };
    notes.first().cloned().or_else(unproven)
}
