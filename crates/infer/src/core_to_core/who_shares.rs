//! Who shares a core, a last-level cache, a package, by a matrix of costs alone.
//!
//! Costs tell CPUs apart, but not what it is that they share: levels are named by what a core, a cache and a way between packages cost on machines that were ever
//! built, with wide margins. Where the costs that a name would rest on are not there, no name is given, and it is said why.

use serde::{Deserialize, Serialize};

use super::claim::Kind;
use super::found::{CostClass, Shares};
use super::ladder::{Ladder, Partial};
use super::pairs::{Pair, PairCost, Pairs};
use super::partition::Partition;
use super::siblings::{Cores, cores};
use super::structure::{Group, MAX_CPUS, groups};
use super::tree::Tree;

/// Packages are this many times as far from each other as CPUs within one, or more: 1.6 to 3.6 was ever published, where the memory of the lines was near.
/// Within one package nothing that a level tells apart was farther than 1.4, caches aside.
const PACKAGE_RATIO: f64 = 1.45;
/// Packages have no pairs nearer than this (median): a line goes through a shared cache of a few cores in 15 to 30 ns, across a whole package in 32 or more.
const PACKAGE_NS: f64 = 30.0;
/// More packages than this in one machine have no matrix of all pairs; more groups than this are caches.
const MOST_PACKAGES: usize = 8;
/// Costs within this factor of their median, and not farther, can be of one kind.
const ONE_KIND: f64 = 1.3;
/// The share of pairs that must be of one kind, where all CPUs are taken for one group.
const LEAST_OF_ONE_KIND: f64 = 0.9;
/// The share of costs left out at each end, where their range is told.
const ENDS: f64 = 0.05;

/// Who shares what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhoShares {
    /// CPUs of one package; empty where costs do not tell. One group of all CPUs: nothing tells them apart, and their costs are of one kind.
    pub packages: Vec<Group>,
    /// CPUs of one last-level cache, likewise.
    pub cache_groups: Vec<Group>,
    /// CPUs of one core, where a core has several.
    pub smt_pairs: Vec<Group>,
    /// What pairs cost by what they share, nearest first.
    pub classes: Vec<CostClass>,
    /// What costs do not tell.
    pub cannot_tell: Vec<CannotTell>,
    /// CPUs of which no pair has a cost. They are in no group.
    pub unmeasured: Vec<usize>,
    /// Pairs that have a cost.
    pub measured_pairs: usize,
    /// Costs that no pair has: zero, negative, not a number; or of CPUs that do not exist.
    pub ignored: usize,
}

/// A kind of group that costs do not tell, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CannotTell {
    /// What CPUs may share.
    pub kind: Kind,
    /// Why nobody knows.
    pub why: Untold,
}

/// Why costs do not tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Untold {
    /// There are fewer than three CPUs with costs, or more than [`MAX_CPUS`].
    Cpus(usize),
    /// Some CPUs stand apart, and the others do not: as where the memory of all lines is near these.
    StandApart {
        /// Those.
        cpus: Vec<usize>,
        /// How many times as much the other pairs cost.
        ratio: f64,
    },
    /// Costs are too far apart to be of one kind, and do not separate.
    Scattered {
        /// Nine tenths of them lie between this, in nanoseconds,
        from_ns: f64,
        /// and this.
        to_ns: f64,
    },
}

/// The groups of a kind, as far as they are known.
enum Told {
    Level(usize),
    /// All CPUs together, and the share of pairs that agree.
    Whole(f64),
    Not(Untold),
}

/// Tells who shares what on a machine of so many CPUs. Pairs may be missing, and stand in either order or both. Their costs are in nanoseconds.
pub fn who_shares(costs: &[PairCost], cpus: usize) -> WhoShares {
    if cpus > MAX_CPUS {
        return nothing_of(cpus);
    }
    let (known, ignored) = measured_cpus(costs, cpus);
    let pairs = pairs_among(costs, &known, cpus);
    let unmeasured = (0..cpus).filter(|cpu| known.binary_search(cpu).is_err()).collect();
    let measured_pairs = pairs.measured().count();
    let found = if known.len() < 3 { nothing_of(known.len()) } else { of_pairs(&pairs) };
    WhoShares { unmeasured, measured_pairs, ignored, ..found.numbered(&known) }
}

