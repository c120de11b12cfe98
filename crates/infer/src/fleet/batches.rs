//! Machines that fall into batches: memory of another vendor, another BIOS.
//!
//! A batch differs from the others in two cells or more, or in the level of its machines. The best
//! split of one cell ([`Split`]) is tested in another cell. Then each machine joins the batch that
//! all differing cells show (a discriminant of independent cells; Bickel and Levina, *Bernoulli*
//! 10, 2004). Of three batches in a row, no two parts need be separated: there, several parts are
//! tried, each against the next. Batches are reported only where they lie so far apart that hardly
//! a machine is in the wrong one; a machine that may be is named as such. Otherwise the spread is
//! wider, and no machine of a batch is an outlier.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::differences::differences;
use super::fit::{FleetFigures, FleetFit};
use super::least_batch;
use super::named::{outliers, with_normal_tails};
use super::split::{Split, cuts};
use super::{BatchDifference, FleetOutlier};
use crate::cell::median;
use crate::student::{as_rare_as, normal_quantile, two_sided_p};

/// The probability of a false split.
const FALSE_SPLIT: f64 = 1e-3;
/// Of the witness: the distance in standard deviations. The split itself makes a smaller one in
/// cells that correlate with it.
const WITNESSED: f64 = 2.5;
/// Batches are reported where the probability that a machine is nearer to the wrong one is at most
/// this: in all of the fleet, and of one machine of a large fleet.
const MISPLACED_IN_FLEET: f64 = 0.05;
const MISPLACED_OF_MACHINE: f64 = 1e-3;
/// While there may be a third batch, whose distance adds to the spread.
const PROVISIONALLY_APART: f64 = 3.0;
/// From this many machines on, there may be as many batches; with fewer, two.
const ENOUGH_FOR_MORE: usize = 30;
const MAX_BATCHES: usize = 5;
/// A cell counts for a machine at most this many standard deviations: it may be an outlier.
const FARTHEST: f64 = 4.0;
/// A cell differs between batches by this many standard errors.
const DIFFERS: f64 = 4.0;

/// A fleet has a machine in the wrong batch, of those that are not unsure, with this probability.
const MISPLACED: f64 = 0.02;
/// A machine that deviates from its batch by this many standard deviations, where batches differ,
/// may be of another: its fault hides which.
const DEVIANT: f64 = 3.0;
/// Where more machines are unsure, there are no batches.
const MAX_UNSURE: f64 = 0.2;

/// Of this many outliers it is seen whether they are of another batch.
const MAX_SETTLED: usize = 8;

/// Machines that are alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetBatch {
    /// Their indexes, ascending.
    pub machines: Vec<usize>,
    /// Of these, which may be of another batch by their figures.
    pub unsure: Vec<usize>,
    /// The median of the logarithms of each cell; none without figures.
    pub center_logs: Vec<Option<f64>>,
}

impl FleetBatch {
    pub(super) fn all(fit: &FleetFit<'_>, unsure: &[usize]) -> Vec<Self> {
        let of_batch = |batch: usize| -> Vec<usize> {
            (0..fit.batch_of.len()).filter(|&at| fit.batch_of[at] == batch).collect()
        };
        let batch = |(batch, centers): (usize, &Vec<f64>)| Self {
            machines: of_batch(batch),
            unsure: unsure.iter().copied().filter(|&one| fit.batch_of[one] == batch).collect(),
            center_logs: centers.iter().map(|log| (!log.is_nan()).then_some(*log)).collect(),
        };
        fit.centers.iter().enumerate().map(batch).collect()
    }
}

/// A fleet with its batches.
pub(super) struct BatchedFleet<'f> {
    pub(super) fit: FleetFit<'f>,
    /// How the other batches differ from the first.
    pub(super) differences: Vec<BatchDifference>,
    /// Machines that may be of another batch than the one where they are, ascending.
    pub(super) unsure: Vec<usize>,
}

