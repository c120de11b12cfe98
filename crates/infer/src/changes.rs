//! Two surveys of one kind of machine: which cells changed, and by how much?
//!
//! What a cell's standard error says holds within one survey, whose processes it resamples. Between
//! two surveys of a machine that is the same, a row's level wanders as well, whole and undivided by
//! the number of processes (the module `drift` says why). And minutes or days change what no
//! survey sees of itself: neighbours on the host, where memory lies, temperature. [`BETWEEN`] is
//! that. So there are two questions for each cell, and one for all of them:
//!
//! - *By itself*: the logarithm of its ratio against all three, by Welch's test (*Biometrika* 34,
//!   1947).
//! - *Beside the rest of its row*: what it moved by more than the others, in which the row's wander
//!   has cancelled. It needs three others, of which the median is not bent by one that moved, too.
//! - *All together*: do the cells share a shift, as clocks and drift make it?
//!
//! The cells' questions are one family at [`CELLS`] (Holm, *Scandinavian Journal of Statistics* 6,
//! 1979), what all share is asked at [`COMMON`]: of an unchanged machine, one part in twenty says
//! anything false at most.

mod bound;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::ratio_change::RatioChange;
pub use bound::{ChangeLimit, LimitExceeded};

use crate::cell::median;
use crate::many_tests::holm;
use crate::process_drift::MEDIAN_OVER_MEAN;
use crate::student::{NORMAL_95, as_rare_as};

/// The chance of any false cell, of those of one part.
pub const CELLS: f64 = 0.04;
/// The chance that a shift of all cells is false.
pub const COMMON: f64 = 0.01;

/// What surveys of an unchanged machine differ by, beyond what each sees of itself: a standard
/// deviation, of each cell in each survey.
pub const BETWEEN: f64 = 0.01;
/// The same on a hypervisor, which moves CPUs and has other guests beside this one.
/// (24 quick surveys in turn on a shared guest of two CPUs, within a quarter of an hour: latency
/// 0.6 %, bandwidth 1 to 2 %.)
pub const BETWEEN_GUESTS: f64 = 0.02;

/// Other cells of the row that a cell is compared with, at least.
const FEWEST_OTHERS: usize = 3;
/// Cells that can share a shift.
const FEWEST_SHARING: usize = 3;
/// The share of cells that move with a common shift, at least by half of it.
const MOST_CELLS: f64 = 0.75;
/// No survey tells ratios more finely than a hundredth of a percent.
const FINEST: f64 = 1e-4;

/// What one survey says of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellEstimate {
    /// The median, in any unit.
    pub median: f64,
    /// Its standard error within the survey, as a fraction.
    pub se: f64,
    /// How far its row wandered between processes: a standard deviation, as a fraction.
    pub drift: f64,
    /// How many processes it rests on.
    pub processes: usize,
}

impl CellEstimate {
    /// What its median scatters by beside the others of its row: processes that wander scatter all
    /// of them alike, and each standard error has its part of that. Estimates of the wander are
    /// rough, so half the error stays in any case.
    fn own_variance(&self) -> f64 {
        let se = self.se.max(FINEST);
        (se.powi(2) - self.drift.powi(2) / self.processes.max(1) as f64).max((se / 2.0).powi(2))
    }
}

/// A cell in both surveys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellPair {
    /// Cells that wander together have the same number.
    pub row: usize,
    /// In the first survey.
    pub first: CellEstimate,
    /// In the second.
    pub second: CellEstimate,
}

/// How a cell changed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MedianChange {
    /// By itself. It is real, too, where the cell moved for real against the rest, and by at least
    /// half as much by itself.
    #[serde(flatten)]
    pub moved: RatioChange,
    /// Against the median of the other cells of its row; none where these are fewer than three.
    pub beside: Option<RatioChange>,
}

/// All cells of one part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MedianChanges {
    /// Each cell, in the order that they were handed in; none where a figure is no figure.
    pub cells: Vec<Option<MedianChange>>,
    /// What they share; none of fewer than three cells. It is real only where three cells of four
    /// move by half of it.
    pub common: Option<RatioChange>,
}

/// The second survey against the first.
/// `between` is what surveys of an unchanged machine differ by beyond what each sees of itself,
/// [`BETWEEN`] where nobody knows better.
pub fn changes(pairs: &[CellPair], between: f64) -> MedianChanges {
    let steps: Vec<Option<Step>> = pairs.iter().map(|pair| Step::of(pair, between)).collect();
    let known: Vec<Step> = steps.iter().flatten().copied().collect();
    let typical = median(known.iter().map(|step| step.own)).unwrap_or(0.0);
    let mut rows: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate().filter_map(|(at, step)| Some((at, (*step)?))) {
        rows.entry(step.row).or_default().push((at, step.log));
    }
    let change = |(at, step): (usize, &Option<Step>)| {
        let step = step.as_ref()?;
        let others = rows[&step.row].iter().filter(|(other, _)| *other != at);
        let others: Vec<f64> = others.map(|(_, log)| *log).collect();
        Some(MedianChange { moved: step.by_itself(), beside: step.beside(&others, typical) })
    };
    let mut cells: Vec<Option<MedianChange>> = steps.iter().enumerate().map(change).collect();
    call(&mut cells);
    MedianChanges { cells, common: common(&known, typical) }
}

