//! A worker whose visits are pairs of CPUs: a page of lines on each node, two threads a visit.

#![allow(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::atomic::AtomicU64;

use fastrand::Rng;
use nearfar_model::{Bytes, Place};
use nearfar_place::{BufferPlace, PlacedBuffer, WantedPages};

use super::partner::{no_partner, together};
use super::setup::{Exchange, LinesJob, PairSetup, Treatment};
use super::{handoff, overlap, transfer};
use crate::answer::{Answer, Batch, DropReason, PlanScope, Visit};
use crate::probes::arch::Flusher;
use crate::probes::cycle::link;
use crate::probes::slice::{SEGMENTS, Timing};
use crate::worker::guards::stall::is_stalled;
use crate::worker::memories::moved_meanwhile;
use crate::worker::speaker::Speaker;

/// Lines of one node: a huge page, part of which a visit draws.
const PAGE: Bytes = Bytes::mib(2);
/// CPUs that run in turns exchange a line once a turn, or once for each time that a hypervisor lets the other run: no sooner than this.
const SUSPICIOUS_NS: f64 = 2_000.0;
/// Disturbed attempts that a visit may have and still go on.
const SPARE_ATTEMPTS: u32 = 2;

/// Makes the visits of a batch.
pub(crate) fn work(setup: &PairSetup, batch: &Batch, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let mut station = Station::place(setup, batch.seed);
    for &visit in &batch.visits {
        station.visit(visit, speaker)?;
    }
    station.report_moved(batch, speaker)
}

struct Station<'s> {
    setup: &'s PairSetup,
    /// Why no second thread can be had, where that is so.
    no_partner: Option<String>,
    /// Of each node, its lines; or why there are none.
    lines: Vec<Result<PlacedBuffer, String>>,
    /// Windows that have their cycle: by node, and where they begin. (All of them at once take half a minute on an emulated machine.)
    linked: BTreeSet<(usize, usize)>,
    random: Rng,
    flusher: Flusher,
    /// Whether two CPUs run at the same time, as far as it was looked at.
    overlaps: BTreeMap<(usize, usize), Result<(), DropReason>>,
}

impl<'s> Station<'s> {
    fn place(setup: &'s PairSetup, seed: u64) -> Self {
        Self {
            setup,
            no_partner: no_partner(),
            lines: setup.lines.iter().map(lines).collect(),
            linked: BTreeSet::new(),
            random: Rng::with_seed(seed),
            flusher: Flusher::new(),
            overlaps: BTreeMap::new(),
        }
    }

    /// Makes one visit and says what came of it.
    fn visit(&mut self, visit: Visit, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
        let Place { row, column: second, treatment } = visit.place;
        let treatment = self.setup.treatments[treatment];
        let Some(home) = self.setup.home(row, second, treatment.home, visit.draw) else {
            let why = "there is no third node".to_owned();
            return speaker.say(&Answer::cell_unavailable(visit, why));
        };
        if let Some(why) = &self.no_partner {
            return speaker.say(&Answer::cell_unavailable(visit, why.clone()));
        }
        if let Err(why) = &self.lines[home] {
            return speaker.say(&Answer::cell_unavailable(visit, why.clone()));
        }
        for _ in 0..=SPARE_ATTEMPTS {
            match self.attempt(visit, home, treatment) {
                Ok(ns) => return speaker.say(&Answer::Sample(visit.sample(self.setup.cpus[row], visit.draw, ns))),
                Err(reason) => speaker.say(&Answer::dropped(visit, reason))?,
            }
        }
        Ok(())
    }

