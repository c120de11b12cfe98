//! The station that measures disks: a CPU for each row, a buffer on each node, and an engine.

#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::fs::File;
use std::time::Duration;

use fastrand::Rng;
use nearfar_machine::Source;
use nearfar_model::{Bytes, CellIndex, MatrixShape, Sample};
use nearfar_place::PlacedBuffer;

use super::IoEngine;
use super::IoRecord;
use super::Offsets;
use super::accesses::{Accesses, IoRequest, IoRun, Slots};
use super::ring::Ring;
use super::setup::{AccessPattern, IoSetup, IoTarget, IoTreatment, IoWorkload};
use super::target_file::open_same;
use super::threads::Threads;
use super::traffic::{Traffic, TrafficWatch};
use super::{ServedWatch, ran_elsewhere, set};
use crate::spec::PageSize;
use crate::worker::guards::thread::ThreadWatch;
use crate::worker::memories::{first_note, moved_since_placed};
use crate::worker::messages::Messages;
use crate::worker::pinned_cpu::{PinnedCpu, draw_each};
use crate::worker::station::{NoSample, Prepare, ReadyStation, Station, WorkSetup, cells};
use crate::worker_message::{Batch, DropReason, PlacedMemory, PlanScope, Visit, WorkerMessage};

/// Accesses after an interrupt was set: it moves when it arrives.
const SETTLING: u32 = 4;

/// CPUs, buffers, files and an engine.
struct IoStation<'s> {
    setup: &'s IoSetup,
    source: Source,
    cpus: Vec<Option<PinnedCpu>>,
    /// Dropped before the buffers that it has registered.
    engine: Box<dyn Accesses>,
    buffers: BTreeMap<usize, (usize, PlacedBuffer)>,
    files: Vec<File>,
    offsets: BTreeMap<(usize, AccessPattern, Bytes), Offsets>,
    random: Rng,
    /// The target and setting of the interrupts that were set last.
    set: Option<(usize, usize)>,
}

impl Prepare for IoSetup {
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> ReadyStation<'s> {
        let mut random = Rng::with_seed(batch.seed);
        let cpus = draw_each(self.rows.iter(), batch, &mut random.fork(), messages);
        let buffers = place(self, batch, &mut random.fork(), messages);
        let files = open_all(self, batch, messages)?;
        let slots: Vec<Slots> = {
            let mut slots: Vec<Slots> = buffers.values().map(slots).collect();
            slots.sort_by_key(|slots| slots.index);
            slots
        };
        let engine: Box<dyn Accesses> = match self.engine {
            IoEngine::Threads => Box::new(Threads),
            // SAFETY: the station keeps the buffers, and drops its engine before them. Only a run
            // accesses them.
            engine => match unsafe { Ring::new(self.depth(), &files, &slots, engine) } {
                Ok(ring) => Box::new(ring),
                Err(error) => {
                    let why = format!("io_uring cannot start: {error}");
                    messages.report_unavailable(cells(batch, |_| true), &why);
                    return None;
                }
            },
        };
        Some(Box::new(IoStation {
            setup: self,
            source: Source::live(),
            cpus,
            engine,
            buffers,
            files,
            offsets: BTreeMap::new(),
            random,
            set: None,
        }))
    }
}

impl Station for IoStation<'_> {
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Result<Sample, NoSample> {
        let setup = self.setup;
        let treatment = &setup.treatments[visit.place.treatment];
        let target = &setup.targets[treatment.target];
        let row = visit.place.row;
        let Some(slots) = self.buffers.get(&visit.place.column).map(slots) else {
            return Err(NoSample::Over);
        };
        self.cpus[row].as_mut().ok_or(NoSample::Over)?.pin(row, messages)?;
        let cpu = self.cpus[row].as_ref().ok_or(NoSample::Over)?.cpu;
        if let Err(failure) = self.set_interrupts(treatment, slots) {
            return Err(self.given_up(treatment, failure, messages));
        }
        let served = ServedWatch::begin(&self.source, target);
        let traffic = TrafficWatch::begin(&self.source, target);
        let watch = ThreadWatch::begin(cpu)?;
        let run = match self.access(treatment, treatment.workload, slots) {
            Ok(run) => run,
            Err(failure) => return Err(self.given_up(treatment, failure, messages)),
        };
        let undisturbed = watch.end();
        self.check_traffic(&traffic, target, treatment.workload, &run)?;
        undisturbed?;
        let served = served.end(&self.source, target);
        if let Some(place) = treatment.interrupts {
            if ran_elsewhere(&served, &target.interrupt_places[place].interrupts) {
                return Err(DropReason::InterruptElsewhere.into());
            }
        }
        let value = run.value.ok_or(NoSample::Dropped(DropReason::Stalled))?;
        let latencies = run.progress.counts();
        let record = IoRecord { process: visit.process, place: visit.place, latencies, served };
        messages.send(WorkerMessage::Io(record));
        Ok(visit.sample(cpu, 0, value))
    }

    fn moved(&self) -> Vec<(Vec<PlanScope>, String)> {
        let moved = self.buffers.iter().filter_map(|(&column, (_, buffer))| {
            Some((vec![PlanScope::Column(column)], moved_since_placed(buffer)?))
        });
        moved.collect()
    }
}

