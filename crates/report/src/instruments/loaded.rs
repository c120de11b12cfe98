//! Loaded latency: idle, knee and saturation for every group of CPUs and memory, the curves, and
//! shared links.

pub(crate) mod picture;
mod records;

use std::collections::BTreeSet;

use nearfar_infer::cache_levels::IntervalEstimate;
use nearfar_infer::load_curve::{LinkSharing, NoKnee};
use nearfar_survey::{LoadTreatment, Loaded, LoadingCurve, MatrixCell, SharedLink};
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;
use nearfar_view::text::{IN_A_TABLE, short_list};
use nearfar_view::text::{or_dash, or_empty};

use super::PartView;
use crate::survey::cell::{GB, cell_text, larger_half, with_spread};
use crate::survey::csv::cells;
use crate::survey::{Reasons, Verbosity};

/// Curves with all points; CSV has the others.
const MAX_CURVES: usize = 8;

impl PartView for Loaded {
    fn sections(&self, _: Verbosity) -> Vec<String> {
        vec![features(self), curves(self), links(self), remarks(self)]
    }

    /// The features of curves, without their points.
    fn in_short(&self, _: Verbosity) -> String {
        sections([features(self), links(self), remarks(self)])
    }

    /// The path that slows most under load.
    fn answer(&self) -> Option<String> {
        let slowdown =
            |curve: &&LoadingCurve| curve.curve.saturated_ns.value / curve.curve.idle_ns.value;
        let worst = self.curves.iter().max_by(|a, b| slowdown(a).total_cmp(&slowdown(b)))?;
        let (row, column) = labels(self, [worst.row, worst.column])?;
        let curve = &worst.curve;
        let knee = curve.knee_bytes_per_s.as_ref();
        let knee = knee.map_or_else(
            || "no knee".to_owned(),
            |knee| format!("knee at {:.1} GB/s", knee.value / GB),
        );
        let (idle, saturated) = (curve.idle_ns.value, curve.saturated_ns.value);
        let at = saturated_at(self, worst);
        let at = at.map_or_else(|| " under load".to_owned(), |rate| format!(" at {rate:.1} GB/s"));
        Some(format!(
            "{idle:.0} ns idle, {saturated:.0} ns{at}, {knee} (CPUs of {row}, memory of {column})"
        ))
    }

    /// Cells in nanoseconds, then curves and shared links, each with its own header.
    fn csv(&self) -> Vec<CsvTable<'_>> {
        let matrix = &self.part.matrix;
        let treatment = |cell: &MatrixCell<LoadTreatment>| {
            let LoadTreatment { aggressors, aggressors_column, delay } = cell.treatment;
            let memory = aggressors.map(|_| aggressors_column.unwrap_or(cell.column));
            [
                or_empty(aggressors.and_then(|row| matrix.row_label(row))),
                or_empty(memory.and_then(|column| matrix.column_label(column))),
                or_empty(delay),
                or_empty(cell.traffic_bytes_per_s),
            ]
        };
        let cells =
            cells(matrix, "aggressors,aggressors_column,delay,traffic_bytes_per_s", treatment);
        [Some(cells), records::curves(self), records::links(self)].into_iter().flatten().collect()
    }
}

/// The labels of a row and a column; none where a damaged document names missing ones.
fn labels(loaded: &Loaded, [row, column]: [usize; 2]) -> Option<(&str, &str)> {
    Some((loaded.part.matrix.row_label(row)?, loaded.part.matrix.column_label(column)?))
}

fn features(loaded: &Loaded) -> String {
    if loaded.curves.is_empty() {
        return "latency under load: no figure\n".to_owned();
    }
    let line = |curve: &LoadingCurve| {
        let (row, column) = labels(loaded, [curve.row, curve.column])?;
        let found = &curve.curve;
        Some([
            row.to_owned(),
            short_list(&loaded.part.matrix.rows[curve.row].cpus, IN_A_TABLE),
            column.to_owned(),
            load_source(loaded, curve).unwrap_or("same node").to_owned(),
            measured(&found.idle_ns, 1.0),
            or_dash(found.knee_bytes_per_s.as_ref().map(|knee| measured(knee, GB))),
            measured(&found.saturated_ns, 1.0),
            or_dash(saturated_at(loaded, curve).map(|rate| format!("{rate:.1}"))),
        ])
    };
    let head =
        ["", "CPUs", "memory", "load from", "idle ns", "knee GB/s", "saturated ns", "at GB/s"];
    let align = [Align::Left, Align::Left, Align::Left, Align::Left, Align::Right];
    let table = headed(head, loaded.curves.iter().filter_map(line), &align);
    let title = format!("latency under load ({}, {}), ns (± 95 %)", loaded.kernel, loaded.isa);
    paragraph::of(&title, "", "  ") + &table
}

