//! From samples to a matrix's figures.

use std::collections::BTreeMap;

use nearfar_infer::{Estimate, InferError, SampleMatrix};
use nearfar_model::{CellIndex, MatrixShape, Unit};
use nearfar_probe::{DropReason, Layout, LayoutColumn, LayoutRow, PlanOutcome};

use crate::{Matrix, MatrixCell, MatrixColumn, MatrixRow, NoTreatment, Samples};

/// What disturbances cost each place of a plan.
pub(crate) struct DisturbedPlaces {
    /// Dropped samples, by reason.
    dropped: BTreeMap<CellIndex, BTreeMap<DropReason, u32>>,
    /// The median of all samples, disturbed ones too.
    rough: BTreeMap<CellIndex, f64>,
}

/// The reason of an empty cell with dropped samples; its `dropped` has the counts.
const ALL_DISTURBED: &str = "too few undisturbed samples";
/// The reason of an empty cell without dropped samples.
const NOT_REACHED: &str = "too few samples in the time that there was";

impl Matrix {
    /// The latency matrix before its figures: rows, columns, what was dropped, and why cells are
    /// empty.
    pub(crate) fn new(layout: &Layout, outcome: &PlanOutcome) -> Self {
        let disturbed = DisturbedPlaces::new(outcome, Unit::Nanoseconds);
        let columns = 0..layout.columns.len();
        let places = (0..layout.rows.len())
            .flat_map(|row| columns.clone().map(move |column| CellIndex::new(row, column)));
        Self {
            probe: layout
                .columns
                .first()
                .map_or("page", |column| column.probe.kind.name())
                .to_owned(),
            unit: Unit::Nanoseconds,
            rows: MatrixRow::all_of(layout, outcome),
            columns: MatrixColumn::all_of(layout, outcome),
            cells: places
                .map(|place| MatrixCell::empty(layout, outcome, &disturbed, place, NoTreatment {}))
                .collect(),
        }
    }

    /// Of a document whose instrument was another one.
    pub(crate) fn unmeasured() -> Self {
        Self { probe: "none".to_owned(), unit: Unit::Nanoseconds, ..Self::default() }
    }

    /// Derives the figures of its cells; the readings that they follow from.
    pub(crate) fn estimate(
        &mut self,
        samples: &Samples,
        seed: u64,
    ) -> Result<SampleMatrix, InferError> {
        let readings = samples.readings(MatrixShape::new(self.rows.len(), self.columns.len()))?;
        let estimates = nearfar_infer::estimates(&readings, seed);
        self.take(&estimates, |_, cell| cell.column);
        Ok(readings)
    }
}

impl<T> Matrix<T> {
    /// Takes what was estimated of each row; `place` gives, for each cell and its number, where in
    /// its row its estimate stands.
    pub(crate) fn take(
        &mut self,
        estimates: &[Vec<Option<Estimate>>],
        place: impl Fn(usize, &MatrixCell<T>) -> usize,
    ) {
        for (row, frequencies) in self.rows.iter_mut().zip(estimates) {
            row.drift = frequencies.iter().flatten().next().map(|estimate| estimate.drift);
        }
        for (number, cell) in self.cells.iter_mut().enumerate() {
            let estimate = estimates
                .get(cell.row)
                .and_then(|frequencies| frequencies.get(place(number, cell)));
            cell.take(estimate.and_then(Option::as_ref));
        }
    }
}

impl MatrixRow {
    /// A layout's rows, and how fast their CPUs ran.
    pub(crate) fn all_of(layout: &Layout, outcome: &PlanOutcome) -> Vec<Self> {
        let row = |(index, row): (usize, &LayoutRow)| Self {
            label: row.label.clone(),
            cpus: row.cpus.clone(),
            node: row.node,
            ghz: median_ghz(outcome, index),
            drift: None,
        };
        layout.rows.iter().enumerate().map(row).collect()
    }
}

impl MatrixColumn {
    /// A layout's columns, and the pages that were placed there (for the first treatment, where
    /// treatments have memory of their own).
    pub(crate) fn all_of(layout: &Layout, outcome: &PlanOutcome) -> Vec<Self> {
        let column = |(index, column): (usize, &LayoutColumn)| {
            let placed = outcome.placed.get(&(index, 0));
            Self {
                label: column.label.clone(),
                node: column.memory.node,
                pages: placed.map_or(0, |placed| placed.pages),
                backing: placed.map(|placed| placed.backing.clone()),
            }
        };
        layout.columns.iter().enumerate().map(column).collect()
    }
}

impl<T: Default> MatrixCell<T> {
    /// A cell before its figures.
    pub(crate) fn empty(
        layout: &Layout,
        outcome: &PlanOutcome,
        disturbed: &DisturbedPlaces,
        place: CellIndex,
        treatment: T,
    ) -> Self {
        let CellIndex { row, column, .. } = place;
        let memory = &layout.columns[column].memory;
        Self {
            row,
            column,
            cpus: layout.rows[row].cpus.clone(),
            node: memory.node,
            treatment,
            dropped: disturbed.dropped(place),
            rough: disturbed.rough(outcome, place),
            why: memory.why_not.as_ref().or_else(|| outcome.why_not(place)).cloned(),
            ..Self::default()
        }
    }
}

impl<T> MatrixCell<T> {
    /// Takes ascending costs, for which no interval is computed.
    pub(crate) fn take_costs(&mut self, costs: &[f64]) {
        self.q25 = costs.get(costs.len() / 4).copied();
        self.median = costs.get(costs.len() / 2).copied();
        self.samples = costs.len();
        self.explain();
    }

