//! Placements by name, or in the words of `nearfar run`.
//!
//! A name becomes words of `nearfar run` for this machine and number of jobs; so what a sweep finds
//! best can be typed as it is.

mod refusal;
mod usual;

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

use nearfar_machine::{Source, Topology};
use nearfar_model::{CpuId, CpuSet, NodeId, NodeSet};
use nearfar_process::launch::{CpuChoice, Dialect, Launch, LaunchError, LaunchRequest};

use crate::error::SweepError;

pub use refusal::{PlacementRefusal, Unavailable};
pub use usual::{ChosenBy, DistanceSource, NodeDistance, usual};

/// A placement as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SweepPlacement {
    /// Wherever the kernel puts it.
    Unbound,
    /// CPUs and memory of one node.
    Local(NodeId),
    /// CPUs of one node, memory of another.
    Remote {
        /// Whose CPUs.
        cpus: NodeId,
        /// Whose memory.
        memory: NodeId,
    },
    /// CPUs of one node, its memory while some is free.
    Preferred(NodeId),
    /// Pages interleaved over all nodes.
    Interleave,
    /// The same by the kernel's weights.
    Weighted,
    /// A CPU for each job, from node to node, cores before their siblings.
    Spread,
    /// A CPU for each job, as close together as can be: siblings, then cores that share a cache,
    /// then the node's others.
    Packed,
    /// The first CPU of each core.
    OnePerCore,
    /// The first CPU of each last-level cache.
    OnePerCache,
    /// Words of `nearfar run`.
    Words(String),
}

/// Placements without a parameter.
const PLAIN: [(&str, SweepPlacement); 7] = [
    ("unbound", SweepPlacement::Unbound),
    ("interleave", SweepPlacement::Interleave),
    ("weighted", SweepPlacement::Weighted),
    ("spread", SweepPlacement::Spread),
    ("packed", SweepPlacement::Packed),
    ("one-per-core", SweepPlacement::OnePerCore),
    ("one-per-cache", SweepPlacement::OnePerCache),
];

/// A placement on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedPlacement {
    /// Words of `nearfar run`.
    pub words: Vec<String>,
    /// The CPUs that the program may run on.
    pub cpus: CpuSet,
    /// The nodes that its memory comes from.
    pub nodes: NodeSet,
    /// How it is applied.
    pub launch: Launch,
}

impl SweepPlacement {
    /// Whether it depends on the number of jobs.
    pub fn goes_by_jobs(&self) -> bool {
        matches!(self, Self::Spread | Self::Packed)
    }

    /// What it is on this machine, for a number of jobs; an error where it is
    /// unavailable.
    pub fn on(
        &self,
        source: &Source,
        topology: &Topology,
        jobs: usize,
    ) -> Result<ResolvedPlacement, PlacementRefusal> {
        let words = self.words(topology, jobs)?;
        let launch = checked(&words, source)
            .map_err(|error| PlacementRefusal::Refused { error: error.to_string() })?;
        let nodes =
            launch.placement.memory.as_ref().and_then(nearfar_process::launch::MemoryChoice::nodes);
        let cpus = usable(launch.placement.cpus.as_ref(), &topology.allowed.cpus)?;
        Ok(ResolvedPlacement {
            words,
            cpus,
            nodes: nodes.unwrap_or_else(|| topology.allowed.nodes.clone()),
            launch,
        })
    }

    fn words(&self, topology: &Topology, jobs: usize) -> Result<Vec<String>, PlacementRefusal> {
        let bound = |cpus: &NodeId, memory: String| vec![format!("--cpunodebind={cpus}"), memory];
        let on_cpus = |cpus: CpuSet| vec![format!("--physcpubind={cpus}")];
        Ok(match self {
            Self::Unbound => Vec::new(),
            Self::Local(node) => bound(node, format!("--membind={node}")),
            Self::Remote { cpus, memory } => bound(cpus, format!("--membind={memory}")),
            Self::Preferred(node) => bound(node, format!("--preferred={node}")),
            Self::Interleave => vec![format!("--interleave={}", memory_nodes(topology)?)],
            Self::Weighted => vec![format!("--weighted-interleave={}", memory_nodes(topology)?)],
            Self::Spread => on_cpus(spread(topology, jobs)),
            Self::Packed => on_cpus(packed(topology, jobs)),
            Self::OnePerCore => on_cpus(one_of_each(
                topology.cores().iter().map(|core| core.cpus.clone()),
                topology,
            )),
            Self::OnePerCache => {
                on_cpus(one_of_each(topology.last_level_groups().into_iter(), topology))
            }
            Self::Words(text) => shlex::split(text).ok_or(PlacementRefusal::OpenQuote)?,
        })
    }
}