/// The traffic under the heaviest load, in GB/s: there latency is saturated. The curve's highest
/// traffic may be of a lighter load.
fn saturated_at(loaded: &Loaded, curve: &LoadingCurve) -> Option<f64> {
    let points = loaded.curve(curve.row, curve.column, curve.aggressors);
    let heaviest = points.iter().rev().find(|cell| cell.median.is_some())?;
    Some(heaviest.traffic_bytes_per_s? / GB)
}

/// The row whose CPUs stream, if it is another one.
fn load_source<'l>(loaded: &'l Loaded, curve: &LoadingCurve) -> Option<&'l str> {
    (curve.aggressors != curve.row)
        .then(|| loaded.part.matrix.row_label(curve.aggressors).unwrap_or("?"))
}

fn curves(loaded: &Loaded) -> String {
    let drawn = loaded.curves.iter().take(MAX_CURVES).filter_map(|curve| {
        let (from, to) = labels(loaded, [curve.row, curve.column])?;
        let points = loaded.curve(curve.row, curve.column, curve.aggressors);
        let line = |cell: &MatrixCell<LoadTreatment>| {
            let delay = cell
                .treatment
                .delay
                .map_or_else(|| "no load".to_owned(), |delay| delay.to_string());
            let traffic = cell.traffic_bytes_per_s.map(|rate| format!("{:.2}", rate / GB));
            [delay, or_dash(traffic), cell_text(cell)]
        };
        let table = headed(
            ["delay, iterations", "traffic GB/s", "ns (median ± 95 %)"],
            points.into_iter().map(line),
            &[Align::Right],
        );
        let who = load_source(loaded, curve)
            .map_or_else(|| "its other CPUs".to_owned(), |who| format!("CPUs of {who}"));
        let title = format!("a CPU of {from}, memory of {to}, load from {who}");
        Some(paragraph::of(&title, "", "  ") + &table)
    });
    let text = drawn.collect::<Vec<_>>().join("\n");
    match loaded.curves.len().saturating_sub(MAX_CURVES) {
        0 => text,
        more => text + &format!("and {more} more curves: --csv\n"),
    }
}

fn links(loaded: &Loaded) -> String {
    if loaded.shared_links.is_empty() {
        return String::new();
    }
    let line = |link: &SharedLink| {
        [
            path(loaded, link.a),
            path(loaded, link.b),
            slowdown(link),
            name(link.found.shared).to_owned(),
        ]
    };
    let head = ["a CPU reads", "others read", "slower by", "shared"];
    let table = headed(
        head,
        loaded.shared_links.iter().map(line),
        &[Align::Left, Align::Left, Align::Right],
    );
    paragraph::of("shared links (slower by more than 5 %)", "", "  ") + &table
}

/// "node 0 > node 1".
fn path(loaded: &Loaded, [row, column]: [usize; 2]) -> String {
    let matrix = &loaded.part.matrix;
    format!(
        "{} > {}",
        matrix.row_label(row).unwrap_or("?"),
        matrix.column_label(column).unwrap_or("?")
    )
}

fn slowdown(link: &SharedLink) -> String {
    let measured = link.found.slowdown.zip(link.found.ci95);
    or_dash(measured.map(|(by, [low, high])| {
        format!("{:.0} % ({:.0} to {:.0})", 100.0 * by, 100.0 * low, 100.0 * high)
    }))
}

/// "97.1 ±0.4".
fn measured(figure: &IntervalEstimate, unit: f64) -> String {
    with_spread(figure.value / unit, larger_half(figure.value, figure.ci95) / unit, 1)
}

/// Why knees and figures are missing; each reason once.
fn remarks(loaded: &Loaded) -> String {
    let without_knee: BTreeSet<String> = loaded.curves.iter().filter_map(no_knee).collect();
    let without_knee: String = without_knee.iter().map(|why| paragraph::remark(why)).collect();
    without_knee + &Reasons::from_cells(&loaded.part.matrix.cells).text()
}

/// Why a curve has no knee.
fn no_knee(curve: &LoadingCurve) -> Option<String> {
    Some(match curve.curve.why.as_ref()? {
        NoKnee::LittleRise { rise } => {
            let advice = if curve.has_idle_cpus { "; use more CPUs for load" } else { "" };
            format!("latency rises by {:.0} % only: no knee{advice}", 100.0 * rise)
        }
    })
}

/// Whether a link is shared.
const fn name(shared: LinkSharing) -> &'static str {
    match shared {
        LinkSharing::Yes => "yes",
        LinkSharing::No => "no",
        LinkSharing::Undetermined => "undetermined",
    }
}
