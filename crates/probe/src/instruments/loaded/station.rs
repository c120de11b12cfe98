//! The station that measures loaded latency: a victim, its pages, and threads that stream.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use nearfar_model::{CellIndex, CpuId, Sample};

use super::aggressors::beside;
use super::{Load, LoadedSetup};
use crate::bandwidth::node_buffers::NodeBuffers;
use crate::probes::slice::Probe;
use crate::thread_team::StreamTask;
use crate::worker::memories::{FreeMemory, moved_since_placed, place};
use crate::worker::messages::Messages;
use crate::worker::pinned_cpu::{PinnedCpu, draw};
use crate::worker::sliced::{DisturbedSlice, guarded};
use crate::worker::spinners::Spinners;
use crate::worker::station::{NoSample, Prepare, ReadyStation, Station, cells, distinct};
use crate::worker_message::{Batch, DropReason, PlanScope, Visit, WorkerMessage};

/// Disturbed attempts that a visit may have.
const SPARE_ATTEMPTS: u64 = 3;

/// The probe over a memory's pages; or why there is none.
type Ready = Result<Box<dyn Probe>, String>;

/// A victim for each row, its pages in each memory, and the threads that load.
struct LoadedStation<'s> {
    setup: &'s LoadedSetup,
    batch: &'s Batch,
    /// Rows without one are reported.
    victims: BTreeMap<usize, PinnedCpu>,
    probes: BTreeMap<usize, Ready>,
    buffers: NodeBuffers,
}

impl Prepare for LoadedSetup {
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> ReadyStation<'s> {
        let threads =
            |row: &Vec<CpuId>| row.iter().map(|&cpu| (cpu, self.bytes_of(row.len()))).collect();
        let threads = self.rows.iter().map(threads).collect();
        let memory = self.columns.iter().map(|column| column.memory.clone()).collect();
        let rows = distinct(batch.visits.iter().map(|visit| visit.place.row));
        let loads = batch.visits.iter().filter_map(|visit| self.loads[visit.place.treatment]);
        let buffers = NodeBuffers::start(threads, memory, &distinct(loads.map(|load| load.row)));
        let of_rows = rows.iter().copied().map(PlanScope::Row);
        let buffers = buffers.map_err(|why| messages.report_unavailable(of_rows, &why)).ok()?;
        let mut random = Rng::with_seed(batch.seed);
        let mut of_rows = random.fork();
        let mut victim = |row: usize| {
            let cpus = self.rows[row].iter().copied().collect();
            draw(row, &cpus, &mut of_rows, messages).map(|cpu| (row, cpu))
        };
        let victims = rows.into_iter().filter_map(&mut victim).collect();
        let probes = place_pages(self, batch, &mut random.fork(), messages);
        Some(Box::new(LoadedStation { setup: self, batch, victims, probes, buffers }))
    }
}

impl LoadedStation<'_> {
    /// The tasks of all threads beside the victim.
    fn tasks(
        &mut self,
        victim: CpuId,
        memory: usize,
        load: Load,
    ) -> Result<Vec<StreamTask>, String> {
        let row = &self.setup.rows[load.row];
        let (buffers, _) = self.buffers.of(load.row, load.memory.unwrap_or(memory))?;
        let chosen = beside(victim, row, &self.setup.cores);
        let (kernel, isa, pause) = (self.setup.kernel, self.setup.isa, u64::from(load.delay));
        let at_work = row.iter().zip(buffers).filter(|(cpu, _)| chosen.contains(cpu));
        let tasks: Vec<StreamTask> =
            at_work.map(|(_, buffer)| StreamTask { buffer, kernel, isa, pause }).collect();
        if tasks.is_empty() {
            Err(format!("no CPU other than CPU {victim} can load memory"))
        } else {
            Ok(tasks)
        }
    }
}

impl Station for LoadedStation<'_> {
    /// One sample, with the traffic of the aggressors.
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Result<Sample, NoSample> {
        let CellIndex { row, column: memory, treatment } = visit.place;
        let victim = self.victims.get(&row).ok_or(NoSample::Over)?.cpu;
        let load = self.setup.loads[treatment];
        let tasks = load.map_or(Ok(vec![]), |load| self.tasks(victim, memory, load))?;
        let probe = match self.probes.get_mut(&memory) {
            Some(Ok(probe)) => probe.as_mut(),
            Some(Err(why)) => return Err(why.clone().into()),
            None => return Err("its pages were not placed".to_owned().into()),
        };
        let cpu = self.victims.get_mut(&row).ok_or(NoSample::Over)?;
        cpu.pin(row, messages)?;
        let page = visit.draw % self.setup.columns[memory].pages;
        // Aggressors keep their package awake even while they pause.
        let _awake =
            tasks.is_empty().then(|| Spinners::start(&self.setup.spinners_beside(cpu.cpu)));
        let (cost, rates) = self.buffers.team().during(&tasks, || sample(page, cpu, probe))?;
        let ns = cost?.as_nanos() as f64 / probe.division().accesses() as f64;
        // The sum of no rates is minus zero.
        let traffic = Some(rates.memory_bytes_per_s().abs());
        Ok(Sample { traffic, ..visit.sample(cpu.cpu, page, ns) })
    }

    fn spare_attempts(&self, _: Visit) -> u64 {
        SPARE_ATTEMPTS
    }

    /// Verifies all victims' pages once more.
    fn moved(&self) -> Vec<(Vec<PlanScope>, String)> {
        let moved = self.probes.iter().filter_map(|(&column, probe)| {
            let why = moved_since_placed(probe.as_ref().ok()?.memory())?;
            Some((cells(self.batch, |place| place.column == column), why))
        });
        moved.collect()
    }
}

