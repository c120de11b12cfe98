//! Names levels as cores, cache groups and packages. Costs alone distinguish levels without naming
//! them; the claim names them.

use std::collections::BTreeMap;

use super::claim::{ClaimedPartition, GroupKind, TopologyClaim};
use super::groups::median_ns;
use super::pairs::CpuPairs;
use super::partition::Partition;
use super::tree::PartitionTree;

/// The smallest ratio of costs beyond a core to costs between its siblings, where no claim names a
/// level.
const CORE_RATIO: f64 = 1.6;
/// Threads that a core has at most.
const MAX_THREADS: usize = 8;
/// A claim with a smaller fit (see [`fit`]) is not about that level.
const MIN_FIT: f64 = 0.6;

/// The names of levels.
pub(crate) struct Names {
    /// For each kind, the number of its level: 0 is single CPUs, 1 the tree's first level, one more
    /// than the last the whole machine.
    pub(crate) levels: [usize; 3],
    /// For each kind, whether the claim fits the level.
    pub(crate) fits: [bool; 3],
}

impl Names {
    pub(crate) fn level(&self, kind: GroupKind) -> usize {
        self.levels[kind as usize]
    }
}

/// The partition of a numbered level, single CPUs and the whole machine included.
pub(crate) fn partition(tree: &PartitionTree, number: usize) -> Partition {
    match number.checked_sub(1) {
        None => Partition::singletons(tree.cpus()),
        Some(level) => tree.blocks(level),
    }
}

/// Names levels by the best fit of claims, from the core up; levels that no claim fits get the
/// remaining names.
pub(crate) fn name(tree: &PartitionTree, pairs: &CpuPairs, claim: &TopologyClaim) -> Names {
    let top = tree.levels.len() + 1;
    let partitions: Vec<Partition> = (0..=top).map(|number| partition(tree, number)).collect();
    let claimed = GroupKind::ALL.map(|kind| claim.partition(kind));
    let fits = claimed
        .each_ref()
        .map(|claimed| partitions.iter().map(|found| fit(claimed, found)).collect::<Vec<f64>>());
    let mut best = (f64::NEG_INFINITY, [0, top, top]);
    for core in 0..=top {
        for group in core..=top {
            for package in group.max(1)..=top {
                let score = fits[0][core] + fits[1][group] + fits[2][package];
                if score > best.0 {
                    best = (score, [core, group, package]);
                }
            }
        }
    }
    let [mut core, mut cache_group, mut package] = best.1;
    let fit_well =
        |kind: usize, level: usize| claimed[kind].is_known() && fits[kind][level] >= MIN_FIT;
    if !claimed[0].is_known() || !fit_well(0, core) || hides_siblings(tree, pairs, core) {
        core = usize::from(has_sibling_level(tree, pairs));
    }
    if !fit_well(2, package) {
        package = if tree.levels.len() > core.max(1) { top - 1 } else { top };
    }
    package = package.max(core);
    // The level above the core's is the cache group's, unless a claim fits better.
    let next = (core + 1).min(package);
    if !fit_well(1, cache_group)
        || (cache_group == package && package > next)
        || cache_group < core
        || cache_group > package
    {
        cache_group = next;
    }
    let levels = [core, cache_group, package];
    Names { levels, fits: [0, 1, 2].map(|kind| fit_well(kind, levels[kind])) }
}

/// Whether the claim has no siblings, but the first level is so fast and its groups so small that
/// they must be siblings.
fn hides_siblings(tree: &PartitionTree, pairs: &CpuPairs, core: usize) -> bool {
    core == 0 && tree.levels.len() > 1 && has_sibling_level(tree, pairs)
}

fn has_sibling_level(tree: &PartitionTree, pairs: &CpuPairs) -> bool {
    let Some(first) = tree.levels.first() else { return false };
    let small = first.blocks.members().iter().all(|members| members.len() <= MAX_THREADS);
    let ratio =
        |inside: f64| median_ns(tree, pairs, 1).is_some_and(|beyond| beyond >= CORE_RATIO * inside);
    small && median_ns(tree, pairs, 0).is_some_and(ratio)
}

/// The fit of a claim to a partition: over CPUs, the mean overlap of the two blocks. 0 without a
/// claim.
fn fit(claimed: &ClaimedPartition, found: &Partition) -> f64 {
    let mut common: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let known = || (0..found.cpus()).filter(|&cpu| claimed.known[cpu]);
    for cpu in known() {
        *common.entry((claimed.blocks.block(cpu), found.block(cpu))).or_default() += 1;
    }
    let share = |cpu: usize| {
        let common = common[&(claimed.blocks.block(cpu), found.block(cpu))];
        common as f64 / (claimed.blocks.mates(cpu).len() + found.mates(cpu).len() - common) as f64
    };
    known().map(share).sum::<f64>() / known().count().max(1) as f64
}
