//! What is compared between machines: the cells, and each column's mean over all rows.
//!
//! A sick memory shows from all CPUs. The mean over them spreads less between machines than each
//! cell does, so that it finds smaller differences.

use std::collections::BTreeSet;

use nearfar_infer::fleet::{FleetCellKind, FleetFigure};
use nearfar_model::Instrument;

use crate::fleet::FleetCellName;

/// A cell, or the mean of several.
pub(crate) struct ComparedCell {
    pub(crate) name: FleetCellName,
    /// Indexes of the cells.
    cells: Vec<usize>,
}

impl ComparedCell {
    /// The cells in their order; behind those of each instrument, the means of its columns.
    pub(crate) fn all(names: &[FleetCellName]) -> Vec<Self> {
        let mut compared = Vec::new();
        let mut first = 0;
        for names in names.chunk_by(|a, b| a.table() == b.table()) {
            let single = |(at, name): (usize, &FleetCellName)| Self {
                name: name.clone(),
                cells: vec![first + at],
            };
            compared.extend(names.iter().enumerate().map(single));
            compared.extend(Self::means(names, first));
            first += names.len();
        }
        compared
    }

    /// Of columns with several rows. Columns of pairs of CPUs are no memories.
    fn means(names: &[FleetCellName], first: usize) -> Vec<Self> {
        let mut means: Vec<Self> = Vec::new();
        for (at, name) in names.iter().enumerate() {
            if name.instrument == Instrument::CoreToCore.name() {
                continue;
            }
            let name = name.for_all_rows();
            match means.iter_mut().find(|mean| mean.name == name) {
                Some(mean) => mean.cells.push(first + at),
                None => means.push(Self { name, cells: vec![first + at] }),
            }
        }
        means.retain(|mean| mean.cells.len() > 1);
        means
    }

    /// What kind each is: those of one instrument's table resemble each other, and so do their
    /// means.
    pub(crate) fn kinds(compared: &[Self]) -> Vec<FleetCellKind> {
        let known: BTreeSet<_> = compared.iter().map(|cell| cell.name.table()).collect();
        let kind = |cell: &Self| {
            let table = known.iter().position(|other| *other == cell.name.table());
            let is_part =
                |other: &Self| other.cells.len() == 1 && cell.cells.contains(&other.cells[0]);
            let parts = compared.iter().enumerate().filter(|(_, other)| is_part(other));
            let mean_of = match cell.cells.len() {
                1 => Vec::new(),
                _ => parts.map(|(at, _)| at).collect(),
            };
            FleetCellKind { table: table.unwrap_or_default(), mean_of }
        };
        compared.iter().map(kind).collect()
    }

    /// None where a cell has no figure: means of different cells are not compared.
    pub(crate) fn figure(&self, figures: &[Option<FleetFigure>]) -> Option<FleetFigure> {
        let cells: Option<Vec<FleetFigure>> =
            self.cells.iter().map(|&cell| figures[cell]).collect();
        FleetFigure::mean(&cells?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nearfar_model::Unit;

    use super::*;

    fn name(instrument: Instrument, row: &str, column: &str) -> FleetCellName {
        FleetCellName {
            instrument: instrument.name().to_owned(),
            probe: "page".to_owned(),
            unit: Unit::Nanoseconds,
            row: row.to_owned(),
            column: column.to_owned(),
            treatment: BTreeMap::new(),
        }
    }

    #[test]
    fn columns_of_several_rows_have_a_mean() {
        let names = [
            name(Instrument::Latency, "node 0", "node 0"),
            name(Instrument::Latency, "node 0", "node 1"),
            name(Instrument::Latency, "node 1", "node 0"),
            name(Instrument::CoreToCore, "CPU 0", "CPU 1"),
            name(Instrument::CoreToCore, "CPU 2", "CPU 1"),
        ];
        let compared = ComparedCell::all(&names);
        let shown: Vec<String> = compared.iter().map(|cell| cell.name.to_string()).collect();
        assert_eq!(
            shown,
            [
                "node 0 to node 0",
                "node 0 to node 1",
                "node 1 to node 0",
                "all CPUs to node 0",
                "CPU 0 to CPU 1",
                "CPU 2 to CPU 1"
            ]
        );
        let figure = |log| Some(FleetFigure { log, error: 0.01 });
        let mut figures = [figure(1.0), None, figure(3.0), None, None];
        assert_eq!(compared[3].figure(&figures).unwrap().log, 2.0);
        assert_eq!(
            (compared[0].figure(&figures), compared[1].figure(&figures)),
            (figure(1.0), None)
        );
        figures[2] = None;
        assert_eq!(compared[3].figure(&figures), None);
    }
}
