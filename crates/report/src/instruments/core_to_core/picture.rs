//! Core to core: a map for each exchange, its CPUs in an order that shows which
//! belong together.

use std::collections::BTreeMap;

use nearfar_infer::core_to_core::PairCost;
use nearfar_model::CpuId;
use nearfar_survey::{CoreToCore, ExchangeTreatment, LevelPair, MatrixCell};
use nearfar_view::draw::{Heading, HeatCell, HeatMap};

use super::reasons::reason;
use crate::groups::kinds;
use crate::pictures::changes;
use crate::pictures::figures::{BENEATH_NOTE, heat_cell, is_undetermined, too_large};
use crate::pictures::options::PictureOptions;
use crate::pictures::survey_pictures::{Shades, SurveyPicture, SurveyPictures};

/// Replaces maps that would have no colour.
const ALL_UNDETERMINED: &str =
    "All pairs are undetermined: each margin of error (95 %) exceeds the median.";

/// What the order of the CPUs is, where costs show groups.
const ORDER: &str =
    "CPUs stand in the order of the packages, cache groups and cores that costs show.";

/// CPUs whose cells have texts; of more, tiles are drawn.
pub(crate) const MAX_WITH_TEXTS: usize = 256;

/// A map for each exchange and home that has figures.
pub(crate) fn draw(pairs: &CoreToCore, options: &PictureOptions<'_>) -> SurveyPictures {
    if let Some(why) = too_large(&pairs.part.matrix) {
        return SurveyPictures::default().with_note(why);
    }
    let mut measured =
        pairs.part.matrix.cells.iter().filter(|cell| cell.median.is_some()).peekable();
    if measured.peek().is_some() && measured.all(is_undetermined) {
        return SurveyPictures::default().with_note(ALL_UNDETERMINED.to_owned());
    }
    if options.changes.is_none() && pairs.part.matrix.rows.len() > MAX_WITH_TEXTS {
        return draw_many(pairs);
    }
    let levels = pairs.part.level_pairs(options.seed);
    let maker = MapMaker { pairs, options, levels, order: order(pairs) };
    let maps = pairs.part.treatments.iter().filter_map(|exchange| maker.map(exchange));
    let pictures = maps.map(|map| SurveyPicture::Map(map, Shades::Steps(steps(pairs))));
    SurveyPictures::new(pictures, pairs.undetermined.iter().map(reason))
}

/// What pairs cost by what they share.
fn steps(pairs: &CoreToCore) -> Vec<f64> {
    pairs.classes.iter().map(|class| class.median_ns).collect()
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

struct MapMaker<'p> {
    pairs: &'p CoreToCore,
    options: &'p PictureOptions<'p>,
    /// Cells with two typical values, by their index.
    levels: BTreeMap<usize, LevelPair>,
    /// The matrix's rows, and columns, as they are drawn.
    order: Vec<usize>,
}

impl MapMaker<'_> {
    fn map(&self, exchange: &ExchangeTreatment) -> Option<HeatMap> {
        let matrix = &self.pairs.part.matrix;
        let mut by_place: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let cells = matrix.cells.iter().enumerate();
        for (index, cell) in
            cells.filter(|(_, cell)| cell.treatment == *exchange && cell.median.is_some())
        {
            by_place.entry((cell.row, cell.column)).or_insert(index);
            // Half a round trip is the same in both directions.
            if !is_load(exchange) {
                by_place.entry((cell.column, cell.row)).or_insert(index);
            }
        }
        if by_place.is_empty() {
            return None;
        }
        let heat = |row: usize, column: usize| Some(self.heat(*by_place.get(&(row, column))?));
        let row = |&row: &usize| self.order.iter().map(|&column| heat(row, column)).collect();
        Some(HeatMap {
            cells: self.order.iter().map(row).collect(),
            beneath_note: BENEATH_NOTE.to_owned(),
            mark_note: changes::MARK_NOTE.to_owned(),
            ..empty_map(self.pairs, exchange, &self.order)
        })
    }

    fn heat(&self, index: usize) -> HeatCell {
        let matrix = &self.pairs.part.matrix;
        let cell: &MatrixCell<ExchangeTreatment> = &matrix.cells[index];
        let mut shown = heat_cell(cell, matrix.unit, self.levels.get(&index)).unwrap_or_default();
        if let Some(changes) = self.options.changes {
            let label = |index: usize| matrix.row_label(index).unwrap_or_default();
            let with =
                [("home", cell.treatment.home.as_str()), ("state", cell.treatment.state.as_str())];
            let (row, column) = (label(cell.row), label(cell.column));
            changes::mark(&mut shown, changes.find("core-to-core", row, column, &with));
        }
        shown
    }
}

