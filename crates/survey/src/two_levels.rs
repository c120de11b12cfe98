//! Cells with two typical values in place of one: the median tells the more frequent, and a program meets the other, too.
//!
//! A hypervisor can make them that runs two CPUs now on cores of one chip, whose link to memory they share, now on cores of two; so can a
//! neighbour that comes and goes. Two CPUs of a guest on a Zen 3 wrote past their caches with 22.5 GB/s at one visit and 43 at the next, and
//! handed a line over in 10, 25 or more than 60 ns.

use nearfar_infer::trials::{Humps, humps};

use crate::bandwidth::{Bandwidth, Streaming};
use crate::core_to_core::{CoreToCore, Exchanging};
use crate::part::places;
use crate::{Cell, Samples, Survey, Treatment, Warning};

/// Levels nearer than this to each other change nobody's mind.
const APART: f64 = 1.1;
/// A level has one of so many visits at least, and so many in all: fewer are a disturbance.
const SHARE: usize = 5;
const FEWEST: usize = 3;
/// Of so many cells one may have two levels by chance.
const BY_CHANCE: usize = 50;

/// Those of bandwidth and of core to core.
pub(crate) fn warnings(survey: &Survey) -> Vec<Warning> {
    let seed = survey.provenance.seed;
    let is_guest = survey.machine.hypervisor.is_some();
    let of_bandwidth = survey.bandwidth.as_ref().and_then(|bandwidth| {
        let found = Found::of(
            &bandwidth.part.matrix.cells,
            &bandwidth.part.treatments,
            bandwidth.part.samples.as_ref()?,
            seed,
        )?;
        Some(found.warning(
            "bandwidth",
            &streamed(&found, bandwidth),
            remedy(is_guest, found.cell.treatment.threads > 1),
        ))
    });
    let of_pairs = survey.core_to_core.as_ref().and_then(|pairs| {
        let found = Found::of(&pairs.matrix.cells, &pairs.treatments, pairs.samples.as_ref()?, seed)?;
        Some(found.warning("core-to-core", &exchanged(&found, pairs), remedy(is_guest, true)))
    });
    of_bandwidth.into_iter().chain(of_pairs).collect()
}

/// "nt-write of 2 threads from node 0 to node 0 moved 22.5 GB/s at 10 visits and 43.1 at 5".
fn streamed(found: &Found<'_, Streaming>, bandwidth: &Bandwidth) -> String {
    let (matrix, Streaming { kernel, threads }) = (&bandwidth.part.matrix, &found.cell.treatment);
    let (row, column) = (&matrix.rows[found.cell.row].label, &matrix.columns[found.cell.column].label);
    // The levels are times.
    let [high, low] = found.levels.centers.map(|ns| Streaming::figure(ns) / 1e9);
    let [at_high, at_low] = found.levels.runs;
    let plural = if *threads == 1 { "" } else { "s" };
    format!(
        "{kernel} of {threads} thread{plural} from {row} to {column} moved {low:.1} GB/s at {at_low} visits and {high:.1} at {at_high}"
    )
}

/// "handoff of CPU 0 and CPU 1 (home any) took 10.1 ns at 5 visits and 25.2 at 10".
fn exchanged(found: &Found<'_, Exchanging>, pairs: &CoreToCore) -> String {
    let Exchanging { state, home } = &found.cell.treatment;
    let (row, column) = (&pairs.matrix.rows[found.cell.row].label, &pairs.matrix.columns[found.cell.column].label);
    let ([low, high], [at_low, at_high]) = (found.levels.centers, found.levels.runs);
    format!(
        "{state} of {row} and {column} (home {home}) took {low:.1} ns at {at_low} visits and {high:.1} at {at_high}"
    )
}

fn remedy(is_guest: bool, is_of_several_cpus: bool) -> &'static str {
    match (is_guest, is_of_several_cpus) {
        (true, true) => {
            "have the host pin each virtual CPU to a core (it may run two now on one core or chip, now on two), or look for a neighbour that comes and goes"
        }
        (true, false) => "look for a neighbour that comes and goes: a dedicated host has none",
        (false, _) => "look for a program that comes and goes, and for clocks that change",
    }
}

/// Cells that have two levels.
struct Found<'c, T> {
    all: usize,
    with_levels: usize,
    /// The one whose levels are furthest apart.
    cell: &'c Cell<T>,
    /// In nanoseconds.
    levels: Humps,
}

impl<'c, T: PartialEq> Found<'c, T> {
    /// Among these cells; none where they are no more than chance gives.
    fn of(cells: &'c [Cell<T>], treatments: &[T], samples: &Samples, seed: u64) -> Option<Self> {
        let costs = samples.costs(&places(cells, treatments));
        let found: Vec<(usize, Humps)> =
            costs.iter().filter_map(|(number, costs)| Some((*number, levels(costs, seed)?))).collect();
        let (with_levels, all) = (found.len(), cells.len());
        let (number, levels) = found.into_iter().max_by(|a, b| ratio(&a.1).total_cmp(&ratio(&b.1)))?;
        (with_levels > all / BY_CHANCE).then(|| Self { all, with_levels, cell: &cells[number], levels })
    }

