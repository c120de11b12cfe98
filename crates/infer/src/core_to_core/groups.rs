//! Groups of CPUs: their support by measured pairs, and their costs.

use serde::{Deserialize, Serialize};

use super::PairsReason;
use super::pairs::CpuPairs;
use super::partition::Partition;
use super::tree::{PairAgreement, PartitionTree};

/// The limit of CPUs for pairwise measurements.
pub const MAX_CPUS: usize = 4_096;

/// A group of CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CpuGroup {
    /// Its CPUs, ascending.
    pub cpus: Vec<usize>,
    /// The share of the measured pairs inside it with a cost below the threshold, or of those from
    /// it to others with one above: the lower of the two. 0 without measurements.
    pub support: f64,
}

/// Why a tree has no levels, where it has none.
pub(crate) fn refusal(tree: &PartitionTree, pairs: &CpuPairs) -> Option<PairsReason> {
    let why = match (tree.cpus(), pairs.measured().count()) {
        (0 | 1, _) => PairsReason::OneCpu,
        (_, 0) => PairsReason::NotMeasured,
        (2, _) => PairsReason::OnePair,
        (_, pairs) => PairsReason::NoGroups { pairs },
    };
    tree.levels.is_empty().then_some(why)
}

/// Median cost of the pairs of one relation.
pub(crate) fn median_ns(tree: &PartitionTree, pairs: &CpuPairs, relation: usize) -> Option<f64> {
    lower_median(logs_of(tree, pairs, relation)).map(f64::exp)
}

/// The lower of the two middle values.
pub(crate) fn lower_median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// Logs of the costs of one relation's pairs.
pub(crate) fn logs_of(tree: &PartitionTree, pairs: &CpuPairs, relation: usize) -> Vec<f64> {
    let related = pairs.measured().filter(|pair| tree.relation(pair.cpus) == relation);
    related.map(|pair| pair.log_ns).collect()
}

/// The blocks of a partition with their support, by a level's threshold.
pub(crate) fn groups(
    tree: &PartitionTree,
    level: usize,
    blocks: &Partition,
    pairs: &CpuPairs,
) -> Vec<CpuGroup> {
    let mut agreements = vec![PairAgreement::default(); blocks.len()];
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
    let group = |(cpus, agreement): (&Vec<usize>, &PairAgreement)| CpuGroup {
        cpus: cpus.clone(),
        support: if cpus.len() > 1 && !agreement.has_inside() {
            0.0
        } else {
            agreement.support().unwrap_or(0.0)
        },
    };
    blocks.members().iter().zip(&agreements).map(group).collect()
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use proptest::prelude::*;

    use super::*;
    use crate::core_to_core::pairs::{HandoffCost, PairCost};
    use crate::core_to_core::tests::simulate::Machine;

    fn known(costs: &[PairCost], cpus: usize) -> (PartitionTree, CpuPairs) {
        let mut pairs = CpuPairs::new(cpus);
        costs.iter().for_each(|pair| pairs.add(pair.cpus, pair.cost));
        (PartitionTree::from_pairs(&pairs), pairs)
    }

    fn for_levels(tree: &PartitionTree, pairs: &CpuPairs) -> Vec<Vec<CpuGroup>> {
        (0..tree.levels.len())
            .map(|level| groups(tree, level, &tree.levels[level].blocks, pairs))
            .collect()
    }

    #[test]
    fn a_matrix_with_gaps_has_the_structure_of_the_whole() {
        let machine = Machine::new(2, 2, 8, 2);
        let rng = &mut Rng::with_seed(3);
        let mut costs = Vec::new();
        for b in 0..64 {
            for a in 0..b {
                let is_core = machine.true_ns((a, b)) < 20.0;
                if is_core || rng.f64() > 0.3 {
                    let measured = [(); 3].map(|()| machine.measure((a, b), rng));
                    costs.extend(measured.map(|cost| PairCost { cpus: (b, a), cost }));
                }
            }
        }
        let (tree, pairs) = known(&costs, 64);
        let levels = for_levels(&tree, &pairs);
        assert_eq!(levels.iter().map(Vec::len).collect::<Vec<_>>(), [32, 4, 2]);
        assert_eq!(refusal(&tree, &pairs), None);
        assert!(levels.iter().flatten().all(|group| group.support > 0.95), "{levels:?}");
        let median = |cpus| median_ns(&tree, &pairs, tree.relation(cpus)).unwrap();
        assert!((median((0, 63)) - 180.0).abs() < 3.0);
        assert!((median((0, 32)) - 10.0).abs() < 0.5);
    }

    /// The other package's CPUs share nothing on that level.
    #[test]
    fn clusters_of_one_package_only_are_a_level() {
        let mut costs = Vec::new();
        for (a, b) in (0..32).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let median_ns = match (a / 16 == b / 16, a < 16 && a / 4 == b / 4) {
                (_, true) => 25.0,
                (true, _) => 60.0,
                _ => 180.0,
            };
            costs.push(PairCost {
                cpus: (a, b),
                cost: HandoffCost { median_ns, relative_se: 0.01 },
            });
        }
        let (tree, pairs) = known(&costs, 32);
        let levels = for_levels(&tree, &pairs);
        let sizes: Vec<Vec<usize>> = levels
            .iter()
            .map(|groups| groups.iter().map(|group| group.cpus.len()).collect())
            .collect();
        let singles = [1; 16];
        assert_eq!(sizes, [[[4; 4].as_slice(), &singles].concat(), vec![16, 16]]);
        let several = levels.iter().flatten().filter(|group| group.cpus.len() > 1);
        assert!(several.clone().all(|group| group.support == 1.0), "{levels:?}");
    }

    #[test]
    fn undetermined_structure_is_reported() {
        let pair =
            |ns| PairCost { cpus: (0, 1), cost: HandoffCost { median_ns: ns, relative_se: 0.0 } };
        let refused = |costs: &[PairCost], cpus| {
            let (tree, pairs) = known(costs, cpus);
            refusal(&tree, &pairs).unwrap()
        };
        assert_eq!(refused(&[], 1), PairsReason::OneCpu);
        assert_eq!(refused(&[pair(10.0)], 2), PairsReason::OnePair);
        assert_eq!(refused(&[pair(-1.0)], 3), PairsReason::NotMeasured);
        assert_eq!(refused(&[pair(10.0)], 3), PairsReason::NoGroups { pairs: 1 });
    }

    proptest! {
        #[test]
        fn groups_partition_cpus_for_any_matrix(
            costs in proptest::collection::vec(
                (0usize..12, 0usize..12, proptest::num::f64::ANY),
                0..90,
            ),
            near in proptest::collection::vec((0usize..12, 0usize..12, 1.0f64..200.0), 0..90),
        ) {
            let pair = |&(a, b, median_ns): &(usize, usize, f64)| PairCost {
                cpus: (a, b),
                cost: HandoffCost { median_ns, relative_se: 0.0 },
            };
            let (tree, pairs) = known(&costs.iter().chain(&near).map(pair).collect::<Vec<_>>(), 10);
            for groups in for_levels(&tree, &pairs) {
                let mut cpus: Vec<usize> =
                    groups.into_iter().flat_map(|group| group.cpus).collect();
                cpus.sort_unstable();
                prop_assert_eq!(cpus, (0..10).collect::<Vec<_>>());
            }
        }
    }
}