impl BatchedFleet<'_> {
    /// The outliers. A machine that may be of several batches is one in all of them.
    pub(super) fn outliers(&self, floor: f64) -> Vec<FleetOutlier> {
        let mut all = outliers(&self.fit, floor);
        let of_unsure: BTreeSet<usize> = all.iter().map(|one| one.machine).collect();
        let of_unsure = of_unsure.into_iter().filter(|one| self.unsure.contains(one));
        for (count, machine) in of_unsure.enumerate() {
            let own = self.fit.batch_of[machine];
            for other in (0..self.fit.batches.len()).filter(|other| *other != own) {
                let moved = match count < MAX_SETTLED {
                    true => outliers(&self.fit.with_moved(machine, other), floor),
                    false => Vec::new(),
                };
                let is_also = |one: &FleetOutlier| {
                    let key = |it: &FleetOutlier| (it.machine, it.cell, it.ratio > 1.0);
                    moved.iter().any(|other| key(other) == key(one))
                };
                all.retain(|one| one.machine != machine || is_also(one));
            }
        }
        all
    }

    /// What would be an outlier with normal tails, of machines without an outlier that are surely
    /// of their batch.
    pub(super) fn unclear(&self, outliers: &[FleetOutlier], floor: f64) -> Vec<FleetOutlier> {
        let mut all = with_normal_tails(&self.fit, floor);
        all.retain(|one| {
            outliers.iter().all(|other| other.machine != one.machine)
                && !self.unsure.contains(&one.machine)
        });
        all
    }
}

/// The batches of a fleet, and how they differ.
pub(super) fn fit<'f>(figures: &'f FleetFigures<'f>, floor: f64) -> BatchedFleet<'f> {
    let machines = figures.logs.machines();
    let one = FleetFit::new(figures, vec![(0..machines).collect()]);
    let columns = Columns::new(&one, floor.ln_1p());
    let most = if machines < ENOUGH_FOR_MORE { 2 } else { MAX_BATCHES };
    let mut found = vec![vec![(0..machines).collect::<Vec<usize>>()]];
    while let Some(more) = found.last().filter(|batches| batches.len() < most).and_then(|batches| {
        let one = columns.split_one(batches, machines);
        one.or_else(|| columns.split_into_several(batches, machines, most))
    }) {
        found.push(more);
    }
    for mut batches in found.into_iter().skip(1).rev() {
        batches.sort();
        if !columns.are_apart(&batches) {
            continue;
        }
        let fit = settled(FleetFit::new(figures, batches), floor);
        let unsure = columns.unsure(&fit.batches);
        let fit = if unsure.is_empty() { fit } else { fit.without_unsure(&unsure) };
        let least = least_batch(machines);
        let are_sure = unsure.len() as f64 <= MAX_UNSURE * machines as f64
            && fit.batches.iter().all(|sure| sure.len() >= least);
        let differences = if are_sure { differences(&fit, floor) } else { Vec::new() };
        if are_sure
            && (1..fit.batches.len())
                .all(|batch| differences.iter().any(|difference| difference.batch == batch))
        {
            return BatchedFleet { fit, differences, unsure };
        }
    }
    BatchedFleet { fit: one, differences: Vec::new(), unsure: Vec::new() }
}

/// With each outlier in the batch where it has the fewest cells that are: half of its memory may
/// look like that of another batch.
fn settled<'f>(mut fit: FleetFit<'f>, floor: f64) -> FleetFit<'f> {
    let least = least_batch(fit.levels.len());
    let named = |fit: &FleetFit<'f>| -> BTreeMap<usize, usize> {
        let mut cells = BTreeMap::new();
        for outlier in outliers(fit, floor) {
            *cells.entry(outlier.machine).or_default() += 1;
        }
        cells
    };
    for (machine, cells) in named(&fit).into_iter().take(MAX_SETTLED) {
        let own = fit.batch_of[machine];
        for other in (0..fit.batches.len()).filter(|other| *other != own) {
            if fit.batches[own].len() <= least {
                break;
            }
            let moved = fit.with_moved(machine, other);
            if named(&moved).get(&machine).is_none_or(|fewer| *fewer < cells) {
                fit = moved;
                break;
            }
        }
    }
    fit
}

/// What batches may differ in: cells of machines, beside their others, and the machines' levels.
struct Columns {
    cells: Vec<Vec<f64>>,
    /// Of several cells: no witnesses of these.
    means: Vec<Vec<f64>>,
    levels: Vec<f64>,
    floor: f64,
}

