//! Each kind of access in a line, as fio prints it: "read 4 KiB: 12.6k IOPS, 49 MB/s, median 79
//! µs, p99 692 µs". Only figures that the document has.

use nearfar_infer::TailFigure;
use nearfar_model::{Bytes, Unit};
use nearfar_survey::{AccessTreatment, Io, IoAccess, IoTable, MatrixCell, PlacedAccess};

/// Latencies first, then rates.
pub(super) fn lines(io: &Io) -> Vec<String> {
    let has_targets = io.targets.len() > 1;
    let latency = io.latency.iter().flat_map(|table| of_table(table, has_targets));
    let rates = io.throughput.iter().flat_map(|table| of_table(table, has_targets));
    latency.chain(rates).collect()
}

/// The first of each, in one line.
pub(super) fn answer(io: &Io) -> Option<String> {
    let has_targets = io.targets.len() > 1;
    let latency = io.latency.iter().find_map(|table| of_table(table, has_targets).next());
    let rates = io.throughput.iter().find_map(|table| of_table(table, has_targets).next());
    let all: Vec<String> = latency.into_iter().chain(rates).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn of_table<T: AccessTreatment>(
    table: &IoTable<T>,
    has_targets: bool,
) -> impl Iterator<Item = String> + '_ {
    let treatments = table.part.treatments.iter().enumerate();
    treatments
        .filter(|(_, treatment)| !treatment.access().is_control())
        .filter_map(move |(at, treatment)| of_access(table, at, treatment, has_targets))
}

/// The figures of the best placement.
fn of_access<T: AccessTreatment>(
    table: &IoTable<T>,
    at: usize,
    treatment: &T,
    has_targets: bool,
) -> Option<String> {
    let cells = table.part.matrix.cells.iter().filter(|cell| cell.treatment == *treatment);
    let with_figure = cells.filter_map(|cell| Some((cell, cell.median?)));
    let is_rate = T::UNIT == Unit::BytesPerSecond;
    let sign = if is_rate { -1.0 } else { 1.0 };
    let (cell, figure) = with_figure.min_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)))?;
    let access = treatment.access();
    let is_it = |tail: &&nearfar_survey::IoTail| {
        (tail.row, tail.column, tail.treatment) == (cell.row, cell.column, at)
    };
    let tail = table.tails.iter().find(is_it);
    let mut figures = Vec::new();
    if is_rate {
        figures.push(format!("{} IOPS", thousands(figure / access.size_bytes.max(1) as f64)));
        figures.push(rate(figure));
    }
    // The median that the table of latencies shows.
    let of_accesses = tail.and_then(|tail| tail.p50).map(|tail| tail.ns);
    let median = if is_rate { of_accesses } else { Some(figure) };
    figures.extend(median.map(|ns| format!("median {}", micros(ns))));
    let rare = tail.and_then(|tail| tail.p99);
    figures.extend(rare.map(|TailFigure { ns, .. }| format!("p99 {}", micros(ns))));
    let target = if has_targets { format!("{}: ", access.target) } else { String::new() };
    Some(format!("{target}{}: {}{}", name(access), figures.join(", "), place(table, cell)))
}

/// "read 4 KiB", "write 1 MiB, sequential, 32 in flight".
fn name(access: &IoAccess) -> String {
    let mut words = vec![format!("{} {}", access.operation, Bytes(access.size_bytes))];
    words.extend((access.pattern != "random").then(|| access.pattern.clone()));
    words.extend((access.depth > 1).then(|| format!("{} in flight", access.depth)));
    words.extend(access.interrupts.as_ref().map(|place| format!("interrupts {place}")));
    words.join(", ")
}

/// " (program on node 0, buffer on node 1)", where there is a choice.
fn place<T: AccessTreatment>(table: &IoTable<T>, cell: &MatrixCell<T>) -> String {
    let matrix = &table.part.matrix;
    let labels = matrix.row_label(cell.row).zip(matrix.column_label(cell.column));
    let labels = labels.filter(|_| matrix.rows.len() * matrix.columns.len() > 1);
    labels.map_or_else(String::new, |(program, buffer)| {
        format!(" (program on {program}, buffer on {buffer})")
    })
}

fn thousands(number: f64) -> String {
    match number {
        1e6.. => format!("{:.1}M", number / 1e6),
        1e3.. => format!("{:.1}k", number / 1e3),
        _ => format!("{number:.0}"),
    }
}

fn rate(bytes_per_s: f64) -> String {
    match bytes_per_s {
        1e9.. => format!("{:.1} GB/s", bytes_per_s / 1e9),
        1e7.. => format!("{:.0} MB/s", bytes_per_s / 1e6),
        _ => format!("{:.2} MB/s", bytes_per_s / 1e6),
    }
}

fn micros(ns: f64) -> String {
    match ns / 1e3 {
        us @ 10.0.. => format!("{us:.0} µs"),
        us => format!("{us:.1} µs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_digits_of_fio() {
        assert_eq!([12_600.0, 85.0, 1.2e6].map(thousands), ["12.6k", "85", "1.2M"]);
        assert_eq!([49e6, 2.81e9, 1.5e6].map(rate), ["49 MB/s", "2.8 GB/s", "1.50 MB/s"]);
        assert_eq!([79_200.0, 5_100.0].map(micros), ["79 µs", "5.1 µs"]);
    }
}
