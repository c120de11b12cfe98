//! Which cells of two surveys are the same: by labels and treatment, never by index.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_infer::changes::{Both, Known, changes};
use nearfar_model::Place;
use serde::Serialize;
use serde_json::Value;

use super::{CellChange, NotCompared, PartChanges};
use crate::{Cell, Matrix, Samples, Survey};

/// Every part that both have, and what cannot be compared.
pub(super) fn parts(first: &Survey, second: &Survey, between: f64) -> (Vec<PartChanges>, Vec<NotCompared>) {
    let [of_first, of_second] = [first, second].map(readable);
    let (mut both, mut not) = (Vec::new(), Vec::new());
    for mine in &of_first {
        let Some(other) = of_second.iter().find(|other| other.key == mine.key) else {
            not.push(NotCompared { part: mine.part.to_owned(), why: "only the first survey has it".to_owned() });
            continue;
        };
        match mine.unlike(other) {
            Some(why) => not.push(NotCompared { part: mine.part.to_owned(), why }),
            None => both.push(matched(mine, other, between)),
        }
    }
    let new = of_second.iter().filter(|other| !of_first.iter().any(|mine| mine.key == other.key));
    not.extend(
        new.map(|one| NotCompared { part: one.part.to_owned(), why: "only the second survey has it".to_owned() }),
    );
    (both, not)
}

/// Whether both measured it, in whatever way.
pub(super) fn is_in_both(first: &Survey, second: &Survey, part: &str) -> bool {
    [first, second].iter().all(|survey| survey.measured().contains(&part))
}

