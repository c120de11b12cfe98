//! Kinds of pages over all processes together: few pages of each process make a kind.
//!
//! A kind needs three pages, and two processes that have pages of it and of the kind that it was
//! cut from: what separates one process from the others is no kind. Pages are cut by the part of
//! their costs that differs between rows; then by pages that are nearer to a row than the rest of
//! their kind, since disturbances only add; then by their level, since two nodes may be equally far
//! apart from all rows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::PooledPages;
use super::cost_table::{mean, median};
use super::cut::{MIN_GAP, cut_with};
use super::joined::{CLOSE, CutBy, LEVEL_GAP, MIN_PAGES, SEPARATED, joined, width};
use crate::cell::MAD_TO_SD;

/// The largest number of kinds.
const MOST: usize = 16;
/// A kind has pages in at least this many processes.
const MIN_PROCESSES: usize = 2;
/// A page is nearer to a row than the rest of its kind, if it lies below them by this many standard
/// deviations.
const NEARER: f64 = 6.0;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct PageKinds {
    pub(super) pooled: PooledPages,
    /// The pages of each kind, ascending; kinds by their first page.
    pub(super) groups: Vec<Vec<usize>>,
    /// Mean logarithm of each kind's cost from each row.
    pub(super) centres: Vec<Vec<f64>>,
    /// The p-value of the least distinct kinds; 1 where no cut made them.
    pub(super) p: f64,
    /// Pages that cost some row far less than the rest of their kind, too few for a kind.
    pub(super) strays: usize,
    /// Whether each row has such pages: they may be of its own node.
    pub(super) has_strays: Vec<bool>,
}

impl PageKinds {
    /// Cuts the pages of all processes.
    pub(super) fn new(pooled: PooledPages, seed: u64) -> Self {
        let (groups, p) = turned_groups(&pooled, seed);
        let groups = joined(&pooled, groups, CutBy::Turn, seed);
        let groups = groups.into_iter().flat_map(|group| by_level(&pooled, group, seed));
        let groups = joined(&pooled, groups.collect(), CutBy::Level, seed);
        let apart: Vec<(Vec<Vec<usize>>, Vec<usize>)> =
            groups.into_iter().map(|group| without_nearer(&pooled, group)).collect();
        let strays = apart.iter().filter_map(|(_, of_rows)| of_rows.iter().max()).sum();
        let has_strays = (0..pooled.rows.len())
            .map(|row| apart.iter().any(|(_, of_rows)| of_rows[row] > 0))
            .collect();
        let groups = apart.into_iter().flat_map(|(groups, _)| groups).collect();
        let mut groups = joined(&pooled, groups, CutBy::Nearer, seed);
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort();
        let centres = groups.iter().map(|group| centre(&pooled, group)).collect();
        Self { pooled, groups, centres, p, strays, has_strays }
    }

    /// The number of kinds.
    pub(super) fn count(&self) -> usize {
        self.groups.len()
    }

    /// The largest difference between rows of two kinds' contrast, as a logarithm: what slow pages
    /// alone do not have.
    pub(super) fn turn(&self) -> f64 {
        let turn = |a: &Vec<f64>, b: &Vec<f64>| {
            let logs: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
            let middle = mean(logs.iter().copied());
            logs.iter().map(|log| (log - middle).abs()).fold(0.0, f64::max)
        };
        let pairs = self.centres.iter().enumerate();
        let pairs = pairs.flat_map(|(at, a)| self.centres[at + 1..].iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| turn(a, b)).fold(0.0, f64::max)
    }

    /// The largest distance of two kinds' mean costs over rows, as a logarithm.
    pub(super) fn levels_apart(&self) -> f64 {
        let levels = || self.centres.iter().map(|centre| mean(centre.iter().copied()));
        levels().fold(f64::MIN, f64::max) - levels().fold(f64::MAX, f64::min)
    }

    /// Kinds whose contrast differs by less between rows may count as one: the scatter within the
    /// widest kind.
    pub(super) fn resolution(&self) -> f64 {
        let turning = self.pooled.turning();
        let groups = self.groups.iter().filter(|group| group.len() > MIN_PAGES);
        let widest = groups.map(|group| width(&turning, group)).fold(0.0, f64::max);
        (SEPARATED * widest).max(MIN_GAP)
    }

    /// How much nearer to a row than its kind a page has to be to be taken out of it.
    pub(super) fn least_nearer(&self, row: usize, kind: usize) -> f64 {
        least_nearer(&self.pooled, &self.groups[kind], row)
    }

    /// The number of processes with pages of two kinds or more.
    pub(super) fn witnesses(&self) -> usize {
        let processes = self.pooled.pages.iter().map(|page| page.process).max().unwrap_or(0);
        let kinds = |process: usize| {
            let own = self.for_process(process).into_iter().map(|(_, kind)| kind);
            own.collect::<BTreeSet<usize>>().len()
        };
        (0..=processes).filter(|process| kinds(*process) > 1).count()
    }

