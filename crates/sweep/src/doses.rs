//! Doses of memory latency for a program that ends: placements at its start whose memory is near,
//! far, and interleaved between.
//!
//! Interleaved pages are dealt out over nodes evenly, so that a set of nodes has the mean of their
//! latencies. Machines of more nodes have sets at more doses; two nodes have one.

use nearfar_infer::response::LatencyRange;
use nearfar_machine::Topology;
use nearfar_model::{NodeId, NodeSet};
use serde::{Deserialize, Serialize};

use crate::error::SweepError;
use crate::placement::DistanceSource;

/// Doses between near and far, as shares, that are looked for.
const BETWEEN: [f64; 3] = [0.25, 0.5, 0.75];
/// How far off they may be.
const OFF: f64 = 0.13;
/// Far memory has a latency larger by this share at least: else there is no dose.
const FARTHER: f64 = 0.05;
/// Sets are of this number of nodes at most: of more, the nearest and the farthest.
const MAX_NODES: usize = 12;

/// The doses of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SweepDoses {
    /// The survey whose latencies these are. Null: doses are shares of far memory.
    pub survey: Option<DoseSurvey>,
    /// The latency of near memory; 0 of shares.
    pub near: LatencyRange,
    /// The latency of far memory; 1 of shares.
    pub far: LatencyRange,
    /// The mean latency over all nodes that may be used.
    pub interleaved: LatencyRange,
    /// The placements, the nearest first.
    pub placements: Vec<SweepDose>,
}

/// A survey of this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DoseSurvey {
    /// Its file.
    pub file: String,
    /// When it began.
    pub started: String,
}

/// A placement that is a dose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SweepDose {
    /// Words of `nearfar run`, as the sweep's placement.
    pub words: String,
    /// The mean latency over its nodes, or the share of far memory.
    pub dose: f64,
    /// The same in per cent, from all near to all far.
    pub percent: u32,
}

/// Which nodes are near and far: those that the user names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DoseNodes {
    /// The node of the CPUs.
    pub cpus: Option<NodeId>,
    /// The far node.
    pub far: Option<NodeId>,
}

