//! Bandwidth: reading from every group to every node, then every kernel on each group's nearest memory, then the curve over threads.

mod picture;

use std::collections::BTreeSet;

use nearfar_survey::{Bandwidth, Cell, KernelTraffic, Streaming, Survey};
use nearfar_terminal::printable;
use nearfar_terminal::table::{Align, Table};

use super::InstrumentView;
use crate::paragraph;
use crate::short_list::{IN_A_TABLE, short_list};
use crate::survey::cell::{rate_decimals, with_spread};
use crate::survey::csv::cells;
use crate::survey::unmeasured::Reasons;

pub(super) const VIEW: InstrumentView = InstrumentView {
    text,
    in_short,
    answer: |survey| survey.bandwidth.as_ref().and_then(answer_of),
    csv,
    title: "What memory delivers",
    draw: picture::draw,
};

/// A gigabyte: ten to the ninth bytes, as memory's makers count.
const GB: f64 = 1e9;

/// The tables; nothing where bandwidth was not measured.
fn text(survey: &Survey) -> String {
    let Some(bandwidth) = &survey.bandwidth else { return String::new() };
    [reading(bandwidth), kernels(bandwidth), curves(bandwidth), reasons(bandwidth)].concat()
}

/// So many rows have their kernels in tables of their own.
const MOST_TABLES: usize = 2;

/// The same, with the kernels of many rows in one table.
fn in_short(survey: &Survey) -> String {
    let Some(bandwidth) = &survey.bandwidth else { return String::new() };
    if bandwidth.part.matrix.rows.len() <= MOST_TABLES || bandwidth.kernels.len() < 2 {
        return text(survey);
    }
    [reading(bandwidth), by_kernel(bandwidth), reasons(bandwidth)].concat()
}

/// Every row's kernels on the memory that it reads fastest.
fn by_kernel(bandwidth: &Bandwidth) -> String {
    let mut table = Table::default();
    let names = bandwidth.kernels.iter().map(|kernel| kernel.kernel.clone());
    table.line([String::new(), "memory".to_owned(), "threads".to_owned()].into_iter().chain(names));
    for (index, row) in bandwidth.part.matrix.rows.iter().enumerate() {
        let Some(nearest) = fastest(bandwidth, index) else { continue };
        let rate = |kernel: &KernelTraffic| {
            let median = at_knee(bandwidth, index, nearest, &kernel.kernel).and_then(|cell| cell.median);
            median.map_or_else(|| "-".to_owned(), |median| format!("{:.1}", median / GB))
        };
        let memory = bandwidth.part.matrix.columns[nearest].label.clone();
        let threads = bandwidth.knee(index, nearest).map_or_else(|| "-".to_owned(), |threads| threads.to_string());
        let head = [row.label.clone(), memory, threads];
        table.line(head.into_iter().chain(bandwidth.kernels.iter().map(rate)));
    }
    format!("\nby kernel on the fastest memory, GB/s\n{}", table.text(&[Align::Left, Align::Left, Align::Right]))
}

/// The column that a row reads fastest.
fn fastest(bandwidth: &Bandwidth, row: usize) -> Option<usize> {
    let reading = |column: usize| at_knee(bandwidth, row, column, "read").and_then(|cell| cell.median);
    let columns = (0..bandwidth.part.matrix.columns.len()).filter_map(|column| Some((column, reading(column)?)));
    columns.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(column, _)| column)
}

fn reading(bandwidth: &Bandwidth) -> String {
    let matrix = &bandwidth.part.matrix;
    let mut table = Table::default();
    let labels = matrix.columns.iter().map(|column| column.label.clone());
    table.line([String::new(), "CPUs".to_owned()].into_iter().chain(labels));
    for (index, row) in matrix.rows.iter().enumerate() {
        let figures = (0..matrix.columns.len()).map(|column| match at_knee(bandwidth, index, column, "read") {
            Some(cell) => figure(cell),
            None => "-".to_owned(),
        });
        let head = [row.label.clone(), short_list(&row.cpus, IN_A_TABLE)];
        table.line(head.into_iter().chain(figures));
    }
    let isa = printable::line(&bandwidth.isa);
    format!("read bandwidth, GB/s (median ± 95 %), {isa}\n{}", table.text(&[Align::Left, Align::Left, Align::Right]))
}

