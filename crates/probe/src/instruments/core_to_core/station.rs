//! The station that measures core to core: a page of lines on each node, and two threads per visit.

#![allow(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU64;

use fastrand::Rng;
use nearfar_model::{Bytes, CellIndex, Sample};
use nearfar_place::PlacedBuffer;

use super::partner::{no_second_thread, run_pair};
use super::setup::{Exchange, PairSetup};
use super::{handoff, overlap, transfer};
use crate::layout_column::MemoryJob;
use crate::probes::arch::Flusher;
use crate::probes::link;
use crate::probes::slice::{SEGMENTS, Timing};
use crate::spec::PageSize;
use crate::worker::guards::is_stalled;
use crate::worker::memories::moved_since_placed;
use crate::worker::messages::Messages;
use crate::worker::station::{NoSample, Prepare, ReadyStation, Station, cells};
use crate::worker_message::{Batch, DropReason, PlanScope, Visit};

/// Lines of one node: a huge page, from which a visit draws a part.
const PAGE: Bytes = Bytes::mib(2);
/// Time-shared CPUs exchange a line once per time slice of the hypervisor: never faster than this.
const SUSPICIOUS_NS: f64 = 2_000.0;

/// A page of lines on each node, and what is known about pairs.
struct PairStation<'s> {
    setup: &'s PairSetup,
    batch: &'s Batch,
    /// Why no second thread can start, if so.
    no_second_thread: Option<String>,
    /// The lines of each node; or why there are none.
    lines: Vec<Result<PlacedBuffer, String>>,
    /// Windows with a cycle: their node and offset. (Linking all at once takes half a minute on an
    /// emulated machine.)
    linked: BTreeSet<(usize, usize)>,
    random: Rng,
    flusher: Flusher,
    /// Whether pairs overlap, as far as checked.
    overlaps: BTreeMap<(usize, usize), Result<(), DropReason>>,
}

impl Prepare for PairSetup {
    fn station<'s>(&'s self, batch: &'s Batch, _: &mut Messages<'_>) -> ReadyStation<'s> {
        Some(Box::new(PairStation {
            setup: self,
            batch,
            no_second_thread: no_second_thread(),
            lines: self.lines.iter().map(lines).collect(),
            linked: BTreeSet::new(),
            random: Rng::with_seed(batch.seed),
            flusher: Flusher::new(),
            overlaps: BTreeMap::new(),
        }))
    }
}

impl PairStation<'_> {
    /// The home node of a visit's line; or why there is none.
    fn home(&self, visit: Visit) -> Result<usize, String> {
        let CellIndex { row, column: second, treatment } = visit.place;
        let home = self.setup.home(row, second, self.setup.treatments[treatment].home, visit.draw);
        let home = home.ok_or_else(|| "there is no third node".to_owned())?;
        match (&self.no_second_thread, &self.lines[home]) {
            (Some(why), _) | (None, Err(why)) => Err(why.clone()),
            (None, Ok(_)) => Ok(home),
        }
    }

    /// Nanoseconds of one way.
    fn one_way(&mut self, visit: Visit, home: usize) -> Result<f64, DropReason> {
        let CellIndex { row, column: second, treatment } = visit.place;
        let timed = match self.setup.treatments[treatment].exchange {
            // A round trip is twice one way.
            Exchange::Handoff => {
                self.handoff(visit, second, home).map(|(timing, trips)| (timing, 2 * trips))
            }
            exchange => self.transfer(visit, second, home, exchange),
        };
        let (timing, per_segment) = match timed {
            // One thread waited in vain. This alone does not prove time-sharing.
            Err(DropReason::TimeShared) => {
                self.check_overlap(row, second)?;
                return Err(DropReason::Stalled);
            }
            timed => timed?,
        };
        if is_stalled(&timing.segments) {
            return Err(DropReason::Stalled);
        }
        let ns = timing.cost().as_nanos() as f64 / (per_segment * SEGMENTS) as f64;
        if self.setup.is_guest && ns > SUSPICIOUS_NS {
            self.check_overlap(row, second)?;
        }
        Ok(ns)
    }

    fn check_overlap(&mut self, first: usize, second: usize) -> Result<(), DropReason> {
        let pair = (first.min(second), first.max(second));
        if let Some(&known) = self.overlaps.get(&pair) {
            return known;
        }
        let found = overlap::check(self.setup.cpus[first], self.setup.cpus[second]);
        // Disturbances by other programs are no property of the pair.
        if matches!(found, Ok(()) | Err(DropReason::TimeShared)) {
            self.overlaps.insert(pair, found);
        }
        found
    }

    fn handoff(
        &self,
        visit: Visit,
        second: usize,
        home: usize,
    ) -> Result<(Timing, u64), DropReason> {
        // A line beside that of a pointer, which stays unchanged.
        let offset = window(visit.draw) + size_of::<u64>();
        // SAFETY: within the page, aligned, and only accessed as this atomic while both threads
        // have it.
        let line = unsafe { &*self.start(home).wrapping_add(offset).cast::<AtomicU64>() };
        run_pair(
            self.setup.cpus[visit.place.row],
            self.setup.cpus[second],
            |rendezvous| handoff::lead(line, rendezvous),
            |rendezvous| handoff::follow(line, rendezvous),
        )
    }

    fn transfer(
        &mut self,
        visit: Visit,
        second: usize,
        home: usize,
        exchange: Exchange,
    ) -> Result<(Timing, u64), DropReason> {
        let window = self.linked(home, window(visit.draw));
        let (flusher, wanted) = (&mut self.flusher, transfer::RequestedTurns::default());
        run_pair(
            self.setup.cpus[visit.place.row],
            self.setup.cpus[second],
            |rendezvous| transfer::lead(window, &wanted, flusher, rendezvous),
            |rendezvous| transfer::follow(window, &wanted, exchange, rendezvous),
        )
    }

    /// A window of a node's page, with its cycle.
    fn linked(&mut self, home: usize, begin: usize) -> transfer::Window {
        if self.linked.insert((home, begin)) {
            if let Ok(page) = &mut self.lines[home] {
                let words = begin / size_of::<u64>()..(begin + transfer::WINDOW) / size_of::<u64>();
                link(&mut page.words_mut()[words], &mut self.random);
            }
        }
        // SAFETY: a cycle was linked here, and the page lives as long as this station.
        unsafe { transfer::Window::new(self.start(home).wrapping_add(begin)) }
    }

    /// The start of a node's page.
    fn start(&self, home: usize) -> *mut u8 {
        self.lines[home].as_ref().map_or(std::ptr::null_mut(), PlacedBuffer::start)
    }
}

