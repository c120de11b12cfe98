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
//! - *Own error*: a machine whose error exceeds the median of the others needs a larger deviation.
//! - *Decision*: Student's t, then a false-discovery rate of 5 % over all machines and cells
//!   (Benjamini and Hochberg, 1995). Deviations below the floor are never outliers.
//!
//! Intervals count the whole spread as error: a healthy machine's interval contains 1 in 95 % of
//! cells.

mod moderation;
mod qn;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cell::{median, quantile_of_sorted};
use crate::changes::BETWEEN;
use crate::many_tests::adjusted_by_benjamini_hochberg;
use crate::student::{NORMAL_95, as_rare_as, two_sided_p};
use moderation::{CellVariance, moderate};
use qn::qn;

/// Fewer machines of a shape are too few to compare.
pub const FEWEST_MACHINES: usize = 4;
/// The largest share of false outliers among outliers.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;
/// Smaller deviations are no outliers.
pub const FLEET_FLOOR: f64 = 0.03;

/// Qn of normal deviates has this share of the degrees of freedom of their standard deviation, with
/// 4 to 24 machines (by simulation: 0.49 to 0.70).
const QN_FREEDOM: f64 = 0.6;
/// The variance of a median of normal deviates, compared with their mean.
const MEDIAN_OVER_MEAN: f64 = std::f64::consts::FRAC_PI_2;
/// Degrees of freedom beyond which Student's t is the normal distribution.
const MANY: f64 = 1e6;

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

/// What the machines of one shape have in common, and the cells that differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetVerdict {
    /// Each cell, in the order of the input.
    pub cells: Vec<FleetCell>,
    /// By machine, then by cell.
    pub outliers: Vec<FleetOutlier>,
}

/// One cell of all machines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetCell {
    /// Number of machines with a figure. Below [`FEWEST_MACHINES`], none is tested.
    pub machines: usize,
    /// The median of the logarithms; 0 without figures.
    pub center_log: f64,
    /// Standard deviation between machines, of the logarithms; 0 below [`FEWEST_MACHINES`].
    pub spread_log: f64,
}

/// A cell of a machine that differs from the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FleetOutlier {
    /// Index of the machine.
    pub machine: usize,
    /// Index of the cell.
    pub cell: usize,
    /// Ratio of its cost to the median of the other machines; above 1 it is slower.
    pub ratio: f64,
    /// The ratio is relative to the machine's other cells: its common part is divided out.
    pub is_relative: bool,
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
/// and the same cells in each. Cells with the same number in `kinds` resemble each other in their
/// spread. Deviations below `floor` (a fraction) are no outliers.
pub fn fleet_outliers(
    machines: &[Vec<Option<FleetFigure>>],
    kinds: &[usize],
    floor: f64,
) -> FleetVerdict {
    let own = FleetColumns::new(machines, kinds);
    let relative = FleetColumns::new(&without_common_part(machines, &own), kinds);
    let mut deviations = own.deviations(false);
    if own.is_mostly_common(&relative) {
        deviations = smaller_probability(deviations, relative.deviations(true));
    }
    FleetVerdict { cells: own.cells(), outliers: outliers(&deviations, floor) }
}

/// Compares each machine with one reference, cell by cell. `between` is the standard deviation
/// between surveys of an unchanged machine; none for [`BETWEEN`].
pub fn fleet_against_reference(
    reference: &[Option<FleetFigure>],
    machines: &[Vec<Option<FleetFigure>>],
    between: Option<f64>,
    floor: f64,
) -> Vec<FleetOutlier> {
    let between = between.unwrap_or(BETWEEN);
    let mut deviations = Vec::new();
    for (machine, figures) in machines.iter().enumerate() {
        for (cell, (figure, golden)) in figures.iter().zip(reference).enumerate() {
            let (Some(figure), Some(golden)) = (figure, golden) else { continue };
            let variance = figure.error.powi(2) + golden.error.powi(2) + 2.0 * between.powi(2);
            let log = figure.log - golden.log;
            deviations.push(Deviation::new([machine, cell], log, variance, MANY));
        }
    }
    outliers(&deviations, floor)
}