/// Each kernel on the memory that its row reads fastest.
fn kernels(bandwidth: &Bandwidth) -> String {
    let matrix = &bandwidth.part.matrix;
    if bandwidth.kernels.len() < 2 {
        return String::new();
    }
    let mut text = String::new();
    for (index, row) in matrix.rows.iter().enumerate() {
        let Some(nearest) = fastest(bandwidth, index) else { continue };
        let mut table = Table::default();
        let mut head = vec!["kernel", "threads", "GB/s", "as memory sees it", "read : written"];
        head.extend(bandwidth.peak.as_ref().map(|_| "of the peak"));
        table.line(head);
        for kernel in &bandwidth.kernels {
            for cell in compared(bandwidth, index, nearest).filter(|cell| cell.treatment.kernel == kernel.kernel) {
                table.line(line(bandwidth, kernel, cell));
            }
        }
        let (from, to) = (&row.label, &matrix.columns[nearest].label);
        let title = format!("CPUs of {from}, memory of {to}");
        let of_peak = bandwidth.peak.as_ref().map_or_else(String::new, |peak| {
            format!(" (peak {:.1} GB/s: {}, {})", peak.node_bytes_per_s / GB, peak.dimms, peak.source)
        });
        text.push_str(&format!("\n{}{}\n", printable::line(&title), printable::line(&of_peak)));
        text.push_str(&table.text(&[Align::Left, Align::Right]));
    }
    text
}

fn line(bandwidth: &Bandwidth, kernel: &KernelTraffic, cell: &Cell<Streaming>) -> Vec<String> {
    let seen = cell.median.map(|median| median * kernel.memory_per_program);
    let mut line = vec![
        kernel.kernel.clone(),
        cell.treatment.threads.to_string(),
        figure(cell),
        seen.map_or_else(|| "-".to_owned(), |seen| format!("{:.1}", seen / GB)),
        ratio(kernel.read_share),
    ];
    if let Some(peak) = &bandwidth.peak {
        line.push(seen.map_or_else(|| "-".to_owned(), |seen| format!("{:.0} %", 100.0 * seen / peak.node_bytes_per_s)));
    }
    line
}

/// "2 : 1" of two thirds.
fn ratio(read_share: f64) -> String {
    let written = 1.0 - read_share;
    match (read_share, written) {
        (_, 0.0) => "all read".to_owned(),
        (0.0, _) => "all written".to_owned(),
        _ => format!("{:.0} : 1", read_share / written),
    }
}

/// How reading grows with threads, on the memory that each row reads fastest.
fn curves(bandwidth: &Bandwidth) -> String {
    let matrix = &bandwidth.part.matrix;
    let mut text = String::new();
    for (row, head) in matrix.rows.iter().enumerate() {
        let most = |column: &usize| bandwidth.curve(row, *column).iter().map(|point| point.1).fold(0.0, f64::max);
        let Some(column) = (0..matrix.columns.len()).max_by(|a, b| most(a).total_cmp(&most(b))) else { continue };
        let curve = bandwidth.curve(row, column);
        let Some(knee) = bandwidth.knee(row, column).filter(|_| curve.len() > 1) else { continue };
        let points: Vec<String> = curve.iter().map(|(threads, rate)| format!("{threads}: {:.1}", rate / GB)).collect();
        let knee = match curve.last() {
            // The last threads still added something: where it ends, nobody saw.
            Some((most, _)) if *most == knee => format!("no knee up to {knee}"),
            _ => format!("knee at {knee}"),
        };
        let label = format!("{} reading {}, GB/s by threads", head.label, matrix.columns[column].label);
        text.push_str(&format!("{}  {}   {knee}\n", printable::line(&label), points.join("  ")));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// The cells with as many threads as kernels are compared at: the knee's, and those that somebody asked for, which writing has as well.
fn compared(bandwidth: &Bandwidth, row: usize, column: usize) -> impl Iterator<Item = &Cell<Streaming>> {
    let cells = || bandwidth.part.matrix.cells.iter().filter(move |cell| (cell.row, cell.column) == (row, column));
    let others = cells().filter(|cell| cell.treatment.kernel != "read").map(|cell| cell.treatment.threads);
    let threads: BTreeSet<usize> = others.chain(bandwidth.knee(row, column)).collect();
    cells().filter(move |cell| threads.contains(&cell.treatment.threads))
}

/// The cell at as many threads as reading takes there.
fn at_knee<'b>(bandwidth: &'b Bandwidth, row: usize, column: usize, kernel: &str) -> Option<&'b Cell<Streaming>> {
    let threads = bandwidth.knee(row, column)?;
    bandwidth.part.cell(row, column, &Streaming { kernel: kernel.to_owned(), threads })
}

