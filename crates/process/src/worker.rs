//! The workers of a job: the processes of a rank, or a process without a rank, with where their
//! threads, memory and devices are, and what of it does not fit together.

use std::collections::BTreeMap;

use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{DeviceKind, Source};
use nearfar_model::{Bytes, CpuSet, NodeId, NodeSet};
use serde::Serialize;

use crate::by_node::BytesByNode;
use crate::device_nearness::{DeviceNearness, DevicesState, Nearness, ProcessDevices};
use crate::locality::{NEARLY_NONE, remote_share_of, remote_share_of_all};
use crate::memory::ProcessMemory;
use crate::rank::Rank;
use crate::text::advice::SMALL;

/// Processes that are one worker of a job.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Worker {
    /// Its rank; `None` without a launcher that sets one.
    #[serde(flatten)]
    pub rank: Option<Rank>,
    /// Its processes, the one with most memory first.
    pub pids: Vec<u32>,
    /// The command line of the first.
    pub command: String,
    /// Number of threads.
    pub threads: usize,
    /// CPUs that its threads may run on.
    pub allowed_cpus: CpuSet,
    /// The nodes of these CPUs.
    pub cpu_nodes: NodeSet,
    /// Its memory; what its processes share counts in each.
    pub by_node: BytesByNode,
    /// The share of its memory that is remote to its threads.
    pub remote_share: Option<f64>,
    /// Its own memory: without programs and libraries, and without memory of GPUs.
    pub own_by_node: BytesByNode,
    /// The share of its own memory that is remote to its threads.
    pub own_remote_share: Option<f64>,
    /// The share of CPU time on other nodes than the one with more than half of its own memory;
    /// `None` if no node has.
    pub cpu_time_off_node: Option<f64>,
    /// Its open devices.
    pub devices: Vec<WorkerDevice>,
    /// Whether its devices are known.
    pub devices_known: bool,
    /// What does not fit.
    pub misfits: Vec<Misfit>,
}

/// A device that a worker has open.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct WorkerDevice {
    /// The kernel's names.
    pub names: Vec<String>,
    /// What it is by its PCI class: gpu, nic, disk, ...; `None` if unknown.
    pub kind: Option<&'static str>,
    /// Its node; `None` if unknown.
    pub node: Option<NodeId>,
    /// Whether the worker runs near it.
    pub verdict: Nearness,
}

/// What of a worker does not fit.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "what")]
pub enum Misfit {
    /// A part of its own memory is remote.
    RemoteMemory {
        /// The part.
        share: f64,
        /// Its size.
        bytes: Bytes,
    },
    /// It runs away from a device.
    FarDevice {
        /// The device.
        name: String,
    },
    /// It may run on several nodes, and other ranks on one.
    Unbound {
        /// The nodes.
        nodes: NodeSet,
    },
    /// It may run on CPUs of another rank only.
    SharedCpus {
        /// The other rank.
        with: u32,
    },
}

impl Misfit {
    /// The first are likely to cost most.
    pub(crate) fn order(&self) -> u8 {
        match self {
            Self::RemoteMemory { .. } => 0,
            Self::FarDevice { .. } => 1,
            Self::Unbound { .. } => 2,
            Self::SharedCpus { .. } => 3,
        }
    }
}

/// The workers of these processes: those with a rank first, by step and rank.
pub fn workers(source: &Source, processes: &[(ProcessMemory, ProcessDevices)]) -> Vec<Worker> {
    let ranks: Vec<Option<Rank>> =
        processes.iter().map(|(memory, _)| Rank::read(source, memory.pid)).collect();
    let mut by_rank: BTreeMap<(bool, Option<&Rank>, u32), Vec<_>> = BTreeMap::new();
    for ((memory, devices), rank) in processes.iter().zip(&ranks) {
        // Without a rank, each process is a worker.
        let own = if rank.is_some() { 0 } else { memory.pid };
        let key = (rank.is_none(), rank.as_ref(), own);
        by_rank.entry(key).or_default().push((memory, devices));
    }
    let of_rank = |((_, rank, _), mut processes): (_, Vec<_>)| {
        processes.sort_by_key(|(memory, _): &(&ProcessMemory, &ProcessDevices)| {
            std::cmp::Reverse(memory.by_node().total())
        });
        Worker::new(source, Option::<&Rank>::cloned(rank), &processes)
    };
    let mut workers: Vec<Worker> = by_rank.into_iter().map(of_rank).collect();
    let misfits: Vec<_> = workers.iter().map(|worker| worker.misfits(&workers)).collect();
    for (worker, misfits) in workers.iter_mut().zip(misfits) {
        worker.misfits = misfits;
    }
    workers
}

impl Worker {
    fn new(
        source: &Source,
        rank: Option<Rank>,
        processes: &[(&ProcessMemory, &ProcessDevices)],
    ) -> Self {
        let memories = || processes.iter().map(|(memory, _)| *memory);
        let sum = |of: &dyn Fn(&ProcessMemory) -> BytesByNode| -> BytesByNode {
            let each = memories().map(of).collect::<Vec<_>>();
            each.iter().flat_map(BytesByNode::iter).collect()
        };
        let own_by_node = sum(&ProcessMemory::own_by_node);
        let allowed =
            memories().fold(CpuSet::new(), |cpus, memory| cpus.union(&memory.threads.allowed()));
        let around =
            memories().next().map_or_else(NodeSummaries::default, |one| one.around.clone());
        let devices: Vec<WorkerDevice> = processes
            .iter()
            .flat_map(|(_, devices)| &devices.open)
            .map(|device| WorkerDevice::new(source, device))
            .collect();
        let known = processes.iter().all(|(_, devices)| devices.state == DevicesState::Known);
        Self {
            rank,
            pids: memories().map(|memory| memory.pid).collect(),
            command: memories().next().map_or_else(String::new, title),
            threads: memories().map(|memory| memory.threads.0.len()).sum(),
            cpu_nodes: around.nodes_of(&allowed),
            allowed_cpus: allowed,
            by_node: sum(&ProcessMemory::by_node),
            remote_share: remote_share_of_all(memories()),
            own_remote_share: remote_share_of(memories(), ProcessMemory::own_by_node),
            cpu_time_off_node: off_node(memories(), home(&own_by_node)),
            own_by_node,
            devices,
            devices_known: known,
            misfits: Vec::new(),
        }
    }

