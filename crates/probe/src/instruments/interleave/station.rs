//! The station that measures interleaved memory: threads that stream through it, and chases.

use nearfar_model::{CellIndex, Sample, Unit};

use super::Chases;
use super::setup::{InterleaveSetup, InterleaveTreatment};
use crate::streams::Kernel;
use crate::thread_team::{StreamTask, ThreadBuffer};
use crate::worker::TeamBuffers;
use crate::worker::messages::Messages;
use crate::worker::sliced::{SlicedSample, spare_attempts};
use crate::worker::station::{NoSample, Prepare, ReadyStation, SPARE_ATTEMPTS, Station, distinct};
use crate::worker_message::{Batch, PlacedMemory, PlanScope, Visit, WorkerMessage};

/// Threads with their memory, and chases.
struct InterleaveStation<'s> {
    setup: &'s InterleaveSetup,
    /// By row and weights.
    buffers: TeamBuffers<(usize, Vec<u32>)>,
    chases: Chases<'s>,
    sample: SlicedSample,
}

impl Prepare for InterleaveSetup {
    /// Starts threads for every row that streams.
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> ReadyStation<'s> {
        let rows = distinct(
            batch
                .visits
                .iter()
                .filter(|visit| self.treatments[visit.place.treatment].kernel.is_some())
                .map(|visit| visit.place.row),
        );
        let buffers =
            TeamBuffers::start(rows.iter().flat_map(|&row| self.rows[row].iter().copied()));
        let buffers = buffers
            .map_err(|why| messages.report_unavailable(rows.into_iter().map(PlanScope::Row), &why))
            .ok()?;
        let chases = Chases::new(self, batch.seed);
        Some(Box::new(InterleaveStation {
            setup: self,
            buffers,
            chases,
            sample: SlicedSample::default(),
        }))
    }
}

impl InterleaveStation<'_> {
    /// The buffers of a row's threads with these weights, and how they were placed if they are new.
    fn buffers(
        &mut self,
        row: usize,
        weights: &[u32],
    ) -> Result<(Vec<ThreadBuffer>, Option<PlacedMemory>), String> {
        let key = (row, weights.to_vec());
        if let Some(buffers) = self.buffers.known(&key) {
            return Ok((buffers, None));
        }
        let most = self.setup.max_in_use();
        while self.buffers.keys().len() >= most && self.buffers.release_oldest(|_| true) {}
        let cpus = self.setup.rows[row].iter().copied().enumerate();
        let requests =
            cpus.map(|(thread, cpu)| (cpu, self.setup.thread_memory(row, thread, weights)));
        let (buffers, placed) = self.buffers.place(key, requests)?;
        Ok((buffers, Some(placed)))
    }

    /// One window of all of a row's CPUs.
    fn stream(
        &mut self,
        visit: Visit,
        weights: &[u32],
        kernel: Kernel,
        messages: &mut Messages<'_>,
    ) -> Result<Sample, NoSample> {
        let (buffers, new) = self.buffers(visit.place.row, weights)?;
        report(visit, new, messages);
        let task = |buffer| StreamTask { buffer, kernel, isa: self.setup.isa, pause: 0 };
        let tasks: Vec<StreamTask> = buffers.into_iter().map(task).collect();
        let rates = self.buffers.team.run(&tasks, self.setup.window)?;
        let ns = Unit::BytesPerSecond.value_ns(rates.program_bytes_per_s());
        Ok(visit.sample(self.setup.rows[visit.place.row][0], 0, ns))
    }

    /// One chase from one of a row's CPUs.
    fn chase(
        &mut self,
        visit: Visit,
        weights: &[u32],
        messages: &mut Messages<'_>,
    ) -> Result<Sample, NoSample> {
        let row = visit.place.row;
        if let Err(why) = self.chases.draw_cpu(row) {
            messages.report_unavailable([PlanScope::Row(row)], &why);
            return Err(NoSample::Over);
        }
        report(visit, self.chases.ready(weights)?, messages);
        let (cpu, chase) = self.chases.of(row, weights).ok_or(NoSample::Over)?;
        self.sample.attempt(visit, 0, cpu, chase, messages)
    }
}

