//! Pairs of surveys of machines with known changes.

use fastrand::Rng;

use super::*;
use crate::replay::{Model, Noise, Plan, survey};
use crate::tests::cases::simulations;
use crate::{SampleMatrix, estimates, normal};

const PLAN: Plan = Plan {
    first_rounds: 15,
    first_rounds_per_process: 3,
    step_rounds: 5,
    max_rounds: 40,
    standard_error: 0.0,
};

/// The estimates in a survey's document. On that day, each row's level is shifted by a random
/// amount, scaled by `level`.
fn kept(matrix: &SampleMatrix, level: f64, seed: u64) -> Vec<(usize, CellEstimate)> {
    let mut rng = Rng::with_seed(!seed);
    let mut cells = Vec::new();
    for (row, from_row) in estimates(matrix, seed).into_iter().enumerate() {
        let shift = (level * normal(&mut rng)).exp();
        for estimate in from_row {
            let found = estimate.unwrap();
            let known = CellEstimate {
                median: found.median_ns * shift,
                se: found.se,
                drift: found.drift,
                processes: matrix.processes(),
            };
            cells.push((row, known));
        }
    }
    cells
}

fn surveyed(model: &Model, noise: &Noise, seed: u64) -> Vec<(usize, CellEstimate)> {
    kept(&survey(model, noise, &PLAN, seed), noise.process_drift, seed)
}

/// A second survey in which some cells have other costs.
fn pairs(
    model: &Model,
    noise: &Noise,
    seed: u64,
    cost: impl Fn(usize, usize) -> f64,
) -> Vec<CellPair> {
    let mut changed = model.clone();
    for (row, from_row) in changed.costs.iter_mut().enumerate() {
        from_row.iter_mut().enumerate().for_each(|(column, costs)| *costs *= cost(row, column));
    }
    let (first, second) =
        (surveyed(model, noise, seed), surveyed(&changed, noise, seed ^ 0x5eed_0000));
    first
        .into_iter()
        .zip(second)
        .map(|((row, first), (_, second))| CellPair { row, first, second })
        .collect()
}

fn has_change(found: &MedianChanges) -> bool {
    let cells = found.cells.iter().flatten();
    found.common.is_some_and(|common| common.real)
        || cells
            .into_iter()
            .any(|cell| cell.moved.real || cell.beside.is_some_and(|beside| beside.real))
}

/// The number of pairs of surveys with this result.
fn count(pairs: u64, holds: impl Fn(u64) -> bool) -> u64 {
    (0..pairs).filter(|&seed| holds(seed)).count() as u64
}

fn one_cell(row: usize, column: usize) -> f64 {
    if (row, column) == (0, 1) { 1.1 } else { 1.0 }
}

const SHAPES: [(usize, usize); 3] = [(2, 2), (2, 4), (4, 4)];

#[test]
fn false_changes_are_below_five_percent() {
    for (rows, columns) in SHAPES {
        let model = Model::uniform(rows, columns);
        for noise in Noise::all() {
            // A CPU that moved before a survey stays in its place: this variation is invisible
            // within a survey.
            let between = if noise.moves > 0.0 { BETWEEN_GUESTS } else { BETWEEN };
            let surveys = simulations(20, 300);
            let found = |seed| changes(&pairs(&model, &noise, seed, |_, _| 1.0), between);
            let wrong = count(surveys, |seed| has_change(&found(seed)));
            let name = noise.name;
            assert!(wrong * 20 <= surveys, "{rows} x {columns}, {name}: {wrong} of {surveys}");
        }
    }
}

#[test]
fn independent_surveys_need_no_between_variance() {
    // No shift between these surveys: the variation within each is all there is.
    let model = Model::uniform(2, 4);
    for noise in [Noise::recorded(1.0), Noise::tails(), Noise::pages(), Noise::bursts()] {
        let surveys = simulations(60, 300);
        let found = |seed| changes(&pairs(&model, &noise, seed, |_, _| 1.0), 0.0);
        let wrong = count(surveys, |seed| has_change(&found(seed)));
        assert!(wrong * 20 <= surveys, "{}: {wrong} of {surveys}", noise.name);
    }
}

#[test]
fn a_ten_percent_change_is_found_alone() {
    for (rows, columns) in SHAPES {
        let model = Model::uniform(rows, columns);
        for noise in [Noise::recorded(1.0), Noise::tails(), Noise::pages()] {
            let surveys = simulations(20, 100);
            let all: Vec<MedianChanges> = (0..surveys)
                .map(|seed| changes(&pairs(&model, &noise, seed, one_cell), BETWEEN))
                .collect();
            let is_real = |found: &MedianChanges, at: usize| found.cells[at].unwrap().moved.real;
            let hits = all.iter().filter(|found| is_real(found, 1)).count() as u64;
            let is_other = |found: &&MedianChanges| {
                (0..rows * columns).any(|at| at != 1 && is_real(found, at))
            };
            let others = all.iter().filter(is_other).count() as u64;
            let name = noise.name;
            assert!(hits * 20 >= surveys * 19, "{rows} x {columns}, {name}: {hits} of {surveys}");
            assert!(others * 20 <= surveys, "{rows} x {columns}, {name}: {others} of {surveys}");
        }
    }
}