/// The usable CPUs. Nodes may be partly usable; CPUs that are named must be.
fn usable(chosen: Option<&CpuChoice>, allowed: &CpuSet) -> Result<CpuSet, PlacementRefusal> {
    let Some(choice) = chosen else { return Ok(allowed.clone()) };
    let cpus = choice.cpus.intersection(allowed);
    let outside = choice.cpus.difference(allowed);
    if outside.is_empty() || (choice.nodes.is_some() && !cpus.is_empty()) {
        return Ok(cpus);
    }
    Err(PlacementRefusal::UnusableCpus { cpus: outside, usable: allowed.clone() })
}

/// All nodes whose memory this process may use; refused where there are fewer than two.
fn memory_nodes(topology: &Topology) -> Result<NodeSet, PlacementRefusal> {
    let with_memory = topology.nodes.iter().filter(|node| node.has_memory()).map(|node| node.id);
    let nodes: NodeSet = with_memory.filter(|id| topology.allowed.nodes.contains(*id)).collect();
    (nodes.len() > 1).then_some(nodes).ok_or(PlacementRefusal::OneNode)
}

/// What `nearfar run` makes of these words.
pub(crate) fn checked(words: &[String], source: &Source) -> Result<Launch, LaunchError> {
    // A program must be named; which one does not matter.
    let line =
        words.iter().map(OsString::from).chain([OsString::from("--"), OsString::from("true")]);
    LaunchRequest::parse(line.collect(), Dialect::Run)?.check(source)
}

impl fmt::Display for SweepPlacement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local(node) => write!(formatter, "local:{node}"),
            Self::Remote { cpus, memory } => write!(formatter, "remote:{cpus}/{memory}"),
            Self::Preferred(node) => write!(formatter, "preferred:{node}"),
            Self::Words(words) => formatter.write_str(words),
            plain => PLAIN
                .iter()
                .filter(|(_, known)| known == plain)
                .try_for_each(|(name, _)| formatter.write_str(name)),
        }
    }
}

impl FromStr for SweepPlacement {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let text = text.trim();
        let wrong = || SweepError::UnknownPlacement(text.to_owned());
        let node = |number: &str| number.parse().map(NodeId).map_err(|_| wrong());
        if let Some((_, named)) = PLAIN.into_iter().find(|(name, _)| *name == text) {
            return Ok(named);
        }
        match text.split_once(':') {
            Some(("local", of)) => node(of).map(Self::Local),
            Some(("preferred", of)) => node(of).map(Self::Preferred),
            Some(("remote", pair)) => {
                let (cpus, memory) = pair.split_once('/').ok_or_else(wrong)?;
                Ok(Self::Remote { cpus: node(cpus)?, memory: node(memory)? })
            }
            _ if text.starts_with('-') => Ok(Self::Words(text.to_owned())),
            _ => Err(wrong()),
        }
    }
}

/// One CPU after another from node to node, and from package to package; within a node one of each
/// cache first, then one of each core, then siblings.
fn spread(topology: &Topology, jobs: usize) -> CpuSet {
    let far_apart = in_turns(by_node(topology), topology);
    let nodes: Vec<Vec<CpuId>> = far_apart.into_iter().map(|cpus| wide(topology, &cpus)).collect();
    let rounds = nodes.iter().map(Vec::len).max().unwrap_or(0);
    let by_rounds =
        (0..rounds).flat_map(|round| nodes.iter().filter_map(move |node| node.get(round)));
    by_rounds.take(jobs.max(1)).copied().collect()
}

