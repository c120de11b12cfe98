//! Bandwidth: reads from every group to every node, all kernels on each group's fastest memory, and
//! the curve over threads.

pub(crate) mod picture;

use std::collections::BTreeSet;

use nearfar_survey::{Bandwidth, BandwidthTreatment, KernelTraffic, MatrixCell};
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::count;
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::or_dash;
use nearfar_view::text::{IN_A_TABLE, short_list};
use nearfar_view::text::{paragraph, sections};

use super::PartView;
use crate::survey::cell::{GB, rate_text, rough_rate};
use crate::survey::csv::cells;
use crate::survey::{ROUGH, Reasons, Verbosity};

/// The most rows whose kernels have separate tables.
const MAX_TABLES: usize = 2;

impl PartView for Bandwidth {
    fn sections(&self, _: Verbosity) -> Vec<String> {
        vec![reading(self), kernels(self), curves(self), reasons(self)]
    }

    /// The kernels of many rows are in one table.
    fn in_short(&self, _: Verbosity) -> String {
        let is_small = self.part.matrix.rows.len() <= MAX_TABLES || self.kernels.len() < 2;
        let (kernels, curves) = match is_small {
            true => (kernels(self), curves(self)),
            false => (by_kernel(self), String::new()),
        };
        sections([reading(self), kernels, curves, reasons(self)])
    }

    /// The fastest and the slowest read; the fastest rough one where all are rough.
    fn answer(&self) -> Option<String> {
        let matrix = &self.part.matrix;
        let mut rates: Vec<(f64, String)> = Vec::new();
        for (row, from_row) in matrix.rows.iter().enumerate() {
            for (column, of_column) in matrix.columns.iter().enumerate() {
                let Some(cell) = at_knee(self, row, column, "read") else { continue };
                let place = format!(
                    "CPUs of {}, memory of {}, {}",
                    from_row.label,
                    of_column.label,
                    count(cell.treatment.threads, "thread")
                );
                rates.extend(cell.median.map(|median| (median / GB, place)));
            }
        }
        rates.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(least), Some(most)) = (rates.first(), rates.last()) else {
            let cells = matrix.cells.iter().filter(|cell| cell.treatment.kernel == "read");
            let most = cells.filter_map(|cell| cell.rough).reduce(f64::max)?;
            return Some(format!("reads {} GB/s at most ({ROUGH})", rough_rate(most)));
        };
        let fastest = format!("reads {:.1} GB/s at most ({})", most.0, most.1);
        Some(if rates.len() == 1 {
            fastest
        } else {
            format!("{fastest}, {:.1} at least ({})", least.0, least.1)
        })
    }

    /// In bytes per second.
    fn csv(&self) -> Vec<CsvTable<'_>> {
        let treatment = |cell: &MatrixCell<BandwidthTreatment>| {
            [cell.treatment.kernel.clone(), cell.treatment.threads.to_string()]
        };
        vec![cells(&self.part.matrix, "kernel,threads", treatment)]
    }
}

/// Every row's kernels on the memory that it reads fastest.
fn by_kernel(bandwidth: &Bandwidth) -> String {
    let matrix = &bandwidth.part.matrix;
    let names = bandwidth.kernels.iter().map(|kernel| kernel.kernel.as_str());
    let line = |(index, row): (usize, &nearfar_survey::MatrixRow)| {
        let nearest = fastest(bandwidth, index)?;
        let rate = move |kernel: &KernelTraffic| {
            let cell = at_knee(bandwidth, index, nearest, &kernel.kernel);
            let median = cell.and_then(|cell| cell.median);
            let median = median.map(|median| format!("{:.1}", median / GB));
            or_dash(median.or_else(|| cell?.rough.map(rough_rate)))
        };
        let memory = matrix.columns[nearest].label.clone();
        let head = [row.label.clone(), memory, or_dash(bandwidth.knee(index, nearest))];
        Some(head.into_iter().chain(bandwidth.kernels.iter().map(rate)))
    };
    let lines = matrix.rows.iter().enumerate().filter_map(line);
    let head = ["", "memory", "threads"].into_iter().chain(names);
    paragraph::of("by kernel on the fastest memory, GB/s", "", "  ")
        + &headed(head, lines, &[Align::Left, Align::Left, Align::Right])
}