#[test]
fn changes_are_found_despite_row_drift() {
    let (model, noise) = (Model::uniform(2, 8), Noise { process_drift: 0.03, ..Noise::tails() });
    let surveys = simulations(30, 100);
    let all: Vec<MedianChange> = (0..surveys)
        .map(|seed| changes(&pairs(&model, &noise, seed, one_cell), BETWEEN).cells[1].unwrap())
        .collect();
    let beside =
        all.iter().filter(|change| change.beside.is_some_and(|beside| beside.real)).count();
    let covered = all
        .iter()
        .filter_map(|change| change.beside)
        .filter(|one| (one.ci95[0]..=one.ci95[1]).contains(&0.1))
        .count();
    let most = surveys as usize * 9 / 10;
    assert!(beside >= most && covered >= most, "{beside} {covered} of {surveys}");
}

#[test]
fn common_and_single_changes_are_separated() {
    let model = Model::uniform(2, 4);
    let noise = Noise::recorded(1.0);
    let found =
        |seed, cost: fn(usize, usize) -> f64| changes(&pairs(&model, &noise, seed, cost), BETWEEN);
    let surveys = simulations(20, 100);
    let all = (0..surveys).map(|seed| found(seed, |_, _| 1.08));
    let (mut shared, mut apart) = (0u64, 0u64);
    for found in all {
        let common = found.common.unwrap();
        shared += u64::from(common.real && (common.ratio - 0.08).abs() < 0.02);
        apart += u64::from(found.cells.iter().flatten().any(|cell| cell.beside.unwrap().real));
    }
    assert!(shared * 20 >= surveys * 19 && apart * 20 <= surveys, "{shared} {apart} of {surveys}");
    // Half of the cells are not all of them.
    let half = |_: usize, column: usize| if column < 2 { 1.1 } else { 1.0 };
    assert_eq!(
        (0..simulations(10, 50)).filter(|&seed| found(seed, half).common.unwrap().real).count(),
        0
    );
}

#[test]
fn invalid_figures_are_skipped() {
    let good = CellEstimate { median: 80.0, se: 0.004, drift: 0.0, processes: 5 };
    let bad = [
        CellEstimate { median: f64::NAN, ..good },
        CellEstimate { median: 0.0, ..good },
        CellEstimate { se: f64::INFINITY, ..good },
        CellEstimate { drift: f64::NAN, ..good },
    ];
    for second in bad {
        assert_eq!(changes(&[CellPair { row: 0, first: good, second }], BETWEEN).cells, [None]);
    }
    let one = changes(
        &[CellPair { row: 0, first: good, second: CellEstimate { se: 0.0, processes: 0, ..good } }],
        0.0,
    );
    let change = one.cells[0].unwrap().moved;
    assert!(
        !change.real && change.ratio == 0.0 && change.ci95[0] < 0.0 && change.ci95[1] < 0.2,
        "{change:?}"
    );
    assert_eq!(one.common, None);
    assert_eq!(changes(&[], BETWEEN), MedianChanges::default());
}

#[test]
fn drift_is_derived_from_intervals() {
    let (se, drift, processes) = (0.004_f64, 0.02_f64, 5);
    let stretch = as_rare_as(NORMAL_95, 4.0);
    let half = stretch * se.hypot(drift);
    let found = drift_of(100.0, se, [100.0 * (-half).exp(), 100.0 * half.exp()], processes);
    assert!((found - drift).abs() < 1e-9);
    assert_eq!(drift_of(100.0, se, [99.9, 100.1], processes), 0.0);
}

#[test]
fn limits_are_exceeded_kept_or_undetermined() {
    let moved = |ratio, ci95, real| RatioChange { ratio, ci95, p: 0.5, real };
    let above = ChangeLimit { above: true, ratio: 0.05 };
    assert_eq!(above.judge(&moved(0.08, [0.06, 0.1], true)), LimitExceeded::Yes);
    assert_eq!(above.judge(&moved(0.08, [-0.02, 0.18], false)), LimitExceeded::Undetermined);
    assert_eq!(above.judge(&moved(0.045, [0.03, 0.06], true)), LimitExceeded::Undetermined);
    assert_eq!(above.judge(&moved(0.01, [-0.01, 0.03], false)), LimitExceeded::No);
    let below = ChangeLimit { above: false, ratio: -0.05 };
    assert_eq!(below.judge(&moved(-0.08, [-0.1, -0.06], true)), LimitExceeded::Yes);
    assert_eq!(below.judge(&moved(0.08, [0.06, 0.1], true)), LimitExceeded::No);
    assert_eq!(below.judge(&moved(-0.03, [-0.07, 0.01], false)), LimitExceeded::Undetermined);
}