/// All cells of a fleet.
struct FleetColumns {
    columns: Vec<FleetColumn>,
    /// Of each column; none with too few machines.
    variances: Vec<Option<CellVariance>>,
}

impl FleetColumns {
    fn new(machines: &[Vec<Option<FleetFigure>>], kinds: &[usize]) -> Self {
        let columns: Vec<_> =
            (0..kinds.len()).map(|cell| FleetColumn::new(machines, cell)).collect();
        let mut variances: Vec<_> = columns.iter().map(FleetColumn::variance).collect();
        let mut by_kind: BTreeMap<usize, Vec<&mut CellVariance>> = BTreeMap::new();
        for (variance, kind) in variances.iter_mut().zip(kinds) {
            by_kind.entry(*kind).or_default().extend(variance);
        }
        moderate(&mut by_kind.into_values().collect::<Vec<_>>());
        Self { columns, variances }
    }

    fn cells(&self) -> Vec<FleetCell> {
        let cell = |(column, variance): (&FleetColumn, &Option<CellVariance>)| FleetCell {
            machines: column.figures.len(),
            center_log: column.center().unwrap_or(0.0),
            spread_log: variance.map_or(0.0, |of_cell| of_cell.variance.sqrt()),
        };
        self.columns.iter().zip(&self.variances).map(cell).collect()
    }

    /// By machine, then by cell.
    fn deviations(&self, is_relative: bool) -> Vec<Deviation> {
        let mut deviations = Vec::new();
        for (cell, (column, variance)) in self.columns.iter().zip(&self.variances).enumerate() {
            if let Some(variance) = variance {
                deviations.extend(column.deviations(cell, *variance));
            }
        }
        deviations.iter_mut().for_each(|deviation| deviation.is_relative = is_relative);
        deviations.sort_by_key(|deviation| (deviation.machine, deviation.cell));
        deviations
    }

    /// Does the spread fall by more than half without the machines' common parts?
    fn is_mostly_common(&self, relative: &Self) -> bool {
        let ratio = |(own, relative): (&Option<CellVariance>, &Option<CellVariance>)| {
            Some(relative.as_ref()?.variance / own.as_ref()?.variance)
        };
        let ratios = self.variances.iter().zip(&relative.variances).filter_map(ratio);
        median(ratios).is_some_and(|ratio| ratio < 0.5)
    }
}

/// The figures, each divided by the median deviation of its machine.
fn without_common_part(
    machines: &[Vec<Option<FleetFigure>>],
    columns: &FleetColumns,
) -> Vec<Vec<Option<FleetFigure>>> {
    let centers: Vec<_> = columns.columns.iter().map(FleetColumn::center).collect();
    let relative = |figures: &Vec<Option<FleetFigure>>| {
        let deviation = |(figure, center): (&Option<FleetFigure>, &Option<f64>)| {
            Some(figure.as_ref()?.log - (*center)?).filter(|log| log.is_finite())
        };
        let common = median(figures.iter().zip(&centers).filter_map(deviation)).unwrap_or(0.0);
        let without = |figure: FleetFigure| FleetFigure { log: figure.log - common, ..figure };
        figures.iter().map(|figure| figure.map(without)).collect()
    };
    machines.iter().map(relative).collect()
}

/// Of two comparisons of the same cells the one with the smaller probability, which counts twice.
fn smaller_probability(own: Vec<Deviation>, relative: Vec<Deviation>) -> Vec<Deviation> {
    let pairs = own.into_iter().zip(relative);
    pairs
        .map(|(own, relative)| {
            let smaller = if relative.p_value < own.p_value { relative } else { own };
            Deviation { p_value: (2.0 * smaller.p_value).min(1.0), ..smaller }
        })
        .collect()
}

/// The figures of one cell.
struct FleetColumn {
    /// With the index of the machine.
    figures: Vec<(usize, FleetFigure)>,
    /// Their logarithms, ascending.
    logs: Vec<f64>,
}

