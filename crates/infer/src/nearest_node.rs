//! To which node is a device nearest?
//!
//! Every pair of nodes is compared in every kind of access, at a family-wise 5 % over all of them.
//! So the nearest node need not be known beforehand: with the best of several, that is selection
//! (multiple comparisons with the best: Hsu, *Multiple Comparisons*, 1996).
//!
//! A node is nearest if some kind of access is slower from every other node beyond the threshold,
//! and no kind is slower from it than from another node. Nodes that no kind separates, and that are
//! the same within the threshold in all of them, are nearest together.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::factors::{DesignCell, FactorEffect, FactorVerdict, pairwise_effects};
use crate::sample_matrix::SampleMatrix;

/// One kind of access, in all places.
#[derive(Clone, Debug)]
pub struct AccessDesign<'s> {
    /// The samples.
    pub samples: &'s SampleMatrix,
    /// Its cells.
    pub cells: Vec<DesignCell>,
    /// Which level of each cell is the node: its index.
    pub factor: usize,
}

/// Which node is nearest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NearestNode {
    /// The decision.
    pub verdict: NearestVerdict,
    /// The nearest nodes, several if they are equally near; empty unless it is decided.
    pub nodes: Vec<u32>,
    /// The ratio of costs from the next node to those from the nearest: the kind of access and the
    /// node with the smallest ratio among those that separate each node best. Null unless it is
    /// decided that one is nearest.
    pub ratio: Option<f64>,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// Index of the kind of access that the ratio is of.
    pub kind: Option<usize>,
}

/// Whether there is a nearest node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NearestVerdict {
    /// All other nodes are farther.
    Nearest,
    /// All nodes are equally near, within the threshold.
    Same,
    /// One kind of access is faster from one node, another kind from another.
    Contradiction,
    /// The samples do not decide.
    Undetermined,
    /// Fewer than two nodes have figures.
    OneNode,
}

/// Decides which node is nearest. `threshold` is the smallest effect that counts, as a fraction.
pub fn nearest_node(kinds: &[AccessDesign<'_>], threshold: f64, seed: u64) -> NearestNode {
    let tests: usize = kinds.iter().map(|kind| pairs(&kind.levels())).sum();
    let mut comparisons = Comparisons::default();
    for (index, kind) in kinds.iter().enumerate() {
        let effects =
            pairwise_effects(kind.samples, &kind.cells, kind.factor, threshold, seed, tests);
        comparisons.levels.extend(kind.levels());
        comparisons.wanted += pairs(&kind.levels());
        comparisons.effects.extend(effects.into_iter().map(|effect| (index, effect)));
    }
    comparisons.decide()
}

impl AccessDesign<'_> {
    fn levels(&self) -> BTreeSet<u32> {
        self.cells.iter().map(|cell| cell.levels[self.factor]).collect()
    }
}

fn pairs(levels: &BTreeSet<u32>) -> usize {
    levels.len() * levels.len().saturating_sub(1) / 2
}

/// All pairs of nodes in all kinds of access.
#[derive(Default)]
struct Comparisons {
    levels: BTreeSet<u32>,
    /// Pairs that should have been compared.
    wanted: usize,
    /// Index of the kind, and the effect.
    effects: Vec<(usize, FactorEffect)>,
}

impl Comparisons {
    fn decide(&self) -> NearestNode {
        if self.levels.len() < 2 || self.effects.is_empty() {
            return undecided(NearestVerdict::OneNode);
        }
        let is_complete = self.effects.len() == self.wanted;
        let all_same = self.effects.iter().all(|(_, effect)| effect.verdict == FactorVerdict::Same);
        if is_complete && all_same {
            let nodes = self.levels.iter().copied().collect();
            return NearestNode { nodes, ..undecided(NearestVerdict::Same) };
        }
        let slower = self.slower();
        if slower.keys().any(|&(a, b)| slower.contains_key(&(b, a))) {
            return undecided(NearestVerdict::Contradiction);
        }
        // A node is in the group of the nearest unless another one is decided to be nearer.
        let group: Vec<u32> = self
            .levels
            .iter()
            .copied()
            .filter(|&node| self.levels.iter().all(|&other| !slower.contains_key(&(node, other))))
            .collect();
        // In a circle each node is slower than another one.
        if group.is_empty() {
            return undecided(NearestVerdict::Contradiction);
        }
        let farther = || self.levels.iter().copied().filter(|node| !group.contains(node));
        let separates =
            |node: u32| group.iter().all(|&nearest| slower.contains_key(&(node, nearest)));
        if farther().next().is_none() || !farther().all(separates) || !self.are_same(&group) {
            return undecided(NearestVerdict::Undetermined);
        }
        // The least advantage over a farther node, each by the kind that shows it best.
        let next = farther().flat_map(|node| group.iter().map(move |&nearest| (node, nearest)));
        let least = next
            .filter_map(|pair| slower.get(&pair))
            .min_by(|a, b| a.1.ratio.total_cmp(&b.1.ratio));
        NearestNode {
            verdict: NearestVerdict::Nearest,
            ratio: least.map(|(_, effect)| effect.ratio),
            ci95: least.map(|(_, effect)| effect.ci95),
            kind: least.map(|(kind, _)| *kind),
            nodes: group,
        }
    }

    /// Which node (first) is slower than which other, by the kind with the largest ratio. Effects
    /// are of the first node against the second.
    fn slower(&self) -> BTreeMap<(u32, u32), (usize, FactorEffect)> {
        let mut slower: BTreeMap<(u32, u32), (usize, FactorEffect)> = BTreeMap::new();
        for &(kind, effect) in &self.effects {
            let (pair, effect) = match effect.verdict {
                FactorVerdict::Slower => ((effect.level, effect.reference), effect),
                FactorVerdict::Faster => ((effect.reference, effect.level), effect.reversed()),
                FactorVerdict::Same | FactorVerdict::Undetermined => continue,
            };
            let known = slower.entry(pair).or_insert((kind, effect));
            if effect.ratio > known.1.ratio {
                *known = (kind, effect);
            }
        }
        slower
    }

    /// Whether these nodes were compared with each other, and are the same in every kind.
    fn are_same(&self, group: &[u32]) -> bool {
        let is_same_pair = |a: u32, b: u32| {
            let is_it = |effect: &FactorEffect| {
                [(a, b), (b, a)].contains(&(effect.level, effect.reference))
            };
            let mut effects = self.effects.iter().filter(|(_, effect)| is_it(effect)).peekable();
            effects.peek().is_some()
                && effects.all(|(_, effect)| effect.verdict == FactorVerdict::Same)
        };
        let pairs = group
            .iter()
            .enumerate()
            .flat_map(|(index, &a)| group[..index].iter().map(move |&b| (a, b)));
        pairs.into_iter().all(|(a, b)| is_same_pair(a, b))
    }
}

fn undecided(verdict: NearestVerdict) -> NearestNode {
    NearestNode { verdict, nodes: vec![], ratio: None, ci95: None, kind: None }
}

#[cfg(test)]
mod tests;
