//! How far CPUs are from each other: a map for each exchange, its CPUs in an order that shows who
//! belongs together.

use std::collections::BTreeMap;

use nearfar_draw::{Heading, HeatCell, HeatMap};
use nearfar_model::CpuId;
use nearfar_survey::{Cell, CoreToCore, ExchangeTreatment};

use super::reasons::reason;
use crate::groups::kinds;
use crate::pictures::changes::{self, Changes};
use crate::pictures::figures::{heat_cell, too_large};
use crate::pictures::shown::{Drawn, Shown};

/// A map for each exchange and home that has figures.
pub(super) fn draw(pairs: &CoreToCore, changes: Option<&Changes<'_>>) -> Shown {
    if let Some(why) = too_large(&pairs.part.matrix) {
        return Shown::default().remark(why);
    }
    let order = order(pairs);
    let maps =
        pairs.part.treatments.iter().filter_map(|exchange| map(pairs, &order, exchange, changes));
    Shown::of(maps.map(Drawn::Map), pairs.undetermined.iter().map(reason))
}

/// Indexes of the matrix's CPUs: by package, cache group and core as they were found, then by
/// number.
fn order(pairs: &CoreToCore) -> Vec<usize> {
    let places = kinds(&pairs.structure).map(|(_, groups)| -> BTreeMap<CpuId, usize> {
        groups
            .iter()
            .enumerate()
            .flat_map(|(at, group)| group.cpus.iter().map(move |cpu| (cpu, at)))
            .collect()
    });
    let rows = &pairs.part.matrix.rows;
    let key = |index: usize| {
        let cpu = rows[index].cpus.first();
        (
            places
                .each_ref()
                .map(|places| cpu.and_then(|cpu| places.get(&cpu).copied()).unwrap_or(usize::MAX)),
            cpu,
        )
    };
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_cached_key(|&index| key(index));
    order
}

fn map(
    pairs: &CoreToCore,
    order: &[usize],
    exchange: &ExchangeTreatment,
    changes: Option<&Changes<'_>>,
) -> Option<HeatMap> {
    let mut by_place: BTreeMap<(usize, usize), &Cell<ExchangeTreatment>> = BTreeMap::new();
    for cell in pairs
        .part
        .matrix
        .cells
        .iter()
        .filter(|cell| cell.treatment == *exchange && cell.median.is_some())
    {
        by_place.entry((cell.row, cell.column)).or_insert(cell);
        // A hand-over goes to and fro: half a round trip is the same both ways.
        if exchange.state == "handoff" {
            by_place.entry((cell.column, cell.row)).or_insert(cell);
        }
    }
    if by_place.is_empty() {
        return None;
    }
    let label =
        |index: &usize| pairs.part.matrix.rows[*index].label.trim_start_matches("CPU ").to_owned();
    let heat = |row: usize, column: usize| {
        by_place.get(&(row, column)).map(|cell| heat(pairs, cell, changes))
    };
    let names: Vec<String> = order.iter().map(label).collect();
    Some(HeatMap {
        heading: Heading::new(title(exchange), description(pairs, exchange, changes.is_some())),
        unit: pairs.part.matrix.unit.symbol().to_owned(),
        row_axis: if exchange.state == "handoff" { "CPU" } else { "CPU that reads" }.to_owned(),
        column_axis: if exchange.state == "handoff" { "CPU" } else { "CPU that wrote" }.to_owned(),
        rows: names.clone(),
        columns: names,
        cells: order
            .iter()
            .map(|&row| order.iter().map(|&column| heat(row, column)).collect())
            .collect(),
        ..HeatMap::default()
    })
}

fn heat(
    pairs: &CoreToCore,
    cell: &Cell<ExchangeTreatment>,
    changes: Option<&Changes<'_>>,
) -> HeatCell {
    let mut shown = heat_cell(cell, pairs.part.matrix.unit).unwrap_or_default();
    if let Some(changes) = changes {
        let label = |index: usize| pairs.part.matrix.row_label(index).unwrap_or_default();
        let with =
            [("home", cell.treatment.home.as_str()), ("state", cell.treatment.state.as_str())];
        changes::mark(
            &mut shown,
            changes.find("core-to-core", label(cell.row), label(cell.column), &with),
        );
    }
    shown
}

fn title(exchange: &ExchangeTreatment) -> String {
    let what = match exchange.state.as_str() {
        "handoff" => "Hand-over of a line",
        "modified" => "Reading a modified line",
        "clean" => "Reading a clean line",
        other => other,
    };
    match exchange.home.as_str() {
        "any" => format!("{what}, ns"),
        home => format!("{what} of the {home}'s memory, ns"),
    }
}

fn description(pairs: &CoreToCore, exchange: &ExchangeTreatment, compared: bool) -> String {
    let what = match exchange.state.as_str() {
        "handoff" => "Median of one way of a compare-and-swap to and fro between two CPUs",
        _ => "Median cost of a load of a line that another CPU holds",
    };
    let framed = if compared { " Framed: changed for real against the first survey." } else { "" };
    format!(
        "{what}; {} of {} pairs were measured. CPUs stand in the order of the packages, cache \
         groups and cores that these costs show. Beneath, where there is room: half of the 95 % \
         interval.{framed}",
        pairs.measured_pairs, pairs.all_pairs
    )
}