impl Station for InterleaveStation<'_> {
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Result<Sample, NoSample> {
        let setup = self.setup;
        let InterleaveTreatment { weights, kernel } = &setup.treatments[visit.place.treatment];
        match kernel {
            Some(kernel) => self.stream(visit, weights, *kernel, messages),
            None => self.chase(visit, weights, messages),
        }
    }

    fn spare_attempts(&self, visit: Visit) -> u64 {
        let InterleaveTreatment { weights, kernel } = &self.setup.treatments[visit.place.treatment];
        let chase = self.chases.division(weights).filter(|_| kernel.is_none());
        chase.map_or(SPARE_ATTEMPTS, |division| spare_attempts(division.slices))
    }
}

fn report(visit: Visit, new: Option<PlacedMemory>, messages: &mut Messages<'_>) {
    let CellIndex { column, treatment, .. } = visit.place;
    if let Some(placed) = new {
        messages.send(WorkerMessage::Placed { column, treatment, placed });
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{Bytes, NodeId};

    use super::super::tests::setup;
    use super::*;
    use crate::tests::{assert_answered, visit};

    fn answers(setup: &InterleaveSetup, treatments: &[usize]) -> Vec<WorkerMessage> {
        let visits = treatments.iter().map(|&treatment| visit(0, 0, treatment)).collect();
        crate::tests::answers(setup, 1, visits)
    }

    #[test]
    fn streams_and_chases_are_answered() {
        let _restore = nearfar_place::AffinityGuard::save().unwrap();
        let visits: Vec<Visit> = (0..3).map(|treatment| visit(0, 0, treatment)).collect();
        assert_answered(&visits, &answers(&setup(Bytes::mib(32)), &[0, 1, 2]));
    }

    #[test]
    #[ignore = "long: needs calm windows, and asserts rates"]
    fn interleaved_memory_has_bandwidth_and_latency() {
        let _restore = nearfar_place::AffinityGuard::save().unwrap();
        let setup = setup(Bytes::mib(32));
        let mut costs = [0.0; 3];
        // Other programs disturb some of them.
        for _ in 0..100 {
            let missing: Vec<usize> = (0..3).filter(|&treatment| costs[treatment] == 0.0).collect();
            for answer in answers(&setup, &missing) {
                if let WorkerMessage::Sample(sample) = answer {
                    costs[sample.place.treatment] = sample.value;
                }
            }
            if costs.iter().all(|&cost| cost > 0.0) {
                break;
            }
        }
        let rates = [costs[0], costs[1]].map(|cost| Unit::BytesPerSecond.figure(cost));
        assert!(rates.iter().all(|rate| (1e7..1e13).contains(rate)), "{rates:?}");
        assert!((1.0..1e6).contains(&costs[2]), "{costs:?}");
    }

    #[test]
    fn memory_is_placed_once_for_streams_and_once_for_chases() {
        let _restore = nearfar_place::AffinityGuard::save().unwrap();
        let messages = answers(&setup(Bytes::mib(4)), &[0, 1, 2, 0, 1, 2]);
        let placed: Vec<_> = messages
            .iter()
            .filter(|answer| matches!(answer, WorkerMessage::Placed { .. }))
            .collect();
        assert_eq!(placed.len(), 2, "{placed:?}");
        let treatment = |answer: &&WorkerMessage| {
            if let WorkerMessage::Placed { treatment, .. } = answer { *treatment } else { 9 }
        };
        assert_eq!(placed.iter().map(treatment).collect::<Vec<_>>(), [0, 2], "each with its note");
    }

    #[test]
    fn absent_and_full_nodes_are_reported() {
        let mut absent = setup(Bytes::mib(4));
        absent.nodes[0].node = NodeId(900);
        let mut full = setup(Bytes::mib(256));
        full.nodes.iter_mut().for_each(|node| node.free = Some(Bytes::mib(40)));
        for (setup, word) in [(absent, "900"), (full, " available (")] {
            for treatment in [0, 2] {
                let messages = answers(&setup, &[treatment]);
                let is_reported = |answer: &WorkerMessage| match answer {
                    WorkerMessage::Unavailable { scope: PlanScope::Cell(place), why } => {
                        *place == visit(0, 0, treatment).place && why.contains(word)
                    }
                    _ => false,
                };
                assert!(messages.iter().any(is_reported), "{messages:?}");
            }
        }
    }
}