    /// Nanoseconds of one way.
    fn attempt(&mut self, visit: Visit, home: usize, treatment: Treatment) -> Result<f64, DropReason> {
        let (row, second) = (visit.place.row, visit.place.column);
        let timed = match treatment.exchange {
            // A round trip is twice one way.
            Exchange::Handoff => self.hand_over(visit, second, home).map(|(timing, trips)| (timing, 2 * trips)),
            exchange => self.transfer(visit, second, home, exchange),
        };
        let (timing, per_segment) = match timed {
            // One waited in vain for the other. That alone does not tell whether they ever run together.
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
        // What other programs did is no property of the pair.
        if matches!(found, Ok(()) | Err(DropReason::TimeShared)) {
            self.overlaps.insert(pair, found);
        }
        found
    }

    fn hand_over(&self, visit: Visit, second: usize, home: usize) -> Result<(Timing, u64), DropReason> {
        // A line beside that of a pointer, which stays as it is.
        let offset = window(visit.draw) + size_of::<u64>();
        // SAFETY: within the page, aligned, and only ever accessed as this atomic while both threads have it.
        let line = unsafe { &*self.start(home).wrapping_add(offset).cast::<AtomicU64>() };
        together(
            self.setup.cpus[visit.place.row],
            self.setup.cpus[second],
            |meeting| handoff::lead(line, meeting),
            |meeting| handoff::follow(line, meeting),
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
        let (flusher, wanted) = (&mut self.flusher, transfer::Wanted::default());
        together(
            self.setup.cpus[visit.place.row],
            self.setup.cpus[second],
            |meeting| transfer::lead(window, &wanted, flusher, meeting),
            |meeting| transfer::follow(window, &wanted, exchange, meeting),
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

    /// The page of a node that has one.
    fn start(&self, home: usize) -> *mut u8 {
        self.lines[home].as_ref().map_or(std::ptr::null_mut(), PlacedBuffer::start)
    }

    /// Takes back what was measured with lines that have moved to another node meanwhile.
    fn report_moved(&self, batch: &Batch, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
        let Some(why) = self.lines.iter().flatten().find_map(moved_meanwhile) else { return Ok(()) };
        // With what it was visited with: other exchanges have batches of their own.
        let places: BTreeSet<Place> = batch.visits.iter().map(|visit| visit.place).collect();
        let gone = |place| Answer::Unavailable { scope: PlanScope::Cell(place), why: why.clone() };
        places.into_iter().try_for_each(|place| speaker.say(&gone(place)))
    }
}

/// Where a visit's window begins.
fn window(draw: u32) -> usize {
    draw as usize % (PAGE.0 as usize / transfer::WINDOW) * transfer::WINDOW
}

/// A page on a node.
fn lines(job: &LinesJob) -> Result<PlacedBuffer, String> {
    if let Some(why) = &job.why_not {
        return Err(why.clone());
    }
    let wish = BufferPlace {
        node: job.node,
        bytes: PAGE,
        pages: WantedPages::Huge,
        touch_from: job.touch_from.clone(),
        free: None,
    };
    PlacedBuffer::place(&wish).map_err(|refusal| refusal.to_string())
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CpuId, CpuSet};
    use nearfar_place::{AffinityGuard, affinity};

    use super::super::setup::Home;
    use super::*;
    use crate::answered::{assert_answered, visit};

    fn setup(cpus: Vec<CpuId>) -> PairSetup {
        let treatment = |exchange| Treatment { exchange, home: Home::Any };
        PairSetup {
            node_of: vec![0; cpus.len()],
            cpus,
            lines: vec![LinesJob { node: None, touch_from: CpuSet::new(), why_not: None }],
            treatments: [Exchange::Handoff, Exchange::Modified, Exchange::Clean].map(treatment).to_vec(),
            // Else each pair is looked at for so long that a busy machine disturbs every look.
            is_guest: false,
        }
    }

    fn visited(setup: &PairSetup, visits: Vec<Visit>) -> Vec<Answer> {
        let _back = AffinityGuard::stay().unwrap();
        let mut output = Vec::new();
        let mut speaker = Speaker::new(&mut output);
        work(setup, &Batch { process: 0, seed: 1, visits }, &mut speaker).unwrap();
        speaker.flush().unwrap();
        drop(speaker);
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Two CPUs of this machine.
    fn pair() -> Option<PairSetup> {
        let cpus: Vec<CpuId> = affinity().unwrap().iter().take(2).collect();
        if cpus.len() < 2 {
            eprintln!("SKIPPED: there is one CPU only");
            return None;
        }
        Some(setup(cpus))
    }

    #[test]
    fn two_cpus_are_answered_in_every_way() {
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
                if let Answer::Sample(sample) = answer {
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
        // Turns that take long may each be forgiven; the cost says what they were.
        let is_no_exchange = |answer: &Answer| match answer {
            Answer::Sample(sample) => sample.value > SUSPICIOUS_NS,
            answer => matches!(answer, Answer::Dropped(_)),
        };
        assert!(answers.iter().all(is_no_exchange), "{answers:?}");
    }

    #[test]
    fn a_home_that_there_is_not_is_told() {
        let mut setup = setup(affinity().unwrap().iter().take(1).collect());
        setup.treatments[0].home = Home::Third;
        let answers = visited(&setup, vec![visit(0, 0, 0)]);
        let why = "there is no third node".to_owned();
        assert_eq!(answers, [Answer::cell_unavailable(visit(0, 0, 0), why)]);
    }
}
