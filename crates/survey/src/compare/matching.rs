//! Which cells of two surveys are the same: by labels and treatment, never by index.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_infer::changes::{CellPair, changes};
use nearfar_model::Instrument;

use super::{CellChange, CellUncompared, NotCompared, PartChanges, PartUncompared, UnknownFigure};
use crate::Survey;
use crate::document::comparable::{Comparable, ComparisonKey, Figure, named};

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
                let (first, second) = (mine.probe.clone(), other.probe.clone());
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

impl Comparable {
    fn not(&self, why: PartUncompared) -> NotCompared {
        NotCompared { part: self.part.to_owned(), why }
    }
}

fn readable(survey: &Survey) -> Vec<Comparable> {
    let own = |instrument: Instrument| {
        let of =
            survey.provenance.instruments.iter().find(|run| run.instrument == instrument.name());
        of.map_or(survey.provenance.processes, |run| run.processes) as usize
    };
    let latency = (!survey.latency.cells.is_empty()).then(|| {
        named(
            Instrument::Latency,
            &survey.latency,
            survey.samples.as_ref(),
            own(Instrument::Latency),
            &[],
        )
    });
    let parts = survey.parts().flat_map(|(instrument, part)| part.comparable(own(instrument)));
    latency.into_iter().chain(parts).collect()
}

fn matched(first: &Comparable, second: &Comparable, between: f64) -> PartChanges {
    let others: BTreeMap<&ComparisonKey, &Figure> =
        second.cells.iter().map(|(key, figure)| (key, figure)).collect();
    let both: Vec<(&ComparisonKey, &Figure, &Figure)> =
        first.cells.iter().filter_map(|(key, mine)| Some((key, mine, *others.get(key)?))).collect();
    let known = |(mine, other): (&Figure, &Figure)| {
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
fn missing(of: &Comparable, from: &Comparable) -> Vec<String> {
    let known: BTreeSet<&String> = from.labels.iter().collect();
    let mut seen = BTreeSet::new();
    of.labels
        .iter()
        .filter(|label| !known.contains(label) && seen.insert(*label))
        .cloned()
        .collect()
}

fn why_not(first: &Figure, second: &Figure) -> CellUncompared {
    let unknown = |figure: &Figure| match (figure.known, figure.median) {
        (Some(_), _) => None,
        (None, None) => Some(UnknownFigure::NoFigure { why: figure.why.clone() }),
        (None, Some(_)) => Some(UnknownFigure::NoError),
    };
    match [unknown(first), unknown(second)] {
        [None, None] => CellUncompared::NoNumber,
        surveys => CellUncompared::Unknown { surveys },
    }
}
