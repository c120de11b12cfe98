//! The processes of a machine: which are read next, and their rows.

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;

use nearfar_machine::process::{NodeSummaries, TaskStat};
use nearfar_model::{Bytes, CpuId, NodeId};

use crate::document::{ProcessCounts, ProcessIdentity, ProcessRow};
use crate::latencies::NodeLatencies;
use crate::tracked::{ProcessSample, Tracked};
use crate::view::View;

/// Processes on the screen that are sampled before one that is off it.
const ON_THEN_OFF: usize = 3;

/// Whether this user may sample a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It may.
    Allowed,
    /// It belongs to another user.
    OfOther,
}

#[derive(Debug)]
enum Known {
    /// In the list, and not read yet.
    New,
    /// A kernel thread or a zombie: it has no memory.
    NoMemory,
    /// It belongs to another user.
    OfOther {
        started: Option<u64>,
    },
    Tracked(Box<Tracked>),
}

/// All processes of a machine.
#[derive(Debug)]
pub struct ProcessTable {
    known: BTreeMap<u32, Known>,
    /// The last process that was read in its turn.
    cursor: u32,
    page: Bytes,
    node_of_cpu: BTreeMap<CpuId, NodeId>,
    memory_nodes: Vec<NodeId>,
    latencies: Option<NodeLatencies>,
}

impl ProcessTable {
    /// A table without processes. `page` is the base page size.
    pub fn new(nodes: &NodeSummaries, page: Bytes, latencies: Option<NodeLatencies>) -> Self {
        let cpus = nodes.nodes.iter().flat_map(|node| node.cpus.iter().map(|cpu| (cpu, node.id)));
        Self {
            known: BTreeMap::new(),
            cursor: 0,
            page,
            node_of_cpu: cpus.collect(),
            memory_nodes: nodes.with_memory().iter().collect(),
            latencies,
        }
    }

    /// Takes the list of all processes: those that are missing have ended.
    pub fn listed(&mut self, pids: &[u32]) {
        let listed: HashSet<u32> = pids.iter().copied().collect();
        self.known.retain(|pid, _| listed.contains(pid));
        for pid in pids {
            self.known.entry(*pid).or_insert(Known::New);
        }
    }

    /// A process ended between two readings.
    pub fn ended(&mut self, pid: u32) {
        self.known.remove(&pid);
    }

    /// Takes a reading. `access` is called for processes that were not known before.
    pub fn read(&mut self, pid: u32, stat: TaskStat, at_s: f64, access: impl FnOnce() -> Access) {
        let page = self.page;
        let Some(known) = self.known.get_mut(&pid) else { return };
        let is_same = |started: Option<u64>| started == stat.started;
        match known {
            _ if stat.address_space == Some(0) || stat.has_ended => *known = Known::NoMemory,
            Known::Tracked(tracked) if is_same(tracked.started) => tracked.read(stat, page, at_s),
            Known::OfOther { started } if is_same(*started) => {}
            // New, or another process that got the number of one that ended.
            _ => {
                *known = match access() {
                    Access::OfOther => Known::OfOther { started: stat.started },
                    Access::Allowed => Known::Tracked(Box::new(Tracked::new(stat, page, at_s))),
                }
            }
        }
    }

    /// Whether a process is read, and its command line is not.
    pub fn is_unidentified(&self, pid: u32) -> bool {
        matches!(self.known.get(&pid), Some(Known::Tracked(one)) if one.identity.is_none())
    }

    /// Takes the user and the command line of a process.
    pub fn identified(&mut self, pid: u32, identity: ProcessIdentity) {
        if let Some(Known::Tracked(tracked)) = self.known.get_mut(&pid) {
            tracked.identity = Some(identity);
        }
    }

    /// Takes a sample.
    pub fn sampled(&mut self, pid: u32, sample: ProcessSample) {
        let nodes = &self.node_of_cpu;
        if let Some(Known::Tracked(tracked)) = self.known.get_mut(&pid) {
            tracked.sampled(sample, |cpu| nodes.get(&cpu).copied());
        }
    }

    /// A process's pages are not readable.
    pub fn denied(&mut self, pid: u32) {
        if let Some(Known::Tracked(tracked)) = self.known.get_mut(&pid) {
            tracked.denied();
        }
    }

    /// Processes that were never read.
    pub fn unread(&self) -> Vec<u32> {
        let new = self.known.iter().filter(|(_, known)| matches!(known, Known::New));
        new.map(|(pid, _)| *pid).collect()
    }

    /// The next processes in turn, `most` of them.
    pub fn turn(&mut self, most: usize) -> Vec<u32> {
        let behind = self.known.range((Bound::Excluded(self.cursor), Bound::Unbounded));
        let around = self.known.range(..=self.cursor);
        let turn: Vec<u32> = behind.chain(around).map(|(pid, _)| *pid).take(most).collect();
        self.cursor = turn.last().copied().unwrap_or(0);
        turn
    }

    /// The turn ended before this process.
    pub fn resume_before(&mut self, pid: u32) {
        self.cursor = pid.saturating_sub(1);
    }

    /// The processes to sample, the most urgent first: those on the screen, and after every third
    /// of them one that is off it. Of both, those that were never sampled come first, the largest
    /// ahead, then those with the oldest samples.
    pub fn to_sample(&self, shown: &[u32], now_s: f64, most: usize) -> Vec<u32> {
        let shown: HashSet<u32> = shown.iter().copied().collect();
        let due = self.tracked().filter(|(_, one)| one.may_be_sampled(now_s));
        let (mut on, mut off): (Vec<_>, Vec<_>) = due.partition(|(pid, _)| shown.contains(pid));
        for part in [&mut on, &mut off] {
            part.sort_by(|(_, one), (_, other)| {
                let by_age = one.sampled_at().total_cmp(&other.sampled_at());
                by_age.then(other.resident.cmp(&one.resident))
            });
        }
        let mut off = off.into_iter();
        let mut plan = Vec::new();
        for part in on.chunks(ON_THEN_OFF) {
            plan.extend(part.iter().map(|(pid, _)| *pid));
            plan.extend(off.next().map(|(pid, _)| pid));
        }
        plan.extend(off.map(|(pid, _)| pid));
        plan.truncate(most);
        plan
    }

    fn tracked(&self) -> impl Iterator<Item = (u32, &Tracked)> {
        self.known.iter().filter_map(|(pid, known)| match known {
            Known::Tracked(tracked) => Some((*pid, &**tracked)),
            Known::New | Known::NoMemory | Known::OfOther { .. } => None,
        })
    }

    /// The rows that pass the view's filter, in its order, and the number of processes.
    pub fn rows(&self, view: &View, now_s: f64) -> (Vec<ProcessRow>, ProcessCounts) {
        let row = |(pid, tracked): (u32, &Tracked)| {
            tracked.row(pid, now_s, &self.memory_nodes, self.latencies.as_ref())
        };
        let mut rows: Vec<ProcessRow> =
            self.tracked().map(row).filter(|row| view.shows_process(row)).collect();
        view.sort_processes(&mut rows);
        let of_others = self.known.values().filter(|known| matches!(known, Known::OfOther { .. }));
        let counts = ProcessCounts {
            matching: rows.len(),
            readable: self.tracked().count(),
            of_others: Some(of_others.count()),
        };
        (rows, counts)
    }

    /// The survey behind costs.
    pub fn survey(&self) -> Option<crate::SurveyBasis> {
        self.latencies.as_ref()?.basis()
    }
}

#[cfg(test)]
mod tests;
