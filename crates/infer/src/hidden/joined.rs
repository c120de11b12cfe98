//! Joins groups of pages that are one kind.
//!
//! A cut along a line where two kinds overlap leaves halves of them, and a cut by level then leaves
//! a few pages at the edge of a wide kind.

use super::PooledPages;
use super::cost_table::{mean, median};
use super::cut::{MIN_GAP, cut_with};
use crate::cell::MAD_TO_SD;

/// A kind has at least this many pages, over all processes.
pub(super) const MIN_PAGES: usize = 3;
/// The smallest distance of two kinds that only differ in level, as a logarithm (8 %).
pub(super) const LEVEL_GAP: f64 = 0.077;
/// Kinds at a smaller distance, as a logarithm (8 %), may be halves of one, and single pages that
/// are nearer by less may be disturbed.
pub(super) const CLOSE: f64 = 2.0 * MIN_GAP;
/// Two kinds at this distance, in standard deviations of their pages, are separated four times in
/// five.
pub(super) const SEPARATED: f64 = 5.0;
/// The share of each of two groups that a cut of both has to find.
const SEPARATE: f64 = 0.9;
/// A kind with a smaller share of all pages has to be farther from others.
const EDGE: f64 = 0.05;

/// What the groups were cut by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutBy {
    /// The part of costs that differs between rows. Groups of any level are joined.
    Turn,
    /// Then by level. Few pages at the edge of a wide group are joined with it.
    Level,
    /// Then by pages that are nearer to a row: no cut finds these again.
    Nearer,
}

/// Joins groups that are close together, and that no cut separates.
pub(super) fn joined(
    pooled: &PooledPages,
    groups: Vec<Vec<usize>>,
    by: CutBy,
    seed: u64,
) -> Vec<Vec<usize>> {
    let points = pooled.turning();
    let level = |&page: &usize| mean(pooled.pages[page].logs.iter().copied());
    let mut groups: Vec<Group> = groups
        .into_iter()
        .map(|pages| Group::new(&points, mean(pages.iter().map(level)), pages))
        .collect();
    while let Some((a, b)) = pair(&points, &groups, by, seed) {
        let other = groups.remove(b).pages;
        let mut pages = std::mem::take(&mut groups[a].pages);
        pages.extend(other);
        pages.sort_unstable();
        groups[a] = Group::new(&points, mean(pages.iter().map(level)), pages);
    }
    groups.into_iter().map(|group| group.pages).collect()
}

struct Group {
    pages: Vec<usize>,
    level: f64,
    centre: Vec<f64>,
}

impl Group {
    fn new(points: &[Vec<f64>], level: f64, pages: Vec<usize>) -> Self {
        let centre = (0..points.first().map_or(0, Vec::len))
            .map(|row| mean(pages.iter().map(|&page| points[page][row])))
            .collect();
        Self { pages, level, centre }
    }

    fn distance(&self, other: &Self) -> f64 {
        let rows = self.centre.iter().zip(&other.centre);
        rows.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}

/// Two groups that may be one, the closest first: the first index is the smaller one.
fn pair(points: &[Vec<f64>], groups: &[Group], by: CutBy, seed: u64) -> Option<(usize, usize)> {
    let few = EDGE * points.len() as f64;
    let is_edge = |a: &Group, b: &Group| {
        let (small, wide) = if a.pages.len() < b.pages.len() { (a, b) } else { (b, a) };
        let limit = CLOSE.max(SEPARATED * width(points, &wide.pages));
        by == CutBy::Level && (small.pages.len() as f64) < few && a.distance(b) < limit
    };
    let is_one = |&(a, b): &(usize, usize)| {
        let (a, b) = (&groups[a], &groups[b]);
        if by != CutBy::Turn && (a.level - b.level).abs() >= LEVEL_GAP {
            return false;
        }
        let distance = a.distance(b);
        is_edge(a, b)
            || distance < MIN_GAP
            || by != CutBy::Nearer && distance < CLOSE && !are_separated(points, a, b, seed)
    };
    let mut pairs: Vec<(usize, usize)> =
        (0..groups.len()).flat_map(|a| (a + 1..groups.len()).map(move |b| (a, b))).collect();
    let distance = |pair: &(usize, usize)| groups[pair.0].distance(&groups[pair.1]);
    pairs.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
    pairs.into_iter().find(is_one)
}

/// The standard deviation of a group's points, in the row where it is largest.
pub(super) fn width(points: &[Vec<f64>], group: &[usize]) -> f64 {
    let row_width = |row: usize| {
        let middle = median(group.iter().map(|&page| points[page][row]));
        MAD_TO_SD * median(group.iter().map(|&page| (points[page][row] - middle).abs()))
    };
    (0..points.first().map_or(0, Vec::len)).map(row_width).fold(0.0, f64::max)
}

/// Whether a cut of both groups finds them again.
fn are_separated(points: &[Vec<f64>], a: &Group, b: &Group, seed: u64) -> bool {
    let both = a.pages.iter().chain(&b.pages).map(|&page| points[page].clone());
    let Some(cut) = cut_with(&both.collect::<Vec<_>>(), MIN_PAGES, seed) else { return false };
    let first = a.pages.len();
    let mut counts = vec![[0; 2]; cut.parts];
    for (at, part) in cut.of.iter().enumerate() {
        counts[*part][usize::from(at >= first)] += 1;
    }
    let is_found = |group: usize, size: usize| {
        let own = counts.iter().filter(|count| count[group] > count[1 - group]);
        own.map(|count| count[group]).sum::<usize>() as f64 >= SEPARATE * size as f64
    };
    is_found(0, first) && is_found(1, b.pages.len())
}