/// The CPUs that have a cost with any other, ascending; and how many costs are none.
fn measured_cpus(costs: &[PairCost], cpus: usize) -> (Vec<usize>, usize) {
    let mut all = Pairs::new(cpus);
    costs.iter().for_each(|pair| all.add(pair.cpus, pair.cost));
    let mut known: Vec<usize> = all.measured().flat_map(|pair| [pair.cpus.0, pair.cpus.1]).collect();
    known.sort_unstable();
    known.dedup();
    (known, all.ignored)
}

/// All costs, with these CPUs counted from 0.
fn pairs_among(costs: &[PairCost], known: &[usize], cpus: usize) -> Pairs {
    let mut place = vec![None; cpus];
    known.iter().enumerate().for_each(|(index, &cpu)| place[cpu] = Some(index));
    let mut pairs = Pairs::new(known.len());
    for pair in costs {
        let [a, b] = [pair.cpus.0, pair.cpus.1].map(|cpu| place.get(cpu).copied().flatten());
        if let (Some(a), Some(b)) = (a, b) {
            pairs.add((a, b), pair.cost);
        }
    }
    pairs
}

/// Nothing is told of so many CPUs: they are too few, or too many.
fn nothing_of(cpus: usize) -> WhoShares {
    let cannot_tell = Kind::ALL.map(|kind| CannotTell { kind, why: Untold::Cpus(cpus) }).to_vec();
    WhoShares { cannot_tell, ..WhoShares::default() }
}

fn of_pairs(pairs: &Pairs) -> WhoShares {
    let tree = Tree::of(pairs);
    let cores = cores(pairs, &tree);
    let ladder = Ladder::of(&tree, &cores.blocks);
    let reading = Reading { pairs, cores: &cores, ladder: &ladder };
    let told = [(Kind::CacheGroup, reading.cache_groups()), (Kind::Package, reading.packages())];
    let mut shares = WhoShares { smt_pairs: cores.groups.clone(), ..WhoShares::default() };
    let mut partitions = vec![(Shares::Core, cores.blocks.clone())];
    for (kind, told) in told {
        let (found, name) = match kind {
            Kind::Package => (&mut shares.packages, Shares::Package),
            _ => (&mut shares.cache_groups, Shares::CacheGroup),
        };
        match told {
            Told::Not(why) => shares.cannot_tell.push(CannotTell { kind, why }),
            Told::Level(level) => {
                let blocks = ladder.tree.blocks(level);
                *found = groups(&ladder.tree, level, &blocks, pairs);
                partitions.push((name, blocks));
            }
            Told::Whole(support) => {
                *found = vec![Group { cpus: (0..pairs.cpus()).collect(), support }];
                partitions.push((name, Partition::whole(pairs.cpus())));
            }
        }
    }
    shares.classes = classes(pairs, &partitions);
    shares
}

/// The median cost of pairs by the first of these partitions that they share.
fn classes(pairs: &Pairs, partitions: &[(Shares, Partition)]) -> Vec<CostClass> {
    let mut logs: Vec<Vec<f64>> = vec![Vec::new(); partitions.len() + 1];
    for pair in pairs.measured() {
        let shared = partitions.iter().position(|(_, blocks)| blocks.together(pair.cpus));
        logs[shared.unwrap_or(partitions.len())].push(pair.log_ns);
    }
    let names = partitions.iter().map(|(name, _)| *name).chain([Shares::Machine]);
    names
        .zip(logs)
        .filter_map(|(shares, logs)| {
            let median_ns = quantile(logs.clone(), 0.5)?.exp();
            Some(CostClass::of(shares, median_ns, logs))
        })
        .collect()
}