/// Places the victims' pages in random order, as for latency.
fn place_pages(
    setup: &LoadedSetup,
    batch: &Batch,
    random: &mut Rng,
    messages: &mut Messages<'_>,
) -> BTreeMap<usize, Ready> {
    let mut free_memory = FreeMemory::default();
    let visited = distinct(batch.visits.iter().map(|visit| visit.place.column));
    let mut queue: Vec<_> =
        visited.into_iter().map(|at| (at, free_memory.grant(&setup.columns[at]))).collect();
    random.shuffle(&mut queue);
    let mut probes = BTreeMap::new();
    for (at, granted) in queue {
        let ready = place(&setup.columns[at], granted, random).map(|(probe, placed)| {
            messages.send(WorkerMessage::Placed { column: at, treatment: 0, placed });
            probe
        });
        if let Err(why) = &ready {
            messages.report_unavailable(cells(batch, |place| place.column == at), why);
        }
        probes.insert(at, ready);
    }
    probes
}

/// The time of a sample's accesses.
fn sample(page: u32, cpu: &PinnedCpu, probe: &mut dyn Probe) -> Result<Duration, DropReason> {
    let slices = (0..probe.division().slices).map(|_| guarded(page, cpu, probe));
    slices.sum::<Result<_, _>>().map_err(|disturbed: DisturbedSlice| disturbed.reason)
}

#[cfg(test)]
mod tests {
    use nearfar_place::affinity;

    use super::super::tests::setup;
    use super::*;
    use crate::tests::{assert_answered, unavailable, visit};
    use crate::worker::station::WorkSetup;

    fn answers(setup: &LoadedSetup, visits: Vec<Visit>) -> Vec<WorkerMessage> {
        crate::tests::answers(setup, 1, visits)
    }

    /// A victim without load, with a light one and with a heavy one; `None` with a single CPU.
    fn three_loads() -> Option<(LoadedSetup, [Visit; 3])> {
        let cpus: Vec<CpuId> = affinity().unwrap().iter().take(2).collect();
        if cpus.len() < 2 {
            return None;
        }
        let mut setup = setup(vec![cpus]);
        let loads = [None, Some(20_000), Some(0)]
            .map(|delay| delay.map(|delay| Load { row: 0, memory: None, delay }));
        let visits = loads.map(|load| visit(0, 1, setup.treatment(load)));
        setup.check().unwrap();
        Some((setup, visits))
    }

    #[test]
    fn every_load_is_answered_and_idle_has_no_traffic() {
        let Some((setup, visits)) = three_loads() else { return };
        let answers = answers(&setup, visits.to_vec());
        assert_answered(&visits, &answers);
        for answer in answers {
            if let WorkerMessage::Sample(sample) = answer {
                assert_eq!(
                    sample.traffic == Some(0.0),
                    sample.place == visits[0].place,
                    "{sample:?}"
                );
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
                if let WorkerMessage::Sample(sample) = answer {
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
    fn a_victim_without_aggressors_is_reported() {
        let mut setup = setup(vec![affinity().unwrap().iter().take(1).collect()]);
        let load = setup.treatment(Some(Load { row: 0, memory: None, delay: 0 }));
        let messages = answers(&setup, vec![visit(0, 0, load)]);
        let gone = messages.iter().find_map(|answer| match answer {
            WorkerMessage::Unavailable { why, .. } => Some(why.as_str()),
            _ => None,
        });
        assert!(gone.is_some_and(|why| why.contains("can load memory")), "{messages:?}");
    }

    #[test]
    fn absent_memory_is_reported() {
        let mut setup = setup(vec![affinity().unwrap().iter().take(1).collect()]);
        setup.columns[1].memory.why_not = Some("node 3 has no memory".to_owned());
        let messages = answers(&setup, vec![visit(0, 1, 0)]);
        let gone = unavailable(PlanScope::Cell(visit(0, 1, 0).place), "node 3 has no memory");
        assert!(messages.contains(&gone), "{messages:?}");
    }
}
