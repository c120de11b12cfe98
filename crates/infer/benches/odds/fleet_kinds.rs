//! Fleets whose machines differ in other ways: skewed and heavy noise, memories that vary as a
//! whole, missing cells, and two to five batches of unequal size.

use std::fmt::Write as _;

use fastrand::Rng;
use nearfar_infer::fleet::{
    FLEET_FLOOR, FleetCellKind, FleetFigure, FleetOutlier, FleetVerdict, fleet_outliers,
};
use nearfar_infer::normal;

use crate::share::count;

const ERROR: f64 = 0.003;
/// How much slower one machine's memory of node 0 is.
const FAULT: f64 = 0.10;
/// The same of a machine that is plainly broken.
const BROKEN: f64 = 0.30;
/// How much slower a memory is in a batch.
const BATCH: f64 = 0.06;
/// Seeds that no constant was chosen on.
const FIRST_SEED: u64 = 1 << 41;

#[derive(Clone, Copy)]
pub(crate) struct Kind {
    name: &'static str,
    deviate: fn(&mut Rng) -> f64,
    /// Standard deviations of all cells of a machine, of each memory of it, of each cell.
    clocks: f64,
    memories: f64,
    cells: f64,
    missing: f64,
    nodes: usize,
}

const USUAL: Kind = Kind {
    name: "normal",
    deviate: normal,
    clocks: 0.01,
    memories: 0.0,
    cells: 0.007,
    missing: 0.0,
    nodes: 2,
};

pub(crate) const KINDS: [Kind; 8] = [
    USUAL,
    Kind { name: "normal, 4 nodes", nodes: 4, ..USUAL },
    Kind { name: "memories vary by 1 %", memories: 0.01, ..USUAL },
    Kind { name: "memories vary by 1 %, 4 nodes", memories: 0.01, nodes: 4, ..USUAL },
    Kind { name: "a tenth of the cells missing", missing: 0.1, ..USUAL },
    Kind { name: "gamma", deviate: gamma, ..USUAL },
    Kind { name: "Student's t, 5", deviate: student_5, ..USUAL },
    Kind { name: "Student's t, 3", deviate: student_3, ..USUAL },
];

/// Sizes of batches. In each but the first, another memory is slower.
const FLEETS: [&[usize]; 10] = [
    &[8],
    &[16],
    &[30],
    &[60],
    &[120],
    &[400],
    &[40, 20],
    &[60, 25, 15],
    &[50, 30, 20, 12],
    &[40, 25, 20, 15, 10],
];

/// With a standard deviation of 1, and a long tail of slow machines.
fn gamma(rng: &mut Rng) -> f64 {
    let sum: f64 = (0..2).map(|_| -(1.0 - rng.f64()).ln()).sum();
    (sum - 2.0) / std::f64::consts::SQRT_2
}

fn student(rng: &mut Rng, freedom: usize) -> f64 {
    let squares: f64 = (0..freedom).map(|_| normal(rng).powi(2)).sum();
    normal(rng) / (squares / (freedom as f64 - 2.0)).sqrt()
}

fn student_3(rng: &mut Rng) -> f64 {
    student(rng, 3)
}

fn student_5(rng: &mut Rng) -> f64 {
    student(rng, 5)
}

type Machines = Vec<Vec<Option<FleetFigure>>>;

impl Kind {
    fn machines(&self, sizes: &[usize], rng: &mut Rng) -> (Machines, Vec<usize>) {
        let batches = sizes.iter().enumerate();
        let mut batch_of: Vec<usize> =
            batches.flat_map(|(batch, size)| vec![batch; *size]).collect();
        rng.shuffle(&mut batch_of);
        (batch_of.iter().map(|batch| self.machine(*batch, rng)).collect(), batch_of)
    }

    fn machine(&self, batch: usize, rng: &mut Rng) -> Vec<Option<FleetFigure>> {
        let clock = self.clocks * (self.deviate)(rng);
        let memories: Vec<f64> =
            (0..self.nodes).map(|_| self.memories * (self.deviate)(rng)).collect();
        let mut figure = |cell: usize| {
            let node = cell % self.nodes;
            // Of more batches than nodes, a memory is slower by twice as much.
            let times = (batch + self.nodes - 1).checked_sub(node).map_or(0, |at| at / self.nodes);
            let is_slower = batch > 0 && (batch - 1) % self.nodes == node;
            let slower = if is_slower { times.max(1) as f64 * BATCH.ln_1p() } else { 0.0 };
            let own = self.cells * (self.deviate)(rng) + ERROR * normal(rng);
            let log = 4.6 + clock + memories[node] + slower + own;
            (rng.f64() >= self.missing).then_some(FleetFigure { log, error: ERROR })
        };
        let mut figures: Vec<Option<FleetFigure>> =
            (0..self.nodes * self.nodes).map(&mut figure).collect();
        for node in 0..self.nodes {
            let column = figures[..self.nodes * self.nodes].iter().skip(node).step_by(self.nodes);
            let column: Option<Vec<FleetFigure>> = column.copied().collect();
            figures.push(column.and_then(|column| FleetFigure::mean(&column)));
        }
        figures
    }

