//! The CPU that a process measures a row on.

use fastrand::Rng;
use nearfar_model::{CpuId, CpuSet};
use nearfar_place::{AffinityGuard, set_affinity};

use crate::worker::guards::settle::{FIRST_TIMEOUT, NEXT_TIMEOUT, settle};
use crate::worker::messages::Messages;
use crate::worker_message::{Batch, DropReason, PlanScope, WorkerMessage};

/// A row's CPU in this process.
pub(crate) struct PinnedCpu {
    pub(crate) cpu: CpuId,
    settled_before: bool,
}

/// A CPU for every visited row, each from its own seed, so that rows are independent. Reports rows
/// without one.
pub(crate) fn draw_each<'r>(
    rows: impl Iterator<Item = &'r CpuSet>,
    batch: &Batch,
    random: &mut Rng,
    messages: &mut Messages<'_>,
) -> Vec<Option<PinnedCpu>> {
    let draw_row = |(row, candidates): (usize, &CpuSet)| {
        let mut random = random.fork();
        let is_visited = batch.visits.iter().any(|visit| visit.place.row == row);
        is_visited.then(|| draw(row, candidates, &mut random, messages))?
    };
    rows.enumerate().map(draw_row).collect()
}

/// A row's CPU; reports a row without one.
pub(crate) fn draw(
    row: usize,
    candidates: &CpuSet,
    random: &mut Rng,
    messages: &mut Messages<'_>,
) -> Option<PinnedCpu> {
    let _restore = AffinityGuard::save();
    PinnedCpu::draw(candidates, random)
        .map_err(|why| messages.report_unavailable([PlanScope::Row(row)], &why))
        .ok()
}

impl PinnedCpu {
    /// Draws one of the candidates that this thread may run on; or why there is none.
    pub(crate) fn draw(candidates: &CpuSet, random: &mut Rng) -> Result<Self, String> {
        let mut order: Vec<CpuId> = candidates.iter().collect();
        random.shuffle(&mut order);
        let mut why = format!("the row has no CPU to run on ({candidates})");
        for cpu in order {
            match set_affinity(&CpuSet::from_id(cpu)) {
                Ok(_) => return Ok(Self { cpu, settled_before: false }),
                Err(refusal) => why = refusal.to_string(),
            }
        }
        Err(why)
    }

    /// Moves the calling thread to the CPU and waits until its clock is settled. Reports the speed
    /// the first time.
    pub(crate) fn pin(
        &mut self,
        row: usize,
        messages: &mut Messages<'_>,
    ) -> Result<(), DropReason> {
        // If the CPU is gone, the guards detect that the thread is elsewhere.
        let _ = set_affinity(&CpuSet::from_id(self.cpu));
        let first = !std::mem::replace(&mut self.settled_before, true);
        let ghz = settle(if first { FIRST_TIMEOUT } else { NEXT_TIMEOUT })
            .ok_or(DropReason::Unsettled)?;
        if first {
            messages.send(WorkerMessage::Frequency { row, cpu: self.cpu, ghz });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use nearfar_place::affinity;

    use super::*;

    #[test]
    fn the_seed_selects_the_cpu() {
        let _restore = AffinityGuard::save().unwrap();
        let all = affinity().unwrap();
        let drawn = |seed| PinnedCpu::draw(&all, &mut Rng::with_seed(seed)).unwrap().cpu;
        assert_eq!(drawn(5), drawn(5));
        let over_many: CpuSet = (0..64).map(drawn).collect();
        assert_eq!(over_many, all);
    }

    #[test]
    fn a_row_without_usable_cpus_is_reported() {
        let _restore = AffinityGuard::save().unwrap();
        let why =
            PinnedCpu::draw(&CpuSet::from_id(CpuId(60_000)), &mut Rng::with_seed(1)).err().unwrap();
        assert!(why.contains("60000") && why.contains("cpuset"), "{why}");
    }
}
