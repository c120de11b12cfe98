//! Which cells of two surveys are the same: by labels and treatment, never by index.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_infer::changes::{CellEstimate, CellPair, changes, drift_of};
use nearfar_model::{Instrument, Unit};

use super::{CellChange, CellUncompared, NotCompared, PartChanges, PartUncompared, UnknownFigure};
use crate::figure::processes_by_place;
use crate::{Figure, InstrumentTable, Survey};

/// Pages have no place that lasts, so that there is nothing to match; base pages are compared with
/// huge pages within a survey.
const NOT_COMPARED: [Instrument; 2] = [Instrument::Hidden, Instrument::PageSize];

/// A table whose cells have names.
struct Comparable<'s> {
    part: &'static str,
    /// Instrument and unit: streams and loads of interleaved memory differ by the unit.
    key: (Instrument, Unit),
    probe: &'s str,
    cells: Vec<(ComparisonKey, ComparedFigure<'s>)>,
    /// Labels, and what stands before them in words.
    labels: Vec<String>,
}

type ComparisonKey = (String, String, BTreeMap<String, String>);

struct ComparedFigure<'s> {
    median: Option<f64>,
    known: Option<CellEstimate>,
    /// Cells of a row share its drift. Between cores, the drift is the machine's.
    row: usize,
    why: Option<&'s str>,
}

impl<'s> Comparable<'s> {
    /// `processes` measured it, where its samples were left out.
    fn new(table: InstrumentTable<'s>, processes: usize) -> Self {
        let (key, probe) = ((table.instrument, table.unit), table.probe);
        let by_place = table.samples.map(processes_by_place);
        let mut seen = BTreeSet::new();
        let (mut cells, mut labels) = (Vec::new(), Vec::new());
        for figure in table {
            let (Some(row), Some(column)) = (figure.row(), figure.column()) else { continue };
            let of_place = |places: &BTreeMap<_, usize>| places.get(&figure.place).copied();
            let processes =
                by_place.as_ref().map_or(processes, |places| of_place(places).unwrap_or(0));
            let treatment = figure.treatment();
            labels.extend([format!("row {}", row.label), format!("column {}", column.label)]);
            labels.extend(treatment.iter().map(|(name, value)| format!("{name} {value}")));
            let name = (row.label.clone(), column.label.clone(), treatment);
            if seen.insert(name.clone()) {
                let known = estimate(&figure, row.drift, processes);
                let row = if key.0 == Instrument::CoreToCore { 0 } else { figure.place.row };
                let Figure { median, why, .. } = figure;
                cells.push((name, ComparedFigure { median, known, row, why }));
            }
        }
        Self { part: key.0.name(), key, probe, cells, labels }
    }
}

fn estimate(figure: &Figure<'_>, drift: Option<f64>, processes: usize) -> Option<CellEstimate> {
    let (median, se) = (figure.median?, figure.se?);
    // Parts without rows of their own keep drift in the interval alone.
    let drift = drift.or_else(|| Some(drift_of(median, se, figure.ci95?, processes)));
    Some(CellEstimate { median, se, drift: drift.unwrap_or_default(), processes })
}

/// Every part that both have, and what cannot be compared.
pub(super) fn parts(
    first: &Survey,
    second: &Survey,
    between: f64,
) -> (Vec<PartChanges>, Vec<NotCompared>) {
    let [of_first, of_second] = [first, second].map(readable);
    let (mut both, mut not) = (Vec::new(), Vec::new());
    for mine in &of_first {
        match of_second.iter().find(|other| other.key == mine.key) {
            None => not.push(mine.not(PartUncompared::OnlyInFirst)),
            Some(other) if other.probe != mine.probe => {
                let [first, second] = [mine.probe, other.probe].map(str::to_owned);
                not.push(mine.not(PartUncompared::OtherProbe { first, second }));
            }
            Some(other) => both.push(matched(mine, other, between)),
        }
    }
    let new = of_second.iter().filter(|other| !of_first.iter().any(|mine| mine.key == other.key));
    not.extend(new.map(|one| one.not(PartUncompared::OnlyInSecond)));
    (both, not)
}

/// Whether both measured it, in whatever way.
pub(super) fn is_in_both(first: &Survey, second: &Survey, part: &str) -> bool {
    [first, second]
        .iter()
        .all(|survey| survey.measured().iter().any(|instrument| instrument.name() == part))
}

impl Comparable<'_> {
    fn not(&self, why: PartUncompared) -> NotCompared {
        NotCompared { part: self.part.to_owned(), why }
    }
}

fn readable(survey: &Survey) -> Vec<Comparable<'_>> {
    let provenance = &survey.provenance;
    let processes = |instrument: Instrument| {
        let own = provenance.instruments.iter().find(|run| run.instrument == instrument.name());
        own.map_or(provenance.processes, |run| run.processes) as usize
    };
    let tables = survey.tables().filter(|table| !NOT_COMPARED.contains(&table.instrument));
    tables
        .map(|table| {
            let own = processes(table.instrument);
            Comparable::new(table, own)
        })
        .collect()
}

fn matched(first: &Comparable<'_>, second: &Comparable<'_>, between: f64) -> PartChanges {
    let others: BTreeMap<&ComparisonKey, &ComparedFigure<'_>> =
        second.cells.iter().map(|(key, figure)| (key, figure)).collect();
    let both: Vec<(&ComparisonKey, &ComparedFigure<'_>, &ComparedFigure<'_>)> =
        first.cells.iter().filter_map(|(key, mine)| Some((key, mine, *others.get(key)?))).collect();
    let known = |(mine, other): (&ComparedFigure<'_>, &ComparedFigure<'_>)| {
        Some(CellPair { row: mine.row, first: mine.known?, second: other.known? })
    };
    let pairs: Vec<CellPair> =
        both.iter().filter_map(|(_, mine, other)| known((mine, other))).collect();
    let found = changes(&pairs, between);
    let mut changed = found.cells.into_iter();
    let cells = both.iter().map(|(key, mine, other)| {
        let estimates = known((mine, other));
        let change = estimates.and_then(|_| changed.next().flatten());
        CellChange {
            row: key.0.clone(),
            column: key.1.clone(),
            treatment: key.2.clone(),
            medians: [mine.median, other.median],
            why: change.is_none().then(|| why_not(mine, other)),
            change,
            estimates,
        }
    });
    PartChanges {
        part: first.part.to_owned(),
        unit: first.key.1,
        cells: cells.collect(),
        common: found.common,
        only_in: [missing(first, second), missing(second, first)],
    }
}

/// Rows, columns and treatments of one that the other has not.
fn missing(of: &Comparable<'_>, from: &Comparable<'_>) -> Vec<String> {
    let known: BTreeSet<&String> = from.labels.iter().collect();
    let mut seen = BTreeSet::new();
    of.labels
        .iter()
        .filter(|label| !known.contains(label) && seen.insert(*label))
        .cloned()
        .collect()
}

fn why_not(first: &ComparedFigure<'_>, second: &ComparedFigure<'_>) -> CellUncompared {
    let unknown = |of: &ComparedFigure<'_>| match (of.known, of.median) {
        (Some(_), _) => None,
        (None, None) => Some(UnknownFigure::NoFigure { why: of.why.map(str::to_owned) }),
        (None, Some(_)) => Some(UnknownFigure::NoError),
    };
    match [unknown(first), unknown(second)] {
        [None, None] => CellUncompared::NoNumber,
        surveys => CellUncompared::Unknown { surveys },
    }
}
