//! What spread memory gives, by the weights that it is spread by.

use std::collections::BTreeMap;

use nearfar_draw::{Heading, HeatCell, HeatMap};
use nearfar_survey::{Cell, Interleave, Matrix, Survey};

use super::figures::{GB, short, told};
use super::{Drawn, Shown};

/// Weights in a map, the best first.
const MOST_WEIGHTS: usize = 24;

/// A map for streams and one for loads; rows are weights.
pub(super) fn draw(survey: &Survey) -> Shown {
    let Some(spread) = &survey.interleave else { return Shown::default() };
    let streams = spread.bandwidth.as_ref().and_then(|part| {
        let name = |cell: &Cell<_>| with(&part.matrix, cell.row, &of_stream(cell));
        Sheet::of(&part.matrix, of_weights, name, (GB, "GB/s", true))
            .map(|sheet| sheet.map("Bandwidth of spread memory, GB/s", &streams_description(spread)))
    });
    let loads = spread.latency.as_ref().and_then(|part| {
        let name = |cell: &Cell<_>| with(&part.matrix, cell.row, "");
        Sheet::of(
            &part.matrix,
            |cell: &Cell<nearfar_survey::SpreadLoad>| cell.treatment.weights.clone(),
            name,
            (1.0, "ns", false),
        )
        .map(|sheet| sheet.map("Latency of spread memory, ns", LOADS))
    });
    let shown = Shown { pictures: streams.into_iter().chain(loads).map(Drawn::Map).collect(), remarks: Vec::new() };
    match &spread.why {
        Some(why) => shown.remark(why.clone()),
        None => shown,
    }
}

const LOADS: &str = "Median cost of a dependent load of memory whose pages are dealt out to nodes by the weights of each row, from each group of CPUs; the cheapest first.";

fn streams_description(spread: &Interleave) -> String {
    let own =
        spread.kernel_weights.as_ref().map_or_else(String::new, |own| format!(" The kernel's own weights are {own}."));
    format!(
        "Bytes a second of all CPUs of a column together, in memory whose pages are dealt out to nodes by the weights of each row; the best first. Framed: the best.{own}"
    )
}

fn of_stream(cell: &Cell<nearfar_survey::SpreadStream>) -> String {
    cell.treatment.kernel.clone()
}

fn of_weights(cell: &Cell<nearfar_survey::SpreadStream>) -> String {
    cell.treatment.weights.clone()
}

fn with<T>(matrix: &Matrix<T>, row: usize, kernel: &str) -> String {
    let label = matrix.rows.get(row).map_or("?", |row| row.label.as_str());
    if kernel.is_empty() { label.to_owned() } else { format!("{label}, {kernel}") }
}

/// Cells by weights and by who reads them.
struct Sheet {
    weights: Vec<String>,
    columns: Vec<String>,
    cells: BTreeMap<(String, String), HeatCell>,
    unit: &'static str,
    more_is_better: bool,
}

impl Sheet {
    fn of<T>(
        matrix: &Matrix<T>,
        weights: impl Fn(&Cell<T>) -> String,
        column: impl Fn(&Cell<T>) -> String,
        (size, unit, more_is_better): (f64, &'static str, bool),
    ) -> Option<Self> {
        let mut sheet = Self { weights: Vec::new(), columns: Vec::new(), cells: BTreeMap::new(), unit, more_is_better };
        for cell in &matrix.cells {
            let Some(value) = cell.median.map(|median| median / size) else { continue };
            let (weights, column) = (weights(cell), column(cell));
            for (names, name) in [(&mut sheet.weights, &weights), (&mut sheet.columns, &column)] {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            let shown =
                HeatCell { value, shown: short(value), beneath: None, told: told(cell, unit, size), marked: false };
            sheet.cells.insert((weights, column), shown);
        }
        sheet.sort();
        (!sheet.cells.is_empty()).then_some(sheet)
    }

    /// The best weights first, by the first column that has them; the best of each column is framed.
    fn sort(&mut self) {
        let sign = if self.more_is_better { -1.0 } else { 1.0 };
        let cost = |cells: &BTreeMap<(String, String), HeatCell>, weights: &String, column: &String| {
            cells.get(&(weights.clone(), column.clone())).map(|cell| sign * cell.value)
        };
        let best = |weights: &String| {
            self.columns.iter().find_map(|column| cost(&self.cells, weights, column)).unwrap_or(f64::INFINITY)
        };
        let mut sorted = self.weights.clone();
        sorted.sort_by(|a, b| best(a).total_cmp(&best(b)));
        self.weights = sorted;
        for column in &self.columns {
            let of_column =
                self.weights.iter().filter_map(|weights| Some((cost(&self.cells, weights, column)?, weights)));
            let first = of_column.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, weights)| weights.clone());
            if let Some(cell) = first.and_then(|weights| self.cells.get_mut(&(weights, column.clone()))) {
                cell.marked = true;
                cell.told += "; the best of its column";
            }
        }
    }

    fn map(&self, title: &str, description: &str) -> HeatMap {
        let shown = self.weights.iter().take(MOST_WEIGHTS);
        let row = |weights: &String| {
            self.columns.iter().map(|column| self.cells.get(&(weights.clone(), column.clone())).cloned()).collect()
        };
        let more = self.weights.len().saturating_sub(MOST_WEIGHTS);
        let rest = if more == 0 { String::new() } else { format!(" {more} more are in the document.") };
        HeatMap {
            heading: Heading::new(title, format!("{description}{rest}")),
            unit: self.unit.to_owned(),
            row_axis: "weights".to_owned(),
            column_axis: "CPUs".to_owned(),
            rows: shown.clone().cloned().collect(),
            columns: self.columns.clone(),
            cells: shown.map(row).collect(),
            scale: None,
            more_is_better: self.more_is_better,
        }
    }
}
