//! What a set of measured pairs says of a machine, whatever it claims.

use serde::{Deserialize, Serialize};

use super::pairs::{PairCost, Pairs};
use super::pairs_reason::PairsReason;
use super::partition::Partition;
use super::tree::{Agreement, Tree};

/// More CPUs than this nobody measures pair by pair.
pub const MAX_CPUS: usize = 4_096;

/// CPUs that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its CPUs, ascending.
    pub cpus: Vec<usize>,
    /// Of the measured pairs inside it, and of those from it to others, the share that costs what it should: the lower of the two. 0 where nothing was measured.
    pub support: f64,
}

/// One level of a machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StructureLevel {
    /// Every CPU is in one of them. CPUs that share nothing on this level are groups of one.
    pub groups: Vec<Group>,
    /// Median cost of the pairs that share this level and none below, in nanoseconds; `None` where none was measured.
    pub median_ns: Option<f64>,
}

/// The levels of a machine, finest first, as far as costs separate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Structure {
    /// How many CPUs it has.
    pub cpus: usize,
    /// Its levels. Neither single CPUs nor the whole machine are one.
    pub levels: Vec<StructureLevel>,
    /// Median cost of pairs that share no level, in nanoseconds; `None` where none was measured.
    pub beyond_ns: Option<f64>,
    /// Pairs that have a cost.
    pub measured_pairs: usize,
    /// Costs that no pair has: zero, negative, not a number; or of CPUs that do not exist.
    pub ignored: usize,
    /// Why there are no levels.
    pub refused: Option<PairsReason>,
}

impl Structure {
    /// What any pair costs, ready to be asked many times.
    pub fn predictor(&self) -> Predictor<'_> {
        let blocks = |level: &StructureLevel| {
            let mut block = vec![0; self.cpus];
            for (number, group) in level.groups.iter().enumerate() {
                group.cpus.iter().filter(|cpu| **cpu < self.cpus).for_each(|&cpu| block[cpu] = number);
            }
            block
        };
        Predictor { structure: self, blocks: self.levels.iter().map(blocks).collect() }
    }
}

/// A structure with the group of each CPU at hand.
pub struct Predictor<'a> {
    structure: &'a Structure,
    /// For each level, the number of each CPU's group.
    blocks: Vec<Vec<usize>>,
}

impl Predictor<'_> {
    /// What a pair costs, by the median of those like it, in nanoseconds. `None` where none was measured, or there is no such CPU.
    pub fn ns(&self, a: usize, b: usize) -> Option<f64> {
        if a.max(b) >= self.structure.cpus {
            return None;
        }
        let shared = self.blocks.iter().position(|block| block[a] == block[b]);
        shared.map_or(self.structure.beyond_ns, |level| self.structure.levels[level].median_ns)
    }
}

/// Finds the levels of a machine of so many CPUs. Pairs may be missing, and stand in either order or both.
pub fn structure(pairs: &[PairCost], cpus: usize) -> Structure {
    if cpus > MAX_CPUS {
        let refused = Some(PairsReason::TooManyCpus { cpus, most: MAX_CPUS });
        return Structure { cpus, levels: Vec::new(), beyond_ns: None, measured_pairs: 0, ignored: 0, refused };
    }
    let mut known = Pairs::new(cpus);
    for pair in pairs {
        known.add(pair.cpus, pair.cost);
    }
    of_tree(&Tree::of(&known), &known)
}

pub(crate) fn of_tree(tree: &Tree, pairs: &Pairs) -> Structure {
    let level = |index: usize| StructureLevel {
        groups: groups(tree, index, &tree.levels[index].blocks, pairs),
        median_ns: median_ns(tree, pairs, index),
    };
    let measured_pairs = pairs.measured().count();
    let mut levels: Vec<StructureLevel> = (0..tree.levels.len()).map(level).collect();
    for lower in (1..levels.len()).rev() {
        let (below, above) = levels.split_at_mut(lower);
        inherit(&mut below[lower - 1].groups, &above[0].groups);
    }
    Structure {
        cpus: tree.cpus(),
        levels,
        beyond_ns: median_ns(tree, pairs, tree.levels.len()),
        measured_pairs,
        ignored: pairs.ignored,
        refused: tree.levels.is_empty().then(|| refusal(tree.cpus(), measured_pairs)),
    }
}

/// A group that a lower level does not divide is as well supported there as on the level that it comes from.
fn inherit(groups: &mut [Group], above: &[Group]) {
    for group in groups.iter_mut().filter(|group| group.cpus.len() > 1) {
        if let Some(same) = above.iter().find(|other| other.cpus == group.cpus) {
            group.support = same.support;
        }
    }
}

fn refusal(cpus: usize, pairs: usize) -> PairsReason {
    match (cpus, pairs) {
        (0 | 1, _) => PairsReason::OneCpu,
        (_, 0) => PairsReason::NotMeasured,
        (2, _) => PairsReason::OnePair,
        _ => PairsReason::NoGroups { pairs },
    }
}

/// Median cost of the pairs of one relation.
pub(crate) fn median_ns(tree: &Tree, pairs: &Pairs, relation: usize) -> Option<f64> {
    let mut logs = logs_of(tree, pairs, relation);
    logs.sort_by(f64::total_cmp);
    logs.get(logs.len().saturating_sub(1) / 2).map(|log| log.exp())
}

/// Logs of what the pairs of one relation cost.
pub(crate) fn logs_of(tree: &Tree, pairs: &Pairs, relation: usize) -> Vec<f64> {
    let of_relation = pairs.measured().filter(|pair| tree.relation(pair.cpus) == relation);
    of_relation.map(|pair| pair.log_ns).collect()
}

