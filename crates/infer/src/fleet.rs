//! Which machine of a fleet differs from the others, and in which cell?
//!
//! Machines of one shape have the same cells. In each cell, a machine's figure is compared with the
//! median of the others. Its deviation has two parts: the spread between machines, and its own
//! error. Both are logarithms, so that ratios are symmetric.
//!
//! - *Spread*: Rousseeuw and Croux's Qn (*Journal of the American Statistical Association* 88,
//!   1993) with their corrections for few machines. Up to half of the machines may be outliers
//!   without moving it far. It is never below the median of the machines' own errors.
//! - *Moderation*: a spread of few machines is imprecise, and cells of one fleet resemble each
//!   other. So, within one kind of cells, each variance is shrunk towards a common one, by as much
//!   as the cells agree (Smyth, *Statistical Applications in Genetics and Molecular Biology* 3,
//!   2004).
//! - *Common part*: where most of the spread is common to all cells of a machine (its clock, its
//!   temperature), each cell is also compared relative to the median of its machine's cells. The
//!   smaller of both probabilities then counts twice.
//! - *Tails*: all cells together show how heavy the tails of healthy machines are; where they are
//!   too few, a mean over shapes counts, from normal tails to those of a Student's t of 3 degrees
//!   of freedom. Cells that are beyond normal tails alone are unclear.
//! - *Own error*: a machine whose error exceeds the median of the others needs a larger deviation.
//! - *Decision*: Student's t, then a false-discovery rate of 5 % over all machines and cells
//!   (Benjamini and Hochberg, 1995). Deviations below the floor are never outliers.
//!
//! Intervals count the whole spread as error: a healthy machine's interval contains 1 in 95 % of
//! cells.

mod batches;
mod differences;
mod expected;
mod fit;
mod levels;
mod moderation;
mod named;
mod qn;
mod split;
mod tails;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::cell::{median, quantile_of_sorted};
use crate::changes::BETWEEN;
use crate::many_tests::adjusted_by_benjamini_hochberg;
use crate::student::{NORMAL_95, as_rare_as, normal_quantile, two_sided_p};
use expected::{Expected, FEW_MACHINES, Tails};
use fit::{Compared, FleetFigures, FleetFit};
use moderation::CellVariance;
use qn::qn;

pub use batches::FleetBatch;
pub use differences::BatchDifference;

/// Fewer machines of a shape are too few to compare.
pub const MIN_MACHINES: usize = 4;
/// The largest share of false outliers among outliers.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;
/// Smaller deviations are no outliers.
pub const FLEET_FLOOR: f64 = 0.03;

/// Fewer machines that differ in the same way are outliers, not a batch: two may share a fault by
/// chance, and a batch of two has no spread of its own.
pub const MIN_BATCH: usize = 3;

/// A machine's figure in one cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleetFigure {
    /// Natural logarithm of the cost, in any unit: of a time, or of the inverse of a rate.
    pub log: f64,
    /// Its standard error within the survey: that of the logarithm.
    pub error: f64,
}

impl FleetFigure {
    /// A cost. Its error is that of the 95 % interval, of the cost or of its inverse; without an
    /// interval it is `se`, a fraction. `None` where that is unknown, or the cost is not above 0.
    pub fn new(cost: f64, ci95: Option<[f64; 2]>, se: Option<f64>) -> Option<Self> {
        let of_interval = ci95.map(|[low, high]| (high / low).ln().abs() / (2.0 * NORMAL_95));
        let figure = Self { log: cost.ln(), error: of_interval.or(se)? };
        figure.is_valid().then_some(figure)
    }

    fn is_valid(&self) -> bool {
        self.log.is_finite() && self.error.is_finite()
    }

    /// The geometric mean of independent figures, for instance of one memory from all CPU groups:
    /// what differs there differs in all of them, and the mean shows it with a smaller spread.
    pub fn mean(figures: &[Self]) -> Option<Self> {
        let count = figures.len() as f64;
        let log = figures.iter().map(|figure| figure.log).sum::<f64>() / count;
        let squares = figures.iter().map(|figure| figure.error.powi(2)).sum::<f64>();
        (count > 0.0).then_some(Self { log, error: squares.sqrt() / count })
    }
}

