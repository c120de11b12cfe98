//! The stand-in driver: its GPUs, their contexts and what belongs to them.
//!
//! GPUs are numbered by their place in the description (`gpu`), and for programs by their place
//! among those that are left (`ordinal`).

mod copies;
mod objects;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use copies::CopyRequest;

use crate::codes::{Answer, Code};
use crate::contradictions::version_parts;
use crate::copy_model::{capacities, find_peer};
use crate::description::{Api, Description, GpuDescription};
use crate::device_block::DeviceBlock;
use crate::handles::Handles;
use crate::registrations::Registrations;
use crate::schedule::{RecordId, Schedule};
use crate::timeline::Timeline;

/// CUDA's handles of contexts begin here, in steps of 16.
const FIRST_CONTEXT: usize = 0xc0de_0000;

/// A stream of a program.
#[derive(Debug)]
struct Stream {
    gpu: usize,
    /// Its number in the schedule.
    number: usize,
}

/// An event of a program.
#[derive(Debug)]
struct Event {
    gpu: usize,
    /// Its last record, and when that happened.
    record: Option<(RecordId, Option<f64>)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Context {
    retained: usize,
    /// The number of its default stream in the schedule.
    default_stream: usize,
}

/// All that the driver knows.
#[derive(Debug)]
pub(crate) struct Driver {
    description: Description,
    timeline: Timeline,
    /// GPUs that programs find.
    visible: Vec<usize>,
    contexts: Vec<Context>,
    streams: Handles<Stream>,
    events: Handles<Event>,
    /// Memory by its address, with its GPU.
    blocks: BTreeMap<usize, (usize, DeviceBlock)>,
    registrations: Registrations,
    /// Pairs of GPUs: the first may use the memory of the second.
    access: BTreeSet<(usize, usize)>,
    /// Copies of the GPU that the description loses.
    copies: u64,
    is_lost: bool,
}

impl Driver {
    pub(crate) fn new(description: Description) -> Self {
        let mut schedule = Schedule::new(capacities(&description));
        let lost = description.faults.lost.as_ref();
        let lost = lost.filter(|lost| lost.marker.as_ref().is_some_and(|marker| marker.exists()));
        let lost = lost.map(|lost| lost.gpu);
        let all = 0..description.gpus.len();
        let contexts =
            all.clone().map(|_| Context { retained: 0, default_stream: schedule.add_stream() });
        Self {
            contexts: contexts.collect(),
            visible: all.filter(|gpu| Some(*gpu) != lost).collect(),
            registrations: Registrations::new(description.faults.register),
            timeline: Timeline::new(schedule),
            description,
            streams: Handles::starting_at(0x57ea_0000),
            events: Handles::starting_at(0xe4e7_0000),
            blocks: BTreeMap::new(),
            access: BTreeSet::new(),
            copies: 0,
            is_lost: false,
        }
    }

    /// Whether an interface finds GPUs.
    pub(crate) fn find_gpus(&self, api: Api) -> Answer<()> {
        let is_found = self.description.apis.contains(&api) && !self.visible.is_empty();
        if is_found { Ok(()) } else { Err(Code::NO_DEVICE) }
    }

    pub(crate) fn count(&self) -> usize {
        self.visible.len()
    }

    /// The GPU of an ordinal.
    pub(crate) fn gpu(&self, ordinal: i32) -> Answer<usize> {
        let place = usize::try_from(ordinal).ok();
        place.and_then(|place| self.visible.get(place)).copied().ok_or(Code::INVALID_DEVICE)
    }

    pub(crate) fn describe(&self, ordinal: i32) -> Answer<&GpuDescription> {
        self.gpu(ordinal).map(|gpu| &self.description.gpus[gpu])
    }

    /// Begins to use a GPU's context. Returns CUDA's handle of it.
    pub(crate) fn retain_context(&mut self, ordinal: i32) -> Answer<usize> {
        let gpu = self.gpu(ordinal)?;
        self.usable(gpu)?;
        self.contexts[gpu].retained += 1;
        Ok(FIRST_CONTEXT + 16 * gpu)
    }

