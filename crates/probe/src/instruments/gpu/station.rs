//! The station that measures GPUs: a CPU for each row, memory of each column, GPUs that are ready.

#![allow(unsafe_code)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use fastrand::Rng;
use nearfar_model::{Sample, Unit};

use super::host_buffers::HostBuffers;
use super::lanes::{Lane, LaneEnds, OpenGpu, copy_all, copy_one};
use super::setup::{CopyDirection, CopyFigure, CopyRoute, GpuSetup, GpuTreatment};
use crate::gpu_driver::{GpuDriver, GpuErrorKind, load_driver};
use crate::worker::guards::thread::ThreadWatch;
use crate::worker::messages::Messages;
use crate::worker::pinned_cpu::{PinnedCpu, draw_each};
use crate::worker::station::{NoSample, Prepare, ReadyStation, Station, cells};
use crate::worker_message::{Batch, DropReason, PlanScope, Visit, WorkerMessage};

/// Copies one at a time: the median of fewer is imprecise.
const MIN_COPIES: usize = 5;
/// Copies of a visit at most.
const MAX_COPIES: u32 = 4_096;
/// A visit to a very slow GPU ends after this time.
const LONGEST: Duration = Duration::from_secs(5);

/// CPUs, memory and GPUs.
struct GpuStation<'s> {
    // Fields are dropped in this order: registered memory and GPUs before the driver.
    setup: &'s GpuSetup,
    cpus: Vec<Option<PinnedCpu>>,
    hosts: BTreeMap<usize, HostBuffers>,
    /// By index in the setup; or why it cannot be used.
    gpus: BTreeMap<usize, Result<OpenGpu, String>>,
    _driver: GpuDriver,
}

impl Prepare for GpuSetup {
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> ReadyStation<'s> {
        let mut random = Rng::with_seed(batch.seed);
        let mut cpus = draw_each(self.rows.iter(), batch, &mut random.fork(), messages);
        begin_elsewhere(&mut cpus, batch, messages);
        let driver = match load_driver(Some(self.api)) {
            Ok(driver) => driver,
            Err(error) => {
                messages.report_unavailable(cells(batch, |_| true), &error.to_string());
                return None;
            }
        };
        let gpus = self.open_all(&driver, batch);
        self.enable_peers(&gpus, batch);
        let mut hosts = self.place_all(batch, &mut random.fork(), messages);
        // One GPU registers for all.
        if let Some(first) = gpus.values().find_map(|gpu| gpu.as_ref().ok()) {
            hosts.values_mut().for_each(|buffers| buffers.register(first.driver()));
        }
        for (&column, buffers) in &hosts {
            let placed = buffers.placed();
            messages.send(WorkerMessage::Placed { column, treatment: 0, placed });
        }
        Some(Box::new(GpuStation { setup: self, cpus, hosts, gpus, _driver: driver }))
    }
}

/// Moves this thread to a CPU of another row in each process: the driver allocates memory of its
/// own when it begins.
fn begin_elsewhere(cpus: &mut [Option<PinnedCpu>], batch: &Batch, messages: &mut Messages<'_>) {
    let usable = cpus.iter().filter(|cpu| cpu.is_some()).count().max(1);
    let mut rows = cpus.iter_mut().enumerate().filter_map(|(row, cpu)| Some((row, cpu.as_mut()?)));
    if let Some((row, cpu)) = rows.nth(batch.process as usize % usable) {
        // A clock that does not settle is noticed again at the first visit.
        let _ = cpu.pin(row, messages);
    }
}

impl GpuSetup {
    /// The GPUs that visits need.
    fn open_all(
        &self,
        driver: &GpuDriver,
        batch: &Batch,
    ) -> BTreeMap<usize, Result<OpenGpu, String>> {
        let treatments: BTreeSet<usize> =
            batch.visits.iter().map(|visit| visit.place.treatment).collect();
        let needed: BTreeSet<usize> = treatments
            .iter()
            .flat_map(|&treatment| self.treatments[treatment].route.gpus())
            .collect();
        needed.into_iter().map(|index| (index, self.open(driver, index))).collect()
    }

