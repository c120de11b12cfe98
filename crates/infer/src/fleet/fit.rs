//! What healthy machines of a fleet are expected to have: centers of each batch, levels of
//! machines, and spreads.

use std::collections::BTreeMap;

use super::LogTable;
use super::levels::Levels;
use super::moderation::{CellVariance, KindVariances, priors};
use super::tails::{Tail, TailEvidence};
use super::{FleetCell, FleetCellKind, MIN_MACHINES};
use super::{first_variance, for_outer_machines, second_variance};
use crate::cell::median;
use crate::process_drift::MEDIAN_OVER_MEAN;

/// Figures and errors of a fleet.
pub(super) struct FleetFigures<'f> {
    pub(super) logs: LogTable,
    pub(super) errors: LogTable,
    pub(super) kinds: &'f [FleetCellKind],
}

/// How healthy machines spread in one cell.
#[derive(Clone, Copy, Default)]
struct CellSpread {
    /// Within batches; none with too few machines.
    within: Option<CellVariance>,
    /// The least standard deviation below and above the center.
    outer: [f64; 2],
}

/// A deviation and what healthy machines have there.
#[derive(Clone, Copy)]
pub(super) struct Compared {
    pub(super) log: f64,
    pub(super) variance: f64,
    pub(super) freedom: f64,
    /// How far healthy machines lie out there.
    pub(super) tail: Option<Tail>,
}

/// A fleet whose batches are known.
pub(super) struct FleetFit<'f> {
    figures: &'f FleetFigures<'f>,
    /// Machines of each batch, from which centers and spreads are.
    pub(super) batches: Vec<Vec<usize>>,
    pub(super) batch_of: Vec<usize>,
    /// Of each batch and cell: medians of logarithms.
    pub(super) centers: Vec<Vec<f64>>,
    /// Deviations from the centers.
    pub(super) own: LogTable,
    /// The same beside the machine's other cells.
    pub(super) beside: LogTable,
    pub(super) levels: Vec<f64>,
    pub(super) level: Option<CellVariance>,
    own_spreads: Vec<CellSpread>,
    beside_spreads: Vec<CellSpread>,
    own_evidence: TailEvidence,
    beside_evidence: TailEvidence,
    /// The median of machines' own errors, of each cell.
    errors: Vec<f64>,
    /// How much the median of a machine's other cells adds to a cell's own error.
    of_others: f64,
    /// How much the cells of a machine have in common, from 0 to 1.
    correlation: f64,
}

impl<'f> FleetFit<'f> {
    pub(super) fn new(figures: &'f FleetFigures<'f>, batches: Vec<Vec<usize>>) -> Self {
        let mut batch_of = vec![0; figures.logs.machines()];
        for (batch, machines) in batches.iter().enumerate() {
            machines.iter().for_each(|&machine| batch_of[machine] = batch);
        }
        Self::from_batches(figures, batches, batch_of)
    }

    /// The same, whose centers and spreads are those of the other machines: of a few, one that is
    /// far off would hide itself.
    pub(super) fn without(&self, machine: usize) -> Self {
        let mut batches = self.batches.clone();
        batches[self.batch_of[machine]].retain(|other| *other != machine);
        Self::from_batches(self.figures, batches, self.batch_of.clone())
    }

    /// With this machine in another batch.
    pub(super) fn with_moved(&self, machine: usize, batch: usize) -> Self {
        let (mut batches, mut batch_of) = (self.batches.clone(), self.batch_of.clone());
        let own = std::mem::replace(&mut batch_of[machine], batch);
        if let Ok(at) = batches[own].binary_search(&machine) {
            batches[own].remove(at);
            batches[batch].push(machine);
            batches[batch].sort_unstable();
        }
        Self::from_batches(self.figures, batches, batch_of)
    }

    /// Without machines that may be of another batch in centers and spreads.
    pub(super) fn without_unsure(&self, unsure: &[usize]) -> Self {
        let mut batches = self.batches.clone();
        batches.iter_mut().for_each(|batch| batch.retain(|machine| !unsure.contains(machine)));
        Self::from_batches(self.figures, batches, self.batch_of.clone())
    }

