//! Core to core: the pairs of a small machine, costs of a large one by what CPUs share, exchanges
//! and homes, and the groups that share something.

pub(crate) mod picture;
mod reasons;

use std::collections::BTreeMap;

use nearfar_infer::core_to_core::{CostClass, SharedLevel};
use nearfar_survey::{CoreToCore, ExchangeTreatment, MatrixCell};
use nearfar_view::terminal::table::{Align, headed};

use nearfar_view::text::count;
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::or_dash;
use nearfar_view::text::paragraph;

use super::PartView;
use crate::groups::{MAX_GROUPS, classes, kinds, listed, misclaimed};
use crate::survey::Verbosity;
use crate::survey::cell::{UNDETERMINED, cell_text};
use crate::survey::csv::cells;
use reasons::reason;

/// The most CPUs that are shown pair by pair.
const MAX_CPUS: usize = 16;

impl PartView for CoreToCore {
    fn sections(&self, verbosity: Verbosity) -> Vec<String> {
        let exchanges = exchanges(self);
        // The exchanges of the only pair contain its handoff.
        let is_repeated = only_pair(self).is_some() && !exchanges.is_empty();
        let is_only_pair = only_pair(self).is_some();
        vec![
            if is_only_pair { String::new() } else { classes(&self.classes) },
            if is_repeated { String::new() } else { matrix(self) },
            exchanges,
            structure(self, verbosity),
            remarks(self),
        ]
    }

    /// Costs by what CPUs share; of the only pair its cost, as the matrix shows it.
    fn answer(&self) -> Option<String> {
        if let Some(cell) = only_pair(self) {
            return Some(match cell_text(cell) {
                text if text == UNDETERMINED => match cell.ci95 {
                    Some([low, high]) => format!(
                        "{text}: the 95 % interval of the only pair is {low:.0} to {high:.0} ns"
                    ),
                    None => text,
                },
                text => format!("{text} ns between the only two CPUs, one way"),
            });
        }
        let class = |class: &CostClass| match class.shares {
            SharedLevel::Machine => format!("{:.0} ns across the machine", class.median_ns),
            SharedLevel::Unnamed => format!("{:.0} ns", class.median_ns),
            shares => format!("{:.0} ns within a {}", class.median_ns, shares.name()),
        };
        let classes: Vec<String> = self.classes.iter().map(class).collect();
        (!classes.is_empty()).then(|| format!("{}, one way", classes.join(", ")))
    }

    /// In nanoseconds one way.
    fn csv(&self) -> Vec<CsvTable<'_>> {
        let treatment = |cell: &MatrixCell<ExchangeTreatment>| {
            [cell.treatment.state.clone(), cell.treatment.home.clone()]
        };
        vec![cells(&self.part.matrix, "state,home", treatment)]
    }
}

/// The handoff of a machine with one pair of CPUs.
fn only_pair(pairs: &CoreToCore) -> Option<&MatrixCell<ExchangeTreatment>> {
    let handoff = pairs.part.treatments.first().filter(|_| pairs.all_pairs == 1)?;
    either_way(pairs, 0, 1, handoff)
}

fn matrix(pairs: &CoreToCore) -> String {
    let cpus = &pairs.part.matrix.rows;
    let Some(explored) = pairs.part.treatments.first() else { return String::new() };
    if !(2..=MAX_CPUS).contains(&cpus.len()) {
        return String::new();
    }
    let head = [""].into_iter().chain(cpus.iter().skip(1).map(|cpu| cpu.label.as_str()));
    let lines = cpus.iter().enumerate().take(cpus.len() - 1).map(|(row, cpu)| {
        let figure = move |column: usize| match column > row {
            true => or_dash(either_way(pairs, row, column, explored).map(cell_text)),
            false => String::new(),
        };
        [cpu.label.clone()].into_iter().chain((1..cpus.len()).map(figure))
    });
    let table = headed(head, lines, &[Align::Left, Align::Right]);
    let title = "core to core, ns one way by compare-and-swap (median ± 95 %)";
    paragraph::of(title, "", "  ") + &table
}

/// A pair, in either order.
fn either_way<'p>(
    pairs: &'p CoreToCore,
    a: usize,
    b: usize,
    treatment: &ExchangeTreatment,
) -> Option<&'p MatrixCell<ExchangeTreatment>> {
    pairs.part.cell(a, b, treatment).or_else(|| pairs.part.cell(b, a, treatment))
}

/// By exchange and home: pairs within a group and between groups.
fn exchanges(pairs: &CoreToCore) -> String {
    let mut by_pair: BTreeMap<(usize, usize), Vec<&MatrixCell<ExchangeTreatment>>> =
        BTreeMap::new();
    for cell in pairs.part.matrix.cells.iter().filter(|cell| cell.median.is_some()) {
        by_pair.entry((cell.row, cell.column)).or_default().push(cell);
    }
    by_pair.retain(|_, cells| cells.len() > 1);
    if by_pair.is_empty() {
        return String::new();
    }
    let treatments = &pairs.part.treatments;
    let head = treatments.iter().map(|treatment| match treatment.home.as_str() {
        "any" => treatment.state.clone(),
        home => format!("{}, line of {home}", treatment.state),
    });
    let lines = by_pair.iter().take(2 * MAX_GROUPS).map(|(&(row, column), cells)| {
        let of = move |treatment: &ExchangeTreatment| {
            cells.iter().copied().find(|cell| cell.treatment == *treatment)
        };
        let name = format!(
            "{} from {}",
            pairs.part.matrix.rows[row].label, pairs.part.matrix.columns[column].label
        );
        [name]
            .into_iter()
            .chain(treatments.iter().map(move |treatment| or_dash(of(treatment).map(cell_text))))
    });
    let table =
        headed([String::new()].into_iter().chain(head), lines, &[Align::Left, Align::Right]);
    paragraph::of("by kind of transfer, ns (median ± 95 %)", "", "  ") + &table
}

fn structure(pairs: &CoreToCore, verbosity: Verbosity) -> String {
    let found = kinds(&pairs.structure).into_iter().filter(|(_, groups)| !groups.is_empty());
    let text: String = found
        .map(|(kind, groups)| {
            paragraph::of(&listed(groups, verbosity), &format!("{}: ", kind.name()), "  ")
        })
        .collect();
    let mut basis = format!("{} of {} pairs measured", pairs.measured_pairs, pairs.all_pairs);
    if let Some(share) = pairs.wrong_pairs_below.filter(|_| pairs.checks > 0) {
        let (checks, percent) = (pairs.checks, 100.0 * share);
        basis += &format!(
            "; {checks} random pairs checked: fewer than {percent:.1} % of all pairs differ \
             (95 %)"
        );
    }
    text + &paragraph::of(&basis, "", "  ")
}

fn remarks(pairs: &CoreToCore) -> String {
    let wrong = pairs.contradictions.iter().map(misclaimed);
    let unmeasured = pairs
        .not_measured
        .iter()
        .map(|(why, times)| format!("{} without a number: {why}", count(*times, "time")));
    let all = wrong.chain(unmeasured).chain(pairs.undetermined.iter().map(reason));
    all.map(|remark| paragraph::remark(&remark)).collect()
}
