//! Sets of CPUs and of nodes, of any size that the kernel supports.

use std::fmt;
use std::marker::PhantomData;

use crate::id::{CpuId, Id, NodeId};

/// The largest id of a set. Linux supports 8,192 CPUs and 1,024 nodes; larger ids are parse errors.
pub const MAX_ID: u32 = 65_535;

const BITS: u32 = u64::BITS;

/// A set of logical CPUs.
pub type CpuSet = IdSet<CpuId>;
/// A set of memory nodes.
pub type NodeSet = IdSet<NodeId>;

/// A set of ids, as a bitmap: bit `n % 64` of word `n / 64` stands for id `n`, as in the kernel's
/// masks.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdSet<T> {
    /// Without trailing zero words, so that equal sets are equal vectors.
    words: Vec<u64>,
    kind: PhantomData<T>,
}

impl<T: Id> IdSet<T> {
    /// The empty set.
    pub fn new() -> Self {
        Self { words: Vec::new(), kind: PhantomData }
    }

    /// The set of one id.
    pub fn from_id(id: T) -> Self {
        [id].into_iter().collect()
    }

    /// Adds an id and returns true if it was not a member. Ids above [`MAX_ID`] are rejected.
    pub fn insert(&mut self, id: T) -> bool {
        if id.number() > MAX_ID || self.contains(id) {
            return false;
        }
        let word = (id.number() / BITS) as usize;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (id.number() % BITS);
        true
    }

    /// Removes an id and returns true if it was a member.
    pub fn remove(&mut self, id: T) -> bool {
        let there = self.contains(id);
        if there {
            self.words[(id.number() / BITS) as usize] &= !(1 << (id.number() % BITS));
            self.trim();
        }
        there
    }

    /// Whether an id is a member.
    pub fn contains(&self, id: T) -> bool {
        let word = self.words.get((id.number() / BITS) as usize);
        word.is_some_and(|word| word >> (id.number() % BITS) & 1 == 1)
    }

    /// The number of ids.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set has no ids.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The smallest id.
    pub fn first(&self) -> Option<T> {
        self.iter().next()
    }

    /// The largest id.
    pub fn last(&self) -> Option<T> {
        let top = self.words.last()?;
        let number = (self.words.len() as u32 - 1) * BITS + (BITS - 1 - top.leading_zeros());
        Some(T::from_number(number))
    }

    /// The ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let of_word = |(&word, index): (&u64, u32)| {
            (0..BITS)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| T::from_number(index * BITS + bit))
        };
        self.words.iter().zip(0u32..).flat_map(of_word)
    }

    /// The ids in either set.
    pub fn union(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a | b)
    }

    /// The ids in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & b)
    }

    /// The ids in this set and not in the other.
    pub fn difference(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & !b)
    }

    /// Whether every id of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.difference(other).is_empty()
    }

    /// Whether the sets share no id.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.intersection(other).is_empty()
    }

    /// The bitmap, lowest ids first, without trailing zero words, as system calls expect it.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The set of a bitmap, lowest ids first. Ids above [`MAX_ID`] are ignored.
    pub fn from_words(words: &[u64]) -> Self {
        let most = (MAX_ID / BITS + 1) as usize;
        let mut set = Self { words: words[..words.len().min(most)].to_vec(), kind: PhantomData };
        set.trim();
        set
    }

    fn combine(&self, other: &Self, each: impl Fn(u64, u64) -> u64) -> Self {
        let length = self.words.len().max(other.words.len());
        let word = |set: &Self, index| set.words.get(index).copied().unwrap_or(0);
        let words: Vec<u64> = (0..length).map(|i| each(word(self, i), word(other, i))).collect();
        Self::from_words(&words)
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl<T: Id> Default for IdSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Id> FromIterator<T> for IdSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(ids: I) -> Self {
        let mut set = Self::new();
        set.extend(ids);
        set
    }
}

impl<T: Id> Extend<T> for IdSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, ids: I) {
        for id in ids {
            self.insert(id);
        }
    }
}

impl<T: Id> fmt::Debug for IdSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s {{{self}}}", T::NOUN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(ids: &[u32]) -> NodeSet {
        ids.iter().map(|&id| NodeId(id)).collect()
    }

    #[test]
    fn holds_sparse_ids_in_order() {
        let set = nodes(&[255, 0, 64, 63]);
        assert_eq!(set.iter().map(|node| node.0).collect::<Vec<_>>(), [0, 63, 64, 255]);
        assert_eq!((set.len(), set.first(), set.last()), (4, Some(NodeId(0)), Some(NodeId(255))));
    }

    #[test]
    fn equality_ignores_removed_ids() {
        let mut set = nodes(&[1, 300]);
        assert!(set.remove(NodeId(300)));
        assert_eq!(set, nodes(&[1]));
        assert!(!set.remove(NodeId(300)));
    }

    #[test]
    fn set_algebra() {
        let (a, b) = (nodes(&[0, 1, 70]), nodes(&[1, 2]));
        assert_eq!(a.union(&b), nodes(&[0, 1, 2, 70]));
        assert_eq!(a.intersection(&b), nodes(&[1]));
        assert_eq!(a.difference(&b), nodes(&[0, 70]));
        assert!(nodes(&[70]).is_subset(&a) && !a.is_subset(&b));
        assert!(nodes(&[5]).is_disjoint(&a) && NodeSet::new().is_empty());
    }

    #[test]
    fn large_ids_are_rejected() {
        let mut set = CpuSet::new();
        assert!(!set.insert(CpuId(MAX_ID + 1)));
        assert!(set.is_empty());
    }
}
