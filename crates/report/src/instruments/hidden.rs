//! Hidden nodes: the finding in a sentence, what each kind of pages costs each group of CPUs, and why.

mod picture;
pub(crate) mod reasons;

use nearfar_survey::{Cell, Hidden, HiddenFinding, HiddenPages, PageKind, Survey};
use nearfar_terminal::printable::line;
use nearfar_terminal::table::{Align, Table};

use super::InstrumentView;
use crate::paragraph;
use crate::short_list::{IN_A_TABLE, short_list};
use crate::survey::cell::cell_text;
use crate::survey::csv::cells;
use reasons::{line_reason, page_reason, page_remedy};

pub(super) const VIEW: InstrumentView = InstrumentView {
    text,
    in_short: text,
    answer: |survey| survey.hidden.as_ref().map(answer_of),
    csv,
    title: "What the system does not show",
    draw: |survey, _| picture::draw(survey),
};

/// The paragraph; nothing where nobody looked.
fn text(survey: &Survey) -> String {
    let Some(hidden) = &survey.hidden else { return String::new() };
    let bold = anstyle::Style::new().bold();
    let head = format!("{bold}hidden nodes: {}.{bold:#} ", name(hidden.finding));
    let mut text = paragraph::of(&looked_at(hidden), &head, "  ");
    text.push_str(&first_look(&hidden.pages));
    if !hidden.pages.kinds.is_empty() {
        text.push_str(&kinds(hidden));
    }
    let of_lines = &hidden.lines.found.reasons[..];
    let of_lines = if hidden.finding == HiddenFinding::Found { &[] } else { of_lines };
    for reason in hidden.pages.found.reasons.iter().map(page_reason).chain(of_lines.iter().map(line_reason)) {
        text.push_str(&paragraph::of(&line(&reason), "-  ", "   "));
    }
    text.push_str(&jumps(hidden));
    if let Some(would_settle) = &hidden.pages.would_settle {
        text.push_str(&paragraph::of(&line(&page_remedy(would_settle)), "What would settle it: ", "   "));
    }
    text
}

/// "64 pages of each process (1.5 GiB held, from 0.3 to 24.1 GiB of physical memory), 512 lines".
fn looked_at(hidden: &Hidden) -> String {
    if hidden.pages.measured == 0 {
        return String::new();
    }
    let span = hidden.pages.span_bytes.map_or_else(
        || "where in physical memory only root sees".to_owned(),
        |[low, high]| format!("between {} and {} of physical memory", gib(low), gib(high)),
    );
    let held = gib(hidden.pages.held_bytes);
    format!("{} pages of each process ({held} held, {span}), {} lines.", hidden.pages.measured, hidden.lines.measured)
}

/// What was held before, and that it was not enough.
fn first_look(pages: &HiddenPages) -> String {
    let Some(first) = &pages.first_look else { return String::new() };
    let said = format!(
        "a first look held {} and settled nothing, so this one held up to {:.0} % of the free memory, and released it",
        gib(first.held_bytes),
        100.0 * pages.share
    );
    paragraph::of(&said, "-  ", "   ")
}

fn gib(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / 1_073_741_824.0)
}

/// A line for each group of CPUs, a column for each kind of pages.
fn kinds(hidden: &Hidden) -> String {
    let matrix = &hidden.matrix;
    let mut table = Table::default();
    let head = matrix
        .columns
        .iter()
        .zip(&hidden.pages.kinds)
        .map(|(column, kind)| format!("{}, {}", column.label, share(kind)));
    table.line(["ns".to_owned(), "CPUs".to_owned()].into_iter().chain(head));
    for (row, of_row) in matrix.rows.iter().enumerate() {
        let figure = |column: usize| matrix.cell(row, column).map_or_else(|| "-".to_owned(), cell_text);
        let figures = (0..matrix.columns.len()).map(figure);
        table.line([of_row.label.clone(), short_list(&of_row.cpus, IN_A_TABLE)].into_iter().chain(figures));
    }
    table.text(&[Align::Left, Align::Left, Align::Right])
}

/// "50 % of pages, 0.00 to 0.38 GiB".
fn share(kind: &PageKind) -> String {
    let where_it_is = kind.address_bytes.map(|[low, high]| format!(", {} to {}", gib(low), gib(high)));
    format!("{:.0} % of pages{}", 100.0 * kind.share, where_it_is.unwrap_or_default())
}

fn jumps(hidden: &Hidden) -> String {
    let jump = |jump: &nearfar_survey::Jump| {
        format!(
            "-  CPU {} jumped from {:.0} to {:.0} ns on one page in round {}: it was moved, or its speed changed\n",
            jump.cpus, jump.before_ns, jump.after_ns, jump.round
        )
    };
    hidden.timeline.jumps.iter().map(jump).collect()
}

/// The finding, with its first reason.
fn answer_of(hidden: &Hidden) -> String {
    let of_lines = hidden.lines.found.reasons.first().filter(|_| hidden.finding == HiddenFinding::Interleaved);
    let reason = of_lines.map(line_reason).or_else(|| hidden.pages.found.reasons.first().map(page_reason));
    let name = name(hidden.finding);
    reason.map_or_else(|| name.to_owned(), |reason| format!("{name}: {reason}"))
}

const fn name(finding: HiddenFinding) -> &'static str {
    match finding {
        HiddenFinding::Found => "found",
        HiddenFinding::Interleaved => "interleaved",
        HiddenFinding::None => "none",
        HiddenFinding::Undetermined => "undetermined",
    }
}

/// Kinds of pages as CSV, in nanoseconds.
fn csv(survey: &Survey) -> String {
    let Some(hidden) = &survey.hidden else { return String::new() };
    let kind = |cell: &Cell| {
        let kind = hidden.pages.kinds.get(cell.column);
        let address = |end: usize| kind.and_then(|kind| kind.address_bytes).map(|bytes| bytes[end].to_string());
        [
            name(hidden.finding).to_owned(),
            kind.map(|kind| kind.share.to_string()).unwrap_or_default(),
            address(0).unwrap_or_default(),
            address(1).unwrap_or_default(),
        ]
    };
    cells(&hidden.matrix, ["finding", "share", "lowest_address_bytes", "highest_address_bytes"], "ns", kind)
}
