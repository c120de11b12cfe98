//! What a worker process measures caches with: buffers of every size, and a CPU that goes round one
//! of them a visit.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use nearfar_model::{Bytes, Place};
use nearfar_place::{BufferPlace, PlacedBuffer, Proof, WantedPages};

use super::buffer::{SLICES, Stretch, SweepBuffer};
use super::order::Order;
use super::regions::regions;
use super::setup::CacheSetup;
use crate::answer::{Answer, Batch, PlanScope, Visit};
use crate::probes::arch::LINE;
use crate::spec::PageSize;
use crate::worker::memories::moved_meanwhile;
use crate::worker::messages::Messages;
use crate::worker::pinned_cpu::{PinnedCpu, draw_each};
use crate::worker::sliced::{SlicedSample, spare_attempts};
use crate::worker::spinners::Spinners;
use crate::worker::station::{Attempt, Prepare, Station, distinct, places};

/// Buffers by memory and kind of pages.
type Buffers = BTreeMap<(usize, usize), SweepBuffer>;

/// A CPU for each row, and the buffers that it goes round.
pub(super) struct CacheStation<'s> {
    setup: &'s CacheSetup,
    batch: &'s Batch,
    cpus: Vec<Option<PinnedCpu>>,
    buffers: Buffers,
    sample: SlicedSample,
    /// Where the last attempt's chase stood.
    stretch: Option<(Visit, Stretch)>,
    _spinners: Spinners,
}

impl<'s> CacheStation<'s> {
    pub(super) fn prepare(setup: &'s CacheSetup, batch: &'s Batch, messages: &mut Messages<'_>) -> Self {
        let _spinners = Spinners::start(&setup.spinners);
        let mut random = Rng::with_seed(batch.seed);
        let cpus = draw_each(setup.rows.iter().map(|row| &row.cpus), batch, &mut random.fork(), messages);
        let mut buffers = place(setup, batch, &mut random.fork(), messages);
        link(setup, &mut buffers, random.fork());
        Self { setup, batch, cpus, buffers, sample: SlicedSample::default(), stretch: None, _spinners }
    }
}

impl Prepare for CacheSetup {
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> Option<Box<dyn Station + 's>> {
        Some(Box::new(CacheStation::prepare(self, batch, messages)))
    }
}

impl Station for CacheStation<'_> {
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Attempt {
        let Place { row, column: size, treatment: pages } = visit.place;
        let buffer = self.buffers.get_mut(&(self.setup.rows[row].memory, pages));
        let (Some(cpu), Some(buffer)) = (&mut self.cpus[row], buffer) else { return Attempt::Over };
        let mut chase = buffer.chase(size, visit.draw);
        // Another attempt neither warms caches again nor meets the same lines again.
        if let Some((_, stretch)) = self.stretch.filter(|(of, _)| *of == visit) {
            chase.resume(stretch);
        }
        let attempt = self.sample.attempt(visit, 0, cpu, &mut chase, messages);
        self.stretch = Some((visit, chase.stretch()));
        attempt
    }

    fn spare_attempts(&self, _: Visit) -> u64 {
        spare_attempts(SLICES)
    }

    fn moved(&self) -> Vec<(PlanScope, String)> {
        let mut moved = Vec::new();
        for (&memory, buffer) in &self.buffers {
            if let Some(why) = moved_meanwhile(buffer.memory()) {
                let places = visited(self.setup, self.batch, memory);
                moved.extend(places.into_iter().map(|place| (PlanScope::Cell(place), why.clone())));
            }
        }
        moved
    }
}

/// A buffer for every memory and kind of pages that is visited, in random order: what comes first gets other pages than what comes next.
fn place(setup: &CacheSetup, batch: &Batch, random: &mut Rng, messages: &mut Messages<'_>) -> Buffers {
    let memory_of = |visit: &Visit| (setup.rows[visit.place.row].memory, visit.place.treatment);
    let mut wanted: Vec<(usize, usize)> = distinct(batch.visits.iter().map(memory_of));
    random.shuffle(&mut wanted);
    let mut taken: BTreeMap<usize, Bytes> = BTreeMap::new();
    let mut buffers = Buffers::new();
    for place in wanted {
        let taken = taken.entry(place.0).or_default();
        match buffer(setup, place, *taken) {
            Ok(memory) => {
                *taken = *taken + Bytes(memory.length() as u64);
                report(setup, batch, place, &memory, messages);
                buffers.insert(place, SweepBuffer::new(memory, regions(&setup.sizes)));
            }
            Err(why) => give_up(setup, batch, place, &why, messages),
        }
    }
    buffers
}

