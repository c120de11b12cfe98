//! The station that measures bandwidth: a thread team on all CPUs, with memory for each thread.

use nearfar_model::{CellIndex, Sample, Unit};

use super::node_buffers::NodeBuffers;
use super::setup::{BandwidthSetup, StreamTreatment};
use crate::thread_team::StreamTask;
use crate::worker::messages::Messages;
use crate::worker::station::{NoSample, Prepare, ReadyStation, Station, distinct};
use crate::worker_message::{Batch, PlanScope, Visit, WorkerMessage};

/// The threads, and the memory that is placed now.
struct BandwidthStation<'s> {
    setup: &'s BandwidthSetup,
    buffers: NodeBuffers,
}

impl Prepare for BandwidthSetup {
    /// Starts threads for every row that is visited.
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> ReadyStation<'s> {
        let rows = distinct(batch.visits.iter().map(|visit| visit.place.row));
        let thread = |row: usize, thread| (self.rows[row][thread], self.bytes_of(thread));
        let buffers = NodeBuffers::start(
            (0..self.rows.len())
                .map(|row| (0..self.threads_of(row)).map(|nth| thread(row, nth)).collect())
                .collect(),
            self.columns.clone(),
            &rows,
        );
        let buffers = buffers
            .map_err(|why| messages.report_unavailable(rows.into_iter().map(PlanScope::Row), &why))
            .ok()?;
        Some(Box::new(BandwidthStation { setup: self, buffers }))
    }
}

impl BandwidthStation<'_> {
    /// The tasks of all threads at a place. Reports memory that is newly placed.
    fn tasks(
        &mut self,
        place: CellIndex,
        messages: &mut Messages<'_>,
    ) -> Result<Vec<StreamTask>, String> {
        let CellIndex { row, column, treatment } = place;
        let StreamTreatment { kernel, threads } = self.setup.treatments[treatment];
        let (buffers, new) = self.buffers.of(row, column)?;
        if let Some(placed) = new {
            messages.send(WorkerMessage::Placed { column, treatment: 0, placed });
        }
        if buffers.len() < threads {
            return Err(format!(
                "the row has {} CPUs, {threads} threads were requested",
                buffers.len()
            ));
        }
        let task = |buffer| StreamTask { buffer, kernel, isa: self.setup.isa, pause: 0 };
        Ok(buffers.into_iter().take(threads).map(task).collect())
    }
}

impl Station for BandwidthStation<'_> {
    /// The fastest of a visit's windows gives the nanoseconds per mebibyte that the program moves.
    /// Disturbed windows are reported with it.
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Result<Sample, NoSample> {
        let tasks = self.tasks(visit.place, messages)?;
        let fastest =
            self.buffers.team().run_fastest(&tasks, self.setup.window, self.setup.windows)?;
        for (reason, windows) in fastest.dropped {
            messages.send(WorkerMessage::WindowsDropped { visit, reason, windows });
        }
        let ns = Unit::BytesPerSecond.value_ns(fastest.rates.program_bytes_per_s());
        Ok(visit.sample(self.setup.rows[visit.place.row][0], 0, ns))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nearfar_model::Bytes;
    use nearfar_place::affinity;

    use super::*;
    use crate::layout_column::MemoryJob;
    use crate::streams::{Isa, Kernel};
    use crate::tests::{assert_answered, unavailable, visit};
    use crate::worker::station::WorkSetup;

    #[test]
    fn every_kernel_is_answered_by_every_thread_count() {
        let setup = every_treatment();
        let visits: Vec<Visit> =
            (0..setup.treatments.len()).map(|treatment| visit(0, 0, treatment)).collect();
        assert_answered(&visits, &answers(&setup, visits.clone()));
    }

    /// Every kernel with one thread and with two.
    fn every_treatment() -> BandwidthSetup {
        let cpus: Vec<_> = affinity().unwrap().iter().take(2).collect();
        let treatments: Vec<StreamTreatment> = Kernel::ALL
            .into_iter()
            .flat_map(|kernel| {
                (1..=cpus.len()).map(move |threads| StreamTreatment { kernel, threads })
            })
            .collect();
        let setup = BandwidthSetup {
            rows: vec![cpus],
            columns: vec![MemoryJob::default()],
            treatments,
            isa: Isa::best(),
            footprint: Bytes::mib(16),
            window: Duration::from_millis(2),
            windows: 2,
        };
        setup.check().unwrap();
        setup
    }

    #[test]
    #[ignore = "long: needs calm windows, and asserts rates"]
    fn rates_of_every_kernel_are_plausible() {
        let setup = every_treatment();
        let treatments = setup.treatments.len();
        let mut rates = vec![0.0; treatments];
        // Other programs disturb some windows, on a busy host nearly all.
        for _ in 0..1_000 {
            let missing = (0..treatments).filter(|&treatment| rates[treatment] == 0.0);
            let visits: Vec<Visit> = missing.map(|treatment| visit(0, 0, treatment)).collect();
            for answer in answers(&setup, visits) {
                if let WorkerMessage::Sample(sample) = answer {
                    rates[sample.place.treatment] = Unit::BytesPerSecond.figure(sample.value);
                }
            }
            if rates.iter().all(|&rate| rate > 0.0) {
                break;
            }
        }
        assert!(rates.iter().all(|rate| (1e7..1e13).contains(rate)), "{rates:?}");
    }

    fn answers(setup: &BandwidthSetup, visits: Vec<Visit>) -> Vec<WorkerMessage> {
        crate::tests::answers(setup, 1, visits)
    }

    #[test]
    fn absent_memory_is_reported() {
        let gone =
            MemoryJob { why_not: Some("node 3 has no memory".to_owned()), ..MemoryJob::default() };
        let setup = BandwidthSetup {
            rows: vec![affinity().unwrap().iter().take(1).collect()],
            columns: vec![gone],
            treatments: vec![StreamTreatment { kernel: Kernel::Read, threads: 1 }],
            isa: Isa::Portable,
            footprint: Bytes::mib(2),
            window: Duration::from_millis(1),
            windows: 1,
        };
        let messages = answers(&setup, vec![visit(0, 0, 0)]);
        assert_eq!(
            messages,
            [unavailable(PlanScope::Cell(visit(0, 0, 0).place), "node 3 has no memory")]
        );
    }
}
