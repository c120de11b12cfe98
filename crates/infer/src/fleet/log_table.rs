//! Logarithms of all machines and cells; not a number where a machine has no figure.

use super::FleetFigure;
use crate::cell::quantile_of_sorted;

/// A row for each machine.
#[derive(Clone)]
pub(super) struct LogTable {
    cells: usize,
    values: Vec<f64>,
}

impl LogTable {
    pub(super) fn from_figures(machines: &[Vec<Option<FleetFigure>>], cells: usize) -> Self {
        Self::of(machines, cells, |figure| figure.log)
    }

    /// The figures' own errors.
    pub(super) fn from_errors(machines: &[Vec<Option<FleetFigure>>], cells: usize) -> Self {
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

    pub(super) fn machines(&self) -> usize {
        self.values.len() / self.cells.max(1)
    }

    pub(super) fn row(&self, machine: usize) -> &[f64] {
        &self.values[machine * self.cells..][..self.cells]
    }

    /// The same with each machine's row changed.
    pub(super) fn map_rows(&self, mut change: impl FnMut(usize, &mut [f64])) -> Self {
        let mut changed = self.clone();
        if self.cells > 0 {
            changed.values.chunks_mut(self.cells).enumerate().for_each(|(at, row)| change(at, row));
        }
        changed
    }

    /// A cell's values of these machines, without gaps.
    pub(super) fn column(&self, cell: usize, machines: &[usize]) -> Vec<f64> {
        let value = |machine: &usize| self.values[machine * self.cells + cell];
        machines.iter().map(value).filter(|value| !value.is_nan()).collect()
    }

    pub(super) fn sorted_column(&self, cell: usize, machines: &[usize]) -> Vec<f64> {
        let mut column = self.column(cell, machines);
        column.sort_unstable_by(f64::total_cmp);
        column
    }

    /// The median of each cell of these machines.
    pub(super) fn medians(&self, machines: &[usize]) -> Vec<f64> {
        (0..self.cells).map(|cell| median_of(&self.sorted_column(cell, machines))).collect()
    }
}

/// Of ascending values; not a number without any.
pub(super) fn median_of(sorted: &[f64]) -> f64 {
    quantile_of_sorted(sorted, 0.5).unwrap_or(f64::NAN)
}
