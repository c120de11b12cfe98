//! Interleaving: the best weights first and what they gain, then everything that was tried, then what a load costs.

use nearfar_survey::{BestSpread, Cell, Interleave, Part, SpreadLoad, SpreadStream, Survey};

use super::cell::{cell_text, with_spread};
use super::unmeasured::Reasons;
use crate::paragraph;
use crate::printable::line;
use crate::short_list::{IN_A_TABLE, short_list};
use crate::table::{Align, Table};

/// A gigabyte: ten to the ninth bytes, as memory's makers count.
const GB: f64 = 1e9;
/// Weights listed as equally good.
const MOST_AS_GOOD: usize = 6;
/// Weights in a table.
const MOST_WEIGHTS: usize = 16;

/// The tables; nothing where it was not measured.
pub(super) fn text(survey: &Survey) -> String {
    let Some(spread) = &survey.interleave else { return String::new() };
    if let Some(why) = &spread.why {
        return paragraph::of(&line(why), "interleave: ", "");
    }
    let streams = spread.bandwidth.as_ref().map(|part| streams(spread, part)).unwrap_or_default();
    let loads = spread.latency.as_ref().map(loads).unwrap_or_default();
    let parts = [answers(spread), streams, loads, reasons(spread)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Which weights are best, and how to have them.
fn answers(spread: &Interleave) -> String {
    spread.best.iter().map(|best| answer(spread, best)).collect()
}

fn answer(spread: &Interleave, best: &BestSpread) -> String {
    let row = spread.bandwidth.as_ref().and_then(|part| part.matrix.rows.get(best.row));
    let who = row.map_or_else(String::new, |row| format!(" from {}", row.label));
    let mut said = format!("best at {}: {:.1} GB/s", best.weights, best.bytes_per_s / GB);
    let beside = [
        ("all nodes in turn", best.equal_bytes_per_s),
        ("the kernel's weights", best.kernel_weights_bytes_per_s),
        ("the best node alone", best.one_node_bytes_per_s),
    ];
    for (name, rate) in beside.into_iter().filter_map(|(name, rate)| Some((name, rate?))) {
        said.push_str(&format!("; {name} {:.1}", rate / GB));
    }
    said.push('.');
    if !best.as_good.is_empty() {
        let listed: Vec<&str> = best.as_good.iter().take(MOST_AS_GOOD).map(String::as_str).collect();
        let more = if best.as_good.len() > MOST_AS_GOOD { " and others" } else { "" };
        said.push_str(&format!(" Not told from it: {}{more}.", listed.join("; ")));
    }
    let how = match &best.set_by {
        Some(set_by) => format!("{set_by} (as root), then {}", best.run_by),
        None => best.run_by.clone(),
    };
    paragraph::of(&line(&format!("{said} To have it: {how}")), &format!("{}{who}: ", best.kernel), "")
}

/// Each row's weights, the best first; a column for each kernel.
fn streams(spread: &Interleave, part: &Part<SpreadStream>) -> String {
    let mut text = String::new();
    for (index, row) in part.matrix.rows.iter().enumerate() {
        let of_row: Vec<&Cell<SpreadStream>> = part.matrix.cells.iter().filter(|cell| cell.row == index).collect();
        let mut kernels: Vec<&str> = Vec::new();
        let mut weights: Vec<&str> = Vec::new();
        for cell in &of_row {
            add(&mut kernels, &cell.treatment.kernel);
            add(&mut weights, &cell.treatment.weights);
        }
        if of_row.is_empty() {
            continue;
        }
        let find = |weights: &str, kernel: &str| {
            let is = |cell: &&&Cell<SpreadStream>| cell.treatment.weights == weights && cell.treatment.kernel == kernel;
            of_row.iter().find(is).copied()
        };
        let most = |weights: &str| find(weights, kernels[0]).and_then(|cell| cell.median).unwrap_or(0.0);
        weights.sort_by(|a, b| most(b).total_cmp(&most(a)));
        let mut table = Table::default();
        table.line(["weights".to_owned()].into_iter().chain(kernels.iter().map(|kernel| (*kernel).to_owned())));
        for one in weights.iter().take(MOST_WEIGHTS) {
            let figures = kernels.iter().map(|kernel| find(one, kernel).map_or_else(|| "-".to_owned(), rate));
            table.line([(*one).to_owned()].into_iter().chain(figures));
        }
        let cpus = short_list(&row.cpus, IN_A_TABLE);
        let isa = spread.isa.as_deref().unwrap_or_default();
        let title = format!("{} ({cpus}) together, GB/s (median ± 95 %), {isa}", row.label);
        text.push_str(&format!("{}\n{}", line(&title), table.text(&[Align::Left, Align::Right])));
        if let Some(more @ 1..) = weights.len().checked_sub(MOST_WEIGHTS) {
            text.push_str(&format!("and {more} more (--csv)\n"));
        }
    }
    text
}

/// What a load costs: a row for each group of CPUs, a column for each weights.
fn loads(part: &Part<SpreadLoad>) -> String {
    let mut table = Table::default();
    let names = part.treatments.iter().map(|treatment| treatment.weights.clone());
    table.line([String::new(), "CPUs".to_owned()].into_iter().chain(names));
    for (index, row) in part.matrix.rows.iter().enumerate() {
        if !part.matrix.cells.iter().any(|cell| cell.row == index) {
            continue;
        }
        let figures = part
            .treatments
            .iter()
            .map(|treatment| part.cell(index, 0, treatment).map_or_else(|| "-".to_owned(), cell_text));
        table.line([row.label.clone(), short_list(&row.cpus, IN_A_TABLE)].into_iter().chain(figures));
    }
    format!("latency of spread memory, ns (median ± 95 %)\n{}", table.text(&[Align::Left, Align::Left, Align::Right]))
}

fn add<'n>(names: &mut Vec<&'n str>, name: &'n str) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// "34.6 ±0.4".
fn rate(cell: &Cell<SpreadStream>) -> String {
    let Some(median) = cell.median else { return "-".to_owned() };
    let Some([low, high]) = cell.ci95 else { return format!("{:.1}", median / GB) };
    with_spread(median / GB, (median - low).max(high - median) / GB, 1)
}

fn reasons(spread: &Interleave) -> String {
    let mut reasons = Reasons::default();
    spread.bandwidth.iter().for_each(|part| reasons.add(&part.matrix.cells));
    spread.latency.iter().for_each(|part| reasons.add(&part.matrix.cells));
    reasons.text()
}
