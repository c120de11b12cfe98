//! Reads the machine as the tables plan it.

use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

use nearfar_machine::process::{NodeSummaries, process_ids};
use nearfar_machine::{HiddenBy, MachineError, Process, Source, memory_groups, user_names};
use nearfar_model::Bytes;
use nearfar_process::{Counters, NodeFigures, PageSampler, sample_threads};
use thiserror::Error;

use crate::cpu_clock::cpu_seconds;
use crate::document::{GroupRow, ProcessIdentity, SCHEMA, Tick};
use crate::groups::GroupTable;
use crate::latencies::NodeLatencies;
use crate::node_reader::NodeReader;
use crate::nodes::NodeTable;
use crate::pace::Pace;
use crate::processes::{Access, ProcessTable};
use crate::tracked::ProcessSample;
use crate::view::View;

/// The share of a CPU after which no process is sampled any more in this interval, and after which
/// none off the screen is read.
const SAMPLING: f64 = 0.003;
const READING: f64 = 0.004;
/// The share that listing processes, or groups, takes at most.
const LISTING: f64 = 0.002;
/// Processes and groups off the screen that are read in an interval: at least, and at most.
const MIN_IN_TURN: usize = 8;
const MAX_IN_TURN: usize = 256;
/// Processes that are planned for sampling in an interval.
const MAX_SAMPLES: usize = 512;

/// Why a machine cannot be observed.
#[derive(Debug, Error)]
pub enum ObserveError {
    /// It has no nodes, or no /proc.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Control groups were asked for.
    #[error(
        "no control group has memory.numa_stat: the controller 'memory' is not enabled, or no \
         control group file system is mounted"
    )]
    NoGroups,
}

/// What is on the screen, and therefore read first.
#[derive(Debug, Default)]
pub struct Shown {
    /// Processes.
    pub pids: Vec<u32>,
    /// Control groups.
    pub groups: Vec<GroupRow>,
}

/// How much an interval may cost.
#[derive(Clone, Copy, Debug)]
pub enum Effort {
    /// A share of a CPU over this many seconds.
    Paced(f64),
    /// All processes are read, and this many are sampled.
    Samples(usize),
}

/// A machine that is observed.
pub struct Observer<'s> {
    source: &'s Source,
    page: Bytes,
    began: Instant,
    reader: NodeReader,
    nodes: NodeTable,
    processes: ProcessTable,
    groups: Option<GroupTable>,
    sampler: PageSampler,
    listing: Pace,
    group_listing: Pace,
    users: BTreeMap<u32, String>,
    /// The user whose processes may be sampled; `None` for root.
    user: Option<u32>,
    /// Whether `/proc` does not show all processes of this PID namespace.
    hides_processes: bool,
}

impl<'s> Observer<'s> {
    /// Processes that wait for remote memory have a cost where `latencies` are known.
    ///
    /// # Errors
    ///
    /// A machine without nodes or without /proc, or without control groups where those are asked
    /// for.
    pub fn new(
        source: &'s Source,
        latencies: Option<NodeLatencies>,
        with_groups: bool,
    ) -> Result<Self, ObserveError> {
        let summaries = NodeSummaries::read(source);
        if summaries.nodes.is_empty() {
            return Err(MachineError::NoNodes { origin: source.origin().to_owned() }.into());
        }
        if let Some(error) = source.proc_fault() {
            return Err(error.into());
        }
        if with_groups && memory_groups(source).is_empty() {
            return Err(ObserveError::NoGroups);
        }
        let reader = NodeReader::new(source, &summaries).with_pmu(source, &summaries);
        let page = reader.page_sizes().base.unwrap_or(Bytes::kib(4));
        let user = rustix::process::geteuid();
        Ok(Self {
            source,
            page,
            began: Instant::now(),
            reader,
            nodes: NodeTable::new(&summaries),
            processes: ProcessTable::new(&summaries, page, latencies),
            groups: with_groups.then(|| GroupTable::new(summaries)),
            sampler: PageSampler::new(page, fastrand::u64(..)),
            listing: Pace::default(),
            group_listing: Pace::default(),
            hides_processes: source.hidden_by().is_some_and(HiddenBy::is_within_namespace),
            users: user_names(source),
            user: (source.is_live() && !user.is_root()).then(|| user.as_raw()),
        })
    }

    fn now_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Whether control groups are observed, from now on.
    pub fn observe_groups(&mut self) {
        let source = self.source;
        self.groups.get_or_insert_with(|| GroupTable::new(NodeSummaries::read(source)));
    }