impl SweepDoses {
    /// The doses of this machine. Near is the memory of the least latency from the CPUs of a node,
    /// the first that may be used; far is that of the largest.
    ///
    /// # Errors
    ///
    /// One node with memory that may be used, one that is named and may not, or none that is far.
    pub fn new(
        topology: &Topology,
        named: DoseNodes,
        survey: Option<(DoseSurvey, DistanceSource<'_>)>,
    ) -> Result<Self, SweepError> {
        let usable = |node: &&nearfar_machine::Node| {
            node.has_memory() && topology.allowed.nodes.contains(node.id)
        };
        let memories: NodeSet = topology.nodes.iter().filter(usable).map(|node| node.id).collect();
        if memories.len() < 2 {
            return Err(SweepError::OneMemoryNode);
        }
        let has_cpus = |id: &NodeId| {
            topology.node(*id).is_some_and(|node| !node.cpus.is_disjoint(&topology.allowed.cpus))
        };
        let first = topology.nodes.iter().map(|node| node.id).find(has_cpus);
        let cpus = named.cpus.or(first).filter(has_cpus).ok_or(SweepError::NoDoseCpus)?;
        if let Some(far) = named.far.filter(|far| !memories.contains(*far)) {
            return Err(SweepError::NoDoseMemory(far));
        }
        let latency = |node: NodeId| -> Option<LatencyRange> {
            let found = survey.as_ref()?.1(cpus, node)?;
            Some(LatencyRange { ns: found.value, range: found.interval? })
        };
        let latencies: Option<Vec<(NodeId, LatencyRange)>> =
            memories.iter().map(|node| Some((node, latency(node)?))).collect();
        match latencies {
            Some(all) => Self::by_latency(cpus, all, named.far, survey.map(|(survey, _)| survey)),
            None => Self::by_share(cpus, &memories, named.far),
        }
    }

    /// The dose that a placement is.
    pub fn of(&self, placement: &str) -> Option<&SweepDose> {
        self.placements.iter().find(|dose| dose.words == placement)
    }

    fn by_latency(
        cpus: NodeId,
        mut all: Vec<(NodeId, LatencyRange)>,
        named: Option<NodeId>,
        survey: Option<DoseSurvey>,
    ) -> Result<Self, SweepError> {
        let mean = |set: &[(NodeId, LatencyRange)]| {
            let weight = 1.0 / set.len() as f64;
            LatencyRange::mean(&set.iter().map(|one| (weight, one.1)).collect::<Vec<_>>())
        };
        let interleaved = mean(&all);
        all.sort_by(|one, other| one.1.ns.total_cmp(&other.1.ns).then(one.0.cmp(&other.0)));
        let near = all[0];
        let far = all.iter().find(|one| Some(one.0) == named).or(all.last()).copied();
        let far = far.filter(|far| far.1.ns > near.1.ns * (1.0 + FARTHER));
        let far = far.ok_or(SweepError::NoFarMemory(cpus))?;
        let range = far.1.ns - near.1.ns;
        let of = |set: &[(NodeId, LatencyRange)]| {
            let nodes: NodeSet = set.iter().map(|one| one.0).collect();
            let dose = mean(set).ns;
            let percent = (100.0 * (dose - near.1.ns) / range).round().max(0.0) as u32;
            SweepDose { words: words(cpus, &nodes), dose, percent }
        };
        while all.len() > MAX_NODES {
            all.remove(all.len() / 2);
        }
        let mut between: Vec<SweepDose> = Vec::new();
        for wanted in BETWEEN {
            let share = |set: &Vec<(NodeId, LatencyRange)>| {
                ((mean(set).ns - near.1.ns) / range - wanted).abs()
            };
            // Fewer nodes are preferred to a slightly better dose.
            let found = sets(&all)
                .filter(|set| share(set) <= OFF)
                .min_by(|a, b| (a.len(), share(a)).partial_cmp(&(b.len(), share(b))).unwrap());
            let dose = found.map(|set| of(&set));
            between
                .extend(dose.filter(|dose| between.iter().all(|known| known.words != dose.words)));
        }
        between.sort_by(|one, other| one.dose.total_cmp(&other.dose));
        let placements = [of(&[near])].into_iter().chain(between).chain([of(&[far])]).collect();
        Ok(Self { survey, near: near.1, far: far.1, interleaved, placements })
    }

    /// Without latencies the CPUs' own node is near.
    fn by_share(cpus: NodeId, memories: &NodeSet, far: Option<NodeId>) -> Result<Self, SweepError> {
        let near = Some(cpus).filter(|node| memories.contains(*node));
        let near = near.ok_or(SweepError::NoFarMemory(cpus))?;
        let far = far.or_else(|| memories.iter().filter(|node| *node != near).last());
        let far = far.filter(|far| *far != near).ok_or(SweepError::NoFarMemory(cpus))?;
        let exact = |share: f64| LatencyRange { ns: share, range: [share; 2] };
        let one = |nodes: &[NodeId], dose: f64| SweepDose {
            words: words(cpus, &nodes.iter().copied().collect()),
            dose,
            percent: (100.0 * dose) as u32,
        };
        let placements = vec![one(&[near], 0.0), one(&[near, far], 0.5), one(&[far], 1.0)];
        let others = (memories.len() - 1) as f64;
        let interleaved = exact(others / memories.len() as f64);
        Ok(Self { survey: None, near: exact(0.0), far: exact(1.0), interleaved, placements })
    }
}

/// What `nearfar run` takes.
fn words(cpus: NodeId, nodes: &NodeSet) -> String {
    let policy = if nodes.len() == 1 { "membind" } else { "interleave" };
    format!("--cpunodebind={cpus} --{policy}={nodes}")
}

/// All sets of two and three.
fn sets<T: Copy>(all: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    let pairs = (0..all.len()).flat_map(move |a| (a + 1..all.len()).map(move |b| (a, b)));
    pairs.flat_map(move |(a, b)| {
        let more = (b + 1..all.len()).map(move |c| vec![all[a], all[b], all[c]]);
        [vec![all[a], all[b]]].into_iter().chain(more)
    })
}

#[cfg(test)]
mod tests;
