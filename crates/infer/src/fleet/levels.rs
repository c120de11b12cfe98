//! What is common to all cells of a machine, such as its clock.
//!
//! A cell is compared with the median of its machine's *other* cells, a mean with that of cells
//! that are no part of it. With the cell itself among them, the middle cell's difference would
//! always be 0, and the spread between machines would look smaller than it is.

use super::FleetCellKind;
use super::{LogTable, median_of};

/// Fewer other cells of a machine do not show its level: one changed cell would distort it. The
/// mean of one of two memories has two.
pub(super) const MIN_OTHERS: usize = 2;

/// The median over all cells of each machine, and each cell less the median of the others.
pub(super) struct Levels {
    pub(super) of_machines: Vec<f64>,
    /// Not a number where a machine has too few other cells.
    pub(super) beside_others: LogTable,
}

impl Levels {
    /// Of deviations from the cells' centers.
    pub(super) fn new(deviations: &LogTable, kinds: &[FleetCellKind]) -> Self {
        let mut of_machines = vec![f64::NAN; deviations.machines()];
        let mut row_levels = RowLevels { kinds, cells: Vec::new(), sorted: Vec::new() };
        let beside_others = deviations.map_rows(|machine, row| {
            row_levels.sort(row);
            of_machines[machine] = median_of(&row_levels.sorted);
            for (cell, deviation) in row.iter_mut().enumerate() {
                *deviation -= row_levels.of_others(cell);
            }
        });
        Self { of_machines, beside_others }
    }
}

/// A machine's cells that are no means, by their deviations.
struct RowLevels<'k> {
    kinds: &'k [FleetCellKind],
    cells: Vec<usize>,
    sorted: Vec<f64>,
}

impl RowLevels<'_> {
    fn sort(&mut self, row: &[f64]) {
        self.cells.clear();
        let is_single = |cell: &usize| self.kinds[*cell].mean_of.is_empty() && !row[*cell].is_nan();
        self.cells.extend((0..row.len()).filter(is_single));
        self.cells.sort_unstable_by(|&a, &b| row[a].total_cmp(&row[b]));
        self.sorted.clear();
        self.sorted.extend(self.cells.iter().map(|&cell| row[cell]));
    }

    /// The median of the others; not a number where they are too few.
    fn of_others(&self, cell: usize) -> f64 {
        let parts = &self.kinds[cell].mean_of;
        let is_left_out = |other: usize| other == cell || parts.binary_search(&other).is_ok();
        let left_out = self.cells.iter().filter(|&&other| is_left_out(other)).count();
        let others = self.cells.len() - left_out;
        if others < MIN_OTHERS {
            return f64::NAN;
        }
        let places = self.cells.iter().zip(&self.sorted);
        let mut values = places.filter(|(other, _)| !is_left_out(**other)).map(|(_, value)| *value);
        let low = values.nth((others - 1) / 2).unwrap_or(f64::NAN);
        if others % 2 == 1 { low } else { f64::midpoint(low, values.next().unwrap_or(low)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_compared_with_the_others() {
        let mean = FleetCellKind { table: 0, mean_of: vec![0, 1] };
        let kinds = [vec![FleetCellKind::default(); 5], vec![mean]].concat();
        let row = [1.0, 4.0, 2.0, 9.0, 8.0, 2.5];
        let mut levels = RowLevels { kinds: &kinds, cells: Vec::new(), sorted: Vec::new() };
        levels.sort(&row);
        let of_others: Vec<f64> = (0..6).map(|cell| levels.of_others(cell)).collect();
        assert_eq!(of_others, [6.0, 5.0, 6.0, 3.0, 3.0, 8.0]);
        levels.sort(&[1.0, f64::NAN, 2.0, f64::NAN, f64::NAN, 1.0]);
        assert!(levels.of_others(0).is_nan());
    }
}