    /// Reads what is due.
    pub fn observe(&mut self, shown: &Shown, effort: Effort) {
        let begun = cpu_seconds();
        let has_spent = |share: f64| match effort {
            Effort::Paced(seconds) => cpu_seconds() - begun > share * seconds,
            Effort::Samples(_) => false,
        };
        self.nodes.read(self.reader.read(self.source, self.now_s()));
        self.list();
        // Each once: two readings close to each other have no rate.
        let first: HashSet<u32> =
            self.processes.unread().into_iter().chain(shown.pids.clone()).collect();
        first.iter().for_each(|pid| self.read_process(*pid));
        self.read_groups(&shown.groups, effort);
        let most = match effort {
            Effort::Paced(_) => MAX_SAMPLES,
            Effort::Samples(most) => most,
        };
        for pid in self.processes.to_sample(&shown.pids, self.now_s(), most) {
            self.sample(pid);
            if has_spent(SAMPLING) {
                break;
            }
        }
        let turn = match effort {
            Effort::Paced(_) => MAX_IN_TURN,
            Effort::Samples(_) => usize::MAX,
        };
        for (count, pid) in self.processes.turn(turn).into_iter().enumerate() {
            if count >= MIN_IN_TURN && has_spent(READING) {
                self.processes.resume_before(pid);
                break;
            }
            if !first.contains(&pid) {
                self.read_process(pid);
            }
        }
    }

    fn list(&mut self) {
        let now = self.now_s();
        if self.listing.is_due(now) {
            let begun = cpu_seconds();
            self.processes.listed(&process_ids(self.source));
            self.listing.spent(now, cpu_seconds() - begun, LISTING);
        }
    }

    fn read_process(&mut self, pid: u32) {
        let process = Process::known(self.source, pid);
        let Ok(stat) = process.stat() else { return self.processes.ended(pid) };
        let user = self.user;
        let access = || match user {
            Some(user) if process.owner() != Some(user) => Access::OfOther,
            _ => Access::Allowed,
        };
        self.processes.read(pid, stat, self.now_s(), access);
        if self.processes.is_unidentified(pid) {
            let uid = process.owner();
            let number = || uid.map(|uid| uid.to_string()).unwrap_or_default();
            let name = uid.and_then(|uid| self.users.get(&uid).cloned());
            let identity = ProcessIdentity {
                uid,
                user: name.unwrap_or_else(number),
                command: process.command().join(" ").replace(['\n', '\t'], " "),
                ..ProcessIdentity::default()
            };
            self.processes.identified(pid, identity);
        }
    }

    fn sample(&mut self, pid: u32) {
        let (at_s, begun) = (self.now_s(), cpu_seconds());
        let process = Process::known(self.source, pid);
        let pages = match self.sampler.sample(self.source, pid) {
            Ok(pages) => pages,
            Err(error) if error.is_of_ended_process() => return self.processes.ended(pid),
            Err(_) => return self.processes.denied(pid),
        };
        let (threads, _) = sample_threads(&process);
        let huge = process.status().ok().and_then(|status| status.huge).unwrap_or_default();
        let (cost_s, migrated) = (cpu_seconds() - begun, self.nodes.migrated());
        let sample = ProcessSample { at_s, cost_s, pages, threads, huge, migrated };
        self.processes.sampled(pid, sample);
    }

    fn read_groups(&mut self, shown: &[GroupRow], effort: Effort) {
        let now = self.now_s();
        let Some(groups) = &mut self.groups else { return };
        if self.group_listing.is_due(now) {
            let begun = cpu_seconds();
            groups.listed(memory_groups(self.source));
            self.group_listing.spent(now, cpu_seconds() - begun, LISTING);
        }
        let most = match effort {
            Effort::Paced(_) => MIN_IN_TURN,
            Effort::Samples(_) => usize::MAX,
        };
        for group in groups.plan(shown, most) {
            let memory = group.read(self.source, self.page);
            groups.read(&group, memory, self.began.elapsed().as_secs_f64());
        }
    }

    /// Memory use and allocations of nodes since boot.
    pub fn counters(&self) -> Option<Vec<NodeFigures>> {
        Some(Counters::read(self.source).ok()?.nodes)
    }

    /// The interval that ends now.
    pub fn tick(&self, view: &View) -> Tick {
        let (processes, mut counts) = self.processes.rows(view, self.now_s());
        if self.hides_processes {
            counts.of_others = None;
        }
        Tick {
            schema: SCHEMA.to_owned(),
            time: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            interval_s: self.nodes.interval_s(),
            machine: self.nodes.machine(),
            nodes: self.nodes.rows(),
            processes,
            cgroups: self.groups.as_ref().map(|groups| groups.rows(view)),
            counts,
            pmu: self.reader.pmu(),
            survey: self.processes.survey(),
            counters: None,
        }
    }
}

#[cfg(test)]
mod tests;