struct Reading<'a> {
    pairs: &'a Pairs,
    cores: &'a Cores,
    ladder: &'a Ladder,
}

impl Reading<'_> {
    /// The lowest level above the cores.
    fn cache_groups(&self) -> Told {
        if let Some(why) = self.stand_apart(0) {
            return Told::Not(why);
        }
        if self.ladder.tree.levels.is_empty() { self.whole() } else { Told::Level(0) }
    }

    /// The highest level that costs what packages do.
    fn packages(&self) -> Told {
        let levels = self.ladder.tree.levels.len();
        if let Some(level) = (0..levels).rev().find(|&level| self.costs_like_packages(level)) {
            return Told::Level(level);
        }
        self.stand_apart(levels).map_or_else(|| self.whole(), Told::Not)
    }

    fn costs_like_packages(&self, level: usize) -> bool {
        let blocks = self.ladder.tree.levels[level].blocks.len();
        let costs = self.median_of(level).zip(self.median_of(level + 1));
        blocks <= MOST_PACKAGES
            && costs
                .is_some_and(|(inside, beyond)| inside.exp() >= PACKAGE_NS && (beyond - inside).exp() >= PACKAGE_RATIO)
    }

    /// Whether a partial level below this one is as far below it as packages are from each other.
    fn stand_apart(&self, level: usize) -> Option<Untold> {
        let Partial { cpus, threshold, .. } = self.ladder.partial[level].as_ref()?;
        let (near, far): (Vec<f64>, Vec<f64>) =
            self.of_relation(level).map(|pair| pair.log_ns).partition(|log| log <= threshold);
        let ratio = (quantile(far, 0.5)? - quantile(near, 0.5)?).exp();
        (ratio >= PACKAGE_RATIO).then(|| Untold::StandApart { cpus: cpus.clone(), ratio })
    }

    /// All CPUs as one group: not where the pairs that no level brings together are of several kinds.
    fn whole(&self) -> Told {
        let logs = || self.of_relation(self.ladder.tree.levels.len()).map(|pair| pair.log_ns);
        let quantile = |share| quantile(logs().collect(), share).unwrap_or(0.0);
        let median = quantile(0.5);
        let of_one_kind = logs().filter(|log| (log - median).abs() <= ONE_KIND.ln()).count();
        let share = of_one_kind as f64 / logs().count().max(1) as f64;
        if share >= LEAST_OF_ONE_KIND {
            return Told::Whole(share);
        }
        Told::Not(Untold::Scattered { from_ns: quantile(ENDS).exp(), to_ns: quantile(1.0 - ENDS).exp() })
    }

    fn median_of(&self, level: usize) -> Option<f64> {
        quantile(self.of_relation(level).map(|pair| pair.log_ns).collect(), 0.5)
    }

    /// Pairs that share this level, and neither a lower one nor a core.
    fn of_relation(&self, level: usize) -> impl Iterator<Item = &Pair> {
        let cores = &self.cores.blocks;
        self.pairs
            .measured()
            .filter(move |pair| !cores.together(pair.cpus) && self.ladder.tree.relation(pair.cpus) == level)
    }
}

fn quantile(mut logs: Vec<f64>, share: f64) -> Option<f64> {
    logs.sort_by(f64::total_cmp);
    logs.get((logs.len().saturating_sub(1) as f64 * share).round() as usize).copied()
}

impl WhoShares {
    /// With the CPUs' own numbers in place of their places in this list.
    fn numbered(mut self, cpus: &[usize]) -> Self {
        let number = |places: &mut Vec<usize>| places.iter_mut().for_each(|place| *place = cpus[*place]);
        for group in self.packages.iter_mut().chain(&mut self.cache_groups).chain(&mut self.smt_pairs) {
            number(&mut group.cpus);
        }
        for untold in &mut self.cannot_tell {
            if let Untold::StandApart { cpus, .. } = &mut untold.why {
                number(cpus);
            }
        }
        self
    }
}
