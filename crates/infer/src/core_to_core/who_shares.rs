//! Groups of CPUs that share a core, a last-level cache or a package, from a matrix of costs alone.
//!
//! Costs distinguish CPUs without showing what they share. Levels are named by the costs of cores,
//! caches and packages on existing machines, with wide margins. Without sufficient evidence a level
//! has no name, and the reason is reported. A claim of the machine names an undetermined level with
//! the same groups.

use super::claim::{GroupKind, TopologyClaim};
use super::cpu_structure::{CostClass, SharedLevel};
use super::groups::{CpuGroup, MAX_CPUS, groups};
use super::halves::halves;
use super::ladder::{Ladder, Partial};
use super::package_evidence;
use super::pairs::{CpuPair, CpuPairs, PairCost};
use super::partition::Partition;
use super::slow_cpus::{SlowCpu, without_slow};
use super::thresholds::quantile;
use super::tree::{PartitionTree, TreeLevel};
use super::{Cores, MAX_SIBLINGS, cores};

/// Costs of one kind differ from their median by at most this factor.
const ONE_KIND: f64 = 1.3;
/// The smallest share of pairs of one kind, where all CPUs are one group.
const MIN_OF_ONE_KIND: f64 = 0.9;
/// The share of costs outside a reported range, at each end.
const ENDS: f64 = 0.05;
/// The largest cost of a pair of a small group that may be a core, if siblings are unknown.
const CORES_OR_CACHES_NS: f64 = 41.0;
/// The largest ratio of costs beyond such a group to costs within it: other cores of one cache.
const CORES_OR_CACHES_RATIO: f64 = 3.2;
/// The smallest ratio of costs between packages, or dies, to costs within them.
const APART: f64 = 1.45;

/// Groups of CPUs, by what they share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhoShares {
    /// CPUs of one package; empty where they are undetermined. One group of all CPUs where their
    /// costs are of one kind.
    pub packages: Vec<CpuGroup>,
    /// CPUs of one last-level cache, likewise.
    pub cache_groups: Vec<CpuGroup>,
    /// CPUs of one core, where a core has several.
    pub smt_pairs: Vec<CpuGroup>,
    /// Costs of pairs by what they share, nearest first.
    pub classes: Vec<CostClass>,
    /// Undetermined kinds of groups.
    pub undetermined: Vec<UndeterminedGroups>,
    /// CPUs that are slow to all others, with their factors. Groups are those of the costs without
    /// these.
    pub slow: Vec<SlowCpu>,
    /// CPUs without any cost. They are in no group.
    pub unmeasured: Vec<usize>,
    /// Number of pairs with a cost.
    pub measured_pairs: usize,
    /// Number of impossible costs: zero, negative, not a number; or of CPUs that do not exist.
    pub ignored: usize,
}

/// An undetermined kind of group, with the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct UndeterminedGroups {
    /// What CPUs may share.
    pub kind: GroupKind,
    /// The reason.
    pub why: UndeterminedReason,
}

/// Why groups are undetermined.
#[derive(Clone, Debug, PartialEq)]
pub enum UndeterminedReason {
    /// There are fewer than three CPUs with costs, or more than [`MAX_CPUS`].
    Cpus(usize),
    /// Some CPUs form a group, and the others do not, for instance because all cache lines have
    /// their home near these.
    FewApart {
        /// The CPUs of the group.
        cpus: Vec<usize>,
        /// The ratio of the other pairs' costs to theirs.
        ratio: f64,
    },
    /// Groups of CPUs that are packages, or clusters of one package.
    PackagesOrClusters {
        /// The CPUs of each.
        groups: Vec<Vec<usize>>,
        /// Median cost of a group's own pairs, in nanoseconds.
        inside_ns: f64,
        /// Median cost of pairs of two groups, in nanoseconds.
        beyond_ns: f64,
    },
    /// Small groups of CPUs that are the CPUs of one core, or cores that share a cache.
    CoresOrCaches {
        /// The CPUs of each.
        groups: Vec<Vec<usize>>,
    },
    /// Costs scatter too much to be of one kind, and do not separate.
    Scattered {
        /// The start of the range of nine tenths of the costs, in nanoseconds.
        from_ns: f64,
        /// The end of that range.
        to_ns: f64,
    },
}