    /// The same with one machine whose memory of node 0 is slower.
    fn with_slow_memory(&self, machines: &Machines, sick: usize, by: f64) -> Machines {
        let mut machines = machines.clone();
        let cells = self.nodes * self.nodes;
        for cell in (0..cells).step_by(self.nodes).chain([cells]) {
            if let Some(figure) = &mut machines[sick][cell] {
                figure.log += by.ln_1p();
            }
        }
        machines
    }

    fn verdict(&self, machines: &Machines) -> FleetVerdict {
        let cells = self.nodes * self.nodes;
        let mean = |node: usize| (node..cells).step_by(self.nodes).collect();
        let means = (0..self.nodes).map(|node| FleetCellKind { table: 0, mean_of: mean(node) });
        let kinds: Vec<FleetCellKind> =
            (0..cells).map(|_| FleetCellKind::default()).chain(means).collect();
        fleet_outliers(machines, &kinds, FLEET_FLOOR)
    }
}

/// Whether no batch has machines of two, as far as it is stated to be known.
fn are_pure(verdict: &FleetVerdict, batch_of: &[usize]) -> bool {
    verdict.batches.iter().all(|batch| {
        let mut sure = batch.machines.iter().filter(|machine| !batch.unsure.contains(machine));
        let first = sure.next().map(|&machine| batch_of[machine]);
        sure.all(|&machine| Some(batch_of[machine]) == first)
    })
}

pub(crate) fn table(surveys: u64) -> String {
    let fleets = surveys.div_ceil(10);
    let mut text = format!(
        "### Fleets of other kinds\n\nPer cent of {fleets} fleets (`./dev bench odds {surveys} \
         fleet-kinds`). *false*: a machine of a \
         healthy fleet is an outlier. *all*: all batches are reported, without a machine in \
         the wrong one. *mixed*: a reported batch has machines of two, which differ by 6 %: \
         the text states the least number of batches. *found*: a machine whose memory of node \
         0 is 10 % slower; *broken*: 30 %; *others*: mean share of other machines' cells among \
         the outliers at 10 %. *not clear*: healthy fleets with such a machine. Tails are \
         those of the fleet's own figures; constants were chosen on other seeds. \
         Clocks vary by 1 %, cells by 0.7 %. \
         Memory of another node is 6 % slower in each batch but the first.\n\n\
         | noise | machines | false | all | mixed | found | broken | others | not clear |\n\
         |---|---|---|---|---|---|---|---|---|\n"
    );
    for kind in &KINDS {
        for sizes in FLEETS {
            eprintln!("odds: fleets of {sizes:?}, {}", kind.name);
            text += &line(kind, sizes, fleets);
        }
    }
    text
}

fn line(kind: &Kind, sizes: &[usize], fleets: u64) -> String {
    let all_others = std::sync::Mutex::new(0.0);
    let [wrong, all, mixed, found, broken, unclear] = count(fleets, |seed| {
        let rng = &mut Rng::with_seed(FIRST_SEED + seed);
        let (machines, batch_of) = kind.machines(sizes, rng);
        let healthy = kind.verdict(&machines);
        let is_pure = are_pure(&healthy, &batch_of);
        let sick = rng.usize(..machines.len());
        let outliers = kind.verdict(&kind.with_slow_memory(&machines, sick, FAULT)).outliers;
        let others = outliers.iter().filter(|outlier| outlier.machine != sick).count();
        *all_others.lock().expect("no trial panics") +=
            others as f64 / outliers.len().max(1) as f64;
        let is_slower = |it: &FleetOutlier| it.machine == sick && it.ratio > 1.0;
        let broken = kind.verdict(&kind.with_slow_memory(&machines, sick, BROKEN)).outliers;
        let is_all = healthy.batches.len() == sizes.len() && is_pure;
        let is_mixed = healthy.batches.len() > 1 && !is_pure;
        let is_found = outliers.iter().any(is_slower);
        let is_unclear = !healthy.unclear.is_empty();
        let is_broken = broken.iter().any(is_slower);
        [!healthy.outliers.is_empty(), is_all, is_mixed, is_found, is_broken, is_unclear]
    });
    let others = *all_others.lock().expect("no trial panics") / fleets as f64;
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        kind.name,
        sizes.join(" + "),
        wrong.percent(),
        all.percent(),
        mixed.percent(),
        found.percent(),
        broken.percent(),
        crate::share::percent(others),
        unclear.percent()
    );
    text
}
