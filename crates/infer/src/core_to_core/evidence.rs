//! The first pairs to measure: those that confirm or refute the claim.

use fastrand::Rng;

use super::claim::ClaimedPartition;
use super::pairs::CpuPairs;
use super::partition::Partition;

/// Number of substitutes that are tried for a pair that cannot be measured.
const MAX_TRIES: usize = 6;
/// Number of CPUs with all pairs measured, to find unclaimed structure.
const NEIGHBOURS: usize = 32;

/// Two sets of CPUs that need a measured pair: the first of each, or others if that fails.
#[derive(Clone, Debug)]
pub(crate) struct Want {
    from: Vec<usize>,
    to: Vec<usize>,
    asked: Vec<(usize, usize)>,
}

impl Want {
    fn new(from: &[usize], to: &[usize]) -> Self {
        Self { from: from.to_vec(), to: to.to_vec(), asked: Vec::new() }
    }

    pub(crate) fn last(&self) -> Option<(usize, usize)> {
        self.asked.last().copied()
    }

    fn next(&mut self, pairs: &CpuPairs, rng: &mut Rng) -> Option<(usize, usize)> {
        let is_met = self.last().is_some_and(|pair| pairs.get(pair).is_some());
        if is_met || self.asked.len() >= MAX_TRIES {
            return None;
        }
        let any = |cpus: &[usize], rng: &mut Rng| cpus[rng.usize(..cpus.len())];
        let drawn =
            (0..MAX_TRIES).map(|_| (any(&self.from, rng), any(&self.to, rng))).collect::<Vec<_>>();
        let first = (self.from[0], self.to[0]);
        let pair =
            std::iter::once(first).chain(drawn).find(|&(a, b)| a != b && !pairs.is_tried((a, b)));
        // A pair that another requirement had measured is sufficient.
        let pair =
            if self.asked.is_empty() && pairs.get(first).is_some() { Some(first) } else { pair };
        self.asked.push(pair?);
        pair
    }
}

/// The pairs for every requirement that is not yet fulfilled.
pub(crate) fn ask(wants: &mut [Want], pairs: &CpuPairs, rng: &mut Rng) -> Vec<(usize, usize)> {
    let asked = wants.iter_mut().filter_map(|want| want.next(pairs, rng));
    asked.filter(|&pair| !pairs.is_tried(pair)).collect()
}

/// The requirements of a claim: pairs of leaders (up to a limit), CPUs with their leaders,
/// siblings.
pub(crate) fn wants(
    cores: &ClaimedPartition,
    groups: &ClaimedPartition,
    packages: &ClaimedPartition,
    most_leaders: usize,
    rng: &mut Rng,
) -> Vec<Want> {
    let around = surroundings(groups, packages);
    let mut wants = leaders(&around, packages, most_leaders, rng);
    for members in around.members().iter().chain(cores.blocks.members()) {
        wants.extend((1..members.len()).map(|place| Want::new(&members[place..=place], members)));
    }
    wants
}

/// Claimed cache groups. CPUs without one are grouped by package, or all together.
fn surroundings(groups: &ClaimedPartition, packages: &ClaimedPartition) -> Partition {
    let key = |cpu: usize| match (groups.known[cpu], packages.known[cpu]) {
        (true, _) => (0, groups.blocks.block(cpu)),
        (false, true) => (1, packages.blocks.block(cpu)),
        (false, false) => (2, 0),
    };
    Partition::by_key((0..groups.blocks.cpus()).map(key))
}

fn leaders(
    around: &Partition,
    packages: &ClaimedPartition,
    most: usize,
    rng: &mut Rng,
) -> Vec<Want> {
    let blocks = around.members();
    let pair = |a: usize, b: usize| Want::new(&blocks[a], &blocks[b]);
    let count = blocks.len();
    if count * count.saturating_sub(1) / 2 <= most {
        return (0..count)
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .map(|(a, b)| pair(a, b))
            .collect();
    }
    // Too many leaders: each with the first of its package, those with each other, and as many
    // again at random.
    let package = |block: usize| packages.blocks.block(blocks[block][0]);
    let mut first: Vec<usize> = Vec::new();
    let mut wants = Vec::new();
    for block in 0..count {
        match first.iter().find(|&&leader| package(leader) == package(block)) {
            Some(&leader) => wants.push(pair(leader, block)),
            None => first.push(block),
        }
    }
    for (place, &b) in first.iter().enumerate() {
        wants.extend(first[..place].iter().map(|&a| pair(a, b)));
    }
    for _ in 0..count {
        let (a, b) = (rng.usize(..count), rng.usize(..count));
        if a != b {
            wants.push(pair(a, b));
        }
    }
    wants.truncate(most.max(1));
    wants
}

/// Some CPUs that are claimed to be near each other: whole cores of one cache group, or of several
/// if they are small.
pub(crate) fn neighbourhood(
    cores: &ClaimedPartition,
    groups: &ClaimedPartition,
    rng: &mut Rng,
) -> Vec<usize> {
    let cpus = groups.blocks.cpus();
    if cpus == 0 {
        return Vec::new();
    }
    let start = rng.usize(..cpus);
    let mut chosen = Vec::new();
    for cpu in (start..cpus).chain(0..start).flat_map(|cpu| groups.blocks.mates(cpu)) {
        if chosen.len() >= NEIGHBOURS {
            break;
        }
        for &sibling in cores.blocks.mates(*cpu) {
            if !chosen.contains(&sibling) {
                chosen.push(sibling);
            }
        }
    }
    chosen.truncate(NEIGHBOURS);
    chosen
}

/// Every pair of these CPUs.
pub(crate) fn all_of(cpus: &[usize]) -> Vec<(usize, usize)> {
    (0..cpus.len()).flat_map(|b| (0..b).map(move |a| (cpus[a], cpus[b]))).collect()
}
