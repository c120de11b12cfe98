//! Moves pages to doses, and measures how long that takes.

use nearfar_model::Bytes;
use nearfar_process::{PageDose, PageLayout};

use crate::explain::ExplainError;
use crate::explain::response::doses::DoseNodes;
use crate::explain::subjects::{Moved, Subjects};

/// Memory that is moved to learn how long that takes.
pub(crate) const REHEARSED: Bytes = Bytes::mib(64);
/// Of the memory that takes part, what changes its node from one dose to another, on average.
const CHANGING: f64 = 0.5;
/// With fewer pages a dose is too small.
pub(crate) const LEAST_TAKING_PART: f64 = 0.1;

/// Moves pages, and keeps count.
pub(super) struct Mover<'m, 's> {
    pub(super) subjects: Subjects<'s>,
    /// Of each process, the pages that may move, each page once.
    pub(super) movable: Vec<PageLayout>,
    pub(super) nodes: &'m DoseNodes,
    /// Memory that moves together.
    pub(super) unit: Bytes,
    pub(super) taking_part: f64,
    pub(super) seed: u64,
    pub(super) seconds: f64,
    pub(super) bytes: Bytes,
}

impl Mover<'_, '_> {
    /// A fresh subset of this share far; without a share, where pages were found. `block` draws who
    /// takes part.
    pub(super) fn place(
        &mut self,
        share: Option<f64>,
        block: u32,
        turn: u32,
    ) -> Result<Moved, ExplainError> {
        let mut moved = Moved::default();
        for at in 0..self.nodes.all.len() {
            let layout = share.map(|share| self.dosed(at, share, block, turn));
            if let Some((_, done)) = self.subjects.carry_out_timed(at, layout.as_ref())? {
                moved.add(done);
            }
        }
        self.seconds += moved.seconds;
        self.bytes = self.bytes + moved.bytes;
        self.subjects.check_running()?;
        Ok(moved)
    }

    fn dosed(&self, at: usize, share: f64, block: u32, turn: u32) -> PageLayout {
        let process = &self.nodes.all[at];
        let part = self.seed ^ (u64::from(block) << 32);
        let seeds = [part, !part ^ (u64::from(turn) << 8) ^ at as u64];
        self.movable[at].dosed(&PageDose {
            near: process.near,
            far: process.far,
            share,
            taking_part: self.taking_part,
            unit: self.unit,
            seeds,
        })
    }

    /// Moves some memory there and back, and chooses how many pages take part, so that moving takes
    /// at most this share of the time.
    pub(super) fn rehearse(&mut self, max_cost: f64, period_s: f64) -> Result<(), ExplainError> {
        let all: Bytes = self.movable.iter().map(|layout| layout.by_node().total()).sum();
        self.taking_part = (REHEARSED.0 as f64 / all.0.max(1) as f64).min(1.0);
        self.place(Some(0.0), 0, 0)?;
        let (mut sum, began) = (Moved::default(), self.bytes);
        for share in [1.0, 0.0] {
            sum.add(self.place(Some(share), 0, 1)?);
        }
        if self.bytes == began {
            return Err(ExplainError::PagesStay);
        }
        let per_byte = sum.seconds / sum.bytes.0.max(1) as f64;
        let needed = per_byte * CHANGING * all.0 as f64;
        let allowed = max_cost / (1.0 - max_cost) * period_s;
        self.taking_part = (allowed / needed.max(1e-9)).min(1.0);
        if self.taking_part < LEAST_TAKING_PART {
            let period_s = period_s * LEAST_TAKING_PART / self.taking_part;
            return Err(ExplainError::MovingCosts { max_cost, period_s: period_s.ceil() as u64 });
        }
        Ok(())
    }
}
