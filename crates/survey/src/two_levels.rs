//! Cells with two typical values instead of one: their median shows one of them at best, and a
//! program meets the other, too.
//!
//! A hypervisor can make them that runs two CPUs now on cores of one chip, whose link to memory
//! they share, now on cores of two; so can a neighbour that comes and goes. Two CPUs of a guest on
//! a Zen 3 wrote past their caches with 22.5 GB/s at one visit and 43 at the next, and handed a
//! line over in 10, 25 or more than 60 ns. (Of three levels, two of them near, the cut leaves
//! two; of three that are as frequent it may find none. So "or more".)

use std::collections::BTreeSet;

use nearfar_infer::trials::{MIN_RUNS, find_modes};
use nearfar_model::Instrument;

use crate::{
    BandwidthTreatment, CellLevels, CellWarning, ExchangeTreatment, Survey, Treatment,
    TreatmentMatrix, TwoLevels, Warning, WarningKind,
};

/// Levels nearer than this to each other change no decision.
const APART: f64 = 1.1;
/// A level has at least one in this many visits, and this many in all: fewer are a disturbance.
const SHARE: usize = 5;
const FEWEST: usize = 3;
/// One cell in this many may have two levels by chance.
const BY_CHANCE: usize = 50;

/// Those of bandwidth and of core to core.
pub(crate) fn warnings(survey: &Survey) -> Vec<Warning> {
    let seed = survey.provenance.seed;
    let bandwidth =
        survey.bandwidth.as_ref().and_then(|bandwidth| found(&bandwidth.part, seed, streamed));
    let pairs = survey.core_to_core.as_ref().and_then(|pairs| found(&pairs.part, seed, exchanged));
    let judged = |instrument: Instrument, found| {
        Warning::new(instrument.name(), WarningKind::Cell(CellWarning::TwoLevels(found)))
    };
    let bandwidth = bandwidth.map(|found| judged(Instrument::Bandwidth, found));
    bandwidth.into_iter().chain(pairs.map(|found| judged(Instrument::CoreToCore, found))).collect()
}

/// In bytes a second, the lower first, and the visits of each. The levels are times: the slower one
/// is the lower rate.
fn streamed(treatment: &BandwidthTreatment, levels: &LevelSplit) -> (CellLevels, [usize; 2]) {
    let [high, low] = levels.typical.map(|ns| BandwidthTreatment::UNIT.figure(ns));
    let [at_high, at_low] = levels.visits;
    let BandwidthTreatment { kernel, threads } = treatment.clone();
    (CellLevels::Streamed { kernel, threads, bytes_per_s: [low, high] }, [at_low, at_high])
}

fn exchanged(treatment: &ExchangeTreatment, levels: &LevelSplit) -> (CellLevels, [usize; 2]) {
    let ExchangeTreatment { state, home } = treatment.clone();
    (CellLevels::Exchanged { state, home, ns: levels.typical }, levels.visits)
}

/// Cells of a part that have two levels, and the one whose levels are furthest apart, which
/// `judged` makes figures of; none where they are no more than chance gives, or without samples.
fn found<T: Treatment>(
    part: &TreatmentMatrix<T>,
    seed: u64,
    judged: fn(&T, &LevelSplit) -> (CellLevels, [usize; 2]),
) -> Option<TwoLevels> {
    let (matrix, places, samples) = (&part.matrix, part.places(), part.samples.as_ref()?);
    let mut costs = samples.values(&places);
    costs.retain(|_, costs| costs.len() >= MIN_RUNS);
    let found: Vec<(usize, LevelSplit)> = costs
        .iter()
        .filter_map(|(number, costs)| Some((*number, LevelSplit::new(costs, seed)?)))
        .collect();
    let (with_levels, often_visited) = (found.len(), costs.len());
    let (number, widest) = found.into_iter().max_by(|a, b| a.1.ratio().total_cmp(&b.1.ratio()))?;
    let seen = samples
        .at(places[number])
        .into_iter()
        .map(|sample| (sample.process, sample.value > widest.boundary));
    let cell = &matrix.cells[number];
    let (levels, visits) = judged(&cell.treatment, &widest);
    let found = TwoLevels {
        fewest_visits: MIN_RUNS,
        often_visited,
        with_levels,
        row: matrix.rows[cell.row].label.clone(),
        column: matrix.columns[cell.column].label.clone(),
        levels,
        visits,
        within_a_process: is_within_a_process(&seen.collect()),
    };
    are_beyond_chance(with_levels, often_visited).then_some(found)
}

/// Whether more cells have two levels than chance gives.
pub(crate) fn are_beyond_chance(with_levels: usize, often_visited: usize) -> bool {
    with_levels > often_visited / BY_CHANCE
}

