//! Further pairs for CPUs in another place than claimed.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;

use super::claim::ClaimedPartition;
use super::pairs::{CpuPair, CpuPairs, MEASUREMENTS};
use super::partition::Partition;
use super::tree::PartitionTree;

/// Number of other blocks that a block is compared with at a time: some results make other pairs
/// unnecessary.
const AT_ONCE: usize = 3;
/// With more blocks than this, each is compared with one at a time: most results make other pairs
/// unnecessary.
const MANY: usize = 50;
/// Number of pairs for a CPU's place without a claim.
const WITNESSES: usize = 3;
/// Attempts between two blocks.
const TRIES: usize = 6;
/// The share of grouped CPUs that a claim must place correctly to be trusted for the rest.
const TRUSTED_SHARE: f64 = 0.5;

/// Pairs that determine the place of every block without a claim.
pub(crate) fn questions(
    tree: &PartitionTree,
    pairs: &CpuPairs,
    claimed: &[ClaimedPartition; 3],
    rng: &mut Rng,
) -> Vec<(usize, usize)> {
    let mut questions = Vec::new();
    for level in (0..tree.levels.len()).rev() {
        let blocks = &tree.levels[level].blocks;
        let below = level
            .checked_sub(1)
            .map_or_else(|| Partition::singletons(tree.cpus()), |below| tree.blocks(below));
        let unsettled = unsettled(blocks, &below, claimed);
        let asking = Asking {
            blocks,
            parents: &tree.blocks(level + 1),
            known: known(tree, pairs, level),
            pairs,
            tree,
            level,
        };
        let offsets = asking.popular_offsets();
        for &block in &unsettled {
            questions.extend(asking.places(block, &unsettled, &offsets, rng));
            questions.extend(asking.witnesses(block, rng));
        }
    }
    questions
}

/// Blocks that are no claimed block. A claim that is mostly wrong on this level is ignored.
fn unsettled(
    blocks: &Partition,
    below: &Partition,
    claimed: &[ClaimedPartition; 3],
) -> BTreeSet<usize> {
    let agrees = |claimed: &ClaimedPartition, members: &[usize]| {
        claimed.known[members[0]] && claimed.blocks.mates(members[0]) == members
    };
    let cpus_of =
        |blocks: &mut dyn Iterator<Item = &Vec<usize>>| blocks.map(Vec::len).sum::<usize>() as f64;
    let trusted = claimed.iter().filter(|claimed| {
        let joined = || {
            blocks.members().iter().filter(|members| members.len() > below.mates(members[0]).len())
        };
        cpus_of(&mut joined().filter(|members| agrees(claimed, members)))
            >= TRUSTED_SHARE * cpus_of(&mut joined())
    });
    let trusted: Vec<&ClaimedPartition> = trusted.collect();
    let is_settled =
        |block: &usize| trusted.iter().any(|claimed| agrees(claimed, &blocks.members()[*block]));
    (0..blocks.len()).filter(|block| !is_settled(block)).collect()
}

/// The class of the cheapest pair between any two blocks of a level.
fn known(
    tree: &PartitionTree,
    pairs: &CpuPairs,
    level: usize,
) -> BTreeMap<usize, BTreeMap<usize, usize>> {
    let blocks = &tree.levels[level].blocks;
    let mut known: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for pair in pairs.measured() {
        let [a, b] = [pair.cpus.0, pair.cpus.1].map(|cpu| blocks.block(cpu));
        if a != b {
            let class = tree.class(pair);
            for (a, b) in [(a, b), (b, a)] {
                let least = known.entry(a).or_default().entry(b).or_insert(class);
                *least = class.min(*least);
            }
        }
    }
    known
}

struct Asking<'a> {
    blocks: &'a Partition,
    parents: &'a Partition,
    known: BTreeMap<usize, BTreeMap<usize, usize>>,
    pairs: &'a CpuPairs,
    tree: &'a PartitionTree,
    level: usize,
}

