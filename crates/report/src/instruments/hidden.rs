//! Hidden nodes: the finding, the latency of each kind of pages from each group of CPUs, and why.

pub(crate) mod node_count;
pub(crate) mod picture;
pub(crate) mod reasons;

use nearfar_infer::hidden::PageReason;
use nearfar_survey::{Hidden, HiddenFinding, HiddenPages, Jump, MatrixCell, PageKind};
use nearfar_view::terminal::table::{Align, Table};
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::paragraph;
use nearfar_view::text::{IN_A_TABLE, short_list};
use nearfar_view::text::{ends, or_dash, or_empty};

use super::PartView;
use crate::survey::Verbosity;
use crate::survey::cell::cell_text;
use crate::survey::csv::cells;
use node_count::{nodes, open_points, sides};
use reasons::{line_reason, page_reason, page_remedy};

impl PartView for Hidden {
    fn sections(&self, verbosity: Verbosity) -> Vec<String> {
        let head = format!("hidden nodes: {}. ", name(self.finding));
        let mut text = paragraph::with_bold_head(&head, &sample_size(self), "  ");
        text += &first_look(&self.pages);
        let has_kinds = !self.pages.kinds.is_empty();
        if has_kinds {
            text += &paragraph::remark(&format!("{}: {}", nodes(&self.pages), sides(&self.pages)));
            text.extend(open_points(&self.pages).iter().map(|point| paragraph::remark(point)));
        }
        let page_reasons = self.pages.found.reasons.iter().map(page_reason);
        let line_reasons = self
            .lines
            .found
            .reasons
            .iter()
            .filter(|_| self.finding != HiddenFinding::Found)
            .map(|reason| line_reason(reason, verbosity));
        text.extend(page_reasons.chain(line_reasons).map(|reason| paragraph::remark(&reason)));
        text.extend(self.timeline.jumps.iter().map(jump));
        if let Some(would_settle) = &self.pages.would_settle {
            text += &paragraph::of(&page_remedy(would_settle), "What would settle it: ", "   ");
        }
        has_kinds.then(|| kinds(self)).into_iter().chain([text]).collect()
    }

    /// The finding, with the number of nodes or its first reason.
    fn answer(&self) -> Option<String> {
        let first =
            self.lines.found.reasons.first().filter(|_| self.finding == HiddenFinding::Interleaved);
        let reason = first
            .map(|reason| line_reason(reason, Verbosity::Brief))
            .or_else(|| self.pages.found.reasons.first().map(page_reason));
        let name = name(self.finding);
        if self.finding == HiddenFinding::Found {
            return Some(format!("{name}: {}. {}", nodes(&self.pages), sides(&self.pages)));
        }
        Some(reason.map_or_else(|| name.to_owned(), |reason| format!("{name}: {reason}")))
    }

    /// Kinds of pages, in nanoseconds.
    fn csv(&self) -> Vec<CsvTable<'_>> {
        let kind = |cell: &MatrixCell| {
            let kind = self.pages.kinds.get(cell.column);
            let [low, high] = ends(kind.and_then(|kind| kind.address_bytes));
            [name(self.finding).to_owned(), or_empty(kind.map(|kind| kind.share)), low, high]
        };
        vec![cells(&self.matrix, "finding,share,lowest_address_bytes,highest_address_bytes", kind)]
    }
}

/// "Measured: 64 pages out of 1.50 GiB in each process, at physical addresses 0.30 GiB to 24.10
/// GiB, and 512 cache lines."
fn sample_size(hidden: &Hidden) -> String {
    if hidden.pages.measured == 0 {
        return String::new();
    }
    let span = hidden.pages.span_bytes.map_or_else(
        || "unknown physical addresses (visible to root only)".to_owned(),
        |[low, high]| format!("physical addresses {} to {}", gib(low), gib(high)),
    );
    let held = gib(hidden.pages.held_bytes);
    format!(
        "Measured: {} pages out of {held} in each process, at {span}, and {} cache lines.",
        hidden.pages.measured, hidden.lines.measured
    )
}

/// A first search that held less memory and found nothing.
fn first_look(pages: &HiddenPages) -> String {
    let Some(first) = &pages.first_look else { return String::new() };
    let (held, percent) = (gib(first.held_bytes), 100.0 * pages.share);
    let found = first.reasons.iter().any(|reason| matches!(reason, PageReason::Kinds { .. }));
    let result = if found { "may have missed nodes" } else { "decided nothing" };
    paragraph::remark(&format!(
        "A first search held {held} and {result}. This one used up to {percent:.0} % of the free \
         memory"
    ))
}

fn gib(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / 1_073_741_824.0)
}

/// A column for each kind of pages: its share, its addresses, and its latency from each group of
/// CPUs.
fn kinds(hidden: &Hidden) -> String {
    let matrix = &hidden.matrix;
    let kinds: Vec<&PageKind> = hidden.pages.kinds.iter().take(matrix.columns.len()).collect();
    let labels = (0..kinds.len()).map(|kind| node_label(hidden, kind));
    let head = |first: &str, second: &str| [first.to_owned(), second.to_owned()].into_iter();
    let mut table = Table::default();
    table.line(head("", "CPUs").chain(labels));
    let shares = kinds.iter().map(|kind| format!("{:.0} %", 100.0 * kind.share));
    table.line(head("share of pages", "").chain(shares));
    let addresses = |kind: &&PageKind| {
        or_dash(kind.address_bytes.map(|[low, high]| format!("{} to {}", gib(low), gib(high))))
    };
    table.line(head("addresses", "").chain(kinds.iter().map(addresses)));
    for (row, from_row) in matrix.rows.iter().enumerate() {
        let head = [from_row.label.clone(), short_list(&from_row.cpus, IN_A_TABLE)];
        table.line(head.into_iter().chain(
            (0..kinds.len()).map(|column| or_dash(matrix.cell(row, column).map(cell_text))),
        ));
    }
    let of = if are_nodes(hidden) { "hidden node" } else { "kind of pages" };
    paragraph::of(&format!("latency by {of}, {} (median ± 95 %)", matrix.unit), "", "  ")
        + &table.text(&[Align::Left, Align::Left, Align::Right])
}

/// Whether kinds of pages are nodes that the system does not show.
fn are_nodes(hidden: &Hidden) -> bool {
    hidden.finding == HiddenFinding::Found && hidden.several_nodes().is_none()
}

/// A kind of pages by its name: "hidden node 1" where kinds are nodes.
pub(crate) fn node_label(hidden: &Hidden, kind: usize) -> String {
    match are_nodes(hidden) {
        true => format!("hidden node {kind}"),
        false => hidden.matrix.column_label(kind).unwrap_or("?").to_owned(),
    }
}

fn jump(jump: &Jump) -> String {
    let Jump { cpus, before_ns, after_ns, round, .. } = jump;
    paragraph::remark(&format!(
        "in round {round} CPU {cpus} jumped from {before_ns:.0} to {after_ns:.0} ns on one page: \
         it was moved, or its clock changed"
    ))
}

const fn name(finding: HiddenFinding) -> &'static str {
    match finding {
        HiddenFinding::Found => "found",
        HiddenFinding::Interleaved => "interleaved",
        HiddenFinding::None => "none",
        HiddenFinding::Undetermined => "undetermined",
    }
}