impl Columns {
    fn new(fit: &FleetFit<'_>, floor: f64) -> Self {
        let machines = fit.levels.len();
        let column = |cell: usize| -> Vec<f64> {
            let beside: Vec<f64> =
                (0..machines).map(|machine| fit.beside.row(machine)[cell]).collect();
            if beside.iter().all(|value| value.is_nan()) {
                return (0..machines).map(|machine| fit.own.row(machine)[cell]).collect();
            }
            beside
        };
        let cells: Vec<Vec<f64>> = fit.single_cells().map(column).collect();
        let means = (0..fit.centers[0].len())
            .filter(|cell| fit.single_cells().all(|single| single != *cell))
            .map(column);
        Self { means: means.collect(), cells, levels: fit.levels.clone(), floor }
    }

    fn all(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.cells.iter().chain(&self.means).chain(std::iter::once(&self.levels))
    }

    /// One of these batches in two.
    fn split_one(&self, batches: &[Vec<usize>], machines: usize) -> Option<Vec<Vec<usize>>> {
        let least = least_batch(machines);
        let splits = batches.iter().enumerate().filter_map(|(at, members)| {
            let (p, is_upper) = self.split(members)?;
            Some((p, at, is_upper))
        });
        let (_, at, is_upper) = splits.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let part = |upper: bool| -> Vec<usize> {
            let members = batches[at].iter().zip(&is_upper).filter(|(_, is)| **is == upper);
            members.map(|(machine, _)| *machine).collect()
        };
        let mut split = batches.to_vec();
        split[at] = part(false);
        split.push(part(true));
        split.iter().all(|part| part.len() >= least).then_some(split)
    }

    /// Which of these machines are in the upper part, and the probability of the split.
    fn split(&self, members: &[usize]) -> Option<(f64, Vec<bool>)> {
        let cells = self.cells_of(members);
        let mut best: Option<(f64, Split)> = None;
        for (at, values) in cells.iter().enumerate() {
            let Some(split) = Split::best(values).filter(|split| self.is_far(split)) else {
                continue;
            };
            let Some(p) = self.p_of_witness(&cells, at, &split) else { continue };
            if best.as_ref().is_none_or(|(least, _)| p <= *least) {
                best = Some((p, split));
            }
        }
        let levels = Split::best(&of_members(&self.levels, members))
            .filter(|split| self.is_far(split) && split.is_rare());
        let (p, split) = best.or_else(|| Some((FALSE_SPLIT, levels?)))?;
        Some((p, self.apart(members, split.is_upper)?))
    }

    fn cells_of(&self, members: &[usize]) -> Vec<Vec<f64>> {
        self.cells.iter().map(|column| of_members(column, members)).collect()
    }

    fn is_far(&self, split: &Split) -> bool {
        split.distance.abs() >= self.floor
    }

    /// The least probability of this split of one cell in another; none where no other has the
    /// same parts.
    fn p_of_witness(&self, cells: &[Vec<f64>], at: usize, split: &Split) -> Option<f64> {
        let pairs = (cells.len() * (cells.len() - 1)) as f64;
        let others = cells.iter().enumerate().filter(|(other, _)| *other != at);
        let p = |(_, other): (usize, &Vec<f64>)| {
            let witness = split.in_cell(other).filter(|witness| self.is_far(witness))?;
            let (t, freedom) = witness.t();
            let is_same = witness.distance.abs() >= WITNESSED * witness.variance.sqrt();
            is_same.then(|| pairs * two_sided_p(t, freedom))
        };
        others.filter_map(p).filter(|p| *p <= FALSE_SPLIT).min_by(f64::total_cmp)
    }

    /// Each machine in the part that its cells show; none where the parts are near each other.
    fn apart(&self, members: &[usize], mut is_upper: Vec<bool>) -> Option<Vec<bool>> {
        for _ in 0..2 {
            is_upper = self.joined(members, &is_upper)?;
        }
        (self.distance(members, &is_upper)? >= PROVISIONALLY_APART).then_some(is_upper)
    }

    /// One of these batches in as many as there may be, up to `most` in all. Of three batches in a
    /// row, no two parts are separated: one of them has two batches, and scatters.
    fn split_into_several(
        &self,
        batches: &[Vec<usize>],
        machines: usize,
        most: usize,
    ) -> Option<Vec<Vec<usize>>> {
        let least = least_batch(machines);
        let rows = batches.iter().enumerate().filter_map(|(at, members)| {
            let cells = 0..self.cells.len();
            let rows =
                cells.filter_map(|it| self.row_of(members, it, most + 1 - batches.len(), least));
            Some((at, rows.max_by_key(Vec::len)?))
        });
        let (at, row) = rows.max_by_key(|(_, row)| row.len())?;
        let others = batches.iter().enumerate().filter(|(other, _)| *other != at);
        Some(others.map(|(_, batch)| batch.clone()).chain(row).collect())
    }

