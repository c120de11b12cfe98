//! A process over time: its last readings, its last two samples.

use std::collections::BTreeMap;

use nearfar_machine::process::TaskStat;
use nearfar_model::{Bytes, CpuId, NodeId};
use nearfar_process::{NodeWeights, PageSample, ThreadReading};

use crate::document::{
    MovingMemory, NodeBytes, NodeThreads, ProcessIdentity, ProcessRow, ProcessWhy,
};
use crate::latencies::NodeLatencies;
use crate::motion::{Holding, HoldingAt};
use crate::pace::Pace;
use crate::remote::{remote_cost, remote_share};
use crate::thread_weights::thread_weights;

/// Clock ticks of `/proc/PID/stat` in a second: USER_HZ of all platforms nearfar is built for.
const TICKS_PER_S: f64 = 100.0;

/// Readings within this time are one: clock ticks are too long for a rate over less.
const MIN_S: f64 = 0.05;

/// The share of a CPU that sampling one process takes at most.
const SAMPLING: f64 = 0.005;

/// A sample of a process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessSample {
    /// When, in seconds of any clock.
    pub at_s: f64,
    /// CPU time that it took.
    pub cost_s: f64,
    /// Its pages.
    pub pages: PageSample,
    /// Its threads, or a part of them.
    pub threads: Vec<ThreadReading>,
    /// Memory of pools of huge pages, which resident memory lacks.
    pub huge: Bytes,
    /// Pages migrated in the machine since boot.
    pub migrated: Option<u64>,
}

/// A process that may be sampled.
#[derive(Debug)]
pub(crate) struct Tracked {
    name: String,
    /// `None` until it is read, and again after exec(2).
    pub(crate) identity: Option<ProcessIdentity>,
    parent: u32,
    pub(crate) started: Option<u64>,
    ticks: u64,
    read_at: f64,
    cpus: Option<f64>,
    pub(crate) resident: Bytes,
    threads: Option<u32>,
    is_denied: bool,
    pub(crate) pace: Pace,
    sample: Option<Sampled>,
}

#[derive(Debug)]
struct Sampled {
    at_s: f64,
    pages: PageSample,
    huge: Bytes,
    /// What the next sample is compared with.
    earlier: HoldingAt,
    /// Whether `earlier` is of the sample before, since a movement is not counted yet.
    awaits_count: bool,
    weights: NodeWeights,
    threads: Vec<NodeThreads>,
    ticks: BTreeMap<u32, u64>,
    moving: Option<MovingMemory>,
}

impl Tracked {
    pub(crate) fn new(stat: TaskStat, page: Bytes, at_s: f64) -> Self {
        Self {
            resident: resident(&stat, page),
            threads: stat.threads,
            name: stat.name,
            identity: None,
            parent: stat.parent,
            started: stat.started,
            ticks: stat.ticks,
            read_at: at_s,
            cpus: None,
            is_denied: false,
            pace: Pace::default(),
            sample: None,
        }
    }

    pub(crate) fn read(&mut self, stat: TaskStat, page: Bytes, at_s: f64) {
        let seconds = at_s - self.read_at;
        if seconds >= MIN_S {
            let ticks = stat.ticks.saturating_sub(self.ticks);
            self.cpus = Some(ticks as f64 / TICKS_PER_S / seconds);
            (self.ticks, self.read_at) = (stat.ticks, at_s);
        }
        self.resident = resident(&stat, page);
        if self.name != stat.name {
            self.identity = None;
        }
        (self.name, self.threads, self.parent) = (stat.name, stat.threads, stat.parent);
    }

    pub(crate) fn denied(&mut self) {
        self.is_denied = true;
    }

    /// When it was last sampled; before all others if it never was.
    pub(crate) fn sampled_at(&self) -> f64 {
        self.sample.as_ref().map_or(f64::NEG_INFINITY, |sample| sample.at_s)
    }

    pub(crate) fn may_be_sampled(&self, now_s: f64) -> bool {
        !self.is_denied && self.pace.is_due(now_s)
    }

