//! Which of a machine's levels hold for all of it?
//!
//! Where the memory of a line is at home, the same exchange can cost twice as much: published
//! matrices of two packages show one of them as a group, and the other as loose as strangers. Such
//! a level is *partial*. It is no level of the machine, but it tells that something was not seen.

use super::partition::Partition;
use super::tree::{Level, Tree};

/// A level of the machine joins blocks of the one below for at least this share of all CPUs.
const WHOLE: f64 = 0.9;
/// A partial level that joins blocks for a smaller share is an accident.
const PART: f64 = 0.2;

/// A tree without its partial levels, and what they were.
pub(crate) struct Ladder {
    /// The levels that hold for the whole machine, above its cores.
    pub(crate) tree: Tree,
    /// For each level of the tree, and for the machine above them, the last partial level below
    /// it: the CPUs that it joined.
    pub(crate) partial: Vec<Option<Partial>>,
}

/// CPUs that cost less among themselves than the others do.
#[derive(Clone, Debug)]
pub(crate) struct Partial {
    pub(crate) cpus: Vec<usize>,
    /// The log cost that those pairs stay below.
    pub(crate) threshold: f64,
    blocks: Partition,
}

impl Ladder {
    pub(crate) fn of(tree: &Tree, cores: &Partition) -> Self {
        let mut below = cores.clone();
        let mut levels: Vec<Level> = Vec::new();
        let mut partial: Vec<Option<Partial>> = vec![None];
        for level in &tree.levels {
            let level = Level { blocks: with_whole_cores(&level.blocks, cores), ..*level };
            let cpus = differing(&level.blocks, &below);
            if is_share(&cpus, WHOLE, tree) {
                // What is a block of this level, too, was only nearer to itself than other blocks
                // of this level are.
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

    /// The same with another level above all.
    pub(crate) fn with_level(&self, level: Level) -> Self {
        let mut levels = self.tree.levels.clone();
        levels.push(level);
        let mut partial = self.partial.clone();
        partial.push(None);
        Self { tree: self.tree.with(levels), partial }
    }
}

/// No level comes between the CPUs of a core: those that a bad reading set apart go where most of
/// the others are.
fn with_whole_cores(blocks: &Partition, cores: &Partition) -> Partition {
    let largest = |cpus: &[usize]| {
        cpus.iter().map(|&cpu| blocks.block(cpu)).max_by_key(|&block| blocks.members()[block].len())
    };
    Partition::by_key((0..blocks.cpus()).map(|cpu| largest(cores.mates(cpu))))
}

/// CPUs whose block is larger here than there.
fn differing(here: &Partition, there: &Partition) -> Vec<usize> {
    (0..here.cpus()).filter(|&cpu| here.mates(cpu).len() > there.mates(cpu).len()).collect()
}

fn is_share(cpus: &[usize], share: f64, tree: &Tree) -> bool {
    !cpus.is_empty() && cpus.len() as f64 >= share * tree.cpus() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(levels: &[&str]) -> Tree {
        let level = |(index, blocks): (usize, &&str)| Level {
            blocks: Partition::by_key(blocks.bytes()),
            threshold: index as f64,
        };
        let empty = Tree::of(&crate::core_to_core::pairs::Pairs::new(levels[0].len()));
        empty.with(levels.iter().enumerate().map(level).collect())
    }

    fn ladder(levels: &[&str]) -> (Vec<f64>, Vec<Option<Vec<usize>>>) {
        let tree = tree(levels);
        let ladder = Ladder::of(&tree, &Partition::singletons(tree.cpus()));
        let kept = ladder.tree.levels.iter().map(|level| level.threshold).collect();
        (
            kept,
            ladder.partial.into_iter().map(|partial| partial.map(|partial| partial.cpus)).collect(),
        )
    }

    #[test]
    fn levels_that_hold_for_all_cpus_are_kept() {
        assert_eq!(ladder(&["aabbccdd", "aaaabbbb"]), (vec![0.0, 1.0], vec![None; 3]));
    }

    #[test]
    fn one_package_that_shows_alone_is_no_level_but_remembered() {
        assert_eq!(
            ladder(&["aabbccdd", "aaaaccdd"]),
            (vec![0.0], vec![None, Some(vec![0, 1, 2, 3])])
        );
    }

    #[test]
    fn a_group_that_is_whole_before_the_others_are_is_nothing_to_remember() {
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