    /// These machines in parts that stand in a row in this cell: three to `most`, as many as are
    /// all apart from the next.
    fn row_of(
        &self,
        members: &[usize],
        cell: usize,
        most: usize,
        least: usize,
    ) -> Option<Vec<Vec<usize>>> {
        let values = of_members(&self.cells[cell], members);
        let cuts = cuts(&values, most.checked_sub(1)?, least, self.floor);
        (2..=cuts.len()).rev().find_map(|count| {
            let mut parts = vec![Vec::new(); count + 1];
            for (value, machine) in values.iter().zip(members) {
                let part = cuts[..count].iter().filter(|cut| value > *cut).count();
                parts[part].push(*machine);
            }
            self.apart_in_a_row(parts, cell)
                .filter(|parts| parts.iter().all(|it| it.len() >= least))
        })
    }

    /// These parts, each apart from the next; none where two are near each other.
    fn apart_in_a_row(&self, mut parts: Vec<Vec<usize>>, cell: usize) -> Option<Vec<Vec<usize>>> {
        for upper in 1..parts.len() {
            let members = parts[upper - 1..=upper].concat();
            let is_upper = (0..members.len()).map(|at| at >= parts[upper - 1].len()).collect();
            let values = of_members(&self.cells[cell], &members);
            let split = Split::of(&values, is_upper)?.in_cell(&values)?;
            if !split.is_separated() || !self.is_far(&split) {
                return None;
            }
            self.p_of_witness(&self.cells_of(&members), cell, &split)?;
            let is_upper = self.apart(&members, split.is_upper)?;
            for (part, is_of_part) in [(upper - 1, false), (upper, true)] {
                let own = members.iter().zip(&is_upper).filter(|(_, is)| **is == is_of_part);
                parts[part] = own.map(|(machine, _)| *machine).collect();
            }
        }
        parts.iter_mut().for_each(|part| part.sort_unstable());
        Some(parts)
    }

    /// Each machine in the part that its cells show.
    fn joined(&self, members: &[usize], is_upper: &[bool]) -> Option<Vec<bool>> {
        let scores = self.scores(members, is_upper);
        let joined: Vec<bool> = scores.iter().map(|score| *score > 0.0).collect();
        let upper = joined.iter().filter(|is| **is).count();
        (upper >= 2 && members.len() - upper >= 2).then_some(joined)
    }

    /// What the differing cells of each machine show: above 0, it is in the upper part.
    fn scores(&self, members: &[usize], is_upper: &[bool]) -> Vec<f64> {
        let mut scores = vec![0.0; members.len()];
        for column in self.all() {
            let values = of_members(column, members);
            let Some((split, middle)) = differing(&values, is_upper) else { continue };
            for (score, value) in scores.iter_mut().zip(&values) {
                let deviate = (value - middle) / split.variance.sqrt();
                let weight = split.distance / split.variance.sqrt();
                if !deviate.is_nan() {
                    *score += weight * deviate.clamp(-FARTHEST, FARTHEST);
                }
            }
        }
        scores
    }

    /// Between two parts, in standard deviations of their machines' scores. Parts as far apart as
    /// a machine counts have no scatter: they are infinitely far apart.
    fn distance(&self, members: &[usize], is_upper: &[bool]) -> Option<f64> {
        let scores = self.scores(members, is_upper);
        let split = Split::of(&scores, is_upper.to_vec())?.in_cell(&scores)?;
        (split.distance > 0.0).then(|| split.distance / split.variance.sqrt())
    }

    /// Machines that may be of another of these batches: they are not much nearer to their own, or
    /// deviate from it where batches differ.
    fn unsure(&self, batches: &[Vec<usize>]) -> Vec<usize> {
        let evidence = (self.levels.len() as f64 / MISPLACED).ln();
        let mut unsure = BTreeSet::new();
        for (at, one) in batches.iter().enumerate() {
            for other in &batches[..at] {
                let members = [other.as_slice(), one.as_slice()].concat();
                let is_upper: Vec<bool> = (0..members.len()).map(|at| at >= other.len()).collect();
                let nearer = self.nearer(&members, &is_upper);
                let deviant = self.deviant(&members, &is_upper);
                let of_pair = members.iter().zip(nearer.iter().zip(deviant));
                let of_pair =
                    of_pair.filter(|(_, (nearer, deviant))| **nearer < evidence || *deviant);
                unsure.extend(of_pair.map(|(machine, _)| *machine));
            }
        }
        unsure.into_iter().collect()
    }