/// Node by node, cache by cache, core by core, all of one before the next.
fn packed(topology: &Topology, jobs: usize) -> CpuSet {
    let close = by_node(topology).into_iter().flat_map(|node| {
        let groups =
            topology.last_level_groups().into_iter().map(move |group| group.intersection(&node));
        groups.flat_map(|group| cores_of(topology, &group)).collect::<Vec<_>>()
    });
    close.flat_map(|core| core.iter().collect::<Vec<_>>()).take(jobs.max(1)).collect()
}

/// The first of each group's CPUs that this process may use.
fn one_of_each(groups: impl Iterator<Item = CpuSet>, topology: &Topology) -> CpuSet {
    groups.filter_map(|group| group.intersection(&topology.allowed.cpus).first()).collect()
}

/// The usable CPUs of each node that has some; all together where the kernel knows no nodes.
fn by_node(topology: &Topology) -> Vec<CpuSet> {
    let usable = topology.online().intersection(&topology.allowed.cpus);
    let mut nodes: Vec<CpuSet> =
        topology.nodes.iter().map(|node| node.cpus.intersection(&usable)).collect();
    nodes.retain(|cpus| !cpus.is_empty());
    if nodes.is_empty() { vec![usable] } else { nodes }
}

/// The first node of each package, then the second of each.
fn in_turns(nodes: Vec<CpuSet>, topology: &Topology) -> Vec<CpuSet> {
    let package = |node: &CpuSet| {
        topology.packages().iter().position(|package| !package.cpus.is_disjoint(node))
    };
    let packages: Vec<_> = nodes.iter().map(package).collect();
    let turn = |at: usize| packages[..at].iter().filter(|before| **before == packages[at]).count();
    let mut all: Vec<_> =
        nodes.into_iter().enumerate().map(|(at, node)| ((turn(at), packages[at]), node)).collect();
    all.sort_by_key(|(when, _)| *when);
    all.into_iter().map(|(_, node)| node).collect()
}

fn cores_of(topology: &Topology, among: &CpuSet) -> Vec<CpuSet> {
    topology
        .cores()
        .iter()
        .map(|core| core.cpus.intersection(among))
        .filter(|cpus| !cpus.is_empty())
        .collect()
}

/// As far apart as can be: the first CPU of the first core of each cache, then of each second core,
/// ..; siblings last.
fn wide(topology: &Topology, node: &CpuSet) -> Vec<CpuId> {
    let mut all: Vec<((usize, usize, usize), CpuId)> = Vec::new();
    for (cache, group) in topology.last_level_groups().into_iter().enumerate() {
        for (core, cpus) in cores_of(topology, &group.intersection(node)).into_iter().enumerate() {
            all.extend(cpus.iter().enumerate().map(|(thread, cpu)| ((thread, core, cache), cpu)));
        }
    }
    all.sort();
    all.into_iter().map(|(_, cpu)| cpu).collect()
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    /// Two packages of two nodes of one CPU.
    fn machine() -> Topology {
        let mut files = vec![
            ("/sys/devices/system/node/online".to_owned(), "0-3".to_owned()),
            ("/sys/devices/system/cpu/online".to_owned(), "0-3".to_owned()),
            ("/sys/devices/system/cpu/present".to_owned(), "0-3".to_owned()),
        ];
        for id in 0..4 {
            let package = if id < 2 { "0-1" } else { "2-3" };
            files.push((format!("/sys/devices/system/node/node{id}/cpulist"), id.to_string()));
            let cpu = format!("/sys/devices/system/cpu/cpu{id}/topology");
            files.push((format!("{cpu}/physical_package_id"), (id / 2).to_string()));
            files.push((format!("{cpu}/package_cpus_list"), package.to_owned()));
            files.push((format!("{cpu}/thread_siblings_list"), id.to_string()));
        }
        Topology::read(&Source::from_files(files)).unwrap()
    }

    #[test]
    fn spread_prefers_the_other_package() {
        let topology = machine();
        let placed = |place: fn(&Topology, usize) -> CpuSet| {
            [1, 2, 3, 4].map(|jobs| place(&topology, jobs).to_string())
        };
        assert_eq!(placed(spread), ["0", "0,2", "0-2", "0-3"]);
        assert_eq!(placed(packed), ["0", "0-1", "0-2", "0-3"]);
    }
}
