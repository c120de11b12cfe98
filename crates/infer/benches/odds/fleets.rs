//! Fleets of one shape: false outliers and power.

use std::fmt::Write as _;

use fastrand::Rng;
use nearfar_infer::fleet::{FLEET_FLOOR, FleetCellKind, FleetFigure, FleetOutlier, fleet_outliers};
use nearfar_infer::normal;

use crate::share::{Share, count, percent};

const MACHINES: [usize; 4] = [4, 8, 16, 64];
/// Nodes of a machine; its cells are pairs of nodes, in latency and in bandwidth.
const NODES: [usize; 2] = [2, 8];
/// True extra latency of one node of one machine.
const SLOWER: [f64; 3] = [0.05, 0.10, 0.20];
/// Spreads of cells in the table of power.
const POWER_CELLS: [f64; 3] = [0.005, 0.01, 0.015];
/// Standard error of a cell within a survey.
const ERROR: f64 = 0.003;
/// The divisor of the number of fleets with 64 machines of 8 nodes.
const FEWER: f64 = 10.0;

/// How machines of one shape differ without being sick.
#[derive(Clone, Copy)]
struct Spread {
    name: &'static str,
    /// Standard deviation between machines of each cell by itself: latency, bandwidth.
    cell: [f64; 2],
    /// The same of all cells of a machine together.
    machine: f64,
    deviate: fn(&mut Rng) -> f64,
    /// Every fourth machine measures with this standard error.
    worse_error: f64,
    /// Every third machine is of another batch, slower by this.
    batch: f64,
    /// Every third cell spreads half as much, every third twice as much.
    uneven_cells: bool,
}

impl Spread {
    fn all() -> [Self; 7] {
        let usual = Self {
            name: "cells 1 %",
            cell: [0.01; 2],
            machine: 0.0,
            deviate: normal,
            worse_error: ERROR,
            batch: 0.0,
            uneven_cells: false,
        };
        [
            usual,
            Self { name: "machines 1 %", cell: [0.003; 2], machine: 0.01, ..usual },
            Self { name: "latency 0.5 %, bandwidth 3 %", cell: [0.005, 0.03], ..usual },
            Self { name: "cells 0.5 to 2 %", uneven_cells: true, ..usual },
            Self { name: "heavy tails", deviate: heavy, ..usual },
            Self { name: "uneven errors", worse_error: 0.03, ..usual },
            Self { name: "two batches", batch: 0.02, ..usual },
        ]
    }

    fn fleet(&self, machines: usize, nodes: usize, rng: &mut Rng) -> Vec<Vec<Option<FleetFigure>>> {
        let machine = |index: usize, rng: &mut Rng| {
            let common =
                self.machine * (self.deviate)(rng) + if index % 3 == 0 { self.batch } else { 0.0 };
            let error = if index % 4 == 0 { self.worse_error } else { ERROR };
            let cells = 2 * nodes * nodes;
            let figure = |cell: usize| {
                let factor = if self.uneven_cells { [0.5, 1.0, 2.0][cell % 3] } else { 1.0 };
                let own = factor * self.cell[cell % 2] * (self.deviate)(rng);
                Some(FleetFigure { log: 4.6 + common + own + error * normal(rng), error })
            };
            (0..cells).map(figure).collect()
        };
        (0..machines).map(|index| machine(index, rng)).collect()
    }
}

/// Of the cells, and of each node's mean over all rows.
fn outliers(fleet: &[Vec<Option<FleetFigure>>], nodes: usize) -> Vec<FleetOutlier> {
    let cells = 2 * nodes * nodes;
    let single = |cell: usize| FleetCellKind { table: cell % 2, mean_of: Vec::new() };
    let mean = |first: usize| FleetCellKind {
        table: first % 2,
        mean_of: (first..cells).step_by(2 * nodes).collect(),
    };
    let kinds: Vec<FleetCellKind> =
        (0..cells).map(single).chain((0..2 * nodes).map(mean)).collect();
    let with_means = |figures: &Vec<Option<FleetFigure>>| {
        let node_figures = |first: usize| figures.iter().skip(first).step_by(2 * nodes).flatten();
        let means = (0..2 * nodes)
            .map(|first| FleetFigure::mean(&node_figures(first).copied().collect::<Vec<_>>()));
        figures.iter().copied().chain(means).collect()
    };
    let fleet: Vec<_> = fleet.iter().map(with_means).collect();
    fleet_outliers(&fleet, &kinds, FLEET_FLOOR).outliers
}

/// Student's t with three degrees of freedom: one deviate in 100 is beyond 4.5.
fn heavy(rng: &mut Rng) -> f64 {
    let squares: f64 = (0..3).map(|_| normal(rng).powi(2)).sum();
    normal(rng) / (squares / 3.0).sqrt()
}