    /// The logarithm of how much likelier each machine is in its part than in the other.
    fn nearer(&self, members: &[usize], is_upper: &[bool]) -> Vec<f64> {
        let scores = self.scores(members, is_upper);
        let split = Split::of(&scores, is_upper.to_vec()).and_then(|one| one.in_cell(&scores));
        let Some(split) = split.filter(|split| split.distance > 0.0) else {
            return vec![0.0; members.len()];
        };
        let sides = scores.iter().zip(is_upper);
        let signed = sides.map(|(score, is_upper)| if *is_upper { *score } else { -*score });
        let variance = split.variance.max(f64::MIN_POSITIVE);
        signed.map(|score| score * split.distance / variance).collect()
    }

    /// Which deviate from their part in a cell that differs between the parts; or in as many cells
    /// that the median of the others, beside which each is seen, is no longer their level.
    fn deviant(&self, members: &[usize], is_upper: &[bool]) -> Vec<bool> {
        let mut deviant = vec![false; members.len()];
        let mut counts = vec![0; members.len()];
        for (at, column) in self.all().enumerate() {
            let values = of_members(column, members);
            let Some(far) = far_from_part(&values, is_upper) else { continue };
            let is_differing = differing(&values, is_upper).is_some();
            let is_single = at < self.cells.len();
            for ((is, count), far) in deviant.iter_mut().zip(&mut counts).zip(far) {
                *is |= far && is_differing;
                *count += usize::from(far && is_single);
            }
        }
        let many = self.cells.len().saturating_sub(1).div_ceil(3).max(1);
        deviant.iter().zip(counts).map(|(is, count)| *is || count >= many).collect()
    }

    fn are_apart(&self, batches: &[Vec<usize>]) -> bool {
        let pairs = batches.iter().enumerate();
        let mut pairs = pairs.flat_map(|(at, one)| batches[..at].iter().map(move |it| (it, one)));
        let machines = self.levels.len() as f64;
        let misplaced = MISPLACED_OF_MACHINE.max(MISPLACED_IN_FLEET / machines);
        let apart = 2.0 * normal_quantile(1.0 - misplaced);
        pairs.all(|(one, other)| {
            let members = [one.as_slice(), other.as_slice()].concat();
            let is_upper: Vec<bool> = (0..members.len()).map(|at| at >= one.len()).collect();
            self.distance(&members, &is_upper).is_some_and(|distance| distance >= apart)
        })
    }
}

/// A column's values of these machines.
fn of_members(column: &[f64], members: &[usize]) -> Vec<f64> {
    members.iter().map(|&at| column[at]).collect()
}

/// The parts of a cell that differs between them, and the middle.
fn differing(values: &[f64], is_upper: &[bool]) -> Option<(Split, f64)> {
    let probe = Split::of(values, is_upper.to_vec())?;
    let split = probe.in_cell(values)?;
    let (t, _) = split.t();
    let mean = |upper: bool| median(part_of(values, is_upper, upper)).unwrap_or(0.0);
    (t.abs() >= DIFFERS && split.variance > 0.0)
        .then(|| (split, f64::midpoint(mean(false), mean(true))))
}

/// The values of one part, without gaps.
fn part_of(values: &[f64], is_upper: &[bool], upper: bool) -> impl Iterator<Item = f64> {
    let part = values.iter().zip(is_upper).filter(move |(_, is)| **is == upper);
    part.map(|(value, _)| *value).filter(|value| !value.is_nan())
}

/// Which values lie far from the middle of their part.
fn far_from_part(values: &[f64], is_upper: &[bool]) -> Option<Vec<bool>> {
    let split = Split::of(values, is_upper.to_vec())?.in_cell(values)?;
    let center = |upper: bool| median(part_of(values, is_upper, upper)).unwrap_or(0.0);
    let centers = [center(false), center(true)];
    let farthest = as_rare_as(DEVIANT, values.len() as f64 - 2.0) * split.variance.sqrt();
    let pairs = values.iter().zip(is_upper);
    Some(pairs.map(|(it, upper)| (it - centers[usize::from(*upper)]).abs() > farthest).collect())
}