/// Which cells resemble each other in their spread between machines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetCellKind {
    /// Cells of one table have the same number.
    pub table: usize,
    /// Indexes of the cells that it is the mean of, ascending; empty for a single cell.
    pub mean_of: Vec<usize>,
}

/// What the machines of one shape have in common, and the cells that differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetVerdict {
    /// Each cell, in the order of the input.
    pub cells: Vec<FleetCell>,
    /// By machine, then by cell.
    pub outliers: Vec<FleetOutlier>,
    /// Cells that would be outliers if healthy machines had normal tails, of machines without an
    /// outlier: the rarest of each. Healthy machines of this fleet may lie as far out.
    pub unclear: Vec<FleetOutlier>,
    /// One, unless machines fall into several; each machine is compared with its own.
    pub batches: Vec<FleetBatch>,
    /// How the other batches differ from the first.
    pub differences: Vec<BatchDifference>,
    /// Where there is no outlier: what would be one.
    pub smallest: Option<SmallestSlowdown>,
}

/// One cell of all machines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetCell {
    /// Number of machines with a figure. Below [`MIN_MACHINES`], none is tested.
    pub machines: usize,
    /// Standard deviation between machines of a batch, of the logarithms; 0 below
    /// [`MIN_MACHINES`].
    pub spread_log: f64,
}

/// A cell of a machine that differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetOutlier {
    /// Index of the machine.
    pub machine: usize,
    /// Index of the cell.
    pub cell: usize,
    /// Ratio of its cost to the median of its batch, divided by `other_cells`; above 1 it is
    /// slower.
    pub ratio: f64,
    /// The median of the same ratios of its machine's other cells, where it is compared with
    /// those; none where it is compared by itself.
    pub other_cells: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability of at least this deviation of a healthy machine.
    pub p_value: f64,
    /// The smallest false-discovery rate at which it is an outlier.
    pub q_value: f64,
}

/// Finds the cells that differ from those of the other machines. `machines` has one row a machine
/// and the same cells in each, of these kinds. Deviations below `floor` (a fraction) are no
/// outliers.
pub fn fleet_outliers(
    machines: &[Vec<Option<FleetFigure>>],
    kinds: &[FleetCellKind],
    floor: f64,
) -> FleetVerdict {
    if machines.is_empty() {
        return FleetVerdict::default();
    }
    let figures = FleetFigures {
        logs: LogTable::from_figures(machines, kinds.len()),
        errors: LogTable::from_errors(machines, kinds.len()),
        kinds,
    };
    let batched = batches::fit(&figures, floor);
    let outliers = batched.outliers(floor);
    FleetVerdict {
        cells: batched.fit.cells(),
        smallest: outliers.is_empty().then(|| named::smallest(&batched.fit, floor)).flatten(),
        unclear: batched.unclear(&outliers, floor),
        outliers,
        batches: FleetBatch::all(&batched.fit, &batched.unsure),
        differences: batched.differences,
    }
}

/// Degrees of freedom beyond which Student's t is the normal distribution.
const MANY: f64 = 1e6;

/// Compares each machine with one reference, cell by cell. `between` is the standard deviation
/// between surveys of an unchanged machine; none for [`BETWEEN`].
pub fn fleet_against_reference(
    reference: &[Option<FleetFigure>],
    machines: &[Vec<Option<FleetFigure>>],
    between: Option<f64>,
    floor: f64,
) -> Vec<FleetOutlier> {
    let between = between.unwrap_or(BETWEEN);
    let mut compared = Vec::new();
    for (machine, figures) in machines.iter().enumerate() {
        for (cell, (figure, golden)) in figures.iter().zip(reference).enumerate() {
            let (Some(figure), Some(golden)) = (figure, golden) else { continue };
            let variance = figure.error.powi(2) + golden.error.powi(2) + 2.0 * between.powi(2);
            compared.push((machine, cell, figure.log - golden.log, variance.sqrt()));
        }
    }
    let ps: Vec<f64> = compared.iter().map(|(.., log, sd)| two_sided_p(log / sd, MANY)).collect();
    let qs = adjusted_by_benjamini_hochberg(&ps);
    type Compared = (usize, usize, f64, f64);
    let outlier = |(&(machine, cell, log, sd), (&p_value, q_value)): (&Compared, (&f64, f64))| {
        let is_outlier = q_value <= FALSE_DISCOVERY_RATE && log.abs() >= floor.ln_1p();
        is_outlier.then(|| FleetOutlier {
            machine,
            cell,
            ratio: log.exp(),
            other_cells: None,
            low: (log - NORMAL_95 * sd).exp(),
            high: (log + NORMAL_95 * sd).exp(),
            p_value,
            q_value,
        })
    };
    compared.iter().zip(ps.iter().zip(qs)).filter_map(outlier).collect()
}