/// Whether any process has seen both levels, of these (process, whether it was the slower one).
fn is_within_a_process(seen: &BTreeSet<(u32, bool)>) -> bool {
    seen.iter().any(|&(process, slow)| slow && seen.contains(&(process, false)))
}

/// Two levels of a cell, in nanoseconds, the faster first.
#[derive(Debug, PartialEq)]
pub(crate) struct LevelSplit {
    /// The median of each.
    pub(crate) typical: [f64; 2],
    pub(crate) visits: [usize; 2],
    boundary: f64,
}

impl LevelSplit {
    /// Those of these times, ascending, where there are two.
    pub(crate) fn new(ascending: &[f64], seed: u64) -> Option<Self> {
        let fewest = ascending.len().div_ceil(SHARE).max(FEWEST);
        // Most cells need no closer look: with all but one of the fewest visits left out on either
        // side, both levels would be left.
        let inner =
            [fewest - 1, ascending.len().checked_sub(fewest)?].map(|at| ascending.get(at).copied());
        let [Some(low), Some(high)] = inner else { return None };
        let boundary =
            (high >= low * APART).then(|| find_modes(ascending, seed)).flatten()?.boundary;
        let groups = ascending.split_at(ascending.partition_point(|ns| *ns <= boundary));
        let levels = Self {
            typical: [middle(groups.0)?, middle(groups.1)?],
            visits: [groups.0.len(), groups.1.len()],
            boundary,
        };
        (levels.ratio() >= APART && levels.visits.iter().all(|visits| *visits >= fewest))
            .then_some(levels)
    }

    fn ratio(&self) -> f64 {
        self.typical[1] / self.typical[0]
    }
}