    fn warning(&self, instrument: &str, what: &str, remedy: &str) -> Warning {
        let Self { all, with_levels, .. } = self;
        let have = if *with_levels == 1 { "has" } else { "have" };
        let text = format!(
            "{with_levels} of {all} cells of {instrument} {have} two levels, and the median tells only the more frequent: {what}."
        );
        Warning::new("two-levels", text, Some(remedy)).of(instrument)
    }
}

/// Two levels of these times, ascending, where there are two.
fn levels(ascending: &[f64], seed: u64) -> Option<Humps> {
    let fewest = (ascending.len() / SHARE).max(FEWEST);
    // Most cells need no closer look: with all but one of the fewest visits left out on either side, both levels would be left.
    let inner = [fewest - 1, ascending.len().checked_sub(fewest)?].map(|at| ascending.get(at).copied());
    let [Some(low), Some(high)] = inner else { return None };
    let is_level = |humps: &Humps| ratio(humps) >= APART && humps.runs.iter().all(|runs| *runs >= fewest);
    (high >= low * APART).then(|| humps(ascending, seed)).flatten().filter(is_level)
}

fn ratio(humps: &Humps) -> f64 {
    humps.centers[1] / humps.centers[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// So many visits at 20, of 30, and the others at 40.
    fn visits(low: u32) -> Vec<f64> {
        sorted((0..30).map(|visit| if visit < low { 20.0 } else { 40.0 } + 0.1 * f64::from(visit)))
    }

    #[test]
    fn levels_a_tenth_apart_are_told_and_scatter_is_not() {
        assert_eq!(levels(&visits(10), 1).unwrap().runs, [10, 20]);
        let scattered = sorted((0..30).map(|visit| 30.0 + 0.7 * f64::from(visit)));
        assert_eq!(levels(&scattered, 1), None);
        let near = sorted(visits(10).into_iter().map(|cost| 300.0 + cost));
        assert_eq!(levels(&near, 1), None, "two levels, but close to one another");
        assert_eq!(levels(&[], 1), None);
    }

    #[test]
    fn a_few_disturbed_visits_are_no_level() {
        assert_eq!(levels(&visits(2), 1), None);
        assert_eq!(levels(&visits(5), 1), None);
        assert_eq!(levels(&visits(6), 1).unwrap().runs, [6, 24]);
    }

    /// A survey whose first cell of bandwidth was visited so, and the first of core to core with a thousandth of that cost, in nanoseconds.
    fn survey(costs: &[f64]) -> Survey {
        let golden = include_str!("../../report/tests/golden/several.json");
        let mut survey: Survey = serde_json::from_str(golden).expect("a survey");
        let (bandwidth, pairs) = (survey.bandwidth.as_mut().unwrap(), survey.core_to_core.as_mut().unwrap());
        bandwidth.part.samples = Some(samples(costs.iter().map(|ns| 1e3 * ns)));
        pairs.samples = Some(samples(costs.iter().copied()));
        // Those whose samples stand in row 0, column 0.
        bandwidth.part.matrix.cells.truncate(1);
        pairs.matrix.cells.truncate(1);
        pairs.matrix.cells[0].column = 0;
        survey
    }

    /// One at each visit of row 0, column 0.
    fn samples(costs: impl Iterator<Item = f64>) -> Samples {
        let data: Vec<_> =
            costs.enumerate().map(|(round, ns)| serde_json::json!([round / 3, round, 0, 0, 0, 0, ns])).collect();
        let table = serde_json::json!({
            "fields": ["process", "round", "row", "column", "cpu", "page", "ns"], "data": data
        });
        serde_json::from_value(table).expect("samples")
    }

    #[test]
    fn both_levels_are_told_with_their_visits_in_the_instruments_units() {
        let told = warnings(&survey(&visits(10)));
        let texts: Vec<&str> = told.iter().map(|warning| warning.text.as_str()).collect();
        let expected = [
            "1 of 1 cells of bandwidth has two levels, and the median tells only the more frequent: read of 1 thread from node 0 to node 0 moved \
             25.0 GB/s at 20 visits and 51.3 at 10.",
            "1 of 1 cells of core-to-core has two levels, and the median tells only the more frequent: handoff of CPU 0 and CPU 0 (home any) \
             took 20.4 ns at 10 visits and 41.9 at 20.",
        ];
        assert_eq!(texts, expected);
        assert!(
            told[0].remedy.as_ref().unwrap().starts_with("look for a neighbour"),
            "one thread shares its link with nobody"
        );
        assert!(told[1].remedy.as_ref().unwrap().starts_with("have the host pin"));
        assert_eq!(warnings(&survey(&visits(0))), []);
    }
}