/// The result for a kind of group.
enum GroupLevel {
    Level(usize),
    /// All CPUs together, and the share of pairs that agree.
    Whole(f64),
    Not(UndeterminedReason),
}

/// Finds groups of CPUs that share a core, a cache or a package.
///
/// Pairs may be missing, and be given in either order or both. Their costs are in nanoseconds. The
/// machine's claim, if there is one, names groups that costs alone do not.
pub fn who_shares(costs: &[PairCost], cpus: usize, claim: Option<&TopologyClaim>) -> WhoShares {
    if cpus > MAX_CPUS {
        return undetermined_for(cpus);
    }
    let (known, ignored) = measured_cpus(costs, cpus);
    let pairs = pairs_among(costs, &known, cpus);
    let unmeasured = (0..cpus).filter(|cpu| known.binary_search(cpu).is_err()).collect();
    let measured_pairs = pairs.measured().count();
    let claim = claim.map(|claim| claim.for_cpus(&known));
    let found = if known.len() < 3 {
        undetermined_for(known.len())
    } else {
        match without_slow(&pairs) {
            Some((slow, pairs)) => WhoShares { slow, ..for_pairs(&pairs, claim.as_ref()) },
            None => for_pairs(&pairs, claim.as_ref()),
        }
    };
    WhoShares { unmeasured, measured_pairs, ignored, ..found.numbered(&known) }
}

/// The CPUs with a cost to any other, ascending; and the number of impossible costs.
fn measured_cpus(costs: &[PairCost], cpus: usize) -> (Vec<usize>, usize) {
    let mut is_known = vec![false; cpus];
    let mut ignored = 0;
    for pair in costs {
        let (a, b) = pair.cpus;
        if a != b && a.max(b) < cpus && pair.cost.is_sound() {
            (is_known[a], is_known[b]) = (true, true);
        } else {
            ignored += 1;
        }
    }
    ((0..cpus).filter(|&cpu| is_known[cpu]).collect(), ignored)
}

/// All costs, with these CPUs counted from 0.
fn pairs_among(costs: &[PairCost], known: &[usize], cpus: usize) -> CpuPairs {
    let mut place = vec![None; cpus];
    known.iter().enumerate().for_each(|(index, &cpu)| place[cpu] = Some(index));
    let mut pairs = CpuPairs::new(known.len());
    for pair in costs {
        let [a, b] = [pair.cpus.0, pair.cpus.1].map(|cpu| place.get(cpu).copied().flatten());
        if let (Some(a), Some(b)) = (a, b) {
            pairs.add((a, b), pair.cost);
        }
    }
    pairs
}

/// The result for too few or too many CPUs.
fn undetermined_for(cpus: usize) -> WhoShares {
    let undetermined = GroupKind::ALL
        .map(|kind| UndeterminedGroups { kind, why: UndeterminedReason::Cpus(cpus) })
        .to_vec();
    WhoShares { undetermined, ..WhoShares::default() }
}

fn for_pairs(pairs: &CpuPairs, claim: Option<&TopologyClaim>) -> WhoShares {
    let tree = PartitionTree::from_pairs(pairs);
    let cores = cores(pairs, &tree);
    let mut ladder = Ladder::new(&tree, &cores.blocks);
    let reading = LevelNaming { pairs, cores: &cores, ladder: &ladder, claim };
    let mut named =
        [(GroupKind::CacheGroup, reading.cache_groups()), (GroupKind::Package, reading.packages())];
    // Where no threshold divides all CPUs, and their costs differ, they may still be two halves.
    let scattered = matches!(named[1].1, GroupLevel::Not(UndeterminedReason::Scattered { .. }));
    if let Some((blocks, threshold)) = scattered.then(|| halves(pairs)).flatten() {
        let divided = ladder.with_level(TreeLevel { blocks, threshold });
        let reading = LevelNaming { pairs, cores: &cores, ladder: &divided, claim };
        if let again @ (GroupLevel::Level(_)
        | GroupLevel::Not(UndeterminedReason::PackagesOrClusters { .. })) = reading.packages()
        {
            named[1].1 = again;
            ladder = divided;
        }
    }
    let mut shares = WhoShares { smt_pairs: cores.groups.clone(), ..WhoShares::default() };
    let mut partitions = vec![(SharedLevel::Core, cores.blocks.clone())];
    for (kind, named) in named {
        let (found, name) = match kind {
            GroupKind::Package => (&mut shares.packages, SharedLevel::Package),
            _ => (&mut shares.cache_groups, SharedLevel::CacheGroup),
        };
        match named {
            GroupLevel::Not(why) => shares.undetermined.push(UndeterminedGroups { kind, why }),
            GroupLevel::Level(level) => {
                let blocks = ladder.tree.blocks(level);
                *found = groups(&ladder.tree, level, &blocks, pairs);
                partitions.push((name, blocks));
            }
            GroupLevel::Whole(support) => {
                *found = vec![CpuGroup { cpus: (0..pairs.cpus()).collect(), support }];
                partitions.push((name, Partition::whole(pairs.cpus())));
            }
        }
    }
    // Without packages, pairs of two groups share only the machine, or a package.
    let beyond = if shares.packages.is_empty() { SharedLevel::Other } else { SharedLevel::Machine };
    shares.classes = classes(pairs, &partitions, beyond);
    shares
}

