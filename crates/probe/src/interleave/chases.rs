//! Chases in one process: a cycle through memory for each weights that are asked for, and a CPU for each row.

use std::collections::{BTreeMap, VecDeque};

use fastrand::Rng;
use nearfar_model::CpuSet;
use nearfar_place::PlacedBuffer;

use super::berths::{New, note};
use super::setup::InterleaveSetup;
use crate::probes::chase::Chase;
use crate::worker::seat::Seat;

/// What is linked now.
pub(super) struct Chases<'s> {
    setup: &'s InterleaveSetup,
    random: Rng,
    seats: BTreeMap<usize, Seat>,
    /// By weights, the oldest first.
    linked: VecDeque<(Vec<u32>, Chase)>,
}

impl<'s> Chases<'s> {
    /// Nothing placed yet.
    pub(super) fn new(setup: &'s InterleaveSetup, seed: u64) -> Self {
        Self { setup, random: Rng::with_seed(seed), seats: BTreeMap::new(), linked: VecDeque::new() }
    }

    /// A row's CPU, drawn once.
    pub(super) fn sit(&mut self, row: usize) -> Result<(), String> {
        if !self.seats.contains_key(&row) {
            let cpus: CpuSet = self.setup.rows[row].iter().copied().collect();
            self.seats.insert(row, Seat::draw(&cpus, &mut self.random)?);
        }
        Ok(())
    }

    /// Readies memory that is spread by these weights; what is new of it, where anything is.
    pub(super) fn ready(&mut self, weights: &[u32]) -> Result<Option<New>, String> {
        if self.linked.iter().any(|(by, _)| by == weights) {
            return Ok(None);
        }
        if let Some(room) = self.setup.room() {
            while (self.linked.len() as u64 + 1).saturating_mul(self.setup.footprint.0) > room.0 {
                if self.linked.pop_front().is_none() {
                    break;
                }
            }
        }
        let wish = self.setup.chase_memory(weights);
        let memory = PlacedBuffer::spread(&wish).map_err(|refusal| refusal.to_string())?;
        let new = New { backing: memory.backing().name(), buffers: 1, note: note(memory.notes(), memory.proof()) };
        let length = memory.length();
        self.linked.push_back((weights.to_vec(), Chase::new(memory, length, self.setup.loads, &mut self.random)));
        Ok(Some(new))
    }

    /// A row's CPU and the chase through memory by these weights, both readied before.
    pub(super) fn of(&mut self, row: usize, weights: &[u32]) -> Option<(&mut Seat, &mut Chase)> {
        let chase = self.linked.iter_mut().find(|(by, _)| by == weights)?;
        Some((self.seats.get_mut(&row)?, &mut chase.1))
    }
}
