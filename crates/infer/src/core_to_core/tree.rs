//! Levels of a machine: nested partitions of CPUs, each with a threshold of cost.

use super::join::join;
use super::pairs::{CpuPair, CpuPairs};
use super::partition::Partition;
use super::thresholds::thresholds;

/// The smallest share of pairs, inside blocks and between them, with the cost of their level. Costs
/// that do not nest are no level.
const CONSISTENT: f64 = 0.9;
/// The number of CPUs per pair that a class needs, up to [`MAX_NEEDED`].
const MIN_PER_CPU: usize = 8;
const MAX_NEEDED: usize = 8;

/// Nested partitions, finest first, without single CPUs and the whole machine.
#[derive(Clone, Debug)]
pub(crate) struct PartitionTree {
    pub(crate) levels: Vec<TreeLevel>,
    cpus: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct TreeLevel {
    pub(crate) blocks: Partition,
    /// Log cost above pairs within a block, and below pairs of different blocks.
    pub(crate) threshold: f64,
}

impl PartitionTree {
    /// The levels that these costs show.
    pub(crate) fn from_pairs(pairs: &CpuPairs) -> Self {
        let cpus = pairs.cpus();
        let fewest = (cpus / MIN_PER_CPU).clamp(1, MAX_NEEDED);
        let costs = pairs.measured().map(|pair| (pair.log_ns, pair.relative_se)).collect();
        let mut levels: Vec<TreeLevel> = Vec::new();
        let mut blocks = Partition::singletons(cpus);
        for threshold in thresholds(costs, fewest) {
            blocks = join(pairs, &blocks, threshold);
            levels.push(TreeLevel { blocks: blocks.clone(), threshold });
        }
        // From the top, where blocks are large: a missing level above is no reason to divide blocks
        // below.
        let mut above = Partition::whole(cpus);
        let mut kept: Vec<TreeLevel> = Vec::new();
        for mut level in levels.into_iter().rev() {
            level.mend(pairs, &above);
            if level.blocks.len() > above.len() && level.blocks.len() < cpus {
                above = level.blocks.clone();
                kept.push(level);
            }
        }
        kept.reverse();
        Self { levels: kept, cpus }
    }

    /// The same machine with other levels.
    pub(crate) fn with(&self, levels: Vec<TreeLevel>) -> Self {
        Self { levels, cpus: self.cpus }
    }

    pub(crate) fn cpus(&self) -> usize {
        self.cpus
    }

    /// The lowest level with both CPUs in one block; the number of levels if there is none.
    pub(crate) fn relation(&self, cpus: (usize, usize)) -> usize {
        self.levels
            .iter()
            .position(|level| level.blocks.together(cpus))
            .unwrap_or(self.levels.len())
    }

    /// The relation that a pair's cost implies.
    pub(crate) fn class(&self, pair: &CpuPair) -> usize {
        self.levels
            .iter()
            .position(|level| pair.log_ns <= level.threshold)
            .unwrap_or(self.levels.len())
    }

    /// The blocks of a level; one beyond the last is the whole machine.
    pub(crate) fn blocks(&self, level: usize) -> Partition {
        self.levels
            .get(level)
            .map_or_else(|| Partition::whole(self.cpus), |level| level.blocks.clone())
    }
}

impl TreeLevel {
    /// Removes divisions with little evidence: blocks of this level are divided within a block of
    /// the next only where costs nest.
    fn mend(&mut self, pairs: &CpuPairs, above: &Partition) {
        let mut agreements = vec![PairAgreement::default(); above.len()];
        for pair in pairs.measured().filter(|pair| above.together(pair.cpus)) {
            let near = pair.log_ns <= self.threshold;
            agreements[above.block(pair.cpus.0)].count(self.blocks.together(pair.cpus), near);
        }
        let keep: Vec<bool> = agreements.iter().map(PairAgreement::nests).collect();
        let key = |cpu| {
            let parent = above.block(cpu);
            if keep[parent] { (parent, self.blocks.block(cpu)) } else { (parent, 0) }
        };
        self.blocks = Partition::by_key((0..above.cpus()).map(key));
    }
}

/// Counts of pairs inside blocks and between them, by their cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairAgreement {
    near_inside: usize,
    far_inside: usize,
    near_between: usize,
    far_between: usize,
}

