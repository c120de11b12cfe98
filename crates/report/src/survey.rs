//! A survey on one screen, and as CSV.

pub(crate) mod cell;
mod claims_checked;
mod classes;
pub(crate) mod csv;
mod derived;
pub(crate) mod diagnosis;
mod effort;
pub(crate) mod fills;
pub(crate) mod headline;
pub mod meaning;
mod near_far;
mod screens;
mod trust;
pub(crate) mod verdict;
pub(crate) mod warnings;

use std::collections::BTreeMap;

use anstyle::{Ansi256Color, Color, Style};
use nearfar_model::{DistanceMatrix, Instrument, NodeId};
use nearfar_survey::{Claims, Matrix, MatrixCell, Survey};
use nearfar_view::terminal::table::Entry;
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::paragraph;

use crate::instruments::{PartView, view};

pub use crate::instruments::parts;
pub use crate::verbosity::Verbosity;
pub use derived::Derived;
pub use screens::{answer, derived_text, last_line, part_text, text};

/// Whether a survey measured latency only, with or without a search for hidden nodes.
pub(crate) fn is_plain(measured: &[Instrument]) -> bool {
    matches!(measured, [] | [Instrument::Latency] | [Instrument::Latency, Instrument::Hidden])
}

/// One part's cells as CSV.
pub fn part_csv(survey: &Survey, part: Instrument) -> String {
    tables_of(survey, part).into_iter().map(CsvTable::text).collect()
}

fn tables_of(survey: &Survey, part: Instrument) -> Vec<CsvTable<'_>> {
    view(survey, part).map(PartView::csv).unwrap_or_default()
}

/// The cells of a document as CSV (RFC 4180), rows and columns by label; of a plain survey,
/// latency's. Each of several parts has its own header, and its name in the first column.
pub fn csv(survey: &Survey) -> String {
    match survey.measured()[..] {
        ref plain if is_plain(plain) => part_csv(survey, Instrument::Latency),
        [only] => part_csv(survey, only),
        ref several => {
            let tables = |part: &Instrument| {
                let tables = tables_of(survey, *part).into_iter();
                tables.map(|table| table.text_of_part(part.name())).collect::<String>()
            };
            several.iter().map(tables).collect()
        }
    }
}

/// A part that was computed from latencies, as CSV.
pub fn derived_csv(survey: &Survey, part: Derived) -> String {
    part.csv(survey)
}

/// Claims by pairs of nodes: those of the CPUs and of the memory.
pub(crate) struct Claimed<'c> {
    distances: Option<&'c DistanceMatrix>,
    /// The HMAT's times of a read, in ns.
    latencies: BTreeMap<(NodeId, NodeId), u64>,
}

impl<'c> Claimed<'c> {
    pub(crate) fn from_claims(claims: &'c Claims) -> Self {
        let cells = claims.hmat.iter().flat_map(|hmat| &hmat.cells);
        let latencies = cells
            .filter_map(|cell| Some(((cell.initiator, cell.target), cell.read_latency_ns?)))
            .collect();
        Self { distances: claims.distances.as_ref(), latencies }
    }

    /// Firmware's distance (SLIT, or a device tree's distance-map): 10 is local.
    pub(crate) fn distance(&self, pair: Option<(NodeId, NodeId)>) -> Option<u32> {
        let (from, to) = pair?;
        self.distances?.between(from, to)
    }

    /// The HMAT's time of a read, in ns.
    pub(crate) fn latency_ns(&self, pair: Option<(NodeId, NodeId)>) -> Option<u64> {
        self.latencies.get(&pair?).copied()
    }

    /// What the distance claims the ratio to local memory is.
    pub(crate) fn by_distance(&self, pair: Option<(NodeId, NodeId)>) -> Option<f64> {
        Some(f64::from(self.distance(pair)?) / 10.0)
    }

    /// What the HMAT claims it is: none where it knows nothing of the row's local memory.
    pub(crate) fn by_latency(&self, pair: Option<(NodeId, NodeId)>) -> Option<f64> {
        let (from, _) = pair?;
        let local = self.latency_ns(Some((from, from))).filter(|&ns| ns > 0)?;
        Some(self.latency_ns(pair)? as f64 / local as f64)
    }

    /// Whether there are distances.
    pub(crate) fn has_distances(&self) -> bool {
        self.distances.is_some()
    }

    /// Whether the HMAT has latencies of remote memory. The kernel alone often reports local ones
    /// only.
    pub(crate) fn has_far_latencies(&self) -> bool {
        self.latencies
            .keys()
            .any(|&(from, to)| from != to && self.by_latency(Some((from, to))).is_some())
    }
}

/// The nodes of a cell's CPUs and of its memory; none where a row spans nodes or a column is no
/// node.
pub(crate) fn pair(matrix: &Matrix, row: usize, column: usize) -> Option<(NodeId, NodeId)> {
    Some((matrix.rows.get(row)?.node?, matrix.columns.get(column)?.node?))
}

/// The cells that a matrix has, and what each row's costs are compared with.
pub(crate) struct MatrixIndex<'m> {
    cells: BTreeMap<(usize, usize), &'m MatrixCell>,
    /// By row, the cost of local memory, in the matrix's unit. Rows whose local memory was not
    /// measured have none.
    local: BTreeMap<usize, f64>,
}