fn buffer(setup: &CacheSetup, (memory, pages): (usize, usize), taken: Bytes) -> Result<PlacedBuffer, String> {
    let job = &setup.memories[memory];
    if let Some(why) = &job.why_not {
        return Err(why.clone());
    }
    let wish = BufferPlace {
        node: job.node,
        bytes: setup.footprint(),
        pages: match setup.pages[pages] {
            PageSize::Huge => WantedPages::Huge,
            PageSize::Base => WantedPages::Base,
        },
        touch_from: job.touch_from.clone(),
        free: job.free.map(|free| Bytes(free.0.saturating_sub(taken.0))),
    };
    PlacedBuffer::place(&wish).map_err(|refusal| refusal.to_string())
}

/// The places that a memory and a kind of pages are visited at.
fn visited(setup: &CacheSetup, batch: &Batch, (memory, pages): (usize, usize)) -> BTreeSet<Place> {
    places(batch, |place| setup.rows[place.row].memory == memory && place.treatment == pages)
}

fn report(
    setup: &CacheSetup,
    batch: &Batch,
    place: (usize, usize),
    memory: &PlacedBuffer,
    messages: &mut Messages<'_>,
) {
    let unproven = match memory.proof() {
        Proof::Unknown(why) => Some(format!("where its pages are is not proven: {why}")),
        Proof::Proven(_) => None,
    };
    let note = memory.notes().first().cloned().or(unproven);
    let backing = memory.backing().name();
    for column in distinct(visited(setup, batch, place).into_iter().map(|place| place.column)) {
        let (backing, note) = (backing.clone(), note.clone());
        messages.send(&Answer::Placed { column, treatment: place.1, pages: 1, backing, note });
    }
}

/// Reports that a memory with a kind of pages cannot be measured.
fn give_up(setup: &CacheSetup, batch: &Batch, place: (usize, usize), why: &str, messages: &mut Messages<'_>) {
    for place in visited(setup, batch, place) {
        messages.send(&Answer::Unavailable { scope: PlanScope::Cell(place), why: why.to_owned() });
    }
}

/// Writes every size's cycle into every buffer: the same cycle on all kinds of pages.
fn link(setup: &CacheSetup, buffers: &mut Buffers, random: Rng) {
    if buffers.is_empty() {
        return;
    }
    let mut order = Order::new(random);
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
    use crate::answered::{assert_answered, visit};
    use crate::bandwidth::MemoryJob;
    use crate::caches::{SweepRow, sizes};
    use crate::worker::station::WorkSetup;

    fn setup(why_not: Option<&str>) -> CacheSetup {
        let why_not = why_not.map(str::to_owned);
        CacheSetup {
            rows: vec![SweepRow { cpus: affinity().unwrap(), memory: 0 }],
            memories: vec![MemoryJob { node: None, touch_from: CpuSet::new(), free: None, why_not }],
            sizes: sizes(Bytes::mib(16), 1),
            pages: vec![PageSize::Huge, PageSize::Base],
            spinners: CpuSet::new(),
        }
    }

    /// Every size on all pages.
    fn visits(setup: &CacheSetup) -> Vec<Visit> {
        let of_size = |column| (0..setup.pages.len()).map(move |pages| Visit { draw: 1, ..visit(0, column, pages) });
        (0..setup.sizes.len()).flat_map(of_size).collect()
    }

    fn answers(setup: &CacheSetup, seed: u64) -> Vec<Answer> {
        let visits = visits(setup);
        crate::answered::answers(setup, seed, visits)
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
                if let Answer::Sample(sample) = answer {
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
    fn memory_that_is_known_not_to_be_there_is_told() {
        let said = answers(&setup(Some("node 3 has no memory")), 1);
        assert_eq!(said.len(), visits(&setup(None)).len());
        let gone = |answer: &Answer| matches!(answer, Answer::Unavailable { scope: PlanScope::Cell(_), why } if why.contains("node 3"));
        assert!(said.iter().all(gone), "{said:?}");
    }
}
