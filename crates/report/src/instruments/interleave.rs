//! Interleaving: the best weights first and what they gain, then everything that was tried, then what a load costs.

mod picture;

use nearfar_survey::{BestSpread, Cell, Interleave, Part, SpreadLoad, SpreadStream, Survey};
use nearfar_terminal::printable::line;
use nearfar_terminal::table::{Align, Table};

use super::InstrumentView;
use crate::count::count;
use crate::paragraph;
use crate::short_list::{IN_A_TABLE, short_list};
use crate::survey::cell::{cell_text, rate_decimals, with_spread};
use crate::survey::csv::cells;
use crate::survey::unmeasured::Reasons;

pub(super) const VIEW: InstrumentView = InstrumentView {
    text,
    in_short: text,
    answer: |survey| survey.interleave.as_ref().and_then(answer_of),
    csv,
    title: "What spreading memory gives",
    draw: |survey, _| picture::draw(survey),
};

/// A gigabyte: ten to the ninth bytes, as memory's makers count.
const GB: f64 = 1e9;
/// Weights listed as equally good.
const MOST_AS_GOOD: usize = 6;
/// Weights in a table.
const MOST_WEIGHTS: usize = 16;
/// Tables are no wider, unless one column of figures is.
const WIDTH: usize = 120;
/// Of a figure: "1234.5 ±>100 %".
const FIGURE: usize = 14;