impl Asking<'_> {
    /// Pairs between a block and others of its parent that it may be part of, likely ones first.
    fn places(
        &self,
        block: usize,
        unsettled: &BTreeSet<usize>,
        offsets: &[usize],
        rng: &mut Rng,
    ) -> Vec<(usize, usize)> {
        let members = &self.blocks.members()[block];
        let siblings = self.siblings(block);
        let largest =
            siblings.iter().map(|&other| self.blocks.members()[other].len()).max().unwrap_or(0);
        let at_once = if unsettled.len() > MANY { 1 } else { AT_ONCE };
        // The largest block needs no pairs: the others are compared with it.
        let is_largest =
            || self.blocks.members().iter().all(|others| members.len() >= others.len());
        if members.len() > 1 && largest > 1 && is_largest() {
            return Vec::new();
        }
        let mut candidates: Vec<usize> =
            siblings.into_iter().filter(|&other| self.may_join(block, other)).collect();
        candidates.sort_by_cached_key(|&other| {
            let others = &self.blocks.members()[other];
            let is_usual = offsets
                .iter()
                .position(|&offset| at_offset(members, others, offset))
                .unwrap_or(usize::MAX);
            (is_usual, !unsettled.contains(&other), distance(members, others), other)
        });
        let asked: Vec<_> = candidates
            .iter()
            .filter_map(|&other| self.untried(block, other, rng))
            .take(at_once)
            .collect();
        if asked.is_empty() && members.len() * 2 <= largest { self.again(block) } else { asked }
    }

    fn siblings(&self, block: usize) -> Vec<usize> {
        let parent = self.parents.mates(self.blocks.members()[block][0]);
        let around: BTreeSet<usize> = parent.iter().map(|&cpu| self.blocks.block(cpu)).collect();
        around.into_iter().filter(|&other| other != block).collect()
    }

    /// Neither measured to be distinct, nor known to be, by a third block at different distances
    /// from both.
    fn may_join(&self, block: usize, other: usize) -> bool {
        let nothing = BTreeMap::new();
        let [mine, theirs] = [block, other].map(|block| self.known.get(&block).unwrap_or(&nothing));
        !mine.contains_key(&other)
            && mine
                .iter()
                .all(|(third, class)| theirs.get(third).is_none_or(|other| other == class))
    }

    fn untried(&self, block: usize, other: usize, rng: &mut Rng) -> Option<(usize, usize)> {
        let [from, to] = [block, other].map(|block| &self.blocks.members()[block]);
        let drawn: Vec<_> = (0..TRIES)
            .map(|_| (from[rng.usize(..from.len())], to[rng.usize(..to.len())]))
            .collect();
        std::iter::once((from[0], to[0])).chain(drawn).find(|&pair| !self.pairs.is_tried(pair))
    }

    /// A small block without near ones: its pairs were measured wrong, or it is separate.
    fn again(&self, block: usize) -> Vec<(usize, usize)> {
        let leaves = |(a, b): (usize, usize)| {
            (self.blocks.block(a) == block) != (self.blocks.block(b) == block)
        };
        let doubtful = |pair: &&CpuPair| {
            leaves(pair.cpus)
                && pair.measurements() < MEASUREMENTS
                && self.parents.together(pair.cpus)
        };
        self.pairs.measured().filter(doubtful).map(|pair| pair.cpus).collect()
    }

    /// More pairs inside a block without a claim, for CPUs with few.
    fn witnesses(&self, block: usize, rng: &mut Rng) -> Vec<(usize, usize)> {
        let members = &self.blocks.members()[block];
        let wanted = WITNESSES.min(members.len() - 1);
        let missing = |&cpu: &usize| {
            let tried = members
                .iter()
                .filter(|&&other| other != cpu && self.pairs.is_tried((cpu, other)))
                .count();
            (tried < wanted).then(|| {
                let drawn = (0..TRIES)
                    .map(|_| (cpu, members[rng.usize(..members.len())]))
                    .collect::<Vec<_>>();
                drawn.into_iter().find(|&pair| !self.pairs.is_tried(pair))
            })
        };
        members.iter().filter_map(missing).flatten().collect()
    }

    /// Differences between CPU numbers within blocks, the most frequent first.
    fn popular_offsets(&self) -> Vec<usize> {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for pair in self.pairs.measured().filter(|pair| self.tree.relation(pair.cpus) == self.level)
        {
            *counts.entry(pair.cpus.1 - pair.cpus.0).or_default() += 1;
        }
        let mut offsets: Vec<(usize, usize)> =
            counts.into_iter().map(|(offset, count)| (count, offset)).collect();
        offsets.sort_by(|a, b| b.cmp(a));
        offsets.into_iter().take(2).map(|(_, offset)| offset).collect()
    }
}

fn at_offset(from: &[usize], to: &[usize], offset: usize) -> bool {
    from.iter().any(|&a| {
        to.binary_search(&(a + offset)).is_ok()
            || a.checked_sub(offset).is_some_and(|b| to.binary_search(&b).is_ok())
    })
}

fn distance(from: &[usize], to: &[usize]) -> usize {
    to.iter().map(|&cpu| cpu.abs_diff(from[0])).min().unwrap_or(usize::MAX)
}

/// Pairs after a contradiction: each of both CPUs with some of its own block and of the other's.
pub(crate) fn follow_up(
    tree: &PartitionTree,
    (a, b): (usize, usize),
    level: usize,
    rng: &mut Rng,
) -> Vec<(usize, usize)> {
    let blocks = tree.blocks(level);
    let mut pairs = Vec::new();
    for cpu in [a, b] {
        for around in [a, b] {
            let members = blocks.mates(around);
            pairs.extend((0..WITNESSES).map(|_| (cpu, members[rng.usize(..members.len())])));
        }
    }
    pairs
}
