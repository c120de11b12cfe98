//! The station that measures caches: buffers with every size, and a CPU that chases through one of
//! them per visit.

use std::collections::BTreeMap;

use fastrand::Rng;
use nearfar_model::{Bytes, CellIndex, Sample};
use nearfar_place::PlacedBuffer;

use super::buffer::{ChasePosition, SLICES, SweepBuffer};
use super::order::ChaseOrder;
use super::regions::regions;
use super::setup::CacheSetup;
use crate::probes::arch::LINE;
use crate::worker::memories::{first_note, moved_since_placed};
use crate::worker::messages::Messages;
use crate::worker::pinned_cpu::{PinnedCpu, draw_each};
use crate::worker::sliced::{SlicedSample, spare_attempts};
use crate::worker::spinners::Spinners;
use crate::worker::station::{NoSample, Prepare, ReadyStation, Station, cells, distinct};
use crate::worker_message::{Batch, PlacedMemory, PlanScope, Visit, WorkerMessage};

/// Buffers by memory and page size.
type Buffers = BTreeMap<(usize, usize), SweepBuffer>;

/// A CPU for each row, and the buffers that it chases through.
struct CacheStation<'s> {
    setup: &'s CacheSetup,
    batch: &'s Batch,
    cpus: Vec<Option<PinnedCpu>>,
    buffers: Buffers,
    sample: SlicedSample,
    /// The position of the last attempt's chase.
    position: Option<(Visit, ChasePosition)>,
    _spinners: Spinners,
}

impl Prepare for CacheSetup {
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> ReadyStation<'s> {
        let _spinners = Spinners::start(&self.spinners);
        let mut random = Rng::with_seed(batch.seed);
        let cpus =
            draw_each(self.rows.iter().map(|row| &row.cpus), batch, &mut random.fork(), messages);
        let mut buffers = place(self, batch, &mut random.fork(), messages);
        link(self, &mut buffers, random.fork());
        let sample = SlicedSample::default();
        Some(Box::new(CacheStation {
            setup: self,
            batch,
            cpus,
            buffers,
            sample,
            position: None,
            _spinners,
        }))
    }
}

impl Station for CacheStation<'_> {
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Result<Sample, NoSample> {
        let CellIndex { row, column: size, treatment: pages } = visit.place;
        let buffer = self.buffers.get_mut(&(self.setup.rows[row].memory, pages));
        let (Some(cpu), Some(buffer)) = (&mut self.cpus[row], buffer) else {
            return Err(NoSample::Over);
        };
        let mut chase = buffer.chase(size, visit.draw);
        // A retry neither warms caches again nor accesses the same lines again.
        if let Some((_, position)) = self.position.filter(|(of, _)| *of == visit) {
            chase.position = position;
        }
        let attempt = self.sample.attempt(visit, 0, cpu, &mut chase, messages);
        self.position = Some((visit, chase.position));
        attempt
    }

    fn spare_attempts(&self, _: Visit) -> u64 {
        spare_attempts(SLICES)
    }

    fn moved(&self) -> Vec<(Vec<PlanScope>, String)> {
        let moved = self.buffers.iter().filter_map(|(&of, buffer)| {
            let why = moved_since_placed(buffer.memory())?;
            Some((cells(self.batch, |place| buffer_of(self.setup, place) == of), why))
        });
        moved.collect()
    }
}

/// The memory and the page size of a place.
fn buffer_of(setup: &CacheSetup, place: CellIndex) -> (usize, usize) {
    (setup.rows[place.row].memory, place.treatment)
}