    pub(crate) fn take(&mut self, estimate: Option<&Estimate>) {
        self.q25 = estimate.map(|e| e.q25_ns);
        self.median = estimate.map(|e| e.median_ns);
        self.se = estimate.map(|e| e.se);
        self.ci95 = estimate.map(|e| e.ci95_ns);
        self.samples = estimate.map_or(0, |e| e.samples);
        self.explain();
    }

    /// Sees to it that `why` is there if and only if there is no figure, and `rough` only then. A
    /// later turn may have given up what an earlier one measured.
    fn explain(&mut self) {
        let usual = if self.dropped.is_empty() { NOT_REACHED } else { ALL_DISTURBED };
        let why = self.why.take().or_else(|| Some(usual.to_owned()));
        self.why = why.filter(|_| self.median.is_none());
        self.rough = self.rough.filter(|_| self.median.is_none());
    }
}

impl DisturbedPlaces {
    /// Of a plan; rough figures are in this unit.
    pub(crate) fn new(outcome: &PlanOutcome, unit: Unit) -> Self {
        let mut values: BTreeMap<CellIndex, Vec<f64>> = BTreeMap::new();
        let samples = outcome.samples.iter().map(|sample| (sample.place, sample.value));
        let dropped = outcome.dropped.iter();
        let dropped = dropped.filter_map(|one| Some((one.visit.place, one.rough?)));
        samples
            .chain(dropped)
            .for_each(|(place, value)| values.entry(place).or_default().push(value));
        let middle = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            (unit.figure(values[values.len() / 2]) * 1000.0).round() / 1000.0
        };
        let rough = values.into_iter().map(|(place, values)| (place, middle(values))).collect();
        Self { dropped: outcome.dropped_by_place(), rough }
    }

    /// Places with dropped samples.
    pub(crate) fn places(&self) -> impl Iterator<Item = CellIndex> + '_ {
        self.dropped.keys().copied()
    }

    /// What was dropped at a place, by the reasons' names.
    pub(crate) fn dropped(&self, place: CellIndex) -> BTreeMap<String, u32> {
        let reasons = self.dropped.get(&place).into_iter().flatten();
        reasons.map(|(reason, count)| (reason.name().to_owned(), *count)).collect()
    }

    /// A place's rough figure, unless it failed.
    pub(crate) fn rough(&self, outcome: &PlanOutcome, place: CellIndex) -> Option<f64> {
        self.rough.get(&place).copied().filter(|_| outcome.why_not(place).is_none())
    }
}

fn median_ghz(outcome: &PlanOutcome, row: usize) -> Option<f64> {
    let frequencies = outcome.frequencies.iter().filter(|frequency| frequency.row == row);
    let mut speeds: Vec<f64> = frequencies.map(|frequency| frequency.ghz).collect();
    speeds.sort_by(f64::total_cmp);
    let middle = speeds.get(speeds.len() / 2)?;
    Some((middle * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use nearfar_probe::{Dropped, PlanScope, Visit};

    use super::*;

    #[test]
    fn only_cells_without_figures_have_reasons() {
        let empty = MatrixCell::<NoTreatment>::default;
        let mut given_up_later = MatrixCell { why: Some("pages moved".to_owned()), ..empty() };
        given_up_later.take_costs(&[80.0, 81.0, 82.0]);
        assert_eq!((given_up_later.median, given_up_later.why), (Some(81.0), None));
        let mut never_measured = MatrixCell { why: Some("node 3 is full".to_owned()), ..empty() };
        never_measured.take(None);
        assert_eq!(never_measured.why.as_deref(), Some("node 3 is full"));
        let mut disturbed =
            MatrixCell { dropped: BTreeMap::from([("stalled".to_owned(), 3)]), ..empty() };
        disturbed.take_costs(&[]);
        assert_eq!(disturbed.why.as_deref(), Some(ALL_DISTURBED));
    }

    #[test]
    fn rough_figures_stand_where_undisturbed_samples_are_missing() {
        let [rough, measured, given_up] = [0, 1, 2].map(|column| CellIndex::new(0, column));
        let dropped = |place, value| {
            let visit = Visit { process: 0, round: 0, place, draw: 0 };
            Dropped { rough: value, ..Dropped::new(visit, DropReason::Descheduled) }
        };
        let values = [Some(130.0), None, Some(150.0)];
        let mut outcome = PlanOutcome {
            samples: vec![nearfar_model::Sample::new(0, 0, rough, 100.0)],
            dropped: [rough, measured, given_up]
                .into_iter()
                .flat_map(|place| values.map(|value| dropped(place, value)))
                .collect(),
            ..PlanOutcome::default()
        };
        outcome.unavailable.insert(PlanScope::Column(2), "node 2 is full".to_owned());
        let disturbed = DisturbedPlaces::new(&outcome, Unit::Nanoseconds);
        let of = |place, costs: &[f64]| {
            let rough = disturbed.rough(&outcome, place);
            let mut cell = MatrixCell::<NoTreatment> { rough, ..MatrixCell::default() };
            cell.take_costs(costs);
            cell.rough
        };
        assert_eq!(of(rough, &[]), Some(130.0));
        assert_eq!((of(measured, &[100.0, 101.0, 102.0]), of(given_up, &[])), (None, None));
    }
}
