//! Core to core: the pairs of a small machine, what pairs of a large one cost by what they share, exchanges and homes, and who shares what.

mod picture;
mod reasons;

use std::collections::BTreeMap;

use nearfar_infer::core_to_core::{CostClass, Shares};
use nearfar_survey::{Cell, CoreToCore, Exchanging, Survey};
use nearfar_terminal::table::{Align, Table};

use super::InstrumentView;
use crate::count::count;
use crate::groups::{MOST_GROUPS, classes, listed, misclaimed};
use crate::paragraph;
use crate::survey::cell::cell_text;
use crate::survey::csv::cells;
use reasons::reason;

pub(super) const VIEW: InstrumentView = InstrumentView {
    text,
    in_short: text,
    answer: |survey| survey.core_to_core.as_ref().and_then(answer_of),
    csv,
    title: "How far CPUs are from each other",
    draw: picture::draw,
};

/// Machines of so many CPUs are shown pair by pair.
const MOST_CPUS: usize = 16;

/// The tables; nothing where it was not measured.
fn text(survey: &Survey) -> String {
    let Some(pairs) = &survey.core_to_core else { return String::new() };
    let parts = [matrix(pairs), classes(&pairs.classes), exchanges(pairs), structure(pairs), remarks(pairs)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn matrix(pairs: &CoreToCore) -> String {
    let cpus = &pairs.part.matrix.rows;
    let Some(explored) = pairs.part.treatments.first() else { return String::new() };
    if !(2..=MOST_CPUS).contains(&cpus.len()) {
        return String::new();
    }
    let mut table = Table::default();
    table.line([String::new()].into_iter().chain(cpus.iter().skip(1).map(|cpu| cpu.label.clone())));
    for (row, cpu) in cpus.iter().enumerate().take(cpus.len().saturating_sub(1)) {
        let figure = |column: usize| match column > row {
            true => either_way(pairs, row, column, explored).map_or_else(|| "-".to_owned(), figure),
            false => String::new(),
        };
        table.line([cpu.label.clone()].into_iter().chain((1..cpus.len()).map(figure)));
    }
    format!(
        "core to core, ns one way by compare-and-swap (median ± 95 %)\n{}",
        table.text(&[Align::Left, Align::Right])
    )
}

/// A pair as it was explored: whichever of the two went first.
fn either_way<'p>(pairs: &'p CoreToCore, a: usize, b: usize, treatment: &Exchanging) -> Option<&'p Cell<Exchanging>> {
    pairs.part.cell(a, b, treatment).or_else(|| pairs.part.cell(b, a, treatment))
}

fn figure(cell: &Cell<Exchanging>) -> String {
    cell_text(cell)
}

/// By exchange and home, over the pairs that were asked for all: within a group and between groups.
fn exchanges(pairs: &CoreToCore) -> String {
    let mut by_pair: BTreeMap<(usize, usize), Vec<&Cell<Exchanging>>> = BTreeMap::new();
    for cell in pairs.part.matrix.cells.iter().filter(|cell| cell.median.is_some()) {
        by_pair.entry((cell.row, cell.column)).or_default().push(cell);
    }
    let asked: Vec<_> = by_pair.into_iter().filter(|(_, cells)| cells.len() > 1).collect();
    if asked.is_empty() {
        return String::new();
    }
    let mut table = Table::default();
    let head = pairs.part.treatments.iter().map(|treatment| format!("{}, {}", treatment.state, treatment.home));
    table.line([String::new()].into_iter().chain(head));
    for ((row, column), cells) in asked.iter().take(2 * MOST_GROUPS) {
        let of = |treatment: &Exchanging| {
            cells.iter().find(|cell| cell.treatment == *treatment).map_or_else(|| "-".to_owned(), |cell| figure(cell))
        };
        let name = format!("{} from {}", pairs.part.matrix.rows[*row].label, pairs.part.matrix.columns[*column].label);
        table.line([name].into_iter().chain(pairs.part.treatments.iter().map(of)));
    }
    format!("by exchange and the line's home, ns\n{}", table.text(&[Align::Left, Align::Right]))
}

fn structure(pairs: &CoreToCore) -> String {
    let mut text = String::new();
    for (name, groups) in [
        ("packages", &pairs.structure.packages),
        ("cache groups", &pairs.structure.cache_groups),
        ("cores with several CPUs", &pairs.structure.smt_pairs),
    ] {
        if !groups.is_empty() {
            text.push_str(&paragraph::of(&listed(groups), &format!("{name}: "), ""));
        }
    }
    let measured = format!("{} of {} pairs measured", pairs.measured_pairs, pairs.all_pairs);
    let checked = pairs.wrong_pairs_below.filter(|_| pairs.checks > 0).map_or_else(String::new, |share| {
        format!(
            "; {} drawn at random checked: fewer than {:.1} % of all pairs cost otherwise (95 %)",
            pairs.checks,
            100.0 * share
        )
    });
    text + &format!("{measured}{checked}\n")
}

fn remarks(pairs: &CoreToCore) -> String {
    let wrong = pairs.contradictions.iter().map(misclaimed);
    let unmeasured =
        pairs.not_measured.iter().map(|(why, times)| format!("{} without a number: {why}", count(*times, "time")));
    let all = wrong.chain(unmeasured).chain(pairs.cannot_tell.iter().map(reason));
    all.map(|remark| paragraph::of(&remark, "-  ", "   ")).collect()
}

/// What pairs cost by what they share.
fn answer_of(pairs: &CoreToCore) -> Option<String> {
    let class = |class: &CostClass| match class.shares {
        Shares::Machine => format!("{:.0} ns across the machine", class.median_ns),
        Shares::Unnamed => format!("{:.0} ns", class.median_ns),
        shares => format!("{:.0} ns within a {}", class.median_ns, shares.name()),
    };
    let classes: Vec<String> = pairs.classes.iter().map(class).collect();
    (!classes.is_empty()).then(|| format!("{}, one way", classes.join(", ")))
}

/// Pairs of CPUs as CSV, in nanoseconds one way.
fn csv(survey: &Survey) -> String {
    let Some(pairs) = &survey.core_to_core else { return String::new() };
    let treatment = |cell: &Cell<Exchanging>| [cell.treatment.state.clone(), cell.treatment.home.clone()];
    cells(&pairs.part.matrix, ["state", "home"], "ns", treatment)
}