fn middle(ascending: &[f64]) -> Option<f64> {
    ascending.get(ascending.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CellIndex, Sample};

    use super::*;
    use crate::{MatrixCell, Samples};

    fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// This many of 30 visits at 20, and the others at 40.
    fn visits(low: u32) -> Vec<f64> {
        sorted((0..30).map(|visit| if visit < low { 20.0 } else { 40.0 } + 0.1 * f64::from(visit)))
    }

    fn of(ascending: &[f64]) -> Option<[usize; 2]> {
        LevelSplit::new(ascending, 1).map(|levels| levels.visits)
    }

    #[test]
    fn levels_a_tenth_apart_are_reported() {
        assert_eq!(of(&visits(10)), Some([10, 20]));
        let scattered = sorted((0..30).map(|visit| 30.0 + 0.7 * f64::from(visit)));
        assert_eq!(of(&scattered), None);
        let near = sorted(visits(10).into_iter().map(|cost| 300.0 + cost));
        assert_eq!(of(&near), None, "two levels, but close to one another");
        let wide = [vec![20.0; 10], vec![21.7; 14], vec![22.1; 6]].concat();
        assert!(find_modes(&wide, 1).is_some(), "two levels");
        assert_eq!(of(&wide), None, "as far apart at their ends, but not in their middles");
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn few_disturbed_visits_are_no_level() {
        assert_eq!(of(&visits(2)), None);
        assert_eq!(of(&visits(5)), None);
        assert_eq!(of(&visits(6)), Some([6, 24]));
        let nineteen = |low| {
            sorted(
                visits(0)
                    .into_iter()
                    .take(19)
                    .enumerate()
                    .map(move |(n, ns)| if n < low { ns / 2.0 } else { ns }),
            )
        };
        assert_eq!(
            (of(&nineteen(3)), of(&nineteen(4))),
            (None, Some([4, 15])),
            "a fifth of nineteen are four"
        );
        let scattered = sorted(
            (0..30).map(|visit| if visit < 2 { 5.0 } else { 20.0 + 0.12 * f64::from(visit) }),
        );
        assert_eq!(find_modes(&scattered, 1).unwrap().runs, [2, 28]);
        assert_eq!(of(&scattered), None, "two visits are none, however much the others scatter");
    }

    #[test]
    fn only_observed_levels_are_reported() {
        let three = [vec![10.0; 25], vec![25.0; 2], vec![65.0; 13]].concat();
        let jittered =
            sorted(three.iter().enumerate().map(|(n, ns)| ns * (1.0 + 0.001 * n as f64)));
        let [low, high] = LevelSplit::new(&jittered, 1).unwrap().typical;
        assert!((10.0..10.4).contains(&low) && (65.0..68.0).contains(&high), "{low} and {high}");
    }

    #[test]
    fn levels_between_processes_may_come_from_memory() {
        let [both, apart] =
            [[(0, false), (0, true), (1, true)], [(0, false), (1, true), (2, false)]];
        assert!(is_within_a_process(&both.into()) && !is_within_a_process(&apart.into()));
    }

    /// A survey whose first cell of bandwidth was visited so, and the first of core to core with a
    /// thousandth of that cost, in nanoseconds.
    fn survey(costs: &[f64]) -> Survey {
        let golden = include_str!("../../report/tests/golden/several.json");
        let mut survey: Survey = serde_json::from_str(golden).expect("a survey");
        let (bandwidth, pairs) =
            (survey.bandwidth.as_mut().unwrap(), survey.core_to_core.as_mut().unwrap());
        bandwidth.part.samples = Some(samples(costs.iter().map(|ns| 1e3 * ns)));
        pairs.part.samples = Some(samples(costs.iter().copied()));
        // Cells of row 0, column 0.
        bandwidth.part.matrix.cells.truncate(1);
        pairs.part.matrix.cells.truncate(1);
        pairs.part.matrix.cells[0].column = 0;
        survey
    }

    /// A cell of the golden survey, but of row 0 and this column.
    fn cell_at(column: usize) -> MatrixCell<ExchangeTreatment> {
        let survey = survey(&[]);
        let cell = survey.core_to_core.unwrap().part.matrix.cells.remove(0);
        MatrixCell { row: 0, column, ..cell }
    }

    /// One at each visit of row 0, column 0.
    fn samples(costs: impl Iterator<Item = f64>) -> Samples {
        samples_at(costs.map(|ns| (0, ns)))
    }

    /// Samples of row 0, each of a column, in processes of any two.
    fn samples_at(costs: impl Iterator<Item = (usize, f64)>) -> Samples {
        let sample = |(round, (column, ns)): (usize, (usize, f64))| {
            Sample::new(round as u32 % 2, round as u32, CellIndex::new(0, column), ns)
        };
        Samples::from_lines(costs.enumerate().map(sample).collect())
    }

    #[test]
    fn both_levels_are_reported_in_the_instruments_unit() {
        let judged = warnings(&survey(&visits(10)));
        let found: Vec<&TwoLevels> = judged
            .iter()
            .map(|warning| match &warning.kind {
                WarningKind::Cell(CellWarning::TwoLevels(found)) => found,
                kind => panic!("{kind:?}"),
            })
            .collect();
        let [streamed, exchanged] = found[..] else { panic!("{found:?}") };
        assert!(found.iter().all(|found| (found.often_visited, found.with_levels) == (1, 1)));
        assert!(found.iter().all(|found| found.fewest_visits == 8 && found.within_a_process));
        let CellLevels::Streamed { kernel, threads: 1, bytes_per_s } = &streamed.levels else {
            panic!("{streamed:?}")
        };
        assert_eq!((kernel.as_str(), streamed.row.as_str()), ("read", "node 0"));
        assert_eq!(
            (bytes_per_s.map(|rate| (rate / 1e8).round()), streamed.visits),
            ([250.0, 512.0], [20, 10])
        );
        let CellLevels::Exchanged { state, home, ns } = &exchanged.levels else {
            panic!("{exchanged:?}")
        };
        assert_eq!(
            (state.as_str(), home.as_str(), exchanged.row.as_str()),
            ("handoff", "any", "CPU 0")
        );
        assert_eq!(
            (ns.map(|ns| (10.0 * ns).round()), exchanged.visits),
            ([205.0, 420.0], [10, 20])
        );
        assert_eq!(warnings(&survey(&visits(0))), []);
    }

    /// Cells of row 0, one for each column: visits at 20 ns, and visits at a second cost.
    fn found(cells: &[(u32, u32, f64)]) -> Option<(usize, usize, usize)> {
        let numbered: Vec<MatrixCell<ExchangeTreatment>> = (0..cells.len()).map(cell_at).collect();
        let lines = cells.iter().enumerate().flat_map(|(column, &(fast, slow, ns))| {
            let costs = (0..fast + slow)
                .map(move |visit| (if visit < fast { 20.0 } else { ns }) + 0.1 * f64::from(visit));
            costs.map(move |ns| (column, ns))
        });
        let mut part = survey(&[]).core_to_core.unwrap().part;
        part.samples = Some(samples_at(lines));
        part.treatments = vec![numbered[0].treatment.clone()];
        part.matrix.cells = numbered;
        let found = super::found(&part, 1, exchanged)?;
        let column = part.matrix.columns.iter().position(|column| column.label == found.column)?;
        Some((found.often_visited, found.with_levels, column))
    }

    #[test]
    fn the_widest_levels_are_reported() {
        assert_eq!(
            found(&[(10, 10, 30.0), (10, 10, 60.0), (30, 0, 0.0), (3, 2, 60.0)]),
            Some((3, 2, 1))
        );
        let hidden_by_many = |others: u32, visits| {
            found(
                &std::iter::once((10, 10, 30.0))
                    .chain((0..others).map(|_| (visits, 0, 0.0)))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(hidden_by_many(99, 9), None, "one of a hundred is chance");
        assert_eq!(
            hidden_by_many(99, 3),
            Some((1, 1, 0)),
            "cells that were not checked for levels do not count"
        );
    }
}