    pub(crate) fn sampled(
        &mut self,
        new: ProcessSample,
        node_of: impl Fn(CpuId) -> Option<NodeId>,
    ) {
        let before = self.sample.take();
        let now = HoldingAt {
            at_s: new.at_s,
            held: Holding::from_sample(&new.pages, self.resident + new.huge),
            migrated: new.migrated,
        };
        let weights =
            thread_weights(&new.threads, before.as_ref().map(|sample| &sample.ticks), &node_of);
        self.pace.spent(new.at_s, new.cost_s, SAMPLING);
        let (moving, earlier, awaits_count) = match before {
            None => (None, now, false),
            Some(before) => match now.moving_since(&before.earlier) {
                (moving, true) => (moving, now, false),
                // The counter is read before the pages: it may be the next that has the migration.
                (Some(_), false) if !before.awaits_count => (None, before.earlier, true),
                (_, false) => (None, now, false),
            },
        };
        self.sample = Some(Sampled {
            at_s: new.at_s,
            threads: self.thread_nodes(&new.threads, &node_of),
            ticks: new.threads.iter().map(|thread| (thread.tid, thread.ticks)).collect(),
            pages: new.pages,
            huge: new.huge,
            earlier,
            awaits_count,
            weights,
            moving,
        });
    }

    /// Threads by node; those that were not read are like the others.
    fn thread_nodes(
        &self,
        threads: &[ThreadReading],
        node_of: impl Fn(CpuId) -> Option<NodeId>,
    ) -> Vec<NodeThreads> {
        let mut counts = BTreeMap::<NodeId, u64>::new();
        for node in threads.iter().filter_map(|thread| node_of(thread.cpu?)) {
            *counts.entry(node).or_default() += 1;
        }
        let all = self.threads.map_or(threads.len(), |all| all as usize).max(threads.len());
        let scale = all as f64 / threads.len().max(1) as f64;
        let of =
            |(node, count)| NodeThreads { node, threads: (count as f64 * scale).round() as u64 };
        counts.into_iter().map(of).collect()
    }

    pub(crate) fn row(
        &self,
        pid: u32,
        now_s: f64,
        nodes: &[NodeId],
        latencies: Option<&NodeLatencies>,
    ) -> ProcessRow {
        let sample = self.sample.as_ref();
        let memory = self.resident + sample.map_or(Bytes(0), |sample| sample.huge);
        let share = sample.and_then(|sample| remote_share(&sample.pages, &sample.weights, nodes));
        let cost = sample.zip(latencies);
        ProcessRow {
            pid,
            identity: ProcessIdentity {
                parent: self.parent,
                ..self.identity.clone().unwrap_or_default()
            },
            name: self.name.clone(),
            cpus: self.cpus,
            memory_bytes: memory,
            by_node: sample.map(|sample| by_node(&sample.pages, memory)).unwrap_or_default(),
            threads: self.threads,
            threads_by_node: sample.map(|sample| sample.threads.clone()).unwrap_or_default(),
            remote_share: share,
            remote_cost: cost.and_then(|(one, latencies)| {
                remote_cost(&one.pages, &one.weights, nodes, latencies)
            }),
            moving: sample.and_then(|sample| sample.moving),
            sampled_pages: sample.map_or(0, |sample| sample.pages.pages()),
            sample_age_s: sample.map(|sample| (now_s - sample.at_s).max(0.0)),
            why: if share.is_some() { None } else { Some(self.why()) },
        }
    }

    fn why(&self) -> ProcessWhy {
        match &self.sample {
            _ if self.is_denied => ProcessWhy::Denied,
            None => ProcessWhy::NotSampled,
            Some(sample) if sample.pages.pages() == 0 => ProcessWhy::NoPages,
            Some(_) => ProcessWhy::NodesUnknown,
        }
    }
}

fn resident(stat: &TaskStat, page: Bytes) -> Bytes {
    Bytes(stat.resident_pages.unwrap_or(0).saturating_mul(page.0))
}

/// The sample's shares of the memory.
fn by_node(pages: &PageSample, memory: Bytes) -> Vec<NodeBytes> {
    let all = pages.pages() as f64;
    let share = |&(node, count): &(NodeId, u64)| NodeBytes {
        node,
        bytes: Bytes((count as f64 / all * memory.0 as f64) as u64),
    };
    pages.by_node.iter().map(share).collect()
}
