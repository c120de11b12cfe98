//! The outliers: cells of machines.
//!
//! Each cell has two tests: by itself, and beside its machine's other cells. The smaller
//! probability counts twice (Bonferroni), whichever it is.
//!
//! Where half of a machine's cells are slower, the other half is faster beside them: one deviation,
//! seen from two sides. The side is stated from which the machine is the usual one: its remaining
//! cells lie near the centers, compared with how far levels spread. A part that is slower is the
//! more plausible one.

use super::expected::{COMPARISONS, Expected, Tails, comparisons};
use super::fit::{Compared, FleetFit};
use super::levels::MIN_OTHERS;
use super::{FALSE_DISCOVERY_RATE, FleetOutlier, MIN_MACHINES, SmallestSlowdown};
use crate::cell::median;
use crate::many_tests::adjusted_by_benjamini_hochberg_of;
use crate::student::{NORMAL_95, as_rare_as, two_sided_p};

/// Parts of machines are slower this many times as often as they are faster.
const SLOWER_THAN_FASTER: f64 = 10.0;
/// Smaller deviates have no small probability, with any degrees of freedom.
const SMALL_DEVIATE: f64 = 2.0;

/// A cell that may be an outlier.
#[derive(Clone, Copy)]
struct Candidate {
    machine: usize,
    cell: usize,
    is_slower: bool,
    p_value: f64,
    q_value: f64,
}

/// By machine, then by cell. Deviations below `floor` are none.
pub(super) fn outliers(fit: &FleetFit<'_>, floor: f64) -> Vec<FleetOutlier> {
    outliers_with(fit, floor, Tails::Seen)
}

/// What would be an outlier if healthy machines lay out no farther than normal deviates: of each
/// machine the rarest cell.
pub(super) fn with_normal_tails(fit: &FleetFit<'_>, floor: f64) -> Vec<FleetOutlier> {
    let all = outliers_with(fit, floor, Tails::Normal);
    let rarest = |cells: &[FleetOutlier]| {
        cells.iter().copied().min_by(|one, other| one.p_value.total_cmp(&other.p_value))
    };
    all.chunk_by(|a, b| a.machine == b.machine).filter_map(rarest).collect()
}

fn outliers_with(fit: &FleetFit<'_>, floor: f64, tails: Tails) -> Vec<FleetOutlier> {
    let (mut candidates, tests) = candidates(fit, &tested(fit), tails);
    let ps: Vec<f64> = candidates.iter().map(|candidate| candidate.p_value).collect();
    let qs = adjusted_by_benjamini_hochberg_of(&ps, tests);
    candidates.iter_mut().zip(qs).for_each(|(candidate, q)| candidate.q_value = q);
    candidates.retain(|candidate| candidate.q_value <= FALSE_DISCOVERY_RATE);
    let limit = candidates.iter().map(|candidate| candidate.p_value).fold(0.0, f64::max);
    let by_machine = candidates.chunk_by(|a, b| a.machine == b.machine);
    by_machine
        .flat_map(|of_machine| {
            let others = Expected::of(fit, of_machine[0].machine, tails);
            Deviant { fit, others, floor: floor.ln_1p(), limit }.outliers(of_machine)
        })
        .collect()
}

/// What would be an outlier of a fleet that has none.
pub(super) fn smallest(fit: &FleetFit<'_>, floor: f64) -> Option<SmallestSlowdown> {
    let tested = tested(fit);
    SmallestSlowdown::new(fit, &tested, tested.len() * fit.levels.len(), floor)
}

/// Cells of enough machines.
fn tested(fit: &FleetFit<'_>) -> Vec<usize> {
    let cells = fit.cells().into_iter().enumerate();
    cells.filter(|(_, it)| it.machines >= MIN_MACHINES).map(|(cell, _)| cell).collect()
}

/// Cells with a small probability, and the number of all cells.
fn candidates(fit: &FleetFit<'_>, tested: &[usize], tails: Tails) -> (Vec<Candidate>, usize) {
    let mut candidates = Vec::new();
    let mut tests = 0;
    let machines = fit.levels.len();
    for machine in 0..machines {
        let others = Expected::of(fit, machine, tails);
        for &cell in tested {
            let Some(own) = others.own(machine, cell) else { continue };
            tests += 1;
            let beside = others.beside(machine, cell);
            let smaller = match beside {
                Some(beside) if beside.p_value(machines) < own.p_value(machines) => beside,
                _ => own,
            };
            let p_value = smaller.p_value(machines);
            if p_value <= FALSE_DISCOVERY_RATE {
                let is_slower = smaller.log > 0.0;
                candidates.push(Candidate { machine, cell, is_slower, p_value, q_value: 1.0 });
            }
        }
    }
    (candidates, tests)
}

impl Compared {
    /// Of one of this many machines: in both comparisons.
    fn p_value(&self, machines: usize) -> f64 {
        let t = self.log / self.variance.sqrt();
        if t.abs() < SMALL_DEVIATE { 1.0 } else { self.p_of(t, machines).min(1.0) }
    }

    /// The same, of a deviation in standard deviations.
    pub(super) fn p_of(&self, t: f64, machines: usize) -> f64 {
        let in_tail = self.tail.map_or(0.0, |tail| tail.two_sided_p(t, self.freedom));
        let with_normal_tails = two_sided_p(t, self.freedom);
        (comparisons(machines) * with_normal_tails).max(COMPARISONS * in_tail)
    }

    /// Half the 95 % interval.
    fn margin(&self) -> f64 {
        as_rare_as(NORMAL_95, self.freedom) * self.variance.sqrt()
    }
}