    /// For each process its pages and their kinds.
    pub(super) fn for_process(&self, process: usize) -> Vec<(usize, usize)> {
        let kind_pages = |(kind, group): (usize, &Vec<usize>)| {
            let pages = group.iter().map(|&page| &self.pooled.pages[page]);
            let own = pages.filter(|page| page.process == process);
            own.map(|page| (page.item, kind)).collect::<Vec<_>>()
        };
        let mut pages: Vec<(usize, usize)> =
            self.groups.iter().enumerate().flat_map(kind_pages).collect();
        pages.sort_unstable();
        pages
    }
}

/// Mean logarithms of pages by row.
fn centre(pooled: &PooledPages, group: &[usize]) -> Vec<f64> {
    let row_mean = |row: usize| mean(group.iter().map(|&page| pooled.pages[page].logs[row]));
    (0..pooled.rows.len()).map(row_mean).collect()
}

/// Repeated cuts of the part of costs that differs between rows, and the largest p-value.
fn turned_groups(pooled: &PooledPages, seed: u64) -> (Vec<Vec<usize>>, f64) {
    let points = pooled.turning();
    let mut whole: Vec<Vec<usize>> = vec![(0..points.len()).collect()];
    let mut done: Vec<Vec<usize>> = Vec::new();
    let mut p: f64 = 0.0;
    while let Some(group) = whole.pop() {
        let group_points: Vec<Vec<f64>> = group.iter().map(|&at| points[at].clone()).collect();
        let parts = cut_with(&group_points, MIN_PAGES, seed).and_then(|cut| {
            let parts = cut.members(&group);
            (are_witnessed(pooled, &parts) && done.len() + whole.len() + parts.len() <= MOST)
                .then_some((parts, cut.p))
        });
        match parts {
            None => done.push(group),
            Some((parts, of_cut)) => {
                p = p.max(of_cut);
                whole.extend(parts);
            }
        }
    }
    let p = if done.len() > 1 { p } else { 1.0 };
    (done, p)
}

/// Whether enough processes have pages of each part and of another one.
fn are_witnessed(pooled: &PooledPages, parts: &[Vec<usize>]) -> bool {
    let mut parts_by_process: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
    for (part, pages) in parts.iter().enumerate() {
        for &page in pages {
            let has = parts_by_process
                .entry(pooled.pages[page].process)
                .or_insert_with(|| vec![false; parts.len()]);
            has[part] = true;
        }
    }
    let several =
        || parts_by_process.values().filter(|has| has.iter().filter(|has| **has).count() > 1);
    (0..parts.len()).all(|part| several().filter(|has| has[part]).count() >= MIN_PROCESSES)
}

/// Takes out pages that are nearer to some row than the rest: kinds, and by row the number of pages
/// that are too few for one.
fn without_nearer(pooled: &PooledPages, mut group: Vec<usize>) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut kinds = Vec::new();
    loop {
        let step = nearer(pooled, &group);
        match step {
            ControlFlow::Break(strays) => {
                kinds.push(group);
                return (kinds, strays);
            }
            ControlFlow::Continue(pages) => {
                group.retain(|page| !pages.contains(page));
                kinds.push(pages);
            }
        }
    }
}

/// The pages that are nearer to one row, if they make a kind; or by row how many there are of
/// others.
fn nearer(pooled: &PooledPages, group: &[usize]) -> ControlFlow<Vec<usize>, Vec<usize>> {
    let below = |row: usize| -> Vec<usize> {
        let log = |page: usize| pooled.pages[page].logs[row];
        let limit = median(group.iter().map(|&page| log(page))) - least_nearer(pooled, group, row);
        group.iter().copied().filter(|&page| log(page) < limit).collect()
    };
    let sets: Vec<Vec<usize>> = (0..pooled.rows.len()).map(below).collect();
    let is_kind = |pages: &&Vec<usize>| {
        let rest: Vec<usize> = group.iter().copied().filter(|page| !pages.contains(page)).collect();
        pages.len() >= MIN_PAGES
            && rest.len() >= MIN_PAGES
            && are_witnessed(pooled, &[(*pages).clone(), rest])
    };
    match sets.iter().filter(is_kind).max_by_key(|pages| pages.len()) {
        Some(pages) => ControlFlow::Continue(pages.clone()),
        None => ControlFlow::Break(sets.iter().map(Vec::len).collect()),
    }
}

/// How much nearer to a row than the middle of a group a page has to be, as a logarithm.
fn least_nearer(pooled: &PooledPages, group: &[usize], row: usize) -> f64 {
    let log = |page: usize| pooled.pages[page].logs[row];
    let middle = median(group.iter().map(|&page| log(page)));
    let sd = MAD_TO_SD * median(group.iter().map(|&page| (log(page) - middle).abs()));
    (NEARER * sd).max(CLOSE)
}

/// Cuts pages that differ by the same factor for all rows.
fn by_level(pooled: &PooledPages, group: Vec<usize>, seed: u64) -> Vec<Vec<usize>> {
    let levels: Vec<Vec<f64>> =
        group.iter().map(|&page| vec![mean(pooled.pages[page].logs.iter().copied())]).collect();
    let cut = cut_with(&levels, MIN_PAGES, seed).filter(|cut| cut.gap(&levels) >= LEVEL_GAP);
    let Some(cut) = cut else { return vec![group] };
    let parts = cut.members(&group);
    if !are_witnessed(pooled, &parts) {
        return vec![group];
    }
    parts.into_iter().flat_map(|part| by_level(pooled, part, seed)).collect()
}