/// "34.6 ±0.4".
fn figure(cell: &Cell<Streaming>) -> String {
    let Some(median) = cell.median else { return "-".to_owned() };
    let decimals = rate_decimals(median / GB);
    let Some([low, high]) = cell.ci95 else { return format!("{:.decimals$}", median / GB) };
    let half = (median - low).max(high - median) / GB;
    with_spread(median / GB, half, decimals)
}

fn reasons(bandwidth: &Bandwidth) -> String {
    Reasons::of(&bandwidth.part.matrix.cells).text() + &windows_dropped(bandwidth)
}

/// Windows that were not believed. A visit repeats them, so they may be more than visits have.
fn windows_dropped(bandwidth: &Bandwidth) -> String {
    let dropped: u64 = bandwidth.windows_dropped.values().map(|&windows| u64::from(windows)).sum();
    if dropped == 0 {
        return String::new();
    }
    let named: Vec<String> =
        bandwidth.windows_dropped.iter().map(|(reason, windows)| format!("{windows} {reason}")).collect();
    let remark = format!("{dropped} windows were not believed ({}): others of their visits count", named.join(", "));
    paragraph::of(&printable::line(&remark), "-  ", "   ")
}

/// The fastest and the slowest way to read.
fn answer_of(bandwidth: &Bandwidth) -> Option<String> {
    let matrix = &bandwidth.part.matrix;
    let reading = matrix.cells.iter().filter(|cell| {
        cell.treatment.kernel == "read" && bandwidth.knee(cell.row, cell.column) == Some(cell.treatment.threads)
    });
    let mut rates: Vec<(f64, String)> = reading
        .filter_map(|cell| {
            let (row, column) = (matrix.rows.get(cell.row)?, matrix.columns.get(cell.column)?);
            let threads = cell.treatment.threads;
            Some((cell.median? / GB, format!("{} from {}, threads: {threads}", row.label, column.label)))
        })
        .collect();
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (least, most) = (rates.first()?, rates.last()?);
    let fastest = format!("reads {:.1} GB/s at most ({})", most.0, most.1);
    Some(if rates.len() == 1 { fastest } else { format!("{fastest}, {:.1} at least ({})", least.0, least.1) })
}

/// Bandwidth as CSV, in bytes a second.
fn csv(survey: &Survey) -> String {
    let Some(bandwidth) = &survey.bandwidth else { return String::new() };
    let treatment = |cell: &Cell<Streaming>| [cell.treatment.kernel.clone(), cell.treatment.threads.to_string()];
    cells(&bandwidth.part.matrix, ["kernel", "threads"], "bytes_per_s", treatment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_that_were_not_believed_are_counted() {
        let survey: Survey = serde_json::from_str(include_str!("../../tests/golden/several.json")).unwrap();
        let mut bandwidth = survey.bandwidth.unwrap();
        assert_eq!(windows_dropped(&bandwidth), "", "an earlier document tells none");
        bandwidth.windows = 4;
        bandwidth.windows_dropped = [("descheduled".to_owned(), 9), ("stalled".to_owned(), 2)].into();
        assert_eq!(
            windows_dropped(&bandwidth),
            "-  11 windows were not believed (9 descheduled, 2 stalled): others of their visits count\n"
        );
    }
}