    fn from_batches(
        figures: &'f FleetFigures<'f>,
        batches: Vec<Vec<usize>>,
        batch_of: Vec<usize>,
    ) -> Self {
        let (own, centers) = less_of_batch(&figures.logs, &batches, &batch_of);
        let levels = Levels::new(&own, figures.kinds);
        let (beside, _) = less_of_batch(&levels.beside_others, &batches, &batch_of);
        let cells = figures.kinds.iter().filter(|kind| kind.mean_of.is_empty()).count();
        let mut fit = Self {
            figures,
            batch_of,
            centers,
            own,
            beside,
            level: None,
            levels: levels.of_machines,
            own_spreads: Vec::new(),
            beside_spreads: Vec::new(),
            own_evidence: TailEvidence::default(),
            beside_evidence: TailEvidence::default(),
            errors: figures.errors.medians(&batches.concat()),
            of_others: MEDIAN_OVER_MEAN / (cells.max(2) - 1) as f64,
            correlation: 0.0,
            batches,
        };
        let levels: Vec<Vec<f64>> =
            fit.batches.iter().map(|machines| sorted(machines, &fit.levels)).collect();
        fit.level = first_variance(&levels).map(|first| second_variance(&levels, first));
        fit.beside_spreads = fit.spreads_beside();
        fit.own_spreads = fit.spreads_by_itself();
        for machine in 0..fit.batch_of.len() {
            let [own, beside] = [fit.own_evidence, fit.beside_evidence];
            [fit.own_evidence, fit.beside_evidence] = fit.evidence(machine, [own, beside], 1.0);
        }
        fit
    }

    /// The tails of machines other than this one: by themselves, and beside their other cells.
    pub(super) fn tails_without(&self, machine: usize) -> [[Tail; 2]; 2] {
        let all = [self.own_evidence, self.beside_evidence];
        self.evidence(machine, all, -1.0).map(|evidence| evidence.tails())
    }

    /// With what a machine of a batch adds, this many times. What all cells of a machine share
    /// counts once.
    fn evidence(
        &self,
        machine: usize,
        [mut own, mut beside]: [TailEvidence; 2],
        times: f64,
    ) -> [TailEvidence; 2] {
        let is_member = self.batches[self.batch_of[machine]].binary_search(&machine).is_ok();
        if !is_member {
            return [own, beside];
        }
        let cells = self.single_cells().count() as f64;
        let shared = self.correlation;
        let of_own = times / (1.0 + (cells - 1.0) * shared);
        let of_beside = times * (1.0 - 1.0 / cells);
        let sd = |spread: &CellSpread| spread.within.map_or(f64::NAN, |it| it.variance.sqrt());
        for cell in self.single_cells() {
            own.add(self.own.row(machine)[cell] / sd(&self.own_spreads[cell]), of_own);
            beside.add(self.beside.row(machine)[cell] / sd(&self.beside_spreads[cell]), of_beside);
        }
        [own, beside]
    }

    /// Each cell beside the machine's others. Its variance is shrunk towards that of its kind.
    fn spreads_beside(&self) -> Vec<CellSpread> {
        let cells = 0..self.figures.kinds.len();
        let sorted: Vec<Vec<Vec<f64>>> =
            cells.clone().map(|cell| self.by_batch(&self.beside, cell)).collect();
        let error = |cell: usize| self.errors[cell].powi(2) * (1.0 + self.of_others);
        let first: Vec<Option<CellVariance>> =
            cells.clone().map(|cell| first_variance(&sorted[cell])).collect();
        // The cells of a machine sum to its level.
        let independent = |count: f64, all: f64| count * (1.0 - 1.0 / all.max(1.0));
        let first = self.shrunk(&first, error, independent);
        let second: Vec<Option<CellVariance>> =
            cells.map(|cell| Some(second_variance(&sorted[cell], first[cell]?))).collect();
        let second = self.shrunk(&second, error, independent);
        Self::with_outer(&sorted, &second)
    }

