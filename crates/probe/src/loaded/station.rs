//! A worker that times accesses of one CPU while others stream.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::time::Duration;

use fastrand::Rng;
use nearfar_model::{CpuId, Place, Sample};
use nearfar_place::AffinityGuard;

use super::aggressors::beside;
use super::setup::{Load, LoadedSetup};
use crate::answer::{Answer, Batch, DropReason, PlanScope, Visit};
use crate::bandwidth::MemoryJob;
use crate::bandwidth::berths::{Berths, Tenants};
use crate::crew::Duty;
use crate::probes::slice::Probe;
use crate::worker::memories::{Budget, moved_meanwhile, place};
use crate::worker::seat::{Seat, Seated};
use crate::worker::speaker::Speaker;
use crate::worker::spinners::Spinners;
use crate::worker::visiting::guarded;

/// Disturbed attempts that a visit may have and still go on.
const SPARE_ATTEMPTS: u32 = 3;

/// The probe over a memory's pages; else why there is none.
type Ready = Result<Box<dyn Probe>, String>;

/// What a process has ready: why not, where it has not.
struct Station<'s> {
    setup: &'s LoadedSetup,
    seats: BTreeMap<usize, Seat>,
    probes: BTreeMap<usize, Ready>,
    berths: Berths<'s>,
}

/// Makes the visits of a batch.
pub(crate) fn work(setup: &LoadedSetup, batch: &Batch, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let memory: Vec<MemoryJob> = setup.columns.iter().map(MemoryJob::beside).collect();
    let bytes_of = |_, threads| setup.bytes_of(threads);
    let tenants = Tenants { rows: &setup.rows, memory: &memory, bytes_of: &bytes_of };
    let loads = batch.visits.iter().filter_map(|visit| setup.loads[visit.place.treatment]);
    let berths = match Berths::new(tenants, &distinct(loads.map(|load| load.row))) {
        Ok(berths) => berths,
        Err(why) => {
            let gone = |row| speaker.say(&Answer::row_unavailable(row, why.clone()));
            return distinct(batch.visits.iter().map(|visit| visit.place.row)).into_iter().try_for_each(gone);
        }
    };
    let mut random = Rng::with_seed(batch.seed);
    let seats = draw_seats(setup, batch, &mut random.fork(), speaker)?;
    let probes = place_pages(setup, batch, &mut random.fork(), speaker)?;
    let mut station = Station { setup, seats, probes, berths };
    batch.visits.iter().try_for_each(|&visit| station.make(visit, speaker))?;
    station.report_moved(batch, speaker)
}