impl PairAgreement {
    pub(crate) fn count(&mut self, inside: bool, near: bool) {
        let count = match (inside, near) {
            (true, true) => &mut self.near_inside,
            (true, false) => &mut self.far_inside,
            (false, true) => &mut self.near_between,
            (false, false) => &mut self.far_between,
        };
        *count += 1;
    }

    /// The share of pairs inside and of pairs between with the expected cost: the lower of the two;
    /// `None` without pairs.
    pub(crate) fn support(&self) -> Option<f64> {
        let shares = [(self.near_inside, self.far_inside), (self.far_between, self.near_between)];
        let share = |(agree, not): (usize, usize)| agree as f64 / (agree + not) as f64;
        shares.into_iter().filter(|(agree, not)| agree + not > 0).map(share).min_by(f64::total_cmp)
    }

    /// Whether any pair inside was measured.
    pub(crate) fn has_inside(&self) -> bool {
        self.near_inside + self.far_inside > 0
    }

    /// Whether costs nest: pairs inside are near, near pairs are inside, and pairs between are far.
    fn nests(&self) -> bool {
        let [agree, not] = [self.near_inside, self.near_between];
        let enough = |agree: usize, not: usize| agree as f64 >= CONSISTENT * (agree + not) as f64;
        self.far_between > 0
            && enough(agree, not)
            && self.support().is_some_and(|share| share >= CONSISTENT)
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::core_to_core::tests::simulate::Machine;

    fn all_pairs(machine: &Machine, seed: u64) -> CpuPairs {
        let rng = &mut Rng::with_seed(seed);
        let cpus = machine.places.len();
        let mut pairs = CpuPairs::new(cpus);
        for b in 0..cpus {
            for a in 0..b {
                // Few pairs are measured repeatedly: nothing else distinguishes a tail from a
                // class.
                for _ in 0..if cpus <= 8 { 5 } else { 1 } {
                    pairs.add((a, b), machine.measure((a, b), rng));
                }
            }
        }
        pairs
    }

    fn sizes(tree: &PartitionTree) -> Vec<usize> {
        tree.levels.iter().map(|level| level.blocks.len()).collect()
    }

    #[test]
    fn small_machines_have_their_true_levels() {
        let shapes: [([usize; 4], &[usize]); 4] = [
            ([2, 2, 4, 2], &[16, 4, 2]),
            ([2, 1, 8, 1], &[2]),
            ([1, 4, 3, 1], &[4]),
            ([1, 1, 2, 2], &[2]),
        ];
        for ([packages, groups, cores, threads], levels) in shapes {
            let machine = Machine::new(packages, groups, cores, threads);
            let right = (0..100)
                .filter(|&seed| {
                    sizes(&PartitionTree::from_pairs(&all_pairs(&machine, seed))) == levels
                })
                .count();
            // An outlier in the only measurement of a core's two CPUs separates them; an explorer
            // measures such a pair again.
            assert!(right >= 94, "{right} of 100 for {levels:?}");
        }
    }

    #[test]
    fn equal_costs_have_no_levels() {
        for seed in 0..100 {
            for cores in [1, 2, 3, 4, 8, 16, 40] {
                let tree =
                    PartitionTree::from_pairs(&all_pairs(&Machine::new(1, 1, cores, 1), seed));
                assert_eq!(sizes(&tree), Vec::<usize>::new(), "{cores} cores, seed {seed}");
            }
        }
    }

    /// On a line of CPUs every cost is the pair's distance: there is no level.
    #[test]
    fn costs_that_do_not_nest_are_no_level() {
        let mut pairs = CpuPairs::new(24);
        for b in 0..24 {
            for a in 0..b {
                let cost = crate::core_to_core::HandoffCost {
                    median_ns: 40.0 * 1.3f64.powf((b - a) as f64),
                    relative_se: 0.01,
                };
                pairs.add((a, b), cost);
            }
        }
        assert_eq!(sizes(&PartitionTree::from_pairs(&pairs)), Vec::<usize>::new());
    }
}