    /// Each cell by itself. The level of a machine is in all of its cells: that they agree does not
    /// make its spread more precise. Of cells that correlate, as many are independent as have
    /// variances that vary as much (Nyholt, *American Journal of Human Genetics* 74, 2004).
    fn spreads_by_itself(&mut self) -> Vec<CellSpread> {
        let cells = 0..self.figures.kinds.len();
        let sorted: Vec<Vec<Vec<f64>>> =
            cells.clone().map(|cell| self.by_batch(&self.own, cell)).collect();
        let second =
            |cell: usize| Some(second_variance(&sorted[cell], first_variance(&sorted[cell])?));
        let variances: Vec<Option<CellVariance>> = cells.map(second).collect();
        let typical = median(variances.iter().flatten().map(|it| it.variance)).unwrap_or(0.0);
        let level = self.level.map_or(typical, |level| level.variance);
        let correlation = (level / typical.max(f64::MIN_POSITIVE)).min(1.0);
        self.correlation = correlation;
        let independent = |count: f64, _| count / (1.0 + (count - 1.0) * correlation.powi(2));
        let variances = self.shrunk(&variances, |cell| self.errors[cell].powi(2), independent);
        Self::with_outer(&sorted, &variances)
    }

    fn with_outer(sorted: &[Vec<Vec<f64>>], within: &[Option<CellVariance>]) -> Vec<CellSpread> {
        let all: Vec<Vec<f64>> = sorted.iter().map(|by_batch| all_sorted(by_batch)).collect();
        let spreads = all.iter().zip(within);
        let spread = |(sorted, within): (&Vec<f64>, &Option<CellVariance>)| CellSpread {
            within: *within,
            outer: for_outer_machines(sorted),
        };
        spreads.map(spread).collect()
    }

    fn by_batch(&self, table: &LogTable, cell: usize) -> Vec<Vec<f64>> {
        self.batches.iter().map(|machines| table.sorted_column(cell, machines)).collect()
    }

    /// Shrunk towards their kind's, and not below what figures' own errors explain.
    fn shrunk(
        &self,
        variances: &[Option<CellVariance>],
        error: impl Fn(usize) -> f64,
        independent: impl Fn(f64, f64) -> f64,
    ) -> Vec<Option<CellVariance>> {
        let least = |cell: usize| Some(variances[cell]?.at_least(error(cell)));
        let mut by_kind: BTreeMap<(usize, bool), KindVariances> = BTreeMap::new();
        for (cell, kind) in self.figures.kinds.iter().enumerate() {
            by_kind.entry(kind.number()).or_default().cells.extend(least(cell));
        }
        let of_same = |is_mean: bool| -> usize {
            let same = by_kind.iter().filter(|((_, other), _)| *other == is_mean);
            same.map(|(_, kind)| kind.cells.len()).sum()
        };
        let of_same = [of_same(false), of_same(true)];
        for ((_, is_mean), kind) in &mut by_kind {
            let all = of_same[usize::from(*is_mean)];
            kind.independent = independent(kind.cells.len() as f64, all as f64);
        }
        let priors = priors(&by_kind.values().cloned().collect::<Vec<_>>());
        let priors: BTreeMap<_, _> = by_kind.into_keys().zip(priors).collect();
        let kinds = self.figures.kinds.iter().enumerate();
        kinds.map(|(cell, kind)| Some(least(cell)?.shrunk(priors[&kind.number()]))).collect()
    }

    /// The result of each cell.
    pub(super) fn cells(&self) -> Vec<FleetCell> {
        let all = self.batches.concat();
        let cells = self.own_spreads.iter().enumerate();
        cells
            .map(|(cell, spread)| {
                let machines = self.own.column(cell, &all).len();
                let within = spread.within.filter(|_| machines >= MIN_MACHINES);
                FleetCell {
                    machines,
                    spread_log: within.map_or(0.0, |within| within.variance.sqrt()),
                }
            })
            .collect()
    }

    /// Between machines of a batch.
    pub(super) fn variance(&self, cell: usize) -> Option<CellVariance> {
        self.own_spreads[cell].within
    }

    /// The same, beside the machines' other cells.
    pub(super) fn variance_beside(&self, cell: usize) -> Option<CellVariance> {
        self.beside_spreads[cell].within
    }