/// The tables; nothing where it was not measured.
fn text(survey: &Survey) -> String {
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

/// What a load costs: a row for each weights, the cheapest first, a column for each group of CPUs. Those that no group has a figure of are counted.
fn loads(part: &Part<SpreadLoad>) -> String {
    let rows = &part.matrix.rows;
    let is_shown = |row: &usize| part.matrix.cells.iter().any(|cell| cell.row == *row && cell.median.is_some());
    let shown: Vec<usize> = (0..rows.len()).filter(is_shown).collect();
    let least = |load: &SpreadLoad| {
        let medians = shown.iter().filter_map(|&row| part.cell(row, 0, load)?.median);
        medians.reduce(f64::min)
    };
    let mut loads: Vec<(f64, &SpreadLoad)> =
        part.treatments.iter().filter_map(|load| Some((least(load)?, load))).collect();
    loads.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut text = "latency of spread memory, ns (median ± 95 %)\n".to_owned();
    for some in shown.chunks(beside_each_other(part, &shown)) {
        let mut table = Table::default();
        table.line(["weights".to_owned()].into_iter().chain(some.iter().map(|&row| rows[row].label.clone())));
        let cpus = some.iter().map(|&row| short_list(&rows[row].cpus, IN_A_TABLE));
        table.line(["CPUs".to_owned()].into_iter().chain(cpus));
        for (_, load) in &loads {
            let figure = |row: &usize| part.cell(*row, 0, load).map_or_else(|| "-".to_owned(), cell_text);
            table.line([load.weights.clone()].into_iter().chain(some.iter().map(figure)));
        }
        text.push_str(&table.text(&[Align::Left, Align::Right]));
    }
    match part.treatments.len() - loads.len() {
        0 => text,
        empty => text + &format!("{} without a figure\n", count(empty, "spread")),
    }
}

/// How many of these rows' figures stand beside the widest weights.
fn beside_each_other(part: &Part<SpreadLoad>, shown: &[usize]) -> usize {
    let weights = part.treatments.iter().map(|load| load.weights.chars().count()).max().unwrap_or(0);
    let of_row = |&row: &usize| {
        let row = &part.matrix.rows[row];
        row.label.chars().count().max(short_list(&row.cpus, IN_A_TABLE).len()).max(FIGURE)
    };
    let widest = shown.iter().map(of_row).max().unwrap_or(FIGURE);
    (WIDTH.saturating_sub(weights) / (widest + 2)).max(1)
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
    with_spread(median / GB, (median - low).max(high - median) / GB, rate_decimals(median / GB))
}

fn reasons(spread: &Interleave) -> String {
    let mut reasons = Reasons::default();
    spread.bandwidth.iter().for_each(|part| reasons.add(&part.matrix.cells));
    spread.latency.iter().for_each(|part| reasons.add(&part.matrix.cells));
    reasons.text()
}

/// The best weights for reading, or why there are none.
fn answer_of(spread: &Interleave) -> Option<String> {
    let best = spread.best.first().map(|best| {
        let gain = best.one_node_bytes_per_s.map(|alone| format!(", the best node alone {:.1}", alone / GB));
        format!(
            "{} best at {}: {:.1} GB/s{}",
            best.kernel,
            best.weights,
            best.bytes_per_s / GB,
            gain.unwrap_or_default()
        )
    });
    best.or_else(|| spread.why.clone())
}

/// Spread memory as CSV: streams in bytes a second, then loads in nanoseconds under a header of their own.
fn csv(survey: &Survey) -> String {
    let Some(spread) = &survey.interleave else { return String::new() };
    let stream = |cell: &Cell<SpreadStream>| [cell.treatment.weights.clone(), cell.treatment.kernel.clone()];
    let load = |cell: &Cell<SpreadLoad>| [cell.treatment.weights.clone(), cell.treatment.kernel.clone()];
    let names = ["weights", "kernel"];
    let streams = spread.bandwidth.as_ref().map(|streams| cells(&streams.matrix, names, "bytes_per_s", stream));
    let loads = spread.latency.as_ref().map(|loads| cells(&loads.matrix, names, "ns", load));
    streams.into_iter().chain(loads).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nearfar_model::{CpuSet, NodeId};
    use nearfar_survey::{Column, Matrix, Row};

    use super::*;

    /// Every pair of so many nodes, and all in turn; of those whose first node is 0, nobody could measure any.
    fn spread(nodes: usize) -> Part<SpreadLoad> {
        let weights = |of: &dyn Fn(usize) -> bool| {
            let used = (0..nodes).filter(|&node| of(node));
            used.map(|node| format!("{node}=16")).collect::<Vec<_>>().join(",")
        };
        let pairs = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
        let mut all: Vec<String> = pairs.map(|(a, b)| weights(&|node| node == a || node == b)).collect();
        all.push(weights(&|_| true));
        let treatments: Vec<SpreadLoad> =
            all.into_iter().map(|weights| SpreadLoad { weights, kernel: "latency".to_owned() }).collect();
        let cpus = |row: usize| CpuSet::parse_list(&format!("{}-{},{0}", 24 * row, 24 * row + 23)).unwrap();
        let cell = |row: usize, at: usize| {
            let is_empty = treatments[at].weights.starts_with("0=") && at + 1 < treatments.len();
            let median = (!is_empty).then_some(300.0 - at as f64 + row as f64);
            Cell {
                row,
                column: 0,
                cpus: cpus(row),
                node: None,
                treatment: treatments[at].clone(),
                q25: median,
                median,
                se: None,
                ci95: median.map(|ns| [ns - 3.0, ns + 3.0]),
                traffic_bytes_per_s: None,
                samples: 9,
                dropped: BTreeMap::new(),
                why: None,
            }
        };
        let row = |row: usize| Row {
            label: format!("node {row}"),
            cpus: cpus(row),
            node: Some(NodeId(row as u32)),
            ghz: None,
            wander: None,
        };
        let matrix = Matrix {
            probe: "interleave".to_owned(),
            unit: "ns".to_owned(),
            rows: (0..nodes).map(row).collect(),
            columns: vec![Column { label: "spread".to_owned(), node: None, pages: 1, backing: None }],
            cells: (0..nodes)
                .flat_map(|row| (0..treatments.len()).map(move |at| (row, at)))
                .map(|(r, at)| cell(r, at))
                .collect(),
        };
        Part { matrix, treatments: treatments.clone(), samples: None }
    }

    #[test]
    fn what_loads_cost_on_eight_nodes_is_no_wider_than_a_screen() {
        let text = loads(&spread(8));
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= WIDTH, "{widest}\n{text}");
        // 22 of 29 have figures, in two tables of four and four groups, or so.
        let tables = text.lines().filter(|line| line.starts_with("weights ")).count();
        assert_eq!(text.lines().filter(|line| line.contains('=')).count(), 22 * tables, "{text}");
        assert!(text.ends_with("\n7 spreads without a figure\n"), "{text}");
        let figures: usize = text.matches('±').count() - 1;
        assert_eq!(figures, 22 * 8, "every group has a figure of each");
    }

    #[test]
    fn the_cheapest_spread_comes_first() {
        let text = loads(&spread(3));
        let first = text.lines().find(|line| line.contains('=')).unwrap();
        assert!(first.starts_with("0=16,1=16,2=16 "), "{text}");
    }
}