impl Station for PairStation<'_> {
    fn attempt(&mut self, visit: Visit, _: &mut Messages<'_>) -> Result<Sample, NoSample> {
        let home = self.home(visit)?;
        let ns = self.one_way(visit, home)?;
        Ok(visit.sample(self.setup.cpus[visit.place.row], visit.draw, ns))
    }

    /// Moved lines invalidate all samples of this batch; other exchanges have their own batches.
    fn moved(&self) -> Vec<(Vec<PlanScope>, String)> {
        let why = self.lines.iter().flatten().find_map(moved_since_placed);
        why.map(|why| (cells(self.batch, |_| true), why)).into_iter().collect()
    }
}

/// The offset of a visit's window.
fn window(draw: u32) -> usize {
    draw as usize % (PAGE.0 as usize / transfer::WINDOW) * transfer::WINDOW
}

/// A page on a node.
fn lines(memory: &MemoryJob) -> Result<PlacedBuffer, String> {
    PlacedBuffer::on_node(&memory.request(PAGE, PageSize::Huge, Bytes(0))?)
        .map_err(|refusal| refusal.to_string())
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuId;
    use nearfar_place::{AffinityGuard, affinity};

    use super::super::setup::{Home, PairTreatment};
    use super::*;
    use crate::tests::{assert_answered, unavailable, visit};
    use crate::worker_message::WorkerMessage;

    fn setup(cpus: Vec<CpuId>) -> PairSetup {
        let treatment = |exchange| PairTreatment { exchange, home: Home::Any };
        PairSetup {
            node_of: vec![0; cpus.len()],
            cpus,
            lines: vec![MemoryJob::default()],
            treatments: [Exchange::Handoff, Exchange::Modified, Exchange::Clean]
                .map(treatment)
                .to_vec(),
            // Otherwise each pair is checked for so long that a busy machine disturbs every check.
            is_guest: false,
        }
    }

    fn visited(setup: &PairSetup, visits: Vec<Visit>) -> Vec<WorkerMessage> {
        let _restore = AffinityGuard::save().unwrap();
        crate::tests::answers(setup, 1, visits)
    }

    /// Two CPUs of this machine.
    fn pair() -> Option<PairSetup> {
        let cpus: Vec<CpuId> = affinity().unwrap().iter().take(2).collect();
        if cpus.len() < 2 {
            eprintln!("SKIPPED: one CPU only");
            return None;
        }
        Some(setup(cpus))
    }

    #[test]
    fn every_exchange_of_two_cpus_is_answered() {
        let Some(setup) = pair() else { return };
        let visits: Vec<Visit> = (0..3).map(|treatment| visit(0, 1, treatment)).collect();
        assert_answered(&visits, &visited(&setup, visits.clone()));
    }

    #[test]
    #[ignore = "long: needs undisturbed samples, and asserts costs"]
    fn costs_of_two_cpus_are_plausible() {
        let Some(setup) = pair() else { return };
        let mut costs = [0.0f64; 3];
        // Other programs disturb some of them.
        for draw in 0..500 {
            let visit = |treatment| Visit { draw, ..visit(0, 1, treatment) };
            for answer in visited(&setup, (0..3).map(visit).collect()) {
                if let WorkerMessage::Sample(sample) = answer {
                    costs[sample.place.treatment] = sample.value;
                }
            }
            if costs.iter().all(|&ns| ns > 0.0) {
                break;
            }
        }
        assert!(costs.iter().all(|ns| (1.0..20_000.0).contains(ns)), "{costs:?}");
    }

    #[test]
    fn a_cpu_does_not_exchange_lines_with_itself() {
        let setup = setup(affinity().unwrap().iter().take(1).collect());
        let answers = visited(&setup, vec![visit(0, 0, 0)]);
        // Slow exchanges may pass; their cost shows what they were.
        let is_no_exchange = |answer: &WorkerMessage| match answer {
            WorkerMessage::Sample(sample) => sample.value > SUSPICIOUS_NS,
            answer => matches!(answer, WorkerMessage::Dropped(_)),
        };
        assert!(answers.iter().all(is_no_exchange), "{answers:?}");
    }

    #[test]
    fn a_missing_home_is_reported() {
        let mut setup = setup(affinity().unwrap().iter().take(1).collect());
        setup.treatments[0].home = Home::Third;
        let answers = visited(&setup, vec![visit(0, 0, 0)]);
        assert_eq!(
            answers,
            [unavailable(PlanScope::Cell(visit(0, 0, 0).place), "there is no third node")]
        );
    }
}