    /// How many independent cells this one is the mean of, by itself and beside the machine's
    /// others: as many as its variance is smaller than theirs. A single cell is one.
    pub(super) fn independent_cells(&self, cell: usize) -> [f64; 2] {
        let parts = &self.figures.kinds[cell].mean_of;
        [&self.own_spreads, &self.beside_spreads].map(|spreads| {
            let variance =
                |cell: usize| spreads[cell].within.map_or(f64::NAN, |within| within.variance);
            let of_parts = parts.iter().map(|part| variance(*part)).sum::<f64>();
            let count = parts.len() as f64;
            (of_parts / count / variance(cell)).max(1.0).min(count.max(1.0))
        })
    }

    /// The cells that are no means.
    pub(super) fn single_cells(&self) -> impl Iterator<Item = usize> {
        let cells = self.figures.kinds.iter().enumerate();
        cells.filter(|(_, kind)| kind.mean_of.is_empty()).map(|(cell, _)| cell)
    }

    /// A machine's cell compared with its batch.
    pub(super) fn own(&self, machine: usize, cell: usize) -> Option<Compared> {
        let excess = self.own_excess(machine, cell);
        let others = self.batches[self.batch_of[machine]].len();
        self.own_spreads[cell].compared(self.own.row(machine)[cell], others, excess)
    }

    /// The same, beside the machine's other cells.
    pub(super) fn beside(&self, machine: usize, cell: usize) -> Option<Compared> {
        let excess = self.own_excess(machine, cell) * (1.0 + self.of_others);
        let others = self.batches[self.batch_of[machine]].len();
        self.beside_spreads[cell].compared(self.beside.row(machine)[cell], others, excess)
    }

    /// What healthy machines have above the center, by itself and beside the machine's others.
    pub(super) fn slower(&self, machine: usize, cell: usize) -> [Option<Compared>; 2] {
        let excess = self.own_excess(machine, cell);
        let others = self.batches[self.batch_of[machine]].len();
        let has_others = !self.beside.row(machine)[cell].is_nan();
        [
            self.own_spreads[cell].compared(f64::INFINITY, others, excess),
            self.beside_spreads[cell]
                .compared(f64::INFINITY, others, excess * (1.0 + self.of_others))
                .filter(|_| has_others),
        ]
    }

    /// A machine whose own error exceeds that of most needs a larger deviation.
    fn own_excess(&self, machine: usize, cell: usize) -> f64 {
        let error = self.figures.errors.row(machine)[cell];
        (error.powi(2) - self.errors[cell].powi(2)).max(0.0)
    }
}

impl FleetCellKind {
    fn number(&self) -> (usize, bool) {
        (self.table, !self.mean_of.is_empty())
    }
}

impl CellSpread {
    /// With the center of this many others.
    fn compared(&self, log: f64, others: usize, excess: f64) -> Option<Compared> {
        let CellVariance { variance, freedom } = self.within?;
        let outer = self.outer[usize::from(log > 0.0)].powi(2);
        let of_center = MEDIAN_OVER_MEAN / others.max(1) as f64;
        let variance = variance.max(outer) * (1.0 + of_center) + excess;
        (!log.is_nan()).then_some(Compared { log, variance, freedom, tail: None })
    }
}

fn all_sorted(by_batch: &[Vec<f64>]) -> Vec<f64> {
    let mut all = by_batch.concat();
    if by_batch.len() > 1 {
        all.sort_unstable_by(f64::total_cmp);
    }
    all
}

fn sorted(machines: &[usize], values: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = machines.iter().map(|&machine| values[machine]).collect();
    sorted.retain(|value| !value.is_nan());
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// Each machine's values less the medians of its batch, and those.
fn less_of_batch(
    table: &LogTable,
    batches: &[Vec<usize>],
    batch_of: &[usize],
) -> (LogTable, Vec<Vec<f64>>) {
    let medians: Vec<Vec<f64>> = batches.iter().map(|machines| table.medians(machines)).collect();
    let less = table.map_rows(|machine, row| {
        for (value, median) in row.iter_mut().zip(&medians[batch_of[machine]]) {
            *value -= median;
        }
    });
    (less, medians)
}
