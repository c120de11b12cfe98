//! Interleaved memory: CPUs stream through it, or one of them chases through it.
//!
//! A visit is one window, or one chase. Each page is bound to its node by weight, and verified
//! ([`InterleavedPlace`](nearfar_place::InterleavedPlace)): neither root nor a kernel with weights
//! is needed. Streams run on base pages, the kernel's unit of interleaving. Chases run on huge
//! pages if the memory is large enough to keep the weights, so that latency has no TLB misses.

mod setup;
mod station;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use fastrand::Rng;
use nearfar_model::CpuSet;
use nearfar_place::PlacedBuffer;

use crate::probes::arch::walk;
use crate::probes::chase::Chase;
use crate::probes::slice::{Division, Probe};
use crate::worker::memories::first_note;
use crate::worker::pinned_cpu::PinnedCpu;
use crate::worker_message::PlacedMemory;

pub use setup::{InterleaveNode, InterleaveSetup, InterleaveTreatment};

/// The chases that are linked now.
struct Chases<'s> {
    setup: &'s InterleaveSetup,
    random: Rng,
    cpus: BTreeMap<usize, PinnedCpu>,
    /// By weights, oldest first.
    linked: VecDeque<(Vec<u32>, Chase)>,
}

impl<'s> Chases<'s> {
    fn new(setup: &'s InterleaveSetup, seed: u64) -> Self {
        Self { setup, random: Rng::with_seed(seed), cpus: BTreeMap::new(), linked: VecDeque::new() }
    }

    /// Draws a row's CPU, once.
    fn draw_cpu(&mut self, row: usize) -> Result<(), String> {
        if !self.cpus.contains_key(&row) {
            let cpus: CpuSet = self.setup.rows[row].iter().copied().collect();
            self.cpus.insert(row, PinnedCpu::draw(&cpus, &mut self.random)?);
        }
        Ok(())
    }

    /// Prepares memory with these weights; returns how it was placed if it is new.
    fn ready(&mut self, weights: &[u32]) -> Result<Option<PlacedMemory>, String> {
        if self.linked.iter().any(|(by, _)| by == weights) {
            return Ok(None);
        }
        let linked = self.linked.len();
        self.linked.drain(..(linked + 1).saturating_sub(self.setup.max_in_use()).min(linked));
        let request = self.setup.chase_memory(weights);
        let memory = PlacedBuffer::interleaved(&request).map_err(|refusal| refusal.to_string())?;
        let note = first_note([(memory.notes(), memory.proof())].into_iter());
        let placed = PlacedMemory { pages: 1, backing: memory.backing().name(), note };
        let length = memory.length();
        let chase = Chase::new(memory, length, self.setup.loads, &mut self.random, walk);
        self.linked.push_back((weights.to_vec(), chase));
        Ok(Some(placed))
    }

    /// A row's CPU and the chase with these weights, both prepared before.
    fn of(&mut self, row: usize, weights: &[u32]) -> Option<(&mut PinnedCpu, &mut Chase)> {
        let chase = self.linked.iter_mut().find(|(by, _)| by == weights)?;
        Some((self.cpus.get_mut(&row)?, &mut chase.1))
    }

    /// The division of a sample with these weights, once prepared.
    fn division(&self, weights: &[u32]) -> Option<Division> {
        self.linked.iter().find(|(by, _)| by == weights).map(|(_, chase)| chase.division())
    }
}
