//! Changes of machines over time: false alarms, power, dates.

use std::fmt::Write as _;

use fastrand::Rng;
use nearfar_infer::fleet::FleetFigure;
use nearfar_infer::history::{CellSeries, ChangeKind, LevelChange, level_changes};
use nearfar_infer::normal;

use crate::share::{Share, count, percent};

const CELLS: usize = 4;
const FLOOR: f64 = 0.03;
/// Standard deviations between surveys of a machine: of all its cells, and of each.
const NOISE: [f64; 2] = [0.007, 0.007];
/// Machines with a step of two cells, a drift of them, and a fault that is repaired.
const STEP: usize = 3;
const DRIFT: usize = 5;
const REPAIR: usize = 7;
const BY: f64 = 0.09;
const FIRST_SEED: u64 = 1 << 42;

#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    deviate: fn(&mut Rng) -> f64,
    /// Correlation of surveys that follow each other.
    correlation: f64,
    /// Every tenth machine scatters this many times as much.
    noisy: f64,
    /// Machines have from four surveys to all.
    is_uneven: bool,
}

fn kinds() -> [Kind; 6] {
    let usual =
        Kind { name: "normal", deviate: normal, correlation: 0.0, noisy: 1.0, is_uneven: false };
    [
        usual,
        Kind { name: "gamma", deviate: gamma, ..usual },
        Kind { name: "Student's t, 3", deviate: student, ..usual },
        Kind { name: "correlated, 0.5", correlation: 0.5, ..usual },
        Kind { name: "a tenth threefold", noisy: 3.0, ..usual },
        Kind { name: "machines come and go", is_uneven: true, ..usual },
    ]
}

fn gamma(rng: &mut Rng) -> f64 {
    let sum: f64 = (0..2).map(|_| -(1.0 - rng.f64()).ln()).sum();
    (sum - 2.0) / std::f64::consts::SQRT_2
}

fn student(rng: &mut Rng) -> f64 {
    let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
    normal(rng) / squares.sqrt()
}

impl Kind {
    fn series(&self, machines: usize, surveys: usize, rng: &mut Rng) -> Vec<CellSeries> {
        let mut series = Vec::new();
        for machine in 0..machines {
            let own = if self.is_uneven { 4 + rng.usize(..surveys - 3) } else { surveys };
            let times = if machine % 10 == 0 { self.noisy } else { 1.0 };
            let clocks = self.noise(own, rng);
            for cell in 0..CELLS {
                let cells = self.noise(own, rng);
                let figure = |(clock, own): (&f64, f64)| FleetFigure {
                    log: 4.6 + times * (NOISE[0] * clock + NOISE[1] * own),
                    error: 0.003,
                };
                let figures = clocks.iter().zip(cells).map(figure).collect();
                series.push(CellSeries { machine, cell, figures });
            }
        }
        series
    }

    fn noise(&self, count: usize, rng: &mut Rng) -> Vec<f64> {
        let mut level = (self.deviate)(rng);
        let next = |_| {
            let fresh = (1.0 - self.correlation.powi(2)).sqrt() * (self.deviate)(rng);
            level = self.correlation * level + fresh;
            level
        };
        (0..count).map(next).collect()
    }
}

fn with_faults(mut series: Vec<CellSeries>) -> Vec<CellSeries> {
    let by = BY.ln_1p();
    for cell in [1, 3] {
        let step = &mut series[CELLS * STEP + cell].figures;
        let first = first_after(step.len());
        step[first..].iter_mut().for_each(|figure| figure.log += by);
        let drift = &mut series[CELLS * DRIFT + cell].figures;
        let last = (drift.len() - 1) as f64;
        for (at, figure) in drift.iter_mut().enumerate() {
            figure.log += by * at as f64 / last;
        }
        let repair = &mut series[CELLS * REPAIR + cell].figures;
        let third = repair.len() / 3;
        repair[third..2 * third].iter_mut().for_each(|figure| figure.log += by);
    }
    series
}

fn first_after(surveys: usize) -> usize {
    (2 * surveys / 3).min(surveys - 2)
}

pub(crate) fn table(surveys: u64) -> String {
    let fleets = surveys.div_ceil(20);
    let mut text = format!(
        "### Changes over time\n\nPer cent of {fleets} fleets with these numbers of machines \
         and surveys. *false*: any change of a healthy fleet is reported, by the last survey. \
         *ever*: by any, if one looks eight times. Then three machines have a fault of 9 % in \
         two of four cells: a step (*dated*: of its cells, whose interval of dates has the \
         true one), a slow drift, and a step that is repaired. *others*: mean share of other \
         machines' cells among the changes. Levels of all cells and of each vary by 0.7 % \
         between surveys.\n\n| noise | machines | surveys | false | ever | step | dated | \
         drift | repair | others |\n|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for kind in kinds() {
        for [machines, surveys] in [[20, 6], [20, 12], [100, 12], [50, 52], [200, 30]] {
            eprintln!("odds: {surveys} surveys of {machines} machines, {}", kind.name);
            text += &line(&kind, machines, surveys, fleets);
        }
    }
    text
}

fn line(kind: &Kind, machines: usize, surveys: usize, fleets: u64) -> String {
    let fleet = |seed: u64| kind.series(machines, surveys, &mut Rng::with_seed(FIRST_SEED + seed));
    let alarms = count(fleets, |seed| {
        let series = fleet(seed);
        let is_at = |looks: usize| {
            let so_far = |one: &CellSeries| {
                let last = one.figures.len().min(looks);
                CellSeries { figures: one.figures[..last].to_vec(), ..one.clone() }
            };
            !level_changes(&series.iter().map(so_far).collect::<Vec<_>>(), FLOOR).is_empty()
        };
        let last = is_at(surveys);
        [last, last || (1..8).any(|look| is_at(surveys * look / 8))]
    });
    let others = std::sync::Mutex::new((0.0, [Share::default()]));
    let found = count(fleets, |seed| {
        let series = with_faults(fleet(seed));
        let changes = level_changes(&series, FLOOR);
        let of =
            |machine: usize| changes.iter().filter(move |change| change.series / CELLS == machine);
        let dated = |change: &&LevelChange| {
            let first = first_after(series[change.series].figures.len());
            change.between[0] < first && first <= change.between[1]
        };
        let steps = || of(STEP).filter(|change| change.kind == ChangeKind::Step);
        let is_other =
            |change: &&LevelChange| ![STEP, DRIFT, REPAIR].contains(&(change.series / CELLS));
        let mut sums = others.lock().expect("no trial panics");
        sums.0 += changes.iter().filter(is_other).count() as f64 / changes.len().max(1) as f64;
        sums.1[0].hits += steps().filter(dated).count() as u64;
        sums.1[0].of += steps().count() as u64;
        let is_drift = of(DRIFT).any(|change| change.kind == ChangeKind::Drift);
        [steps().next().is_some(), is_drift, of(REPAIR).any(|change| change.is_return)]
    });
    let (others, [dated]) = *others.lock().expect("no trial panics");
    let mut text = format!("| {} | {machines} | {surveys} |", kind.name);
    for share in [alarms[0], alarms[1], found[0], dated, found[1], found[2]] {
        let _ = write!(text, " {} |", share.percent());
    }
    let _ = writeln!(text, " {} |", percent(others / fleets as f64));
    text
}
