use fastrand::Rng;

use super::*;
use crate::normal::normal;

const CELLS: usize = 4;

/// Weekly surveys of machines with four cells: clocks and cells vary by 0.7 % each.
fn fleet(machines: usize, surveys: usize, seed: u64) -> Vec<CellSeries> {
    let rng = &mut Rng::with_seed(seed);
    let mut series = Vec::new();
    for machine in 0..machines {
        let clocks: Vec<f64> = (0..surveys).map(|_| 0.007 * normal(rng)).collect();
        for cell in 0..CELLS {
            let figure =
                |clock: &f64| FleetFigure { log: 4.6 + clock + 0.007 * normal(rng), error: 0.003 };
            series.push(CellSeries { machine, cell, figures: clocks.iter().map(figure).collect() });
        }
    }
    series
}

fn shift(series: &mut CellSeries, surveys: std::ops::Range<usize>, by: f64) {
    series.figures[surveys].iter_mut().for_each(|figure| figure.log += by.ln_1p());
}

#[test]
fn a_step_has_its_date_and_size() {
    for seed in 1..=10 {
        let mut series = fleet(30, 20, seed);
        shift(&mut series[5], 13..20, 0.09);
        let [change] = level_changes(&series, 0.03)[..] else { panic!("seed {seed}") };
        assert_eq!((change.series, change.kind), (5, ChangeKind::Step));
        assert!((12..=14).contains(&change.first_after), "{change:?}");
        assert!(change.between[0] < 13 && 13 <= change.between[1], "{change:?}");
        assert!(change.low < 1.09 && 1.09 < change.high, "{change:?}");
        assert!(change.q_value <= FALSE_DISCOVERY_RATE && !change.is_return);
    }
}

#[test]
fn a_repair_undoes_the_fault() {
    let mut series = fleet(30, 30, 2);
    shift(&mut series[5], 10..20, 0.09);
    let changes = level_changes(&series, 0.03);
    let [fault, repair] = changes[..] else { panic!("{changes:?}") };
    assert!(fault.ratio > 1.05 && repair.ratio < 0.95);
    assert_eq!([fault.is_return, repair.is_return], [false, true]);
}

#[test]
fn a_slow_change_is_a_drift() {
    let mut series = fleet(30, 40, 3);
    for (at, figure) in series[5].figures.iter_mut().enumerate() {
        figure.log += 0.08 * at as f64 / 39.0;
    }
    let changes = level_changes(&series, 0.03);
    let [drift] = changes[..] else { panic!("{changes:?}") };
    assert_eq!(drift.kind, ChangeKind::Drift);
    assert!((1.06..1.11).contains(&drift.ratio), "{drift:?}");
}

/// However often one looks.
#[test]
fn healthy_machines_are_rarely_ever_reported() {
    let is_reported = |seed: &u64| {
        let series = fleet(20, 24, 100 + seed);
        (4..=24).step_by(4).any(|surveys| {
            let so_far = series.iter().map(|one| CellSeries {
                machine: one.machine,
                cell: one.cell,
                figures: one.figures[..surveys].to_vec(),
            });
            !level_changes(&so_far.collect::<Vec<_>>(), 0.03).is_empty()
        })
    };
    assert!((0..20).filter(is_reported).count() <= 3);
}

/// A year of weekly surveys of 1,000 machines: three faults have their dates, and nothing else is
/// reported.
#[test]
fn three_faults_in_a_year_of_a_thousand_machines() {
    let mut series = fleet(1000, 52, 6);
    let [slow, repaired, drifting] = [7, 30, 81].map(|machine| CELLS * machine);
    for cell in [1, 3] {
        shift(&mut series[slow + cell], 39..52, 0.09);
    }
    for cell in [0, 1] {
        shift(&mut series[repaired + cell], 20..31, 0.12);
    }
    for cell in 0..CELLS {
        let figures = series[drifting + cell].figures.iter_mut().enumerate();
        figures.for_each(|(week, figure)| figure.log += 0.1_f64.ln_1p() * week as f64 / 51.0);
    }
    let changes = level_changes(&series, 0.03);
    let shown: Vec<(usize, ChangeKind, usize, bool)> = changes
        .iter()
        .map(|it| (it.series / CELLS, it.kind, it.first_after, it.is_return))
        .collect();
    let step = |machine, week, is_return| (machine, ChangeKind::Step, week, is_return);
    let fault = [step(30, 20, false), step(30, 31, true)];
    let drift = (81, ChangeKind::Drift, 51, false);
    let expected = [vec![step(7, 39, false); 2], [fault; 2].concat(), vec![drift; CELLS]];
    assert_eq!(shown, expected.concat());
}

#[test]
fn machines_have_a_ratio_in_common() {
    let (ratio, [low, high]) = common_ratio(&[1.05, 1.06, 1.07, 1.06]).unwrap();
    assert!((ratio - 1.06).abs() < 1e-4, "{ratio}");
    // Student's t of three degrees of freedom is 3.18.
    let margins = [high / ratio, ratio / low];
    assert!(margins.iter().all(|it| (1.0123..1.0126).contains(it)), "{margins:?}");
    assert_eq!(common_ratio(&[1.05]), None);
}

/// A machine that scatters more, and levels that drift, are not changes.
#[test]
fn noisy_machines_and_correlated_surveys_are_rarely_reported() {
    let is_reported = |seed: &u64| {
        let mut series = fleet(50, 12, 200 + seed);
        for one in &mut series {
            let mut before = 4.6;
            for figure in &mut one.figures {
                let noise = figure.log - 4.6;
                before = if seed % 2 == 0 { 4.6 + 0.5 * (before - 4.6) } else { 4.6 };
                let times = if seed % 2 == 1 && one.machine % 10 == 0 { 3.0 } else { 1.0 };
                figure.log = before + times * noise;
                before = figure.log;
            }
        }
        !level_changes(&series, 0.03).is_empty()
    };
    assert!((0..30).filter(is_reported).count() <= 4);
}

#[test]
fn one_bad_survey_is_no_change() {
    let mut series = fleet(30, 20, 4);
    shift(&mut series[5], 13..14, 0.5);
    assert_eq!(level_changes(&series, 0.03), []);
    // Nor is a change below the floor.
    shift(&mut series[9], 10..20, 0.06);
    assert_eq!(level_changes(&series, 0.2), []);
}

#[test]
fn few_surveys_and_equal_figures_are_no_history() {
    assert_eq!(level_changes(&fleet(30, 3, 1), 0.03), []);
    assert_eq!(level_changes(&[], 0.03), []);
    let equal = FleetFigure { log: 1.0, error: 0.0 };
    let series = vec![CellSeries { machine: 0, cell: 0, figures: vec![equal; 8] }; 5];
    assert_eq!(level_changes(&series, 0.03), []);
}