/// Qn of normal deviates has this share of the degrees of freedom of their standard deviation, with
/// 4 to 24 machines (by simulation: 0.49 to 0.70).
const QN_FREEDOM: f64 = 0.6;
/// Of three machines: four without the one that is compared.
const MIN_FREEDOM: f64 = 2.0;
/// Farther deviates are left out of the second estimate.
const FARTHEST: f64 = 3.5;
/// The variance of normal deviates without them.
const WITHIN_FARTHEST: f64 = 0.994;
/// A few outer machines lie farther by chance: the bound is lower by this, over the square root of
/// their number.
const BY_CHANCE: f64 = 0.7;

/// The first estimate of the variance within batches: of each its ascending deviations from its
/// center. None with too few machines.
fn first_variance(batches: &[Vec<f64>]) -> Option<CellVariance> {
    let (mut squares, mut count) = (0.0, 0.0);
    for values in batches.iter().filter(|values| values.len() >= 2) {
        let others = (values.len() - 1) as f64;
        squares += others * qn(values).powi(2);
        count += others;
    }
    (count >= MIN_FREEDOM)
        .then(|| CellVariance { variance: squares / count, freedom: QN_FREEDOM * count })
}

/// The second estimate: without deviations that are far beyond the first.
fn second_variance(batches: &[Vec<f64>], first: CellVariance) -> CellVariance {
    let farthest = as_rare_as(FARTHEST, first.freedom) * first.variance.sqrt();
    let (mut squares, mut freedom) = (0.0, 0.0);
    for values in batches {
        let near = || values.iter().filter(|value| value.abs() <= farthest);
        let count = near().count() as f64;
        let mean = near().sum::<f64>() / count.max(1.0);
        squares += near().map(|value| (value - mean).powi(2)).sum::<f64>();
        freedom += (count - 1.0).max(0.0);
    }
    if freedom == 0.0 {
        return first;
    }
    CellVariance { variance: squares / freedom / WITHIN_FARTHEST, freedom }
}

/// The least standard deviation that explains the outer machines, below and above the center.
/// Values are ascending deviations from it.
fn for_outer_machines(deviations: &[f64]) -> [f64; 2] {
    let count = deviations.len();
    let mut least = [0.0_f64; 2];
    let mut rank = least_batch(count);
    while rank * 2 < count {
        let share = (rank as f64 - 0.375) / (count as f64 + 0.25);
        let scale = (1.0 - BY_CHANCE / (rank as f64).sqrt()) / normal_quantile(1.0 - share);
        least[0] = least[0].max(-scale * deviations[rank - 1]);
        least[1] = least[1].max(scale * deviations[count - rank]);
        rank *= 2;
    }
    least
}

/// The fewest of these machines that are a batch: three, and one in twenty. One or two machines
/// that differ are outliers, and so are a few of a thousand.
fn least_batch(machines: usize) -> usize {
    MIN_BATCH.max(machines.div_ceil(20))
}

/// Slowdowns that would be outliers with a probability of 97.5 % or more, as fractions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SmallestSlowdown {
    /// Of any cell.
    pub cell: f64,
    /// Of all cells of any machine.
    pub machine: f64,
}

