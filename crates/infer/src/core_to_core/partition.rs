//! Partitions of CPUs into disjoint blocks.

use std::collections::BTreeMap;

/// The block of every CPU. Blocks are numbered from 0 by their first CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    block_of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Partition {
    /// CPUs with equal keys are in one block.
    pub(crate) fn by_key<K: Ord>(keys: impl Iterator<Item = K>) -> Self {
        let mut number = BTreeMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut place = |(cpu, key)| {
            let block = *number.entry(key).or_insert(members.len());
            if block == members.len() {
                members.push(Vec::new());
            }
            members[block].push(cpu);
            block
        };
        let block_of = keys.enumerate().map(&mut place).collect();
        Self { block_of, members }
    }

    /// Every CPU by itself.
    pub(crate) fn singletons(cpus: usize) -> Self {
        Self::by_key(0..cpus)
    }

    pub(crate) fn whole(cpus: usize) -> Self {
        Self::by_key((0..cpus).map(|_| ()))
    }

    pub(crate) fn cpus(&self) -> usize {
        self.block_of.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn block(&self, cpu: usize) -> usize {
        self.block_of[cpu]
    }

    pub(crate) fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    pub(crate) fn mates(&self, cpu: usize) -> &[usize] {
        &self.members[self.block_of[cpu]]
    }

    pub(crate) fn together(&self, (a, b): (usize, usize)) -> bool {
        self.block_of[a] == self.block_of[b]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_numbered_by_their_first_cpu() {
        let partition = Partition::by_key(["b", "a", "b", "c"].iter());
        assert_eq!(partition.members(), [vec![0, 2], vec![1], vec![3]]);
        assert!(partition.together((0, 2)) && !partition.together((0, 1)));
        assert_eq!(
            (Partition::singletons(3).len(), Partition::whole(3).len(), Partition::whole(0).len()),
            (3, 1, 0)
        );
    }
}