/// A victim for every row that is visited.
fn draw_seats(
    setup: &LoadedSetup,
    batch: &Batch,
    random: &mut Rng,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<BTreeMap<usize, Seat>> {
    let mut seats = BTreeMap::new();
    for row in distinct(batch.visits.iter().map(|visit| visit.place.row)) {
        let _back = AffinityGuard::stay();
        match Seat::draw(&setup.rows[row].iter().copied().collect(), random) {
            Ok(seat) => drop(seats.insert(row, seat)),
            Err(why) => speaker.say(&Answer::row_unavailable(row, why))?,
        }
    }
    Ok(seats)
}

/// The victims' pages, in random order as those of latency.
fn place_pages(
    setup: &LoadedSetup,
    batch: &Batch,
    random: &mut Rng,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<BTreeMap<usize, Ready>> {
    let mut budget = Budget::default();
    let visited = distinct(batch.visits.iter().map(|visit| visit.place.column));
    let mut queue: Vec<_> = visited.into_iter().map(|at| (at, budget.grant(&setup.columns[at]))).collect();
    random.shuffle(&mut queue);
    let mut probes = BTreeMap::new();
    for (at, granted) in queue {
        let (probe, told) = place(at, &setup.columns[at], granted, random);
        let ready = match (probe, told) {
            (Some(probe), told) => {
                speaker.say(&told)?;
                Ok(probe)
            }
            (None, Answer::Unavailable { why, .. }) => Err(why),
            (None, _) => Err("its pages could not be placed".to_owned()),
        };
        if let Err(why) = &ready {
            give_up(batch, at, why, speaker)?;
        }
        probes.insert(at, ready);
    }
    Ok(probes)
}

impl Station<'_> {
    /// Makes one visit and says what came of it: each dropped attempt, and at most one sample.
    fn make(&mut self, visit: Visit, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
        let Place { row, column: memory, treatment } = visit.place;
        let load = self.setup.loads[treatment];
        // Its row was said to be unavailable.
        let Some(victim) = self.seats.get(&row).map(|seat| seat.cpu) else { return Ok(()) };
        let duties = match load.map_or(Ok(vec![]), |load| self.duties(victim, memory, load)) {
            Ok(duties) => duties,
            Err(why) => return speaker.say(&Answer::cell_unavailable(visit, why)),
        };
        for _ in 0..=SPARE_ATTEMPTS {
            match self.attempt(visit, &duties, speaker)? {
                Err(why) => return speaker.say(&Answer::cell_unavailable(visit, why)),
                Ok(Err(reason)) => speaker.say(&Answer::dropped(visit, reason))?,
                Ok(Ok(sample)) => return speaker.say(&Answer::Sample(sample)),
            }
        }
        Ok(())
    }

    /// What everybody does beside the victim.
    fn duties(&mut self, victim: CpuId, memory: usize, load: Load) -> Result<Vec<Duty>, String> {
        let row = &self.setup.rows[load.row];
        let (berths, _) = self.berths.of(load.row, load.memory.unwrap_or(memory))?;
        let chosen = beside(victim, row, &self.setup.cores);
        let (kernel, isa, pause) = (self.setup.kernel, self.setup.isa, u64::from(load.delay));
        let at_work = row.iter().zip(berths).filter(|(cpu, _)| chosen.contains(cpu));
        let duties: Vec<Duty> = at_work.map(|(_, berth)| Duty { berth, kernel, isa, pause }).collect();
        if duties.is_empty() { Err(format!("no CPU beside CPU {victim} is left to disturb it")) } else { Ok(duties) }
    }

    /// One sample, and what was moved meanwhile.
    fn attempt(
        &mut self,
        visit: Visit,
        duties: &[Duty],
        speaker: &mut Speaker<impl Write>,
    ) -> io::Result<Result<Result<Sample, DropReason>, String>> {
        let Place { row, column: memory, .. } = visit.place;
        let probe = match self.probes.get_mut(&memory) {
            Some(Ok(probe)) => probe.as_mut(),
            Some(Err(why)) => return Ok(Err(why.clone())),
            None => return Ok(Err("its pages were not placed".to_owned())),
        };
        let Some(seat) = self.seats.get_mut(&row) else { return Ok(Err("it has no CPU".to_owned())) };
        match seat.take() {
            Seated::Ready => {}
            Seated::ReadyFirst(ghz) => speaker.say(&Answer::Frequency { row, cpu: seat.cpu, ghz })?,
            Seated::Unsettled => return Ok(Ok(Err(DropReason::Unsettled))),
        }
        let page = visit.draw % self.setup.columns[memory].pages;
        // Aggressors keep their package awake even while they pause.
        let _awake = duties.is_empty().then(|| Spinners::start(&self.setup.spinners_beside(seat.cpu)));
        let sampled = match self.berths.crew().during(duties, || sample(page, seat, probe)) {
            Err(error) => return Ok(Err(error.to_string())),
            Ok(sampled) => sampled,
        };
        let taken = |(cost, traffic): (Duration, f64)| {
            let accesses = probe.division().slices * probe.division().per_slice();
            let ns = cost.as_nanos() as f64 / accesses as f64;
            Sample { traffic: Some(traffic), ..visit.sample(seat.cpu, page, ns) }
        };
        let believed = sampled.and_then(|(cost, rates)| {
            // Nobody moves nothing, and not minus nothing, as their sum would be.
            Ok((cost?, rates.memory_bytes_per_s().abs()))
        });
        Ok(Ok(believed.map(taken)))
    }

    /// Looks all victims' pages up once more.
    fn report_moved(&self, batch: &Batch, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
        for column in distinct(batch.visits.iter().map(|visit| visit.place.column)) {
            let probe = self.probes.get(&column).and_then(|probe| probe.as_ref().ok());
            if let Some(why) = probe.and_then(|probe| moved_meanwhile(probe.memory())) {
                give_up(batch, column, &why, speaker)?;
            }
        }
        Ok(())
    }
}

/// Says of a memory that what was visited there cannot be measured. Other batches may have measured it beside other loads.
fn give_up(batch: &Batch, column: usize, why: &str, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let here = batch.visits.iter().filter(|visit| visit.place.column == column);
    let places: BTreeSet<Place> = here.map(|visit| visit.place).collect();
    places
        .into_iter()
        .try_for_each(|place| speaker.say(&Answer::Unavailable { scope: PlanScope::Cell(place), why: why.to_owned() }))
}

/// The time of a sample's accesses.
fn sample(page: u32, seat: &Seat, probe: &mut dyn Probe) -> Result<Duration, DropReason> {
    (0..probe.division().slices).map(|_| guarded(page, seat, probe)).sum()
}

fn distinct(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use nearfar_place::affinity;

    use super::super::setup::tests::setup;
    use super::*;
    use crate::answered::{assert_answered, visit};

    fn answers(setup: &LoadedSetup, visits: Vec<Visit>) -> Vec<Answer> {
        let mut output = Vec::new();
        let mut speaker = Speaker::new(&mut output);
        work(setup, &Batch { process: 0, seed: 1, visits }, &mut speaker).unwrap();
        speaker.flush().unwrap();
        drop(speaker);
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A victim without load, with a light one and with a heavy one; none with a single CPU.
    fn three_loads() -> Option<(LoadedSetup, [Visit; 3])> {
        let cpus: Vec<CpuId> = affinity().unwrap().iter().take(2).collect();
        if cpus.len() < 2 {
            return None;
        }
        let mut setup = setup(vec![cpus]);
        let loads = [None, Some(20_000), Some(0)].map(|delay| delay.map(|delay| Load { row: 0, memory: None, delay }));
        let visits = loads.map(|load| visit(0, 1, setup.treatment(load)));
        setup.check().unwrap();
        Some((setup, visits))
    }

    #[test]
    fn every_load_is_answered_and_no_load_moves_nothing() {
        let Some((setup, visits)) = three_loads() else { return };
        let answers = answers(&setup, visits.to_vec());
        assert_answered(&visits, &answers);
        for answer in answers {
            if let Answer::Sample(sample) = answer {
                assert_eq!(sample.traffic == Some(0.0), sample.place == visits[0].place, "{sample:?}");
            }
        }
    }

    #[test]
    #[ignore = "long: needs calm windows, and compares rates"]
    fn shorter_delays_move_more() {
        let Some((setup, visits)) = three_loads() else { return };
        let mut traffic: [Option<f64>; 3] = [None; 3];
        // Other programs disturb some of them.
        for _ in 0..100 {
            let missing = (0..3).filter(|&at| traffic[at].is_none());
            for answer in answers(&setup, missing.map(|at| visits[at]).collect()) {
                if let Answer::Sample(sample) = answer {
                    assert!((1.0..1e5).contains(&sample.value), "{sample:?}");
                    let at = visits.iter().position(|visit| visit.place == sample.place).unwrap();
                    traffic[at] = sample.traffic;
                }
            }
            if traffic.iter().all(Option::is_some) {
                break;
            }
        }
        let [idle, light, heavy] = traffic.map(Option::unwrap);
        assert!(idle == 0.0 && light > 0.0 && heavy > 2.0 * light, "{idle} {light} {heavy}");
    }

    #[test]
    fn a_victim_alone_with_itself_is_told() {
        let mut setup = setup(vec![affinity().unwrap().iter().take(1).collect()]);
        let load = setup.treatment(Some(Load { row: 0, memory: None, delay: 0 }));
        let said = answers(&setup, vec![visit(0, 0, load)]);
        let gone = said.iter().find_map(|answer| match answer {
            Answer::Unavailable { why, .. } => Some(why.as_str()),
            _ => None,
        });
        assert!(gone.is_some_and(|why| why.contains("is left to disturb it")), "{said:?}");
    }

    #[test]
    fn memory_that_is_known_not_to_be_there_is_told() {
        let mut setup = setup(vec![affinity().unwrap().iter().take(1).collect()]);
        setup.columns[1].why_not = Some("node 3 has no memory".to_owned());
        let said = answers(&setup, vec![visit(0, 1, 0)]);
        let gone = Answer::cell_unavailable(visit(0, 1, 0), "node 3 has no memory".to_owned());
        assert!(said.contains(&gone), "{said:?}");
    }
}