impl FleetColumn {
    fn new(machines: &[Vec<Option<FleetFigure>>], cell: usize) -> Self {
        let figure = |of_machine: &Vec<Option<FleetFigure>>| {
            of_machine.get(cell).copied().flatten().filter(FleetFigure::is_valid)
        };
        let all = machines.iter().map(figure).enumerate();
        let figures: Vec<(usize, FleetFigure)> =
            all.filter_map(|(machine, figure)| Some((machine, figure?))).collect();
        let mut logs: Vec<f64> = figures.iter().map(|(_, figure)| figure.log).collect();
        logs.sort_by(f64::total_cmp);
        Self { figures, logs }
    }

    fn center(&self) -> Option<f64> {
        quantile_of_sorted(&self.logs, 0.5)
    }

    /// The median of the other machines, without sorting them for each.
    fn center_without(&self, log: f64) -> Option<f64> {
        let own = self.logs.partition_point(|&other| other.total_cmp(&log).is_lt());
        let middle = self.logs.len().checked_sub(2)?;
        let other = |place: usize| self.logs[place + usize::from(place >= own)];
        let (low, high) = (other(middle / 2), other(middle.div_ceil(2)));
        Some(low + (high - low) * 0.5)
    }

    fn typical_error(&self) -> f64 {
        median(self.figures.iter().map(|(_, figure)| figure.error.abs())).unwrap_or(0.0)
    }

    /// None with too few machines.
    fn variance(&self) -> Option<CellVariance> {
        (self.logs.len() >= FEWEST_MACHINES).then(|| CellVariance {
            variance: qn(&self.logs).max(self.typical_error()).max(f64::EPSILON).powi(2),
            freedom: QN_FREEDOM * (self.logs.len() - 1) as f64,
        })
    }

    fn deviations(&self, cell: usize, spread: CellVariance) -> impl Iterator<Item = Deviation> {
        let others = (self.figures.len() - 1) as f64;
        let typical = self.typical_error().powi(2);
        self.figures.iter().map(move |&(machine, figure)| {
            let center = self.center_without(figure.log);
            let own_excess = (figure.error.powi(2) - typical).max(0.0);
            let variance = spread.variance * (1.0 + MEDIAN_OVER_MEAN / others) + own_excess;
            let log = figure.log - center.unwrap_or(figure.log);
            Deviation::new([machine, cell], log, variance, spread.freedom)
        })
    }
}

/// A machine's figure compared with the others.
struct Deviation {
    machine: usize,
    cell: usize,
    log: f64,
    variance: f64,
    freedom: f64,
    is_relative: bool,
    p_value: f64,
}

impl Deviation {
    fn new([machine, cell]: [usize; 2], log: f64, variance: f64, freedom: f64) -> Self {
        let p_value = two_sided_p(log / variance.sqrt(), freedom);
        Self { machine, cell, log, variance, freedom, is_relative: false, p_value }
    }
}

fn outliers(deviations: &[Deviation], floor: f64) -> Vec<FleetOutlier> {
    let ps: Vec<f64> = deviations.iter().map(|deviation| deviation.p_value).collect();
    let qs = adjusted_by_benjamini_hochberg(&ps);
    let differs = |log: f64| log >= floor.ln_1p() || log <= -floor.ln_1p();
    let decided = deviations.iter().zip(qs);
    decided
        .filter(|(deviation, q)| *q <= FALSE_DISCOVERY_RATE && differs(deviation.log))
        .map(|(deviation, q_value)| {
            let margin = as_rare_as(NORMAL_95, deviation.freedom) * deviation.variance.sqrt();
            FleetOutlier {
                machine: deviation.machine,
                cell: deviation.cell,
                ratio: deviation.log.exp(),
                low: (deviation.log - margin).exp(),
                high: (deviation.log + margin).exp(),
                is_relative: deviation.is_relative,
                p_value: deviation.p_value,
                q_value,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
