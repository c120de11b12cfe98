//! The figures of disks as tables.

use nearfar_infer::TailFigure;
use nearfar_survey::{AccessTreatment, IoTable, IoTail, MatrixCell, PlacedAccess};
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::or_dash;
use nearfar_view::text::{IN_A_TABLE, paragraph, short_list};

use super::super::placement;
use super::names;
use crate::survey::Verbosity;
use crate::survey::cell::{larger_half, rate_text, with_spread};

/// Cells whose distributions fit a screen.
const MAX_CELLS: usize = 16;
const US: f64 = 1e3;

/// Nanoseconds in microseconds: "82.1 ±0.4".
pub(super) fn us_text<T>(cell: &MatrixCell<T>) -> String {
    let Some(median) = cell.median else { return "-".to_owned() };
    match cell.ci95 {
        Some(interval) => with_spread(median / US, larger_half(median, interval) / US, 1),
        None => format!("{:.1}", median / US),
    }
}

/// Bytes a second in GB/s.
pub(super) fn gb_text<T>(cell: &MatrixCell<T>) -> String {
    rate_text(cell)
}

/// A table for each access: rows are programs, columns are nodes of buffers.
pub(super) fn matrices<T: AccessTreatment>(
    table: &IoTable<T>,
    figure: impl Fn(&MatrixCell<T>) -> String,
) -> String {
    let matrix = &table.part.matrix;
    let unit = if T::UNIT.more_is_better() { "GB/s" } else { "µs" };
    let mut text = String::new();
    for treatment in
        table.part.treatments.iter().filter(|treatment| !treatment.access().is_control())
    {
        let title = format!("{} ({unit}, median ± 95 %)", names::access(treatment.access()));
        let head = ["program".to_owned(), "CPUs".to_owned()]
            .into_iter()
            .chain(matrix.columns.iter().map(|column| format!("buffer: {}", column.label)));
        let rows = matrix.rows.iter().enumerate().map(|(index, row)| {
            let cells = (0..matrix.columns.len())
                .map(|column| or_dash(table.part.cell(index, column, treatment).map(&figure)));
            [row.label.clone(), short_list(&row.cpus, IN_A_TABLE)]
                .into_iter()
                .chain(cells)
                .collect::<Vec<_>>()
        });
        text += &paragraph::of(&title, "", "  ");
        text += &headed(head, rows, &[Align::Left, Align::Left, Align::Right]);
    }
    text
}

/// Rare latencies of each cell.
pub(super) fn tails<T: AccessTreatment>(table: &IoTable<T>) -> String {
    if table.tails.is_empty() {
        return String::new();
    }
    let matrix = &table.part.matrix;
    let is_rate = T::UNIT.more_is_better();
    let record = |tail: &IoTail| -> Option<Vec<String>> {
        let treatment = table.part.treatments.get(tail.treatment)?;
        let mut cells = vec![
            names::access(treatment.access()),
            matrix.row_label(tail.row)?.to_owned(),
            matrix.column_label(tail.column)?.to_owned(),
            tail.accesses.to_string(),
        ];
        let figures = [tail.p50, tail.p99, tail.p999];
        cells.extend(figures.into_iter().skip(usize::from(!is_rate)).map(tail_text));
        Some(cells)
    };
    let mut records: Vec<Vec<String>> = table.tails.iter().filter_map(record).collect();
    let more = records.len().saturating_sub(MAX_CELLS);
    records.truncate(MAX_CELLS);
    let mut head = vec!["program", "buffer", "accesses"];
    // The median of latencies stands in their matrix, by another statistic.
    head.extend(is_rate.then_some("median"));
    head.extend(["p99", "p99.9"]);
    let mut text = String::new();
    while let Some(first) = records.first() {
        let name = first[0].clone();
        let (own, others): (Vec<_>, Vec<_>) =
            records.into_iter().partition(|record| record[0] == name);
        records = others;
        let rows = own.into_iter().map(|record| record[1..].to_vec());
        text += &paragraph::of(&format!("latency of {name} (µs, 95 % interval)"), "", "  ");
        text += &headed(head.iter().copied(), rows, &[Align::Left, Align::Left, Align::Right]);
    }
    if more > 0 {
        text += &format!("and {more} more (--csv)\n");
    }
    text
}

/// "120 (118 to 125)"; a dash where too few accesses are beyond it.
fn tail_text(figure: Option<TailFigure>) -> String {
    let Some(TailFigure { ns, ci95 }) = figure else { return "-".to_owned() };
    let us = |ns: f64| {
        if ns < 100.0 * US { format!("{:.1}", ns / US) } else { format!("{:.0}", ns / US) }
    };
    match ci95 {
        Some([low, high]) => format!("{} ({} to {})", us(ns), us(low), us(high)),
        None => us(ns),
    }
}

/// What measuring a cell twice gave.
pub(super) fn controls<T: AccessTreatment>(table: &IoTable<T>, verbosity: Verbosity) -> String {
    let matrix = &table.part.matrix;
    table
        .controls
        .iter()
        .filter(|control| control.differs || verbosity == Verbosity::Verbose)
        .filter_map(|control| {
            let access = table.part.treatments.get(control.treatment)?.access();
            let row = matrix.row_label(control.row)?;
            Some(placement::control(control, &format!("{row}, {}", names::access(access))))
        })
        .collect()
}
