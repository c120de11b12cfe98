//! The figures of copies as tables.

use nearfar_survey::{CopyTreatment, GpuCopy, GpuTable, MatrixCell, PlacedAccess};
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::or_dash;
use nearfar_view::text::{IN_A_TABLE, paragraph, short_list};

use super::names;
use crate::survey::cell::{larger_half, rate_text, with_spread};

const US: f64 = 1e3;
const MS: f64 = 1e6;

/// How a table shows its figures.
#[derive(Clone, Copy)]
enum Shown {
    Rates,
    /// Of nanoseconds: the divisor and its unit.
    Times(f64, &'static str),
}

impl Shown {
    /// Milliseconds where no time is shorter.
    fn new<T: CopyTreatment>(table: &GpuTable<T>) -> Self {
        let mut medians = table.part.matrix.cells.iter().filter_map(|cell| cell.median);
        match T::UNIT.more_is_better() {
            true => Self::Rates,
            false if medians.all(|ns| ns >= MS) => Self::Times(MS, "ms"),
            false => Self::Times(US, "µs"),
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Rates => "GB/s",
            Self::Times(_, unit) => unit,
        }
    }

    /// "8.20 ±0.13".
    fn text<T>(self, cell: &MatrixCell<T>) -> String {
        let unit = match self {
            Self::Rates => return rate_text(cell),
            Self::Times(unit, _) => unit,
        };
        let Some(median) = cell.median else { return "-".to_owned() };
        match cell.ci95 {
            Some(interval) => with_spread(median / unit, larger_half(median, interval) / unit, 2),
            None => format!("{:.2}", median / unit),
        }
    }
}

fn what<T: CopyTreatment>() -> &'static str {
    if T::UNIT.more_is_better() { "bandwidth" } else { "latency" }
}

/// The treatments of each set of GPUs that copies at once, without controls.
pub(super) fn by_gpus<T: CopyTreatment>(table: &GpuTable<T>) -> Vec<(&GpuCopy, Vec<&T>)> {
    let mut sets: Vec<(&GpuCopy, Vec<&T>)> = Vec::new();
    for treatment in
        table.part.treatments.iter().filter(|treatment| !treatment.access().is_control())
    {
        let copy = treatment.access();
        match sets.iter_mut().find(|(first, _)| first.gpus == copy.gpus) {
            Some((_, treatments)) => treatments.push(treatment),
            None => sets.push((copy, vec![treatment])),
        }
    }
    sets
}

/// A table for each GPU: rows are copies and programs, columns are nodes of memory.
pub(super) fn matrices<T: CopyTreatment>(table: &GpuTable<T>) -> String {
    let shown = Shown::new(table);
    let figure = |cell: &MatrixCell<T>| shown.text(cell);
    let matrix = &table.part.matrix;
    let mut text = String::new();
    for (first, treatments) in by_gpus(table) {
        let title = format!(
            "{} of {} ({}, median ± 95 %)",
            what::<T>(),
            names::together(first),
            shown.unit()
        );
        let head = ["copy", "program", "CPUs"].map(str::to_owned).into_iter();
        let head =
            head.chain(matrix.columns.iter().map(|column| format!("memory: {}", column.label)));
        let mut rows = Vec::new();
        for treatment in treatments {
            for (index, row) in matrix.rows.iter().enumerate() {
                let cells = (0..matrix.columns.len())
                    .map(|column| or_dash(table.part.cell(index, column, treatment).map(&figure)));
                let kind = names::kind(treatment.access());
                let kind = if index == 0 { kind } else { String::new() };
                let fixed = [kind, row.label.clone(), short_list(&row.cpus, IN_A_TABLE)];
                rows.push(fixed.into_iter().chain(cells).collect::<Vec<_>>());
            }
        }
        let align = [Align::Left, Align::Left, Align::Left, Align::Right];
        text += &paragraph::of(&title, "", "  ");
        text += &headed(head, rows, &align);
    }
    text
}

/// Copies between GPUs: a row for each source, a column for each destination.
pub(super) fn peers<T: CopyTreatment>(table: &GpuTable<T>) -> String {
    let shown = Shown::new(table);
    let figure = |cell: &MatrixCell<T>| shown.text(cell);
    let copies: Vec<&T> =
        table.part.treatments.iter().filter(|treatment| !treatment.access().is_control()).collect();
    let mut labels: Vec<String> = Vec::new();
    for copy in &copies {
        let copy = copy.access();
        for label in copy.gpus.iter().chain(&copy.peer) {
            if !labels.contains(label) {
                labels.push(label.clone());
            }
        }
    }
    let cell = |from: &String, to: &String| {
        let is_it = |copy: &&&T| {
            copy.access().gpus.first() == Some(from) && copy.access().peer.as_ref() == Some(to)
        };
        let treatment = copies.iter().find(is_it)?;
        table.part.cell(0, 0, treatment).map(&figure)
    };
    let size = copies.first().map_or(0, |copy| copy.access().size_bytes);
    let title = format!(
        "{} from GPU to GPU, {} ({}, median ± 95 %)",
        what::<T>(),
        nearfar_model::Bytes(size),
        shown.unit()
    );
    let head = ["from".to_owned()].into_iter().chain(labels.iter().map(|to| format!("to {to}")));
    let rows = labels.iter().map(|from| {
        let cells = labels.iter().map(|to| or_dash(cell(from, to)));
        [from.clone()].into_iter().chain(cells).collect::<Vec<_>>()
    });
    paragraph::of(&title, "", "  ") + &headed(head, rows, &[Align::Left, Align::Right])
}