    /// The size of its own remote memory.
    pub fn remote_bytes(&self) -> Option<Bytes> {
        Some(Bytes((self.own_remote_share? * self.own_by_node.total().0 as f64).round() as u64))
    }

    /// Whether it has too little own memory to matter.
    pub fn is_small(&self) -> bool {
        self.own_by_node.total().0 < SMALL
    }

    fn misfits(&self, all: &[Self]) -> Vec<Misfit> {
        let share = self.own_remote_share.filter(|share| *share >= NEARLY_NONE && !self.is_small());
        let remote = share.zip(self.remote_bytes());
        let remote = remote.map(|(share, bytes)| Misfit::RemoteMemory { share, bytes });
        // Every program has files open on some disk.
        let for_work = self.devices.iter().filter(|one| one.is_for_work());
        let far = for_work.filter(|one| one.is_far()).map(|device| {
            let name = device.names.first().cloned().unwrap_or_default();
            Misfit::FarDevice { name }
        });
        let ranked = || all.iter().filter(|other| other.rank.is_some());
        let one_is_bound = ranked().any(|other| other.cpu_nodes.len() == 1);
        let is_unbound = self.rank.is_some() && self.cpu_nodes.len() > 1 && one_is_bound;
        let unbound = is_unbound.then(|| Misfit::Unbound { nodes: self.cpu_nodes.clone() });
        let shared = self.shares_cpus_with(all).map(|with| Misfit::SharedCpus { with });
        remote.into_iter().chain(far).chain(unbound).chain(shared).collect()
    }

    /// The first rank of the same step that is bound to some of the same CPUs. Ranks that may all
    /// run on the same CPUs, with one for each at least, are not bound to them.
    pub fn shares_cpus_with(&self, all: &[Self]) -> Option<u32> {
        let own = self.rank.as_ref()?;
        let others = all.iter().filter_map(|other| Some((other.rank.as_ref()?, other)));
        let others = others.filter(|(rank, _)| *rank != own && rank.step == own.step);
        let others: Vec<_> = others.collect();
        let has_enough = self.allowed_cpus.len() > others.len();
        if has_enough && others.iter().all(|(_, other)| other.allowed_cpus == self.allowed_cpus) {
            return None;
        }
        let mut overlapping =
            others.iter().filter(|(_, other)| !other.allowed_cpus.is_disjoint(&self.allowed_cpus));
        overlapping.next().map(|(rank, _)| rank.rank)
    }
}

impl WorkerDevice {
    fn new(source: &Source, device: &DeviceNearness) -> Self {
        let kind = device.address.and_then(|address| DeviceKind::of_function(source, address));
        Self {
            names: device.names.clone(),
            kind: kind.map(DeviceKind::word),
            node: device.node,
            verdict: device.verdict,
        }
    }

    /// Whether it is a GPU, an accelerator or a network card.
    pub fn is_for_work(&self) -> bool {
        let kinds = [DeviceKind::Gpu, DeviceKind::Accelerator, DeviceKind::Network];
        kinds.into_iter().any(|kind| self.kind == Some(kind.word()))
    }

    /// Whether its node, or that of the worker's threads, is unknown.
    pub fn is_undetermined(&self) -> bool {
        self.verdict == Nearness::Unknown
    }

    /// Whether the worker runs elsewhere, for most or some of its time.
    pub fn is_far(&self) -> bool {
        matches!(self.verdict, Nearness::Far | Nearness::Partly)
    }
}

/// The command line, or as ps does it the name in brackets.
fn title(memory: &ProcessMemory) -> String {
    match memory.command.as_str() {
        "" => format!("[{}]", memory.name),
        command => on_one_line(command),
    }
}

/// Arguments such as a script may have several lines.
pub(crate) fn on_one_line(command: &str) -> String {
    command.replace(['\n', '\t'], " ")
}

/// The node with more than half of this memory.
pub(crate) fn home(sizes: &BytesByNode) -> Option<NodeId> {
    sizes.largest().filter(|node| sizes.on(*node).0 > sizes.total().0 / 2)
}

/// The share of CPU time on other nodes than `home`.
fn off_node<'m>(
    processes: impl Iterator<Item = &'m ProcessMemory>,
    home: Option<NodeId>,
) -> Option<f64> {
    let home = home?;
    let threads = processes.flat_map(|memory| &memory.threads.0);
    let known: Vec<(NodeId, u64)> =
        threads.filter_map(|thread| Some((thread.node?, thread.ticks))).collect();
    // Threads without CPU time yet count alike.
    let idle = known.iter().all(|(_, ticks)| *ticks == 0);
    let weight = |ticks: u64| if idle { 1.0 } else { ticks as f64 };
    let sum = |off: bool| -> f64 {
        let counted = known.iter().filter(|(node, _)| !off || *node != home);
        // An empty sum of floats is -0.
        counted.map(|(_, ticks)| weight(*ticks)).sum::<f64>() + 0.0
    };
    let all = sum(false);
    (all > 0.0).then(|| sum(true) / all)
}

#[cfg(test)]
pub(crate) mod tests;