/// A part whose cells have names.
struct Named {
    part: &'static str,
    /// Tells streams from loads in spread memory.
    key: (&'static str, String),
    probe: String,
    /// In their order.
    cells: Vec<(Key, Figure)>,
    /// Labels, and what stands before them in words.
    labels: Vec<String>,
}

/// Row, column, treatment.
type Key = (String, String, BTreeMap<String, String>);

#[derive(Clone)]
struct Figure {
    median: Option<f64>,
    known: Option<Known>,
    row: usize,
    why: Option<String>,
}

impl Named {
    fn unlike(&self, other: &Self) -> Option<String> {
        let is_same = self.probe == other.probe;
        (!is_same).then(|| format!("the first used the probe {}, the second {}", self.probe, other.probe))
    }
}

fn readable(survey: &Survey) -> Vec<Named> {
    let mut found = Vec::new();
    let own = |instrument: &str| {
        let of = survey.provenance.instruments.iter().find(|run| run.instrument == instrument);
        of.map_or(survey.provenance.processes, |run| run.processes) as usize
    };
    if !survey.latency.cells.is_empty() {
        found.push(named("latency", &survey.latency, survey.samples.as_ref(), own("latency"), &[]));
    }
    if let Some(one) = &survey.bandwidth {
        found.push(of_part("bandwidth", &one.part, own("bandwidth")));
    }
    if let Some(one) = &survey.loaded {
        found.push(of_part("loaded", &one.part, own("loaded")));
    }
    if let Some(one) = &survey.core_to_core {
        let mut part = of_part("core-to-core", &one.part, own("core-to-core"));
        // What wanders is the machine's.
        part.cells.iter_mut().for_each(|(_, figure)| figure.row = 0);
        found.push(part);
    }
    if let Some(one) = &survey.caches {
        found.push(of_part("caches", &one.part, own("caches")));
    }
    if let Some(one) = &survey.interleave {
        found.extend(one.bandwidth.as_ref().map(|part| of_part("interleave", part, own("interleave"))));
        found.extend(one.latency.as_ref().map(|part| of_part("interleave", part, own("interleave"))));
    }
    found
}

fn of_part<T: Serialize>(name: &'static str, part: &crate::Part<T>, processes: usize) -> Named {
    let treatments: Vec<BTreeMap<String, Value>> = part.treatments.iter().map(words_of).collect();
    named(name, &part.matrix, part.samples.as_ref(), processes, &treatments)
}

fn words_of<T: Serialize>(treatment: &T) -> BTreeMap<String, Value> {
    serde_json::to_value(treatment).ok().and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

fn named<T: Serialize>(
    part: &'static str,
    matrix: &Matrix<T>,
    samples: Option<&Samples>,
    processes: usize,
    treatments: &[BTreeMap<String, Value>],
) -> Named {
    let by_place = samples.map(processes_by_place);
    let mut seen = BTreeSet::new();
    let mut cells = Vec::new();
    let mut labels = Vec::new();
    for cell in &matrix.cells {
        let (Some(row), Some(column)) = (matrix.rows.get(cell.row), matrix.columns.get(cell.column)) else { continue };
        let words = words_of(&cell.treatment);
        let at = treatments.iter().position(|known| *known == words).unwrap_or_default();
        let place = Place::new(cell.row, cell.column).with_treatment(at);
        let processes = by_place.as_ref().map_or(processes, |by_place| by_place.get(&place).copied().unwrap_or(0));
        let treatment = spelled(&words, matrix);
        labels.extend([format!("row {}", row.label), format!("column {}", column.label)]);
        labels.extend(treatment.iter().map(|(name, value)| format!("{name} {value}")));
        let key = (row.label.clone(), column.label.clone(), treatment);
        if seen.insert(key.clone()) {
            let known = known(cell, row.wander, processes);
            cells.push((key, Figure { median: cell.median, known, row: cell.row, why: cell.why.clone() }));
        }
    }
    Named { part, key: (part, matrix.unit.clone()), probe: matrix.probe.clone(), cells, labels }
}

/// How many processes have samples of each place.
fn processes_by_place(samples: &Samples) -> BTreeMap<Place, usize> {
    let mut seen: BTreeMap<Place, BTreeSet<u32>> = BTreeMap::new();
    for sample in samples.each() {
        seen.entry(sample.place).or_default().insert(sample.process);
    }
    seen.into_iter().map(|(place, processes)| (place, processes.len())).collect()
}

/// A treatment in words: indexes of rows and columns by their labels, and nothing of what it has not.
fn spelled<T>(words: &BTreeMap<String, Value>, matrix: &Matrix<T>) -> BTreeMap<String, String> {
    let spell = |(name, value): (&String, &Value)| {
        let index = value.as_u64().and_then(|index| usize::try_from(index).ok());
        let text = match (name.as_str(), value) {
            (_, Value::Null) => return None,
            ("aggressors", _) => matrix.rows.get(index?)?.label.clone(),
            ("aggressors_column", _) => matrix.columns.get(index?)?.label.clone(),
            (_, Value::String(text)) => text.clone(),
            _ => value.to_string(),
        };
        Some((name.clone(), text))
    };
    words.iter().filter_map(spell).collect()
}

fn known<T>(cell: &Cell<T>, wander: Option<f64>, processes: usize) -> Option<Known> {
    let (median, se) = (cell.median?, cell.se?);
    // Parts without rows of their own keep what wanders in the interval alone.
    let wander = wander.or_else(|| Some(nearfar_infer::changes::wander_of(median, se, cell.ci95?, processes)));
    Some(Known { median, se, wander: wander.unwrap_or_default(), processes })
}

fn matched(first: &Named, second: &Named, between: f64) -> PartChanges {
    let others: BTreeMap<&Key, &Figure> = second.cells.iter().map(|(key, figure)| (key, figure)).collect();
    let both: Vec<(&Key, &Figure, &Figure)> =
        first.cells.iter().filter_map(|(key, mine)| Some((key, mine, *others.get(key)?))).collect();
    let mut pairs = Vec::new();
    let mut places = Vec::new();
    for (at, (_, mine, other)) in both.iter().enumerate() {
        if let (Some(first), Some(second)) = (mine.known, other.known) {
            pairs.push(Both { row: mine.row, first, second });
            places.push(at);
        }
    }
    let found = changes(&pairs, between);
    let mut by_cell: BTreeMap<usize, _> =
        places.into_iter().zip(found.cells).filter_map(|(at, change)| Some((at, change?))).collect();
    let cells = both.iter().enumerate().map(|(at, (key, mine, other))| {
        let change = by_cell.remove(&at);
        CellChange {
            row: key.0.clone(),
            column: key.1.clone(),
            treatment: key.2.clone(),
            medians: [mine.median, other.median],
            why: change.is_none().then(|| why_not(mine, other)),
            change,
        }
    });
    PartChanges {
        part: first.part.to_owned(),
        unit: first.key.1.clone(),
        cells: cells.collect(),
        common: found.common,
        only_in: [missing(first, second), missing(second, first)],
    }
}

/// Rows, columns and treatments of one that the other has not.
fn missing(of: &Named, from: &Named) -> Vec<String> {
    let known: BTreeSet<&String> = from.labels.iter().collect();
    let mut seen = BTreeSet::new();
    of.labels.iter().filter(|label| !known.contains(label) && seen.insert(*label)).cloned().collect()
}

fn why_not(first: &Figure, second: &Figure) -> String {
    let of = |figure: &Figure, which: &str| {
        figure.known.is_none().then(|| match (&figure.why, figure.median) {
            (Some(why), None) => format!("the {which} has no figure: {why}"),
            (_, None) => format!("the {which} has no figure"),
            (_, Some(_)) => format!("the {which} does not tell how certain its figure is"),
        })
    };
    let both: Vec<String> = [of(first, "first"), of(second, "second")].into_iter().flatten().collect();
    if both.is_empty() { "a figure of it is no figure".to_owned() } else { both.join("; ") }
}