impl SmallestSlowdown {
    /// Of the first outlier among this many tests; none without any.
    fn new(fit: &FleetFit<'_>, tested: &[usize], tests: usize, floor: f64) -> Option<Self> {
        let p = FALSE_DISCOVERY_RATE / tests as f64;
        let count = fit.levels.len();
        let machines = if count > FEW_MACHINES { 1 } else { count };
        let of_machine = |machine: usize| {
            let others = Expected::of(fit, machine, Tails::Seen);
            let compared: Vec<[Option<Compared>; 2]> =
                tested.iter().map(|&cell| others.slower(machine, cell)).collect();
            let [of_own, of_beside] = [0, 1].map(|which| deviates(&compared, which, p, count));
            let size = |one: Compared, deviates: f64| deviates * one.variance.sqrt();
            let own = |two: &[Option<Compared>; 2]| Some(size(two[0]?, of_own?));
            let beside = |two: &[Option<Compared>; 2]| Some(size(two[1]?, of_beside?));
            let least = |two| own(two).into_iter().chain(beside(two)).fold(f64::INFINITY, f64::min);
            let cell = compared.iter().map(least).fold(0.0, f64::max);
            let machine = median(compared.iter().filter_map(own))?;
            Some([cell, machine].map(|log| log.exp_m1().max(floor)))
        };
        let all: Option<Vec<[f64; 2]>> = (0..machines).map(of_machine).collect();
        let all = all.filter(|all| !all.is_empty() && !tested.is_empty())?;
        let largest = |at: usize| all.iter().map(|of| of[at]).fold(0.0, f64::max);
        let [cell, machine] = [largest(0), largest(1)];
        (cell.is_finite() && machine.is_finite()).then_some(Self { cell, machine })
    }
}

/// The deviate that has this probability and is exceeded in spite of chance, of the least precise
/// of these spreads: of cells by themselves, or beside their machine's others.
fn deviates(
    compared: &[[Option<Compared>; 2]],
    which: usize,
    p: f64,
    machines: usize,
) -> Option<f64> {
    let all = compared.iter().filter_map(|two| two[which]);
    let least = all.min_by(|one, other| one.freedom.total_cmp(&other.freedom))?;
    Some(deviate(|t| least.p_of(t, machines), p) + as_rare_as(NORMAL_95, least.freedom))
}

/// The deviate that has this probability.
fn deviate(p_of: impl Fn(f64) -> f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e9);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if p_of(middle) > p { low = middle } else { high = middle }
    }
    high
}

/// A row for each machine.
#[derive(Clone)]
struct LogTable {
    cells: usize,
    values: Vec<f64>,
}

impl LogTable {
    fn from_figures(machines: &[Vec<Option<FleetFigure>>], cells: usize) -> Self {
        Self::of(machines, cells, |figure| figure.log)
    }

    /// The figures' own errors.
    fn from_errors(machines: &[Vec<Option<FleetFigure>>], cells: usize) -> Self {
        Self::of(machines, cells, |figure| figure.error.abs())
    }

    fn of(
        machines: &[Vec<Option<FleetFigure>>],
        cells: usize,
        value: fn(FleetFigure) -> f64,
    ) -> Self {
        let mut values = Vec::with_capacity(machines.len() * cells);
        for machine in machines {
            let figure = |cell| machine.get(cell).copied().flatten().filter(FleetFigure::is_valid);
            values.extend((0..cells).map(|cell| figure(cell).map_or(f64::NAN, value)));
        }
        Self { cells, values }
    }

    fn machines(&self) -> usize {
        self.values.len() / self.cells.max(1)
    }

    fn row(&self, machine: usize) -> &[f64] {
        &self.values[machine * self.cells..][..self.cells]
    }

    /// The same with each machine's row changed.
    fn map_rows(&self, mut change: impl FnMut(usize, &mut [f64])) -> Self {
        let mut changed = self.clone();
        if self.cells > 0 {
            changed.values.chunks_mut(self.cells).enumerate().for_each(|(at, row)| change(at, row));
        }
        changed
    }

    /// A cell's values of these machines, without gaps.
    fn column(&self, cell: usize, machines: &[usize]) -> Vec<f64> {
        let value = |machine: &usize| self.values[machine * self.cells + cell];
        machines.iter().map(value).filter(|value| !value.is_nan()).collect()
    }

    fn sorted_column(&self, cell: usize, machines: &[usize]) -> Vec<f64> {
        let mut column = self.column(cell, machines);
        column.sort_unstable_by(f64::total_cmp);
        column
    }

    /// The median of each cell of these machines.
    fn medians(&self, machines: &[usize]) -> Vec<f64> {
        (0..self.cells).map(|cell| median_of(&self.sorted_column(cell, machines))).collect()
    }
}

/// Of ascending values; not a number without any.
fn median_of(sorted: &[f64]) -> f64 {
    quantile_of_sorted(sorted, 0.5).unwrap_or(f64::NAN)
}
