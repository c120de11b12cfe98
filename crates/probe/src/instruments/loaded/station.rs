//! What a worker process measures loaded latency with: a victim, its pages, and threads that stream.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use nearfar_model::{CpuId, Place, Sample};

use super::aggressors::beside;
use super::setup::{Load, LoadedSetup};
use crate::answer::{Answer, Batch, DropReason, PlanScope, Visit};
use crate::bandwidth::MemoryJob;
use crate::bandwidth::berths::{Berths, Tenants};
use crate::crew::Duty;
use crate::probes::slice::Probe;
use crate::worker::memories::{Budget, moved_meanwhile, place};
use crate::worker::messages::Messages;
use crate::worker::pinned_cpu::{PinnedCpu, draw};
use crate::worker::sliced::guarded;
use crate::worker::spinners::Spinners;
use crate::worker::station::{Attempt, Prepare, Station, distinct, places};

/// Disturbed attempts that a visit may have and still go on.
const SPARE_ATTEMPTS: u64 = 3;

/// The probe over a memory's pages; else why there is none.
type Ready = Result<Box<dyn Probe>, String>;

/// A victim for each row, its pages in each memory, and the threads that load.
pub(super) struct LoadedStation<'s> {
    setup: &'s LoadedSetup,
    batch: &'s Batch,
    /// Rows without one were reported.
    victims: BTreeMap<usize, PinnedCpu>,
    probes: BTreeMap<usize, Ready>,
    berths: Berths<'s>,
}

impl<'s> LoadedStation<'s> {
    pub(super) fn prepare(setup: &'s LoadedSetup, batch: &'s Batch, messages: &mut Messages<'_>) -> Option<Self> {
        let tenants = Tenants {
            rows: setup.rows.clone(),
            memory: setup.columns.iter().map(MemoryJob::beside).collect(),
            bytes_of: Box::new(|_, threads| setup.bytes_of(threads)),
        };
        let rows = distinct(batch.visits.iter().map(|visit| visit.place.row));
        let loads = batch.visits.iter().filter_map(|visit| setup.loads[visit.place.treatment]);
        let berths = match Berths::new(tenants, &distinct(loads.map(|load| load.row))) {
            Ok(berths) => berths,
            Err(why) => {
                rows.into_iter().for_each(|row| messages.send(&Answer::row_unavailable(row, why.clone())));
                return None;
            }
        };
        let mut random = Rng::with_seed(batch.seed);
        let mut of_rows = random.fork();
        let mut victim = |row: usize| {
            let cpus = setup.rows[row].iter().copied().collect();
            draw(row, &cpus, &mut of_rows, messages).map(|cpu| (row, cpu))
        };
        let victims = rows.into_iter().filter_map(&mut victim).collect();
        let probes = place_pages(setup, batch, &mut random.fork(), messages);
        Some(Self { setup, batch, victims, probes, berths })
    }

    /// What each thread does beside the victim.
    fn duties(&mut self, victim: CpuId, memory: usize, load: Load) -> Result<Vec<Duty>, String> {
        let row = &self.setup.rows[load.row];
        let (berths, _) = self.berths.of(load.row, load.memory.unwrap_or(memory))?;
        let chosen = beside(victim, row, &self.setup.cores);
        let (kernel, isa, pause) = (self.setup.kernel, self.setup.isa, u64::from(load.delay));
        let at_work = row.iter().zip(berths).filter(|(cpu, _)| chosen.contains(cpu));
        let duties: Vec<Duty> = at_work.map(|(_, berth)| Duty { berth, kernel, isa, pause }).collect();
        if duties.is_empty() { Err(format!("no CPU beside CPU {victim} is left to disturb it")) } else { Ok(duties) }
    }
}

impl Prepare for LoadedSetup {
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> Option<Box<dyn Station + 's>> {
        Some(Box::new(LoadedStation::prepare(self, batch, messages)?))
    }
}