/// The median cost of pairs by the first of these partitions that they share; `beyond` is the level
/// of the others.
fn classes(
    pairs: &CpuPairs,
    partitions: &[(SharedLevel, Partition)],
    beyond: SharedLevel,
) -> Vec<CostClass> {
    let mut logs: Vec<Vec<f64>> = vec![Vec::new(); partitions.len() + 1];
    for pair in pairs.measured() {
        let shared = partitions.iter().position(|(_, blocks)| blocks.together(pair.cpus));
        logs[shared.unwrap_or(partitions.len())].push(pair.log_ns);
    }
    let names = partitions.iter().map(|(name, _)| *name).chain([beyond]);
    names
        .zip(logs)
        .filter_map(|(shares, logs)| {
            let median_ns = quantile(logs.clone(), 0.5)?.exp();
            Some(CostClass::new(shares, median_ns, logs))
        })
        .collect()
}

struct LevelNaming<'a> {
    pairs: &'a CpuPairs,
    cores: &'a Cores,
    ladder: &'a Ladder,
    claim: Option<&'a TopologyClaim>,
}

impl LevelNaming<'_> {
    /// The lowest level above the cores.
    fn cache_groups(&self) -> GroupLevel {
        if let Some(why) = self.few_apart(0) {
            return GroupLevel::Not(why);
        }
        match self.ladder.tree.levels.first() {
            None => self.whole(),
            Some(first) if self.may_be_cores(first) => {
                GroupLevel::Not(UndeterminedReason::CoresOrCaches {
                    groups: for_several(&first.blocks),
                })
            }
            Some(_) => GroupLevel::Level(0),
        }
    }

    /// Whether small groups have the costs of siblings, though none was recognised.
    fn may_be_cores(&self, first: &TreeLevel) -> bool {
        let is_small = first.blocks.members().iter().all(|members| members.len() <= MAX_SIBLINGS);
        let costs = self.median_ns(0).zip(self.median_ns(1));
        self.cores.groups.is_empty()
            && is_small
            && !self.is_claimed(GroupKind::CacheGroup, &first.blocks)
            && costs.is_some_and(|(inside, beyond)| {
                inside <= CORES_OR_CACHES_NS && beyond <= CORES_OR_CACHES_RATIO * inside
            })
    }

    /// The highest level with the costs of packages, if it is certain to be packages.
    fn packages(&self) -> GroupLevel {
        let levels = self.ladder.tree.levels.len();
        let apart = (0..levels).rev().filter_map(|level| Some((level, self.evidence(level)?)));
        let Some((level, evidence)) = apart.into_iter().find(|(_, found)| found.is_apart()) else {
            return self.few_apart(levels).map_or_else(|| self.whole(), GroupLevel::Not);
        };
        if evidence.is_packages() || self.is_claimed(GroupKind::Package, evidence.blocks) {
            return GroupLevel::Level(level);
        }
        if self.is_claimed(GroupKind::Package, &Partition::whole(self.pairs.cpus())) {
            return GroupLevel::Whole(1.0);
        }
        GroupLevel::Not(UndeterminedReason::PackagesOrClusters {
            groups: for_several(evidence.blocks),
            inside_ns: evidence.inside_ns,
            beyond_ns: evidence.beyond_ns,
        })
    }

    fn evidence(&self, level: usize) -> Option<package_evidence::LevelData<'_>> {
        Some(package_evidence::LevelData {
            blocks: &self.ladder.tree.levels[level].blocks,
            cores: &self.cores.blocks,
            is_above_caches: level > 0,
            inside_ns: self.median_ns(level)?,
            beyond_ns: self.median_ns(level + 1)?,
        })
    }

    /// Whether the machine claims exactly these groups.
    fn is_claimed(&self, kind: GroupKind, blocks: &Partition) -> bool {
        self.claim.is_some_and(|claim| {
            let claimed = claim.partition(kind);
            claimed.known.iter().all(|known| *known) && claimed.blocks == *blocks
        })
    }

    /// Whether a partial level below this one is as far below it as packages are from each other.
    fn few_apart(&self, level: usize) -> Option<UndeterminedReason> {
        let Partial { cpus, threshold, .. } = self.ladder.partial[level].as_ref()?;
        let (near, far): (Vec<f64>, Vec<f64>) =
            self.for_relation(level).map(|pair| pair.log_ns).partition(|log| log <= threshold);
        let ratio = (quantile(far, 0.5)? - quantile(near, 0.5)?).exp();
        (ratio >= APART).then(|| UndeterminedReason::FewApart { cpus: cpus.clone(), ratio })
    }

    /// All CPUs as one group, unless pairs beyond all levels are of several kinds.
    fn whole(&self) -> GroupLevel {
        let logs = || self.for_relation(self.ladder.tree.levels.len()).map(|pair| pair.log_ns);
        let quantile = |share| quantile(logs().collect(), share).unwrap_or(0.0);
        let median = quantile(0.5);
        let of_one_kind = logs().filter(|log| (log - median).abs() <= ONE_KIND.ln()).count();
        let share = of_one_kind as f64 / logs().count().max(1) as f64;
        if share >= MIN_OF_ONE_KIND {
            return GroupLevel::Whole(share);
        }
        GroupLevel::Not(UndeterminedReason::Scattered {
            from_ns: quantile(ENDS).exp(),
            to_ns: quantile(1.0 - ENDS).exp(),
        })
    }

    /// Median cost of the pairs that share this level and none below, in nanoseconds.
    fn median_ns(&self, level: usize) -> Option<f64> {
        quantile(self.for_relation(level).map(|pair| pair.log_ns).collect(), 0.5).map(f64::exp)
    }

    /// Pairs that share this level, and neither a lower one nor a core.
    fn for_relation(&self, level: usize) -> impl Iterator<Item = &CpuPair> {
        let cores = &self.cores.blocks;
        self.pairs.measured().filter(move |pair| {
            !cores.together(pair.cpus) && self.ladder.tree.relation(pair.cpus) == level
        })
    }
}

/// Groups of more than one CPU.
fn for_several(blocks: &Partition) -> Vec<Vec<usize>> {
    blocks.members().iter().filter(|members| members.len() > 1).cloned().collect()
}

impl WhoShares {
    /// With CPU numbers instead of indexes of this list.
    fn numbered(mut self, cpus: &[usize]) -> Self {
        let number =
            |places: &mut Vec<usize>| places.iter_mut().for_each(|place| *place = cpus[*place]);
        for group in
            self.packages.iter_mut().chain(&mut self.cache_groups).chain(&mut self.smt_pairs)
        {
            number(&mut group.cpus);
        }
        self.slow.iter_mut().for_each(|slow| slow.cpu = cpus[slow.cpu]);
        for undetermined in &mut self.undetermined {
            match &mut undetermined.why {
                UndeterminedReason::FewApart { cpus, .. } => number(cpus),
                UndeterminedReason::PackagesOrClusters { groups, .. }
                | UndeterminedReason::CoresOrCaches { groups } => {
                    groups.iter_mut().for_each(number);
                }
                UndeterminedReason::Cpus(_) | UndeterminedReason::Scattered { .. } => {}
            }
        }
        self
    }
}