impl IoStation<'_> {
    /// An access that failed: all cells of its target have no figure, since it is another disk or
    /// file than the others were measured on.
    fn given_up(
        &self,
        treatment: &IoTreatment,
        failure: NoSample,
        messages: &mut Messages<'_>,
    ) -> NoSample {
        let NoSample::Unavailable(why) = failure else { return failure };
        let MatrixShape { rows, columns, treatments } = self.setup.shape();
        for treatment in
            (0..treatments).filter(|one| self.setup.treatments[*one].target == treatment.target)
        {
            let places = (0..rows).flat_map(|row| {
                (0..columns).map(move |column| CellIndex { row, column, treatment })
            });
            messages.report_unavailable(places.map(PlanScope::Cell), &why);
        }
        NoSample::Over
    }

    /// Sets the target's interrupts, unless they are so already.
    fn set_interrupts(&mut self, treatment: &IoTreatment, slots: Slots) -> Result<(), NoSample> {
        let Some(place) = treatment.interrupts else { return Ok(()) };
        let wanted = Some((treatment.target, place));
        if self.set == wanted {
            return Ok(());
        }
        self.set = None;
        set(&self.setup.targets[treatment.target].interrupt_places[place].interrupts)?;
        for _ in 0..SETTLING {
            let one = IoWorkload { depth: 1, ..treatment.workload };
            self.access_for(treatment, one, slots, Duration::ZERO)?;
        }
        self.set = wanted;
        Ok(())
    }

    fn access(
        &mut self,
        treatment: &IoTreatment,
        workload: IoWorkload,
        slots: Slots,
    ) -> Result<IoRun, NoSample> {
        self.access_for(treatment, workload, slots, self.setup.window)
    }

    fn access_for(
        &mut self,
        treatment: &IoTreatment,
        workload: IoWorkload,
        slots: Slots,
        window: Duration,
    ) -> Result<IoRun, NoSample> {
        let target = &self.setup.targets[treatment.target];
        let file = (&self.files[treatment.target], treatment.target);
        let key = (treatment.target, workload.pattern, workload.size);
        let random = &mut self.random;
        let offsets = self.offsets.entry(key).or_insert_with(|| {
            Offsets::new(workload.pattern, workload.size, target.bytes, random.fork())
        });
        let request = IoRequest { file, slots, workload, window };
        self.engine.run(&request, offsets).map_err(|failure| {
            NoSample::Unavailable(format!("{}: {failure}", target.path.display()))
        })
    }

    fn check_traffic(
        &self,
        watch: &TrafficWatch,
        target: &IoTarget,
        workload: IoWorkload,
        run: &IoRun,
    ) -> Result<(), NoSample> {
        let own = Bytes(run.accesses * workload.size.0);
        match watch.end(&self.source, target, workload.operation, own) {
            Traffic::Own => Ok(()),
            Traffic::Others => Err(DropReason::OtherIo.into()),
            Traffic::NotOnDisk { seen } => Err(NoSample::Unavailable(format!(
                "{}: only {seen} of {own} reached the disk {}: a cache answered",
                target.path.display(),
                target.disks.join(", ")
            ))),
        }
    }
}

fn slots((index, buffer): &(usize, PlacedBuffer)) -> Slots {
    Slots { index: *index, start: buffer.start(), length: buffer.length() }
}

/// A buffer for every visited column, in random order, with its index among the placed ones.
fn place(
    setup: &IoSetup,
    batch: &Batch,
    random: &mut Rng,
    messages: &mut Messages<'_>,
) -> BTreeMap<usize, (usize, PlacedBuffer)> {
    let is_visited =
        |column: &usize| batch.visits.iter().any(|visit| visit.place.column == *column);
    let mut columns: Vec<usize> = (0..setup.memories.len()).filter(is_visited).collect();
    random.shuffle(&mut columns);
    let mut buffers = BTreeMap::new();
    for column in columns {
        let request = setup.memories[column].request(setup.footprint(), PageSize::Huge, Bytes(0));
        let placed = request.and_then(|request| {
            PlacedBuffer::on_node(&request).map_err(|refusal| refusal.to_string())
        });
        match placed {
            Ok(buffer) => {
                let note = first_note([(buffer.notes(), buffer.proof())].into_iter());
                let placed = PlacedMemory { pages: 1, backing: buffer.backing().name(), note };
                messages.send(WorkerMessage::Placed { column, treatment: 0, placed });
                buffers.insert(column, (buffers.len(), buffer));
            }
            Err(why) => messages.report_unavailable([PlanScope::Column(column)], &why),
        }
    }
    buffers
}

/// The files of all targets. If one cannot be opened any more, its cells are reported, and the null
/// device stands for it.
fn open_all(setup: &IoSetup, batch: &Batch, messages: &mut Messages<'_>) -> Option<Vec<File>> {
    let mut files = Vec::new();
    for (index, target) in setup.targets.iter().enumerate() {
        match open_same(target.opened_by(), target.identity, setup.is_written(index)) {
            Ok(file) => files.push(file),
            Err(error) => {
                let is_its = |treatment: usize| setup.treatments[treatment].target == index;
                let scopes = cells(batch, |place| is_its(place.treatment));
                messages.report_unavailable(scopes, &error.to_string());
                files.push(File::open("/dev/null").ok()?);
            }
        }
    }
    Some(files)
}

#[cfg(test)]
mod tests;