    /// Ends the use of a GPU's context. With the last one, all that belongs to it ends.
    pub(crate) fn release_context(&mut self, ordinal: i32) -> Answer<()> {
        let gpu = self.gpu(ordinal)?;
        let retained = &mut self.contexts[gpu].retained;
        *retained = retained.checked_sub(1).ok_or(Code::INVALID_CONTEXT)?;
        if *retained == 0 {
            self.streams.retain(|stream| stream.gpu != gpu);
            self.events.retain(|event| event.gpu != gpu);
            self.blocks.retain(|_, (owner, _)| *owner != gpu);
            self.registrations.forget_gpu(gpu);
            self.access.retain(|(one, other)| *one != gpu && *other != gpu);
        }
        Ok(())
    }

    /// The GPU of a context of CUDA that is in use.
    pub(crate) fn gpu_of_context(&self, handle: usize) -> Answer<usize> {
        let offset = handle.checked_sub(FIRST_CONTEXT).filter(|offset| offset % 16 == 0);
        let gpu = offset.map(|offset| offset / 16);
        let is_used =
            |gpu: &usize| self.contexts.get(*gpu).is_some_and(|context| context.retained > 0);
        gpu.filter(is_used).ok_or(Code::INVALID_CONTEXT)
    }

    pub(crate) fn can_access(&self, ordinal: i32, peer: i32) -> Answer<bool> {
        let [gpu, peer] = [self.gpu(ordinal)?, self.gpu(peer)?];
        let access =
            |from, to| find_peer(&self.description, from, to).is_some_and(|(_, peer)| peer.access);
        Ok(access(gpu, peer) || access(peer, gpu))
    }

    /// Lets a GPU use the memory of another one.
    pub(crate) fn enable_access(&mut self, ordinal: i32, peer: i32) -> Answer<()> {
        if !self.can_access(ordinal, peer)? {
            return Err(Code::PEER_UNSUPPORTED);
        }
        let pair = (self.gpu(ordinal)?, self.gpu(peer)?);
        if self.access.insert(pair) { Ok(()) } else { Err(Code::PEER_ALREADY_ENABLED) }
    }

    /// The place of a GPU among those that programs find.
    pub(crate) fn ordinal(&self, gpu: usize) -> Answer<i32> {
        let place = self.visible.iter().position(|&one| one == gpu);
        place.and_then(|place| i32::try_from(place).ok()).ok_or(Code::INVALID_DEVICE)
    }

    /// The code of every call for a GPU that is lost.
    pub(crate) fn usable(&self, gpu: usize) -> Answer<()> {
        match &self.description.faults.lost {
            Some(lost) if self.is_lost && lost.gpu == gpu => Err(Code(lost.code)),
            _ => Ok(()),
        }
    }

    /// Does the work until simulated time, if that runs.
    pub(crate) fn catch_up(&mut self, host_ns: f64) {
        self.timeline.catch_up(host_ns);
        self.note_records();
    }

    /// A thread begins to wait for these streams. Returns the simulated time at which their work is
    /// done, and the host's; nothing if it is done.
    pub(crate) fn begin_wait(&mut self, streams: &[usize], host_ns: f64) -> Option<(f64, f64)> {
        self.timeline.begin_wait(streams, host_ns)
    }

    /// A thread has waited until the host's time.
    pub(crate) fn end_wait(&mut self, until: f64, host_ns: f64) {
        self.timeline.end_wait(until, host_ns);
        self.note_records();
    }

    /// Gives events the times of their records.
    fn note_records(&mut self) {
        for (id, ns) in self.timeline.take_happened() {
            for event in self.events.iter_mut() {
                match &mut event.record {
                    Some((record, time)) if *record == id => *time = Some(ns),
                    _ => {}
                }
            }
        }
    }
}

/// The driver's version as each interface codes it.
pub(crate) fn version_number(description: &Description, api: Api) -> i32 {
    let (major, minor) = version_parts(&description.version).unwrap_or_default();
    match api {
        Api::Cuda => 1000 * major + 10 * minor,
        Api::Hip => 10_000_000 * major + 100_000 * minor,
    }
}