    fn open(&self, driver: &GpuDriver, index: usize) -> Result<OpenGpu, String> {
        let target = &self.gpus[index];
        let named = |error: crate::gpu_driver::GpuError| format!("{}: {error}", target.label);
        let known = driver.gpus().map_err(named)?;
        let is_it = |gpu: &crate::gpu_driver::GpuIdentity| {
            gpu.index == target.index && (target.address.is_none() || gpu.address == target.address)
        };
        if !known.iter().any(is_it) {
            return Err(format!("{} is gone: the driver has other GPUs now", target.label));
        }
        let gpu = driver.open(target.index).map_err(named)?;
        let bytes = usize::try_from(self.copy_bytes().0).unwrap_or(usize::MAX);
        OpenGpu::new(gpu, bytes).map_err(|error| match error.kind() {
            GpuErrorKind::OutOfMemory => {
                let wanted = nearfar_model::Bytes(2 * self.copy_bytes().0);
                format!("{} has no {wanted} of free memory ({error}): use --size", target.label)
            }
            _ => named(error),
        })
    }

    /// Lets GPUs that copy to each other do so directly, where they can.
    fn enable_peers(&self, gpus: &BTreeMap<usize, Result<OpenGpu, String>>, batch: &Batch) {
        for visit in &batch.visits {
            let CopyRoute::Peer { from, to } = self.treatments[visit.place.treatment].route else {
                continue;
            };
            if let (Some(Ok(from)), Some(Ok(to))) = (gpus.get(&from), gpus.get(&to)) {
                let (from, to) = (from.driver(), to.driver());
                for (one, other) in [(from, to), (to, from)] {
                    if one.can_access(other).unwrap_or(false) {
                        // Refused, the driver copies through the host.
                        let _ = one.enable_access(other);
                    }
                }
            }
        }
    }

    /// The memory of every visited column, placed in random order.
    fn place_all(
        &self,
        batch: &Batch,
        random: &mut Rng,
        messages: &mut Messages<'_>,
    ) -> BTreeMap<usize, HostBuffers> {
        let visited: BTreeSet<usize> =
            batch.visits.iter().map(|visit| visit.place.column).collect();
        let mut columns: Vec<usize> = visited.into_iter().collect();
        random.shuffle(&mut columns);
        let mut hosts = BTreeMap::new();
        for column in columns {
            match HostBuffers::place(self, &self.memories[column]) {
                Ok(buffers) => {
                    hosts.insert(column, buffers);
                }
                Err(why) => messages.report_unavailable([PlanScope::Column(column)], &why),
            }
        }
        hosts
    }
}

impl Station for GpuStation<'_> {
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Result<Sample, NoSample> {
        let (row, column) = (visit.place.row, visit.place.column);
        if !self.hosts.contains_key(&column) {
            return Err(NoSample::Over);
        }
        self.cpus[row].as_mut().ok_or(NoSample::Over)?.pin(row, messages)?;
        let cpu = self.cpus[row].as_ref().ok_or(NoSample::Over)?.cpu;
        let treatment = &self.setup.treatments[visit.place.treatment];
        let lanes = self.lanes(treatment, column)?;
        let value = match self.setup.figure {
            CopyFigure::Rate => self.rate(treatment, &lanes, cpu)?,
            CopyFigure::Latency => self.latency(treatment, &lanes, cpu)?,
        };
        Ok(visit.sample(cpu, 0, value))
    }

    fn moved(&self) -> Vec<(Vec<PlanScope>, String)> {
        let moved = |(&column, buffers): (&usize, &HostBuffers)| {
            Some((vec![PlanScope::Column(column)], buffers.moved()?))
        };
        self.hosts.iter().filter_map(moved).collect()
    }
}