/// The column that a row reads fastest, by rough figures where there are no others.
fn fastest(bandwidth: &Bandwidth, row: usize) -> Option<usize> {
    let fastest_by = |rate: fn(&MatrixCell<BandwidthTreatment>) -> Option<f64>| {
        let reading = |column| at_knee(bandwidth, row, column, "read").and_then(rate);
        let columns = (0..bandwidth.part.matrix.columns.len())
            .filter_map(|column| Some((column, reading(column)?)));
        columns.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(column, _)| column)
    };
    fastest_by(|cell| cell.median).or_else(|| fastest_by(|cell| cell.rough))
}

fn reading(bandwidth: &Bandwidth) -> String {
    let matrix = &bandwidth.part.matrix;
    let head =
        ["", "CPUs"].into_iter().chain(matrix.columns.iter().map(|column| column.label.as_str()));
    let lines = matrix.rows.iter().enumerate().map(|(index, row)| {
        let figure =
            move |column: usize| or_dash(at_knee(bandwidth, index, column, "read").map(rate_text));
        [row.label.clone(), short_list(&row.cpus, IN_A_TABLE)]
            .into_iter()
            .chain((0..matrix.columns.len()).map(figure))
    });
    let table = headed(head, lines, &[Align::Left, Align::Left, Align::Right]);
    let title = format!("read bandwidth, GB/s (median ± 95 %), {}", bandwidth.isa);
    paragraph::of(&title, "", "  ") + &table
}

/// Each kernel on the memory that its row reads fastest.
fn kernels(bandwidth: &Bandwidth) -> String {
    let matrix = &bandwidth.part.matrix;
    if bandwidth.kernels.len() < 2 {
        return String::new();
    }
    let mut head = vec!["kernel", "threads", "GB/s", "memory traffic", "read : written"];
    head.extend(bandwidth.peak.as_ref().map(|_| "of peak"));
    let of_peak = bandwidth.peak.as_ref().map_or_else(String::new, |peak| {
        format!(" (peak {:.1} GB/s: {}, {})", peak.node_bytes_per_s / GB, peak.dimms, peak.source)
    });
    let mut tables = Vec::new();
    for (index, row) in matrix.rows.iter().enumerate() {
        let Some(nearest) = fastest(bandwidth, index) else { continue };
        let lines = bandwidth.kernels.iter().flat_map(|kernel| {
            let cells = compared(bandwidth, index, nearest)
                .filter(move |cell| cell.treatment.kernel == kernel.kernel);
            cells.map(move |cell| line(bandwidth, kernel, cell))
        });
        let title =
            format!("CPUs of {}, memory of {}{of_peak}", row.label, matrix.columns[nearest].label);
        let table = headed(&head, lines, &[Align::Left, Align::Right]);
        tables.push(paragraph::of(&title, "", "  ") + &table);
    }
    sections(tables)
}

fn line(
    bandwidth: &Bandwidth,
    kernel: &KernelTraffic,
    cell: &MatrixCell<BandwidthTreatment>,
) -> Vec<String> {
    let seen = cell.median.map(|median| median * kernel.memory_per_program);
    let of_peak = |peak: f64| or_dash(seen.map(|seen| format!("{:.0} %", 100.0 * seen / peak)));
    let mut line = vec![kernel.kernel.clone(), cell.treatment.threads.to_string(), rate_text(cell)];
    line.extend([or_dash(seen.map(|seen| format!("{:.1}", seen / GB))), ratio(kernel.read_share)]);
    line.extend(bandwidth.peak.as_ref().map(|peak| of_peak(peak.node_bytes_per_s)));
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
        let most = |column: &usize| {
            bandwidth.curve(row, *column).iter().map(|point| point.1).fold(0.0, f64::max)
        };
        let Some(column) = (0..matrix.columns.len()).max_by(|a, b| most(a).total_cmp(&most(b)))
        else {
            continue;
        };
        let curve = bandwidth.curve(row, column);
        let Some(knee) = bandwidth.knee(row, column).filter(|_| curve.len() > 1) else { continue };
        let points: Vec<String> =
            curve.iter().map(|(threads, rate)| format!("{threads}: {:.1}", rate / GB)).collect();
        let knee = match curve.last() {
            // The last threads still added bandwidth: the knee is beyond them.
            Some((most, _)) if *most == knee => format!("no knee up to {knee}"),
            _ => format!("knee at {knee}"),
        };
        let label = format!(
            "CPUs of {} reading {}, GB/s by threads: ",
            head.label, matrix.columns[column].label
        );
        text += &paragraph::of(&format!("{label}{}; {knee}", points.join(", ")), "", "  ");
    }
    text
}

