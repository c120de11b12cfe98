//! What spread memory gives, by the weights that it is spread by.

use std::collections::BTreeMap;

use nearfar_draw::{Heading, HeatCell, HeatMap};
use nearfar_survey::{BestSpread, Cell, Interleave, Matrix, Survey};

use crate::pictures::figures::{GB, heat_cell};
use crate::pictures::shown::{Drawn, Shown};

/// Weights in a map, the best first.
const MOST_WEIGHTS: usize = 24;

/// A map for streams and one for loads; rows are weights.
pub(super) fn draw(survey: &Survey) -> Shown {
    let Some(spread) = &survey.interleave else { return Shown::default() };
    let streams = spread.bandwidth.as_ref().and_then(|part| {
        let name = |cell: &Cell<_>| with(&part.matrix, cell.row, &of_stream(cell));
        let mut sheet = Sheet::of(&part.matrix, of_weights, name, (GB, "GB/s", true))?;
        for best in &spread.best {
            sheet.frame(&with(&part.matrix, best.row, &best.kernel), best);
        }
        Some(sheet.map("Bandwidth of spread memory, GB/s", &streams_description(spread)))
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
        "Bytes a second of all CPUs of a column together, in memory whose pages are dealt out to nodes by the weights of each row; by the first column, the best first. Framed: the weights that moved most; others may not be told from them.{own}"
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
            let Some(shown) = heat_cell(cell, unit, size) else { continue };
            let (weights, column) = (weights(cell), column(cell));
            for (names, name) in [(&mut sheet.weights, &weights), (&mut sheet.columns, &column)] {
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            sheet.cells.insert((weights, column), shown);
        }
        sheet.sort();
        (!sheet.cells.is_empty()).then_some(sheet)
    }

    /// The best weights first, by the first column that has them.
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
    }

    /// Frames what the document calls best, and says what its samples do not tell from it.
    fn frame(&mut self, column: &str, best: &BestSpread) {
        for (weights, cell) in
            self.cells.iter_mut().filter(|(place, _)| place.1 == column).map(|(place, cell)| (&place.0, cell))
        {
            if *weights == best.weights {
                cell.marked = true;
                cell.told += "; moved most";
            } else if best.as_good.contains(weights) {
                cell.told += "; not told from the best";
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