impl GpuStation<'_> {
    fn gpu(&self, index: usize) -> Result<&OpenGpu, NoSample> {
        let gpu = self.gpus.get(&index).ok_or(NoSample::Over)?;
        gpu.as_ref().map_err(|why| NoSample::Unavailable(why.clone()))
    }

    /// The copies of a treatment that are made at once.
    fn lanes(&self, treatment: &GpuTreatment, column: usize) -> Result<Vec<Lane<'_>>, NoSample> {
        let bytes = usize::try_from(treatment.size.0).unwrap_or(usize::MAX);
        match &treatment.route {
            CopyRoute::Peer { from, to } => {
                let ends = LaneEnds::ToPeer(self.gpu(*to)?);
                Ok(vec![Lane { gpu: self.gpu(*from)?, ends, stream: 0, bytes }])
            }
            CopyRoute::Host { gpus, direction, memory } => {
                // A GPU that is gone registers nothing: its own reason comes first.
                let gpus: Vec<&OpenGpu> =
                    gpus.iter().map(|&index| self.gpu(index)).collect::<Result<_, _>>()?;
                let start = self.hosts[&column].start(*memory)?;
                let mut lanes = Vec::new();
                for gpu in gpus {
                    let ways: &[bool] = match direction {
                        CopyDirection::ToDevice => &[true],
                        CopyDirection::FromDevice => &[false],
                        CopyDirection::Both => &[true, false],
                    };
                    for (stream, &is_to) in ways.iter().enumerate() {
                        // Each lane has its own part, within the setup's footprint.
                        let host = start.wrapping_add(lanes.len() * bytes);
                        let ends = if is_to {
                            LaneEnds::ToDevice(host)
                        } else {
                            LaneEnds::FromDevice(host)
                        };
                        lanes.push(Lane { gpu, ends, stream, bytes });
                    }
                }
                Ok(lanes)
            }
        }
    }

    /// Bytes a second of all lanes together, as the value of a sample.
    fn rate(
        &self,
        treatment: &GpuTreatment,
        lanes: &[Lane<'_>],
        cpu: nearfar_model::CpuId,
    ) -> Result<f64, NoSample> {
        let failed = |error| self.failed(treatment, &error);
        // The first copy after a rest wakes the link up.
        // SAFETY: lanes are within the column's buffers, which outlive all copies.
        let first = unsafe { copy_all(lanes, 1) }.map_err(failed)?;
        let times = self.setup.window.as_secs_f64() / first.host.as_secs_f64().max(1e-6);
        let times = (times.ceil() as u32).clamp(1, MAX_COPIES);
        // SAFETY: as above.
        let idle = unsafe { copy_all(lanes, 0) }.map_err(failed)?;
        let watch = ThreadWatch::begin(cpu)?;
        // SAFETY: as above.
        let clocks = unsafe { copy_all(lanes, times) }.map_err(failed)?;
        watch.is_in_place()?;
        let one_gpu =
            treatment.route.gpus().len() == 1 || matches!(treatment.route, CopyRoute::Peer { .. });
        // Copies run without the CPU, so that a short absence changes no figure of events.
        let time = if one_gpu { clocks.driver } else { clocks.host };
        let is_sound = if one_gpu { clocks.agree(idle) } else { clocks.is_within() };
        if !one_gpu {
            watch.was_not_switched()?;
        }
        if !is_sound {
            return Err(DropReason::ClocksDisagree.into());
        }
        let bytes = treatment.size.0 as f64 * f64::from(times) * lanes.len() as f64;
        let rate = bytes / time.as_secs_f64();
        if !(rate.is_finite() && rate > 0.0) {
            return Err(DropReason::ClocksDisagree.into());
        }
        Ok(Unit::BytesPerSecond.value_ns(rate))
    }

    /// The median nanoseconds of one copy.
    fn latency(
        &self,
        treatment: &GpuTreatment,
        lanes: &[Lane<'_>],
        cpu: nearfar_model::CpuId,
    ) -> Result<f64, NoSample> {
        let failed = |error| self.failed(treatment, &error);
        let [lane] = lanes else { return Err(NoSample::Over) };
        // SAFETY: the lane is within the column's buffer, which outlives all copies.
        unsafe { copy_one(lane) }.map_err(failed)?;
        // SAFETY: as above.
        let clocks = unsafe { copy_all(lanes, 1) }.map_err(failed)?;
        if !clocks.is_within() {
            return Err(DropReason::ClocksDisagree.into());
        }
        let watch = ThreadWatch::begin(cpu)?;
        let began = Instant::now();
        let mut times = Vec::new();
        while times.len() < MAX_COPIES as usize
            && (began.elapsed() < self.setup.window || times.len() < MIN_COPIES)
            && began.elapsed() < LONGEST
        {
            // SAFETY: as above.
            times.push(unsafe { copy_one(lane) }.map_err(failed)?);
        }
        watch.end()?;
        times.sort_unstable();
        let ns = |index: usize| times[index].as_nanos() as f64;
        Ok(f64::midpoint(ns((times.len() - 1) / 2), ns(times.len() / 2)).max(1.0))
    }

    fn failed(&self, treatment: &GpuTreatment, error: &crate::gpu_driver::GpuError) -> NoSample {
        let labels: Vec<&str> = treatment
            .route
            .gpus()
            .into_iter()
            .map(|gpu| self.setup.gpus[gpu].label.as_str())
            .collect();
        let gone = if error.kind() == GpuErrorKind::Gone { " is gone" } else { "" };
        NoSample::Unavailable(format!("{}{gone}: {error}", labels.join(", ")))
    }
}