/// The blocks of a partition with their support, judged by a level's threshold.
pub(crate) fn groups(tree: &Tree, level: usize, blocks: &Partition, pairs: &Pairs) -> Vec<Group> {
    let mut agreements = vec![Agreement::default(); blocks.len()];
    if let Some(level) = tree.levels.get(level) {
        for pair in pairs.measured() {
            let [a, b] = [pair.cpus.0, pair.cpus.1].map(|cpu| blocks.block(cpu));
            let near = pair.log_ns <= level.threshold;
            agreements[a].count(a == b, near);
            if a != b {
                agreements[b].count(false, near);
            }
        }
    }
    let group = |(cpus, agreement): (&Vec<usize>, &Agreement)| Group {
        cpus: cpus.clone(),
        support: if cpus.len() > 1 && !agreement.has_inside() { 0.0 } else { agreement.support().unwrap_or(0.0) },
    };
    blocks.members().iter().zip(&agreements).map(group).collect()
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use proptest::prelude::*;

    use super::*;
    use crate::core_to_core::pairs::Cost;
    use crate::core_to_core::simulate::Machine;

    #[test]
    fn a_matrix_with_gaps_has_the_structure_of_the_whole() {
        let machine = Machine::new(2, 2, 8, 2);
        let rng = &mut Rng::with_seed(3);
        let mut pairs = Vec::new();
        for b in 0..64 {
            for a in 0..b {
                let is_core = machine.true_ns((a, b)) < 20.0;
                if is_core || rng.f64() > 0.3 {
                    let measured = [(); 3].map(|()| machine.measure((a, b), rng));
                    pairs.extend(measured.map(|cost| PairCost { cpus: (b, a), cost }));
                }
            }
        }
        let found = structure(&pairs, 64);
        let sizes: Vec<usize> = found.levels.iter().map(|level| level.groups.len()).collect();
        assert_eq!((sizes, &found.refused), (vec![32, 4, 2], &None));
        assert!(found.levels.iter().flat_map(|level| &level.groups).all(|group| group.support > 0.95), "{found:?}");
        let predicted = found.predictor();
        assert!((predicted.ns(0, 63).unwrap() - 180.0).abs() < 3.0);
        assert!((predicted.ns(0, 32).unwrap() - 10.0).abs() < 0.5);
        assert_eq!(predicted.ns(0, 64), None);
    }

    /// Clusters on one package only: the other is one group on that level, too, and no less sure for it.
    #[test]
    fn a_group_that_a_lower_level_does_not_divide_keeps_its_support() {
        let mut pairs = Vec::new();
        for (a, b) in (0..32).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let median_ns = match (a / 16 == b / 16, a < 16 && a / 4 == b / 4) {
                (_, true) => 25.0,
                (true, _) => 60.0,
                _ => 180.0,
            };
            pairs.push(PairCost { cpus: (a, b), cost: Cost { median_ns, relative_se: 0.01 } });
        }
        let found = structure(&pairs, 32);
        let sizes: Vec<Vec<usize>> =
            found.levels.iter().map(|level| level.groups.iter().map(|group| group.cpus.len()).collect()).collect();
        let singles = [1; 16];
        assert_eq!(sizes, [[[4; 4].as_slice(), &singles].concat(), vec![16, 16]]);
        assert!(found.levels.iter().flat_map(|level| &level.groups).all(|group| group.support == 1.0), "{found:?}");
        let mut groups = vec![Group { cpus: vec![0, 1], support: 0.1 }, Group { cpus: vec![2], support: 0.7 }];
        inherit(&mut groups, &[Group { cpus: vec![0, 1], support: 0.9 }, Group { cpus: vec![2], support: 0.2 }]);
        assert_eq!([groups[0].support, groups[1].support], [0.9, 0.7]);
    }

    #[test]
    fn what_cannot_be_told_is_said() {
        let pair = |ns| PairCost { cpus: (0, 1), cost: Cost { median_ns: ns, relative_se: 0.0 } };
        let refused = |pairs: &[PairCost], cpus| structure(pairs, cpus).refused.unwrap();
        assert_eq!(refused(&[], 1), PairsReason::OneCpu);
        assert_eq!(refused(&[pair(10.0)], 2), PairsReason::OnePair);
        assert_eq!(refused(&[pair(-1.0)], 3), PairsReason::NotMeasured);
        assert_eq!(refused(&[pair(10.0)], 3), PairsReason::NoGroups { pairs: 1 });
        let too_many = PairsReason::TooManyCpus { cpus: MAX_CPUS + 1, most: MAX_CPUS };
        assert_eq!(refused(&[pair(10.0)], MAX_CPUS + 1), too_many);
    }

    proptest! {
        #[test]
        fn no_matrix_whatever_panics_and_every_cpu_is_in_one_group_of_each_level(
            costs in proptest::collection::vec((0usize..12, 0usize..12, proptest::num::f64::ANY), 0..90),
            near in proptest::collection::vec((0usize..12, 0usize..12, 1.0f64..200.0), 0..90),
        ) {
            let pair = |&(a, b, median_ns): &(usize, usize, f64)| PairCost { cpus: (a, b), cost: Cost { median_ns, relative_se: 0.0 } };
            let found = structure(&costs.iter().chain(&near).map(pair).collect::<Vec<_>>(), 10);
            for level in found.levels {
                let mut cpus: Vec<usize> = level.groups.into_iter().flat_map(|group| group.cpus).collect();
                cpus.sort_unstable();
                prop_assert_eq!(cpus, (0..10).collect::<Vec<_>>());
            }
        }
    }
}
