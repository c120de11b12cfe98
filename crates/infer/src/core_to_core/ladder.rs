//! Separates levels of the whole machine from partial ones.
//!
//! The home of a cache line can double the cost of the same exchange: published matrices of two
//! packages show one of them as a group, and the other as unrelated CPUs. Such a level is
//! *partial*. It is no level of the machine, but shows that some structure was missed.

use super::partition::Partition;
use super::tree::{PartitionTree, TreeLevel};

/// The smallest share of CPUs in joined blocks for a level of the machine.
const WHOLE: f64 = 0.9;
/// The smallest share of CPUs in joined blocks for a partial level.
const PART: f64 = 0.2;

/// A tree without its partial levels, and these levels.
pub(crate) struct Ladder {
    /// The levels of the whole machine, above its cores.
    pub(crate) tree: PartitionTree,
    /// For each level of the tree, and for the machine above them, the last partial level below it,
    /// with the CPUs that it joins.
    pub(crate) partial: Vec<Option<Partial>>,
}

/// CPUs with lower costs among themselves than the others.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    pub(crate) cpus: Vec<usize>,
    /// The upper limit of those pairs' log costs.
    pub(crate) threshold: f64,
    blocks: Partition,
}

impl Ladder {
    pub(crate) fn new(tree: &PartitionTree, cores: &Partition) -> Self {
        let mut below = cores.clone();
        let mut levels: Vec<TreeLevel> = Vec::new();
        let mut partial: Vec<Option<Partial>> = vec![None];
        for level in &tree.levels {
            let level = TreeLevel { blocks: with_whole_cores(&level.blocks, cores), ..*level };
            let cpus = differing(&level.blocks, &below);
            if is_share(&cpus, WHOLE, tree) {
                // A block of this level is only nearer to itself than other blocks of this level
                // are.
                if let Some(last) = &mut partial[levels.len()] {
                    let divided = differing(&level.blocks, &last.blocks);
                    last.cpus.retain(|cpu| divided.binary_search(cpu).is_ok());
                }
                below = level.blocks.clone();
                levels.push(level);
                partial.push(None);
            } else if is_share(&cpus, PART, tree) {
                partial[levels.len()] =
                    Some(Partial { cpus, threshold: level.threshold, blocks: level.blocks });
            }
        }
        let partial = partial
            .into_iter()
            .map(|last| last.filter(|last| is_share(&last.cpus, PART, tree)))
            .collect();
        Self { tree: tree.with(levels), partial }
    }

    /// The same with another level on top.
    pub(crate) fn with_level(&self, level: TreeLevel) -> Self {
        let mut levels = self.tree.levels.clone();
        levels.push(level);
        let mut partial = self.partial.clone();
        partial.push(None);
        Self { tree: self.tree.with(levels), partial }
    }
}

/// No level divides a core: CPUs that a wrong measurement separates join most of the others.
fn with_whole_cores(blocks: &Partition, cores: &Partition) -> Partition {
    let largest = |cpus: &[usize]| {
        cpus.iter().map(|&cpu| blocks.block(cpu)).max_by_key(|&block| blocks.members()[block].len())
    };
    Partition::by_key((0..blocks.cpus()).map(|cpu| largest(cores.mates(cpu))))
}

/// CPUs in a larger block here than there.
fn differing(here: &Partition, there: &Partition) -> Vec<usize> {
    (0..here.cpus()).filter(|&cpu| here.mates(cpu).len() > there.mates(cpu).len()).collect()
}

fn is_share(cpus: &[usize], share: f64, tree: &PartitionTree) -> bool {
    !cpus.is_empty() && cpus.len() as f64 >= share * tree.cpus() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(levels: &[&str]) -> PartitionTree {
        let level = |(index, blocks): (usize, &&str)| TreeLevel {
            blocks: Partition::by_key(blocks.bytes()),
            threshold: index as f64,
        };
        let empty =
            PartitionTree::from_pairs(&crate::core_to_core::pairs::CpuPairs::new(levels[0].len()));
        empty.with(levels.iter().enumerate().map(level).collect())
    }

    fn ladder(levels: &[&str]) -> (Vec<f64>, Vec<Option<Vec<usize>>>) {
        let tree = tree(levels);
        let ladder = Ladder::new(&tree, &Partition::singletons(tree.cpus()));
        let kept = ladder.tree.levels.iter().map(|level| level.threshold).collect();
        (
            kept,
            ladder.partial.into_iter().map(|partial| partial.map(|partial| partial.cpus)).collect(),
        )
    }

    #[test]
    fn whole_levels_are_kept() {
        assert_eq!(ladder(&["aabbccdd", "aaaabbbb"]), (vec![0.0, 1.0], vec![None; 3]));
    }

    #[test]
    fn partial_levels_are_kept_separately() {
        assert_eq!(
            ladder(&["aabbccdd", "aaaaccdd"]),
            (vec![0.0], vec![None, Some(vec![0, 1, 2, 3])])
        );
    }

    #[test]
    fn early_complete_groups_are_not_partial() {
        assert_eq!(ladder(&["aaaabcde", "aaaabbbb"]), (vec![1.0], vec![None, None]));
        // Groups within it are.
        assert_eq!(
            ladder(&["aabbcdef", "aaaabbbb"]),
            (vec![1.0], vec![Some(vec![0, 1, 2, 3]), None])
        );
    }

    #[test]
    fn cores_stay_whole() {
        let [blocks, cores] = ["aaabcc", "uvwwxx"].map(|keys| Partition::by_key(keys.bytes()));
        assert_eq!(with_whole_cores(&blocks, &cores).members(), [vec![0, 1, 2, 3], vec![4, 5]]);
    }
}
