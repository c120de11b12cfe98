//! Placements by name, or in the words of `nearfar run`.
//!
//! A name becomes words of `nearfar run` for this machine and number of jobs; so what a sweep finds
//! best can be typed as it is.

mod cpus;
mod refusal;
mod usual;

use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;

use nearfar_machine::{Source, Topology};
use nearfar_model::{CpuSet, NodeId, NodeSet};
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
            Self::Spread => on_cpus(cpus::spread(topology, jobs)),
            Self::Packed => on_cpus(cpus::packed(topology, jobs)),
            Self::OnePerCore => on_cpus(cpus::one_of_each(
                topology.cores().iter().map(|core| core.cpus.clone()),
                topology,
            )),
            Self::OnePerCache => {
                on_cpus(cpus::one_of_each(topology.last_level_groups().into_iter(), topology))
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