pub(crate) fn table(surveys: u64) -> String {
    let mut text = format!(
        "## Fleets: which machine is sick\n\nPer cent of {surveys} fleets of one shape \
         (64 machines of 8 nodes: a tenth of that). Cells are all pairs of nodes, in latency and \
         in bandwidth, each with a standard error of 0.3 %; and each node's mean over all CPU \
         groups. *false*: some machine of a healthy fleet is an outlier (in brackets the upper \
         end of the 95 % interval, 5 by design). Then \
         one machine's latency of node 0 is higher by this: *found*, and beside it fleets in \
         which another machine or cell is an outlier. Spreads are standard deviations between \
         machines: of each cell by itself, or of all cells of a machine together. `heavy tails`: \
         Student's t with 3 degrees of freedom, so 1 cell in 100 is off by 4.5 % or more, and \
         the machine is called an outlier. `uneven errors`: every fourth machine measures with \
         an error of 3 %. `two batches`: every third machine is 2 % slower in all cells.\n\n\
         | machines | nodes | spread | false |"
    );
    for slower in SLOWER {
        let _ = write!(text, " +{:.0} % | other |", 100.0 * slower);
    }
    let _ = write!(text, "\n|---|---|---|---|{}\n", "---|---|".repeat(SLOWER.len()));
    for machines in MACHINES {
        for nodes in NODES {
            let is_large = machines * nodes > 256;
            let fleets = if is_large { (surveys as f64 / FEWER).ceil() as u64 } else { surveys };
            for spread in Spread::all() {
                eprintln!("odds: fleets of {machines}, {nodes} nodes, {}", spread.name);
                let _ = write!(text, "| {machines} | {nodes} | {} |", spread.name);
                text += &line(&spread, machines, nodes, fleets);
            }
        }
    }
    text
}

fn line(spread: &Spread, machines: usize, nodes: usize, fleets: u64) -> String {
    let [wrong] = count(fleets, |seed| {
        let fleet = spread.fleet(machines, nodes, &mut Rng::with_seed(seed));
        [!outliers(&fleet, nodes).is_empty()]
    });
    let mut text = format!(" {} ({}) |", wrong.percent(), percent(wrong.upper()));
    for slower in SLOWER {
        let [found, other] = found(spread, machines, nodes, slower, fleets);
        let _ = write!(text, " {} | {} |", found.percent(), other.percent());
    }
    text.push('\n');
    text
}

/// Fleets with one slower node of one machine: whether it is found, and whether another cell is an
/// outlier.
fn found(spread: &Spread, machines: usize, nodes: usize, slower: f64, fleets: u64) -> [Share; 2] {
    count(fleets, |seed| {
        let rng = &mut Rng::with_seed(seed);
        let mut fleet = spread.fleet(machines, nodes, rng);
        let sick = rng.usize(..machines);
        // The latency of every CPU group to node 0.
        let is_of_node = |cell: usize| cell % (2 * nodes) == 0;
        let cells = fleet[sick].iter_mut().enumerate().filter(|(cell, _)| is_of_node(*cell));
        cells.filter_map(|(_, figure)| figure.as_mut()).for_each(|figure| {
            figure.log += slower.ln_1p();
        });
        let outliers = outliers(&fleet, nodes);
        let is_sick = |machine: usize, cell: usize| machine == sick && is_of_node(cell);
        [true, false].map(|wanted| {
            outliers.iter().any(|outlier| is_sick(outlier.machine, outlier.cell) == wanted)
        })
    })
}

/// Fleets in which a machine is found whose memory of one node is 5 % slower.
pub(crate) fn power(surveys: u64) -> String {
    let mut text = format!(
        "### Power\n\nPer cent of {surveys} fleets in which the machine is found whose memory of \
         node 0 is 5 % slower. Machines have two nodes, with latency and bandwidth. Columns: \
         spread of each cell by itself.\n\n| machines | clocks |"
    );
    for cells in POWER_CELLS {
        let _ = write!(text, " {:.1} % |", 100.0 * cells);
    }
    let _ = write!(text, "\n|---|---|{}\n", "---|".repeat(POWER_CELLS.len()));
    for machines in [4, 8, 16, 60] {
        for clocks in [0.0, 0.01, 0.02] {
            let _ = write!(text, "| {machines} | {:.0} % |", 100.0 * clocks);
            for cells in POWER_CELLS {
                let spread = Spread { cell: [cells; 2], machine: clocks, ..Spread::all()[0] };
                let [found, _] = found(&spread, machines, 2, SLOWER[0], surveys);
                let _ = write!(text, " {} |", found.percent());
            }
            text.push('\n');
        }
    }
    text
}