/// A cell's step from one survey to the other. Logarithms and variances.
#[derive(Clone, Copy, Debug)]
struct Step {
    row: usize,
    log: f64,
    /// What both standard errors leave open.
    sampling: f64,
    /// The same without what the row's processes have in common.
    own: f64,
    /// What both surveys' moments differ by.
    drift: f64,
    /// What no survey sees of itself.
    between: f64,
    freedom: f64,
}

impl Step {
    fn of(pair: &CellPair, between: f64) -> Option<Self> {
        let sides = [pair.first, pair.second];
        let are_figures = |known: &CellEstimate| {
            known.median > 0.0
                && [known.median, known.se, known.drift].into_iter().all(f64::is_finite)
        };
        if !sides.iter().all(are_figures) {
            return None;
        }
        let sampling = sides.map(|known| known.se.max(FINEST).powi(2));
        let drift = sides.map(|known| known.drift.powi(2));
        let freedom = |at: usize| sides[at].processes.saturating_sub(1).max(1) as f64;
        let of_side = |at: usize| sampling[at] + drift[at];
        let parts = (0..2).map(|at| of_side(at).powi(2) / freedom(at)).sum::<f64>();
        Some(Self {
            row: pair.row,
            log: (pair.second.median / pair.first.median).ln(),
            sampling: sampling[0] + sampling[1],
            own: sides.iter().map(CellEstimate::own_variance).sum(),
            drift: drift[0] + drift[1],
            between: 2.0 * between.powi(2),
            freedom: (of_side(0) + of_side(1)).powi(2) / parts,
        })
    }

    fn by_itself(&self) -> RatioChange {
        let seen = self.sampling + self.drift;
        moved(self.log, seen + self.between, self.freedom_of(seen))
    }

    /// Against others of the row. A standard error that is smaller than usual in this part is
    /// raised half the way.
    fn beside(&self, others: &[f64], typical: f64) -> Option<RatioChange> {
        if others.len() < FEWEST_OTHERS {
            return None;
        }
        let raised = self.own.max(f64::midpoint(self.own, typical));
        let of_others = MEDIAN_OVER_MEAN * (typical + self.between) / others.len() as f64;
        let variance = raised + self.between + of_others;
        Some(moved(self.log - median(others.iter().copied())?, variance, self.freedom_of(raised)))
    }

    /// What is not estimated has no part in how uncertain estimates are.
    fn freedom_of(&self, estimated: f64) -> f64 {
        self.freedom * ((estimated + self.between) / estimated).powi(2)
    }
}

/// What all cells share. Wander is taken whole: it may be the machine's rather than each row's.
fn common(known: &[Step], typical: f64) -> Option<RatioChange> {
    if known.len() < FEWEST_SHARING {
        return None;
    }
    let count = known.len() as f64;
    let mean = |figure: fn(&Step) -> f64| known.iter().map(figure).sum::<f64>() / count;
    let shift = median(known.iter().map(|step| step.log))?;
    let seen = mean(|step| step.drift) + typical * (MEDIAN_OVER_MEAN / count).min(1.0);
    let between = mean(|step| step.between);
    let freedom = mean(|step| step.freedom) * ((seen + between) / seen).powi(2);
    let along =
        known.iter().filter(|step| step.log * shift.signum() >= shift.abs() / 2.0).count() as f64;
    let found = moved(shift, seen + between, freedom);
    Some(RatioChange { real: found.p <= COMMON && along >= MOST_CELLS * count, ..found })
}

fn moved(log: f64, variance: f64, freedom: f64) -> RatioChange {
    let moved = RatioChange::by(log, variance.sqrt(), freedom);
    RatioChange { p: moved.p.min(1.0), ..moved }
}

/// Calls what is real of all questions, which are one family.
fn call(cells: &mut [Option<MedianChange>]) {
    let known = cells.iter_mut().flatten();
    let family: Vec<&mut RatioChange> = known
        .flat_map(|change| [Some(&mut change.moved), change.beside.as_mut()])
        .flatten()
        .collect();
    let ps: Vec<f64> = family.iter().map(|one| one.p).collect();
    family.into_iter().zip(holm(&ps, CELLS)).for_each(|(one, real)| one.real = real);
    for change in cells.iter_mut().flatten() {
        let against = change.beside.filter(|beside| beside.real).map_or(0.0, |beside| beside.ratio);
        let own = change.moved.ratio;
        change.moved.real |= against != 0.0 && own * against.signum() >= against.abs() / 2.0;
    }
}

/// What wanders, of a cell that tells its interval alone: a standard deviation, as a fraction.
pub fn drift_of(median: f64, se: f64, ci95: [f64; 2], processes: usize) -> f64 {
    let half_width = (ci95[1] / median).ln().max(0.0);
    let stretch = as_rare_as(NORMAL_95, processes.saturating_sub(1).max(1) as f64);
    ((half_width / stretch).powi(2) - se.powi(2)).max(0.0).sqrt()
}
