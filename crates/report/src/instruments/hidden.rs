//! Hidden nodes: the finding in a sentence, what each kind of pages costs each group of CPUs, and
//! why.

mod picture;
pub(crate) mod reasons;

use nearfar_survey::{Cell, Hidden, HiddenFinding, HiddenPages, Jump, PageKind};
use nearfar_terminal::table::{Align, headed};

use super::PartView;
use crate::optional::{or_dash, or_empty};
use crate::paragraph;
use crate::pictures::changes::Changes;
use crate::pictures::shown::Shown;
use crate::short_list::{IN_A_TABLE, short_list};
use crate::survey::cell::cell_text;
use crate::survey::csv::{cells, ends};
use reasons::{line_reason, page_reason, page_remedy};

impl PartView for Hidden {
    fn text(&self) -> String {
        let bold = anstyle::Style::new().bold();
        let head = format!("{bold}hidden nodes: {}.{bold:#} ", name(self.finding));
        let mut text = paragraph::of(&looked_at(self), &head, "  ") + &first_look(&self.pages);
        if !self.pages.kinds.is_empty() {
            text += &kinds(self);
        }
        let of_pages = self.pages.found.reasons.iter().map(page_reason);
        let of_lines = self
            .lines
            .found
            .reasons
            .iter()
            .filter(|_| self.finding != HiddenFinding::Found)
            .map(line_reason);
        text.extend(of_pages.chain(of_lines).map(|reason| paragraph::remark(&reason)));
        text.extend(self.timeline.jumps.iter().map(jump));
        if let Some(would_settle) = &self.pages.would_settle {
            text += &paragraph::of(&page_remedy(would_settle), "What would settle it: ", "   ");
        }
        text
    }

    /// The finding, with its first reason.
    fn answer(&self) -> Option<String> {
        let of_lines =
            self.lines.found.reasons.first().filter(|_| self.finding == HiddenFinding::Interleaved);
        let reason =
            of_lines.map(line_reason).or_else(|| self.pages.found.reasons.first().map(page_reason));
        let name = name(self.finding);
        Some(reason.map_or_else(|| name.to_owned(), |reason| format!("{name}: {reason}")))
    }

    /// Kinds of pages, in nanoseconds.
    fn csv(&self) -> String {
        let kind = |cell: &Cell| {
            let kind = self.pages.kinds.get(cell.column);
            let [low, high] = ends(kind.and_then(|kind| kind.address_bytes));
            [name(self.finding).to_owned(), or_empty(kind.map(|kind| kind.share)), low, high]
        };
        cells(&self.matrix, "finding,share,lowest_address_bytes,highest_address_bytes", kind)
    }

    fn draw(&self, _: Option<&Changes<'_>>) -> Shown {
        picture::draw(self)
    }
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
    format!(
        "{} pages of each process ({held} held, {span}), {} lines.",
        hidden.pages.measured, hidden.lines.measured
    )
}

/// What was held before, and that it was not enough.
fn first_look(pages: &HiddenPages) -> String {
    let Some(first) = &pages.first_look else { return String::new() };
    let (held, percent) = (gib(first.held_bytes), 100.0 * pages.share);
    paragraph::remark(&format!(
        "a first look held {held} and settled nothing, so this one held up to {percent:.0} % of \
         the free memory, and released it"
    ))
}

fn gib(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / 1_073_741_824.0)
}

/// A line for each group of CPUs, a column for each kind of pages.
fn kinds(hidden: &Hidden) -> String {
    let matrix = &hidden.matrix;
    let kinds = matrix.columns.iter().zip(&hidden.pages.kinds);
    let kinds = kinds.map(|(column, kind)| format!("{}, {}", column.label, share(kind)));
    let lines = matrix.rows.iter().enumerate().map(|(row, of_row)| {
        let figure = move |column: usize| or_dash(matrix.cell(row, column).map(cell_text));
        let head = [of_row.label.clone(), short_list(&of_row.cpus, IN_A_TABLE)];
        head.into_iter().chain((0..matrix.columns.len()).map(figure))
    });
    let head = ["ns", "CPUs"].map(str::to_owned).into_iter().chain(kinds);
    headed(head, lines, &[Align::Left, Align::Left, Align::Right])
}

/// "50 % of pages, 0.00 to 0.38 GiB".
fn share(kind: &PageKind) -> String {
    let where_it_is =
        kind.address_bytes.map(|[low, high]| format!(", {} to {}", gib(low), gib(high)));
    format!("{:.0} % of pages{}", 100.0 * kind.share, where_it_is.unwrap_or_default())
}

fn jump(jump: &Jump) -> String {
    let Jump { cpus, before_ns, after_ns, round, .. } = jump;
    format!(
        "-  CPU {cpus} jumped from {before_ns:.0} to {after_ns:.0} ns on one page in round \
         {round}: it was moved, or its speed changed\n"
    )
}

const fn name(finding: HiddenFinding) -> &'static str {
    match finding {
        HiddenFinding::Found => "found",
        HiddenFinding::Interleaved => "interleaved",
        HiddenFinding::None => "none",
        HiddenFinding::Undetermined => "undetermined",
    }
}