/// A machine that has candidates.
struct Deviant<'f> {
    fit: &'f FleetFit<'f>,
    others: Expected<'f>,
    floor: f64,
    /// The largest probability of an outlier.
    limit: f64,
}

impl Deviant<'_> {
    fn outliers(&self, candidates: &[Candidate]) -> Vec<FleetOutlier> {
        let machine = candidates[0].machine;
        let (slower, faster): (Vec<Candidate>, Vec<Candidate>) =
            candidates.iter().partition(|candidate| candidate.is_slower);
        let mut named = if self.is_slower_first(machine, &slower, &faster) {
            self.first_side_and_rest(machine, &slower, faster)
        } else {
            self.first_side_and_rest(machine, &faster, slower)
        };
        named.sort_by_key(|candidate| candidate.cell);
        let level = self.level_without(machine, &named);
        named.retain(|one| self.holds_itself(one) || self.holds_beside(one, level));
        let level = self.retain_what_level_shows(machine, &mut named);
        let by_itself = named.iter().all(|one| self.holds_itself(one));
        named.iter().filter_map(|one| self.outlier(one, level.filter(|_| !by_itself))).collect()
    }

    /// Leaves those that deviate by themselves, or beside the level of the cells that are not
    /// named, which is the result. Where no such level is left, nothing lies beside it.
    fn retain_what_level_shows(&self, machine: usize, named: &mut Vec<Candidate>) -> Option<f64> {
        loop {
            let (level, before) = (self.level_without(machine, named), named.len());
            named.retain(|one| {
                self.holds_itself(one) || (level.is_some() && self.holds_beside(one, level))
            });
            if named.len() == before {
                return level;
            }
        }
    }

    /// The usual level is the likelier one.
    fn is_slower_first(&self, machine: usize, slower: &[Candidate], faster: &[Candidate]) -> bool {
        let spread = self.fit.level.map_or(f64::EPSILON, |level| level.variance);
        let unlikely = |side: &[Candidate]| {
            let level = self.level_without(machine, side).unwrap_or(f64::INFINITY);
            level.powi(2) / (2.0 * spread)
        };
        faster.is_empty()
            || (!slower.is_empty()
                && unlikely(slower) <= unlikely(faster) + SLOWER_THAN_FASTER.ln())
    }

    /// What is left of the other side when the first is not a part of the machine's level.
    fn first_side_and_rest(
        &self,
        machine: usize,
        first: &[Candidate],
        rest: Vec<Candidate>,
    ) -> Vec<Candidate> {
        let level = self.level_without(machine, first);
        let is_left = |one: &Candidate| {
            self.holds_itself(one)
                || (self.holds_beside(one, level)
                    && self.beside_level(one, level).is_some_and(|it| self.is_rare(&it)))
        };
        first.iter().copied().chain(rest.into_iter().filter(is_left)).collect()
    }

    /// The median of the machine's cells without these; none where few are left.
    fn level_without(&self, machine: usize, named: &[Candidate]) -> Option<f64> {
        let row = self.fit.own.row(machine);
        let others: Vec<f64> = (0..row.len())
            .filter(|cell| named.iter().all(|candidate| candidate.cell != *cell))
            .map(|cell| row[cell])
            .filter(|it| !it.is_nan())
            .collect();
        if others.len() < MIN_OTHERS { None } else { median(others.into_iter()) }
    }

    fn holds_itself(&self, one: &Candidate) -> bool {
        self.by_itself(one).is_some_and(|own| self.is_far(one, own.log))
            && self.others.own(one.machine, one.cell).is_some_and(|own| self.is_rare(&own))
    }

    fn holds_beside(&self, one: &Candidate, level: Option<f64>) -> bool {
        self.beside_level(one, level).is_some_and(|beside| self.is_far(one, beside.log))
    }

    /// With the center of the whole batch: that of a map.
    fn by_itself(&self, one: &Candidate) -> Option<Compared> {
        let log = self.fit.own.row(one.machine)[one.cell];
        Some(Compared { log, ..self.others.own(one.machine, one.cell)? })
    }

    fn beside_level(&self, one: &Candidate, level: Option<f64>) -> Option<Compared> {
        let beside = self.others.beside(one.machine, one.cell)?;
        let own = self.fit.own.row(one.machine)[one.cell];
        let log = level.map_or(beside.log, |level| own - level);
        Some(Compared { log, ..beside })
    }

    fn is_far(&self, one: &Candidate, log: f64) -> bool {
        if one.is_slower { log >= self.floor } else { log <= -self.floor }
    }

    fn is_rare(&self, compared: &Compared) -> bool {
        compared.p_value(self.fit.levels.len()) <= self.limit
    }

    /// With a level, beside the machine's other cells.
    fn outlier(&self, one: &Candidate, level: Option<f64>) -> Option<FleetOutlier> {
        let &Candidate { machine, cell, q_value, .. } = one;
        let beside = level.and_then(|level| self.beside_level(one, Some(level)));
        let beside = beside.filter(|beside| self.is_far(one, beside.log));
        let own = self.by_itself(one)?;
        let compared = beside.unwrap_or(own);
        let margin = compared.margin();
        Some(FleetOutlier {
            machine,
            cell,
            ratio: compared.log.exp(),
            other_cells: beside.map(|beside| (own.log - beside.log).exp()),
            low: (compared.log - margin).exp(),
            high: (compared.log + margin).exp(),
            p_value: one.p_value,
            q_value,
        })
    }
}
