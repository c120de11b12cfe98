//! Healthy fleets over a grid: machines, clocks, cells, batches.

use std::fmt::Write as _;

use fastrand::Rng;
use nearfar_infer::fleet::{FLEET_FLOOR, FleetCellKind, FleetFigure, FleetVerdict, fleet_outliers};
use nearfar_infer::normal;

use crate::share::count;

/// Standard deviations between machines: of all cells of a machine together.
pub(crate) const CLOCKS: [f64; 4] = [0.0, 0.01, 0.02, 0.03];
/// Of each cell by itself.
pub(crate) const CELLS: [f64; 4] = [0.005, 0.01, 0.02, 0.03];
/// How much slower one node of a batch is.
const BATCH: f64 = 0.06;
/// Standard error of a cell within a survey.
const ERROR: f64 = 0.003;
/// A fleet of a thousand machines takes as long as dozens of small ones.
const FEWER: u64 = 20;
/// Seeds that no constant was chosen on; each point has its own.
const FIRST_SEED: u64 = 1 << 40;

/// Machines, and the size of each batch behind the first.
pub(crate) const FLEETS: [(usize, &[usize]); 18] = [
    (4, &[]),
    (4, &[2]),
    (6, &[]),
    (6, &[3]),
    (8, &[]),
    (8, &[4]),
    (12, &[]),
    (12, &[4]),
    (16, &[]),
    (16, &[8]),
    (16, &[4]),
    (60, &[]),
    (60, &[30]),
    (60, &[12]),
    (60, &[20, 20]),
    (1000, &[]),
    (1000, &[300]),
    (1000, &[300, 200]),
];

/// A healthy fleet of machines with two nodes: latency of each pair, and of each node from all.
pub(crate) struct GridFleet {
    pub(crate) machines: usize,
    /// Sizes of the batches behind the first: of the second, node 1 is slower, of the third, node
    /// 0.
    pub(crate) batches: &'static [usize],
    pub(crate) clocks: f64,
    pub(crate) cells: f64,
}

impl GridFleet {
    pub(crate) fn batch_of(&self, machine: usize) -> usize {
        let mut first = self.machines - self.batches.iter().sum::<usize>();
        let mut batch = 0;
        for size in self.batches {
            if machine < first {
                break;
            }
            batch += 1;
            first += size;
        }
        batch
    }

    fn first_seed(&self) -> u64 {
        let sizes = self.batches.iter().fold(self.machines, |sum, size| 1009 * sum + size);
        let spreads = (1e4 * self.clocks) as u64 * 1000 + (1e4 * self.cells) as u64;
        FIRST_SEED + ((sizes as u64 * 1_000_000 + spreads) << 16)
    }

    pub(crate) fn verdict(&self, seed: u64) -> FleetVerdict {
        let rng = &mut Rng::with_seed(seed);
        let machines: Vec<_> =
            (0..self.machines).map(|at| self.machine(self.batch_of(at), rng)).collect();
        let mean_of = |cells: [usize; 2]| FleetCellKind { table: 0, mean_of: cells.to_vec() };
        let kinds = [vec![FleetCellKind::default(); 4], vec![mean_of([0, 2]), mean_of([1, 3])]];
        fleet_outliers(&machines, &kinds.concat(), FLEET_FLOOR)
    }

    fn machine(&self, batch: usize, rng: &mut Rng) -> Vec<Option<FleetFigure>> {
        let clock = self.clocks * normal(rng);
        let mut figure = |cell: usize| {
            let is_slower = batch > 0 && cell % 2 == batch % 2;
            let slower = if is_slower { BATCH.ln_1p() } else { 0.0 };
            let own = self.cells * normal(rng) + ERROR * normal(rng);
            FleetFigure { log: 4.6 + clock + slower + own, error: ERROR }
        };
        let cells = [0, 1, 2, 3].map(&mut figure);
        let means = [[0, 2], [1, 3]].map(|of| FleetFigure::mean(&of.map(|cell| cells[cell])));
        cells.into_iter().map(Some).chain(means).collect()
    }
}

pub(crate) fn table(surveys: u64) -> String {
    let mut text = format!(
        "### Healthy fleets over a grid\n\nPer cent of {surveys} healthy fleets ({} of 1,000 \
         machines) in which any machine is an outlier: 5 by design. Machines have two nodes; cells \
         are the four pairs in latency, and each node's mean. Columns: spread of clocks, which all \
         cells of a machine share. *cells*: spread of each cell by itself. *batches*: sizes; \
         memory of one node is 6 % slower in the second batch, of the other node in the third. In \
         brackets: fleets that are reported to have batches; of these, a wrong number of batches \
         or a machine in the wrong one, unless it is named as one that may be, in per cent of \
         fleets.\n\n| machines | batches | cells |",
        surveys.div_ceil(FEWER)
    );
    for clocks in CLOCKS {
        let _ = write!(text, " {:.1} % |", 100.0 * clocks);
    }
    let _ = write!(text, "\n|---|---|---|{}\n", "---|".repeat(CLOCKS.len()));
    for (machines, batches) in FLEETS {
        let fleets = if machines > 100 { surveys.div_ceil(FEWER) } else { surveys };
        for cells in CELLS {
            eprintln!("odds: grid of {machines} machines, batches {batches:?}, cells {cells}");
            let first = machines - batches.iter().sum::<usize>();
            let sizes: Vec<String> =
                [&[first], batches].concat().iter().map(usize::to_string).collect();
            let sizes = if batches.is_empty() { "one".to_owned() } else { sizes.join(" + ") };
            let _ = write!(text, "| {machines} | {sizes} | {:.1} % |", 100.0 * cells);
            for clocks in CLOCKS {
                text += &point(&GridFleet { machines, batches, clocks, cells }, fleets);
            }
            text.push('\n');
        }
    }
    text
}

fn point(fleet: &GridFleet, fleets: u64) -> String {
    let first = fleet.first_seed();
    let [wrong, stated, misplaced] = count(fleets, |seed| {
        let verdict = fleet.verdict(first + seed);
        let is_right = verdict.batches.len() == fleet.batches.len() + 1
            && verdict.batches.iter().all(|batch| {
                let mut sure = batch.machines.iter().filter(|it| !batch.unsure.contains(it));
                let first = sure.next().map(|&machine| fleet.batch_of(machine));
                sure.all(|&machine| Some(fleet.batch_of(machine)) == first)
            });
        let is_stated = verdict.batches.len() > 1;
        [!verdict.outliers.is_empty(), is_stated, is_stated && !is_right]
    });
    format!(" {} ({}; {}) |", wrong.percent(), stated.percent(), misplaced.percent())
}
