//! Groups of CPUs by core-to-core latency.
//!
//! - [`Explorer`] selects the pairs of CPUs to measure, so that a small part of them determines
//!   all, and checks the machine's claims about its cores, cache groups and packages.
//! - [`who_shares()`] finds cores, cache groups and packages in a matrix alone, or reports why they
//!   are undetermined.
//!
//! Noise never splits a group: levels exist only where costs have a gap of at least 4 %, and where
//! they nest.

mod bound;
mod claim;
mod claim_check;
mod compare;
mod cpu_structure;
mod evidence;
mod explorer;
mod groups;
mod halves;
mod join;
mod ladder;
mod naming;
mod package_evidence;
mod pairs;
mod partition;
mod repair;
mod rounds;
mod slow_cpus;
#[cfg(test)]
mod tests;
mod thresholds;
mod tree;
mod who_shares;

use serde::{Deserialize, Serialize};

use groups::{groups, lower_median, median_ns};
use pairs::CpuPairs;
use partition::Partition;
use tree::PartitionTree;

pub use claim::{ClaimedCpu, GroupKind, TopologyClaim};
pub use compare::ClaimContradiction;
pub use cpu_structure::{CostClass, CpuStructure, SharedLevel};
pub use explorer::{Explorer, ExplorerLimits, PairResult};
pub use groups::{CpuGroup, MAX_CPUS};
pub use pairs::{HandoffCost, PairCost};
pub use slow_cpus::SlowCpu;
pub use who_shares::{UndeterminedGroups, UndeterminedReason, WhoShares, who_shares};

/// Why groups are undetermined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PairsReason {
    /// Too many CPUs for pairwise measurements.
    TooManyCpus {
        /// Number of CPUs.
        cpus: usize,
        /// The limit.
        most: usize,
    },
    /// One CPU has no pairs.
    OneCpu,
    /// Two CPUs are one pair, and there is nothing to compare it with.
    OnePair,
    /// No pair could be measured.
    NotMeasured,
    /// Costs do not separate into groups.
    NoGroups {
        /// Pairs with a cost.
        pairs: usize,
    },
    /// Pairs inside claimed groups cost as much as pairs beyond.
    SameInsideAndBeyond {
        /// What the groups share.
        shares: GroupKind,
        /// Number of claimed groups.
        groups: usize,
    },
    /// The limit of measurements was reached.
    TooFewMeasurements {
        /// The limit.
        measurements: usize,
        /// Whether all pairs were requested: then too many were disturbed.
        of_all_pairs: bool,
    },
}

/// The smallest ratio of costs to any other CPU and to the sibling.
const NEXT: f64 = 1.25;
/// The smallest median ratio of costs to the next nearest CPU and to the sibling. A clock of 5 ns
/// reduces it to 1.48 (Ryzen 5800X3D: 10.3 and 15.3 ns).
const NEXT_MEDIAN: f64 = 1.45;
/// The largest cost between siblings, through their first-level cache: 5 to 15 ns since 2008. Cores
/// that share a larger cache need 15 ns or more.
const MAX_NS: f64 = 20.0;
/// The smallest share of CPUs with siblings (a hybrid machine's small cores have none); a smaller
/// one is an accident.
const MIN_SHARE: f64 = 0.25;
/// Costs beyond distinguish cores of 3 to 8 threads from groups of as many cores: other cores of
/// the same cache, instead of other caches.
const THREADS: std::ops::RangeInclusive<usize> = 3..=MAX_SIBLINGS;
pub(crate) const MAX_SIBLINGS: usize = 8;
const MAX_BEYOND: f64 = 3.2;
/// Support of two CPUs that are mutual nearest ones, at a cost that differs from siblings
/// elsewhere.
const DOUBTFUL: f64 = 0.5;

/// The cores of a machine: CPUs without siblings are blocks of one.
pub(crate) struct Cores {
    pub(crate) blocks: Partition,
    /// Cores of several CPUs, with their support.
    pub(crate) groups: Vec<CpuGroup>,
}

/// A CPU's nearest, and the distance of the next one, as logs.
#[derive(Clone, Copy)]
struct Nearest {
    cpu: usize,
    log: f64,
    next: f64,
}

pub(crate) fn cores(pairs: &CpuPairs, tree: &PartitionTree) -> Cores {
    two_threads(pairs).or_else(|| several_threads(pairs, tree)).unwrap_or_else(|| Cores {
        blocks: Partition::singletons(pairs.cpus()),
        groups: Vec::new(),
    })
}

fn two_threads(pairs: &CpuPairs) -> Option<Cores> {
    let nearest = nearest(pairs);
    let mutual = |(a, near): (usize, &Option<Nearest>)| {
        let near = (*near)?;
        let back = nearest[near.cpu]?;
        let next = near.next.min(back.next);
        (back.cpu == a && a < near.cpu && next - near.log >= NEXT.ln())
            .then_some((a, near.cpu, near.log, next))
    };
    let found: Vec<(usize, usize, f64, f64)> =
        nearest.iter().enumerate().filter_map(mutual).collect();
    let cost = lower_median(found.iter().map(|pair| pair.2).collect())?;
    let next = lower_median(found.iter().map(|pair| pair.3).collect())?;
    let is_cores = cost.exp() <= MAX_NS && (next - cost).exp() >= NEXT_MEDIAN;
    if !is_cores || 2.0 * (found.len() as f64) < MIN_SHARE * pairs.cpus() as f64 {
        return None;
    }
    let usual = f64::midpoint(cost, next);
    let group = |&(a, b, log, _): &(usize, usize, f64, f64)| CpuGroup {
        cpus: vec![a, b],
        support: if log <= usual { 1.0 } else { DOUBTFUL },
    };
    let mut core: Vec<usize> = (0..pairs.cpus()).collect();
    found.iter().for_each(|&(a, b, ..)| core[b] = a);
    Some(Cores {
        blocks: Partition::by_key(core.into_iter()),
        groups: found.iter().map(group).collect(),
    })
}

fn nearest(pairs: &CpuPairs) -> Vec<Option<Nearest>> {
    let mut all: Vec<Option<Nearest>> = vec![None; pairs.cpus()];
    for pair in pairs.measured() {
        let (a, b) = pair.cpus;
        for (from, to) in [(a, b), (b, a)] {
            let next = match all[from] {
                None => Nearest { cpu: to, log: pair.log_ns, next: f64::INFINITY },
                Some(known) if pair.log_ns < known.log => {
                    Nearest { cpu: to, log: pair.log_ns, next: known.log }
                }
                Some(known) => Nearest { next: known.next.min(pair.log_ns), ..known },
            };
            all[from] = Some(next);
        }
    }
    // With only one pair of a CPU, its other neighbours are unknown.
    all.into_iter().map(|nearest| nearest.filter(|nearest| nearest.next.is_finite())).collect()
}

fn several_threads(pairs: &CpuPairs, tree: &PartitionTree) -> Option<Cores> {
    let first = tree.levels.first()?;
    let (inside, beyond) = (median_ns(tree, pairs, 0)?, median_ns(tree, pairs, 1)?);
    let is_cores = first.blocks.members().iter().all(|members| THREADS.contains(&members.len()))
        && inside <= MAX_NS
        && (NEXT_MEDIAN..=MAX_BEYOND).contains(&(beyond / inside));
    is_cores.then(|| Cores {
        blocks: first.blocks.clone(),
        groups: groups(tree, 0, &first.blocks, pairs),
    })
}