/// A map with names, and nothing in it yet.
fn empty_map(pairs: &CoreToCore, exchange: &ExchangeTreatment, order: &[usize]) -> HeatMap {
    let matrix = &pairs.part.matrix;
    let names: Vec<String> =
        order.iter().map(|index| matrix.rows[*index].cpus.to_string()).collect();
    let axes = if is_load(exchange) { ["CPU that reads", "CPU that wrote"] } else { ["CPU"; 2] };
    let is_ordered = kinds(&pairs.structure).iter().any(|(_, groups)| !groups.is_empty());
    let order = is_ordered.then_some(ORDER);
    HeatMap {
        heading: Heading::with_marks(title(exchange), shows(pairs, exchange), order),
        unit: matrix.unit.symbol().to_owned(),
        row_axis: axes[0].to_owned(),
        column_axis: axes[1].to_owned(),
        rows: names.clone(),
        columns: names,
        ..HeatMap::default()
    }
}

/// Maps of more CPUs than are drawn one by one: values alone, since a text for each cell takes a
/// gigabyte.
fn draw_many(pairs: &CoreToCore) -> SurveyPictures {
    let unit = pairs.part.matrix.unit;
    let maps = pairs.part.treatments.iter().filter_map(|exchange| {
        let cells = pairs.part.matrix.cells.iter();
        let cells = cells.filter(|cell| cell.treatment == *exchange && !is_undetermined(cell));
        let figures = cells.filter_map(|cell| Some(((cell.row, cell.column), cell.median?)));
        map_of_many(pairs, exchange, figures.map(|(place, value)| (place, unit.shown(value))))
    });
    let pictures = maps.map(|map| SurveyPicture::Map(map, Shades::Steps(steps(pairs))));
    SurveyPictures::new(pictures, pairs.undetermined.iter().map(reason))
}

/// The map of these costs, whose pairs are no cells of the matrix.
pub(crate) fn draw_costs(pairs: &CoreToCore, costs: &[PairCost]) -> SurveyPictures {
    let figures = || costs.iter().map(|pair| (pair.cpus, pair.cost.median_ns));
    let maps =
        pairs.part.treatments.iter().filter_map(|exchange| map_of_many(pairs, exchange, figures()));
    let pictures = maps.map(|map| SurveyPicture::Map(map, Shades::Steps(steps(pairs))));
    SurveyPictures::new(pictures, pairs.undetermined.iter().map(reason))
}

fn map_of_many(
    pairs: &CoreToCore,
    exchange: &ExchangeTreatment,
    figures: impl Iterator<Item = ((usize, usize), f64)>,
) -> Option<HeatMap> {
    let order = order(pairs);
    let mut drawn_at = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(&index, at)| drawn_at[index] = at);
    let mut rows = vec![vec![f64::NAN; order.len()]; order.len()];
    let mut put = |row: usize, column: usize, value: f64| {
        let place = &mut rows[drawn_at[row]][drawn_at[column]];
        *place = if place.is_nan() { value } else { *place };
    };
    let mut is_empty = true;
    for ((row, column), value) in figures {
        is_empty = false;
        put(row, column, value);
        if !is_load(exchange) {
            put(column, row, value);
        }
    }
    let map = HeatMap { figures: rows, ..empty_map(pairs, exchange, &order) };
    (!is_empty).then_some(map)
}

/// Whether one CPU loads what another holds; else both take turns.
fn is_load(exchange: &ExchangeTreatment) -> bool {
    ["modified", "clean"].contains(&exchange.state.as_str())
}

fn title(exchange: &ExchangeTreatment) -> String {
    let what = match exchange.state.as_str() {
        "handoff" => "Handoff of a line",
        "modified" => "Reading a modified line",
        "clean" => "Reading a clean line",
        other => other,
    };
    match exchange.home.as_str() {
        "any" => format!("{what}, ns"),
        home => format!("{what} of the {home}'s memory, ns"),
    }
}

fn shows(pairs: &CoreToCore, exchange: &ExchangeTreatment) -> String {
    let what = match exchange.state.as_str() {
        "handoff" => "Median of one way of a compare-and-swap ping-pong between two CPUs",
        _ if is_load(exchange) => "Median cost of a load of a line that another CPU holds",
        _ => "What a line costs between two CPUs, as the file has it",
    };
    let (measured, all) = (pairs.measured_pairs, pairs.all_pairs);
    let cells = pairs.part.matrix.cells.iter().filter(|cell| cell.treatment == *exchange);
    let undetermined = match cells.filter(|cell| is_undetermined(cell)).count() {
        0 => String::new(),
        number => format!(", {number} undetermined"),
    };
    format!("{what}; {measured} of {all} pairs measured{undetermined}")
}