impl Station for LoadedStation<'_> {
    /// One sample, and the traffic beside it.
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Attempt {
        let Place { row, column: memory, treatment } = visit.place;
        let Some(victim) = self.victims.get(&row).map(|cpu| cpu.cpu) else { return Attempt::Over };
        let duties = match self.setup.loads[treatment].map_or(Ok(vec![]), |load| self.duties(victim, memory, load)) {
            Ok(duties) => duties,
            Err(why) => return Attempt::Unavailable(why),
        };
        let probe = match self.probes.get_mut(&memory) {
            Some(Ok(probe)) => probe.as_mut(),
            Some(Err(why)) => return Attempt::Unavailable(why.clone()),
            None => return Attempt::Unavailable("its pages were not placed".to_owned()),
        };
        let Some(cpu) = self.victims.get_mut(&row) else { return Attempt::Over };
        if let Err(reason) = cpu.pin(row, messages) {
            return Attempt::Dropped(reason);
        }
        let page = visit.draw % self.setup.columns[memory].pages;
        // Aggressors keep their package awake even while they pause.
        let _awake = duties.is_empty().then(|| Spinners::start(&self.setup.spinners_beside(cpu.cpu)));
        let (cost, rates) = match self.berths.crew().during(&duties, || sample(page, cpu, probe)) {
            Err(error) => return error.into(),
            Ok((Err(reason), _)) => return Attempt::Dropped(reason),
            Ok((Ok(cost), rates)) => (cost, rates),
        };
        let accesses = probe.division().slices * probe.division().per_slice();
        let ns = cost.as_nanos() as f64 / accesses as f64;
        // The sum of no rates is minus zero.
        let traffic = Some(rates.memory_bytes_per_s().abs());
        Attempt::Taken(Sample { traffic, ..visit.sample(cpu.cpu, page, ns) })
    }

    fn spare_attempts(&self, _: Visit) -> u64 {
        SPARE_ATTEMPTS
    }

    /// Looks all victims' pages up once more.
    fn moved(&self) -> Vec<(PlanScope, String)> {
        let mut moved = Vec::new();
        for (&column, probe) in &self.probes {
            let memory = probe.as_ref().ok().map(|probe| probe.memory());
            if let Some(why) = memory.and_then(moved_meanwhile) {
                let places = places(self.batch, |place| place.column == column).into_iter();
                moved.extend(places.map(|place| (PlanScope::Cell(place), why.clone())));
            }
        }
        moved
    }
}

/// The victims' pages, in random order as those of latency.
fn place_pages(
    setup: &LoadedSetup,
    batch: &Batch,
    random: &mut Rng,
    messages: &mut Messages<'_>,
) -> BTreeMap<usize, Ready> {
    let mut budget = Budget::default();
    let visited = distinct(batch.visits.iter().map(|visit| visit.place.column));
    let mut queue: Vec<_> = visited.into_iter().map(|at| (at, budget.grant(&setup.columns[at]))).collect();
    random.shuffle(&mut queue);
    let mut probes = BTreeMap::new();
    for (at, granted) in queue {
        let (probe, message) = place(at, &setup.columns[at], granted, random);
        let ready = match (probe, message) {
            (Some(probe), message) => {
                messages.send(&message);
                Ok(probe)
            }
            (None, Answer::Unavailable { why, .. }) => Err(why),
            (None, _) => Err("its pages could not be placed".to_owned()),
        };
        if let Err(why) = &ready {
            for place in places(batch, |place| place.column == at) {
                messages.send(&Answer::Unavailable { scope: PlanScope::Cell(place), why: why.clone() });
            }
        }
        probes.insert(at, ready);
    }
    probes
}

/// The time of a sample's accesses.
fn sample(page: u32, cpu: &PinnedCpu, probe: &mut dyn Probe) -> Result<Duration, DropReason> {
    (0..probe.division().slices).map(|_| guarded(page, cpu, probe)).sum()
}

#[cfg(test)]
mod tests {
    use nearfar_place::affinity;

    use super::super::setup::tests::setup;
    use super::*;
    use crate::answered::{assert_answered, visit};
    use crate::worker::station::WorkSetup;

    fn answers(setup: &LoadedSetup, visits: Vec<Visit>) -> Vec<Answer> {
        crate::answered::answers(setup, 1, visits)
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