/// The cells at the thread counts that all kernels have: the knee of reads, and the counts that the
/// user requested.
fn compared(
    bandwidth: &Bandwidth,
    row: usize,
    column: usize,
) -> impl Iterator<Item = &MatrixCell<BandwidthTreatment>> {
    let cells = || {
        bandwidth
            .part
            .matrix
            .cells
            .iter()
            .filter(move |cell| (cell.row, cell.column) == (row, column))
    };
    let others =
        cells().filter(|cell| cell.treatment.kernel != "read").map(|cell| cell.treatment.threads);
    let threads: BTreeSet<usize> = others.chain(bandwidth.knee(row, column)).collect();
    cells().filter(move |cell| threads.contains(&cell.treatment.threads))
}

/// The cell at the thread count of the read knee. Where no knee is known, as in a document without
/// a curve, the cell with the most bandwidth of the kernel.
fn at_knee<'b>(
    bandwidth: &'b Bandwidth,
    row: usize,
    column: usize,
    kernel: &str,
) -> Option<&'b MatrixCell<BandwidthTreatment>> {
    if let Some(threads) = bandwidth.knee(row, column) {
        let treatment = BandwidthTreatment { kernel: kernel.to_owned(), threads };
        return bandwidth.part.cell(row, column, &treatment);
    }
    let cells =
        bandwidth.part.matrix.cells.iter().filter(|cell| {
            (cell.row, cell.column) == (row, column) && cell.treatment.kernel == kernel
        });
    let rate = |cell: &MatrixCell<BandwidthTreatment>| cell.median.or(cell.rough).unwrap_or(0.0);
    cells.max_by(|one, other| rate(one).total_cmp(&rate(other)))
}

fn reasons(bandwidth: &Bandwidth) -> String {
    Reasons::from_cells(&bandwidth.part.matrix.cells).text() + &windows_dropped(bandwidth)
}

/// Windows that were disturbed. They are repeated, so their number may exceed that of all windows.
fn windows_dropped(bandwidth: &Bandwidth) -> String {
    let dropped: u64 = bandwidth.windows_dropped.values().map(|&windows| u64::from(windows)).sum();
    if dropped == 0 {
        return String::new();
    }
    let named =
        bandwidth.windows_dropped.iter().map(|(reason, windows)| format!("{windows} {reason}"));
    let named = named.collect::<Vec<_>>().join(", ");
    paragraph::remark(&format!("{dropped} disturbed windows were dropped and repeated ({named})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document without curves has rates all the same.
    #[test]
    fn without_knees_the_fastest_reads_are_shown() {
        let mut survey: nearfar_survey::Survey =
            serde_json::from_str(include_str!("../../tests/golden/several.json")).unwrap();
        let bandwidth = survey.bandwidth.as_mut().unwrap();
        bandwidth.knees.clear();
        let answer = bandwidth.answer().unwrap();
        assert!(answer.starts_with("reads ") && answer.contains(" threads"), "{answer}");
        let table = reading(bandwidth);
        let figures = table.lines().filter(|line| line.contains('±')).count();
        assert!(figures > 1, "{table}");
    }

    #[test]
    fn a_disturbed_measurement_has_rough_figures() {
        let mut survey: nearfar_survey::Survey =
            serde_json::from_str(include_str!("../../tests/golden/several.json")).unwrap();
        let bandwidth = survey.bandwidth.as_mut().unwrap();
        bandwidth.knees.clear();
        for cell in &mut bandwidth.part.matrix.cells {
            (cell.rough, cell.why) = (cell.median.take(), Some("disturbed".to_owned()));
        }
        let answer = bandwidth.answer().unwrap();
        assert!(answer.starts_with("reads ~") && answer.contains("rough"), "{answer}");
        let text = bandwidth.sections(Verbosity::Brief).concat();
        assert!(
            text.contains("~: disturbed by other programs; rough")
                && text.matches('%').count() == 1,
            "{text}"
        );
        assert!(!bandwidth.csv().remove(0).text().contains('~'));
    }

    #[test]
    fn dropped_windows_are_counted() {
        let survey: nearfar_survey::Survey =
            serde_json::from_str(include_str!("../../tests/golden/several.json")).unwrap();
        let mut bandwidth = survey.bandwidth.unwrap();
        assert_eq!(windows_dropped(&bandwidth), "");
        bandwidth.windows = 4;
        bandwidth.windows_dropped =
            [("descheduled".to_owned(), 9), ("stalled".to_owned(), 2)].into();
        assert_eq!(
            windows_dropped(&bandwidth),
            "-  11 disturbed windows were dropped and repeated (9 descheduled, 2 stalled)\n"
        );
    }
}