/// A buffer for every memory and page size that is visited, in random order: the first one gets
/// other pages than the next.
fn place(
    setup: &CacheSetup,
    batch: &Batch,
    random: &mut Rng,
    messages: &mut Messages<'_>,
) -> Buffers {
    let visited = || batch.visits.iter().map(|visit| visit.place);
    let mut wanted = distinct(visited().map(|place| buffer_of(setup, place)));
    random.shuffle(&mut wanted);
    let mut taken: BTreeMap<usize, Bytes> = BTreeMap::new();
    let mut buffers = Buffers::new();
    for wanted @ (memory, treatment) in wanted {
        let taken = taken.entry(memory).or_default();
        let request =
            setup.memories[memory].request(setup.footprint(), setup.pages[treatment], *taken);
        match request.and_then(|request| {
            PlacedBuffer::on_node(&request).map_err(|refusal| refusal.to_string())
        }) {
            Ok(memory) => {
                *taken = *taken + Bytes(memory.length() as u64);
                let note = first_note([(memory.notes(), memory.proof())].into_iter());
                let placed = PlacedMemory { pages: 1, backing: memory.backing().name(), note };
                let there = visited().filter(|place| buffer_of(setup, *place) == wanted);
                for column in distinct(there.map(|place| place.column)) {
                    messages.send(WorkerMessage::Placed {
                        column,
                        treatment,
                        placed: placed.clone(),
                    });
                }
                buffers.insert(wanted, SweepBuffer::new(memory, regions(&setup.sizes)));
            }
            Err(why) => {
                messages.report_unavailable(
                    cells(batch, |place| buffer_of(setup, place) == wanted),
                    &why,
                );
            }
        }
    }
    buffers
}

/// Writes every size's cycle into every buffer: the same cycle for all page sizes.
fn link(setup: &CacheSetup, buffers: &mut Buffers, random: Rng) {
    if buffers.is_empty() {
        return;
    }
    let mut order = ChaseOrder::new(random);
    for (size, bytes) in setup.sizes.iter().enumerate() {
        let lines = bytes.0 as usize / LINE;
        let next = &order.of(lines)[..lines];
        buffers.values_mut().for_each(|buffer| buffer.link(size, next));
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuSet;
    use nearfar_place::affinity;

    use super::*;
    use crate::caches::{SweepRow, sizes};
    use crate::layout_column::MemoryJob;
    use crate::spec::PageSize;
    use crate::tests::{assert_answered, visit};
    use crate::worker::station::WorkSetup;

    fn setup(why_not: Option<&str>) -> CacheSetup {
        let why_not = why_not.map(str::to_owned);
        CacheSetup {
            rows: vec![SweepRow { cpus: affinity().unwrap(), memory: 0 }],
            memories: vec![MemoryJob { why_not, ..MemoryJob::default() }],
            sizes: sizes(Bytes::mib(16), 1),
            pages: vec![PageSize::Huge, PageSize::Base],
            spinners: CpuSet::new(),
        }
    }

    /// Every size on every page size.
    fn visits(setup: &CacheSetup) -> Vec<Visit> {
        let of_size = |column| {
            (0..setup.pages.len()).map(move |pages| Visit { draw: 1, ..visit(0, column, pages) })
        };
        (0..setup.sizes.len()).flat_map(of_size).collect()
    }

    fn answers(setup: &CacheSetup, seed: u64) -> Vec<WorkerMessage> {
        let visits = visits(setup);
        crate::tests::answers(setup, seed, visits)
    }

    #[test]
    fn every_size_on_all_pages_is_answered() {
        let setup = setup(None);
        assert_answered(&visits(&setup), &answers(&setup, 1));
    }

    #[test]
    #[ignore = "long: needs undisturbed samples, and asserts costs"]
    fn every_size_on_all_pages_gets_a_plausible_figure() {
        let setup = setup(None);
        let (shape, mut ns) = (setup.shape(), vec![f64::INFINITY; visits(&setup).len()]);
        // Other programs disturb some of them.
        for seed in 0..50 {
            for answer in answers(&setup, seed) {
                if let WorkerMessage::Sample(sample) = answer {
                    let at = shape.index_in_row(sample.place);
                    ns[at] = ns[at].min(sample.value);
                }
            }
            if seed >= 2 && ns.iter().all(|ns| ns.is_finite()) {
                break;
            }
        }
        assert!(ns.iter().all(|ns| (0.2..2000.0).contains(ns)), "{ns:?}");
        // 4 KiB fit the first cache of any machine, 16 MiB do not.
        assert!(ns[ns.len() - 2] > 2.0 * ns[0], "{ns:?}");
    }

    #[test]
    fn absent_memory_is_reported() {
        let messages = answers(&setup(Some("node 3 has no memory")), 1);
        assert_eq!(messages.len(), visits(&setup(None)).len());
        let gone = |answer: &WorkerMessage| match answer {
            WorkerMessage::Unavailable { scope: PlanScope::Cell(_), why } => why.contains("node 3"),
            _ => false,
        };
        assert!(messages.iter().all(gone), "{messages:?}");
    }
}