impl<'m> MatrixIndex<'m> {
    pub(crate) fn from_matrix(matrix: &'m Matrix) -> Self {
        let mut cells = BTreeMap::new();
        for cell in &matrix.cells {
            cells.entry((cell.row, cell.column)).or_insert(cell);
        }
        let local =
            (0..matrix.rows.len()).filter_map(|row| Some((row, local(matrix, &cells, row)?)));
        Self { local: local.collect(), cells }
    }

    /// The cell at a row and column.
    pub(crate) fn cell(&self, row: usize, column: usize) -> Option<&'m MatrixCell> {
        self.cells.get(&(row, column)).copied()
    }

    pub(crate) fn median(&self, row: usize, column: usize) -> Option<f64> {
        self.cell(row, column)?.median
    }

    /// What it costs over what the row's local memory costs.
    pub(crate) fn ratio(&self, row: usize, column: usize) -> Option<f64> {
        Some(self.median(row, column)? / self.local.get(&row)?)
    }
}

/// The cost of the column on the row's own node; the lowest of the row's where no column is on it.
fn local(
    matrix: &Matrix,
    cells: &BTreeMap<(usize, usize), &MatrixCell>,
    row: usize,
) -> Option<f64> {
    let median = |column| cells.get(&(row, column)).and_then(|cell| cell.median);
    let own = matrix.rows.get(row)?.node;
    match matrix.columns.iter().position(|column| own.is_some() && column.node == own) {
        Some(column) => median(column),
        None => (0..matrix.columns.len()).filter_map(median).reduce(f64::min),
    }
}

/// Ratio from which a shade holds, and its colour in the 256-colour cube: green, yellow, orange,
/// red, all light enough for black text.
const SHADES: [(f64, u8); 5] = [(2.5, 174), (1.6, 216), (1.25, 222), (1.05, 229), (0.0, 157)];

/// A cell's text on the shade of its ratio to local.
pub(crate) fn shaded(text: &str, ratio: Option<f64>) -> Entry {
    let Some(ratio) = ratio else { return text.into() };
    let colour = SHADES.iter().find(|(from, _)| ratio >= *from).map_or(157, |(_, colour)| *colour);
    let black = Color::Ansi256(Ansi256Color(16));
    let style =
        Style::new().bg_color(Some(Color::Ansi256(Ansi256Color(colour)))).fg_color(Some(black));
    Entry::styled(text, style)
}

/// Reasons, and of each how many samples were dropped for what.
#[derive(Default)]
pub(crate) struct Reasons<'c> {
    dropped: BTreeMap<&'c str, BTreeMap<&'c str, u32>>,
    /// Whether a cell has a rough figure.
    has_rough: bool,
}

/// What the mark of rough figures means.
pub(crate) const ROUGH: &str = "~: disturbed by other programs; rough";

impl<'c> Reasons<'c> {
    pub(crate) fn from_cells<T>(cells: &'c [MatrixCell<T>]) -> Self {
        let mut reasons = Self::default();
        reasons.add(cells);
        reasons
    }

    pub(crate) fn add<T>(&mut self, cells: &'c [MatrixCell<T>]) {
        for cell in cells {
            let Some(why) = &cell.why else { continue };
            self.has_rough |= cell.rough.is_some();
            let dropped = self.dropped.entry(why).or_default();
            for (reason, count) in &cell.dropped {
                let sum = dropped.entry(reason).or_default();
                *sum = sum.saturating_add(*count);
            }
        }
    }

    /// A remark for each.
    pub(crate) fn text(&self) -> String {
        let remark = |(why, dropped): (&&str, &BTreeMap<&str, u32>)| {
            let counts: Vec<String> =
                dropped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            let counts = if counts.is_empty() {
                String::new()
            } else {
                format!(" (dropped: {})", counts.join(", "))
            };
            paragraph::remark(&format!("{why}{counts}"))
        };
        let rough = self.has_rough.then(|| paragraph::remark(ROUGH));
        rough.into_iter().chain(self.dropped.iter().map(remark)).collect()
    }
}

#[cfg(test)]
mod tests {
    use nearfar_survey::NoTreatment;

    use super::*;

    fn empty(why: Option<&str>, dropped: &[(&str, u32)]) -> MatrixCell<NoTreatment> {
        MatrixCell {
            row: 0,
            column: 0,
            cpus: "0".parse().unwrap(),
            node: None,
            treatment: NoTreatment {},
            q25: None,
            median: None,
            se: None,
            ci95: None,
            traffic_bytes_per_s: None,
            rough: None,
            samples: 0,
            dropped: dropped.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect(),
            why: why.map(str::to_owned),
        }
    }

    #[test]
    fn a_reason_stands_once_with_all_that_was_dropped_for_it() {
        let cells = [
            empty(Some("too few"), &[("descheduled", 3)]),
            empty(None, &[("page-moved", 9)]),
            empty(Some("too few"), &[("descheduled", 4), ("stalled", 1)]),
            empty(Some("no memory"), &[]),
        ];
        assert_eq!(
            Reasons::from_cells(&cells).text(),
            "-  no memory\n-  too few (dropped: 7 descheduled, 1 stalled)\n"
        );
        let rough = [MatrixCell { rough: Some(97.0), ..cells[0].clone() }];
        let text = Reasons::from_cells(&rough).text();
        assert!(text.starts_with("-  ~: disturbed by other programs; rough\n-  too"), "{text}");
    }
}
