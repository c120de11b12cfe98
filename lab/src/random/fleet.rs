//! Fleets of machines of one shape: clocks, cells and batches that differ, and a few faults.

mod documents;

use std::sync::Arc;

use fastrand::Rng;
use nearfar_infer::fleet::FLEET_FLOOR;
use nearfar_infer::normal;
use nearfar_survey::fleet::text::FleetDetail;
use nearfar_survey::fleet::{
    DocumentPlace, DocumentReader, FleetSettings, FleetSurveys, NotJudged,
};

use super::costs::between;

/// Machines of a fleet.
const FEWEST: f64 = 4.0;
const MOST: f64 = 60.0;
/// From this many on there may be two batches, or three.
const TWO_BATCHES: usize = 8;
const THREE_BATCHES: usize = 30;
/// Fewer machines, or a smaller share, are no batch that a text has to know.
const MIN_BATCH: usize = 3;
const MIN_SHARE: usize = 5;

/// A part of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MachinePart {
    /// Memory of a node, from all CPUs.
    Memory(usize),
    /// One node's memory from one node's CPUs.
    Direction {
        row: usize,
        column: usize,
    },
    Machine,
}

impl MachinePart {
    fn covers(self, row: usize, column: usize) -> bool {
        match self {
            Self::Memory(node) => node == column,
            Self::Direction { row: from, column: to } => (from, to) == (row, column),
            Self::Machine => true,
        }
    }

    fn drawn(rng: &mut Rng, nodes: usize) -> Self {
        match rng.u8(..4) {
            0 => Self::Machine,
            1 => Self::Direction { row: rng.usize(..nodes), column: rng.usize(..nodes) },
            _ => Self::Memory(rng.usize(..nodes)),
        }
    }
}

/// A part that is slower by this: the logarithm of a ratio of costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slower {
    pub(crate) part: MachinePart,
    pub(crate) log: f64,
}

/// A machine: figures with their noise.
#[derive(Clone, Debug)]
pub(crate) struct FleetMachine {
    pub(crate) name: String,
    pub(crate) batch: usize,
    pub(crate) fault: Option<Slower>,
    /// Logarithms of costs, by table, row and column.
    pub(crate) logs: Vec<f64>,
}

#[derive(Clone, Debug)]
pub(crate) struct DrawnFleet {
    pub(crate) nodes: usize,
    /// Latency; with two, bandwidth, too.
    pub(crate) tables: usize,
    pub(crate) machines: Vec<FleetMachine>,
    /// Of each batch but the first.
    pub(crate) batches: Vec<Slower>,
    /// Whether batches have firmware of their own.
    pub(crate) has_settings: bool,
    pub(crate) error: f64,
}

/// How far machines and cells spread.
struct Noise {
    clocks: f64,
    cells: [f64; 2],
    error: f64,
}

impl DrawnFleet {
    /// The same seed gives the same fleet.
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x66_6c65_6574);
        let count = (FEWEST * ((MOST + 0.5) / FEWEST).powf(rng.f64())) as usize;
        let nodes = rng.usize(2..=4);
        let noise = Noise {
            clocks: between(&mut rng, 0.0, 0.03),
            cells: [0; 2].map(|_| between(&mut rng, 0.005, 0.03)),
            error: between(&mut rng, 0.001, 0.006),
        };
        let batch_of = batches(&mut rng, count);
        let last = batch_of.iter().copied().max().unwrap_or(0);
        let mut fleet = Self {
            nodes,
            tables: if rng.u8(..3) == 0 { 2 } else { 1 },
            machines: Vec::new(),
            batches: parts(&mut rng, nodes, last, [0.04, 0.15]),
            has_settings: rng.bool(),
            error: noise.error,
        };
        let faults = rng.usize(..=2);
        let faults = parts(&mut rng, nodes, faults, [0.05, 0.25]);
        let mut of_machines = vec![None; count];
        for fault in faults {
            of_machines[rng.usize(..count)] = Some(fault);
        }
        for (at, (batch, fault)) in batch_of.into_iter().zip(of_machines).enumerate() {
            let name = format!("host{:02}", at + 1);
            let mut machine = FleetMachine { name, batch, fault, logs: Vec::new() };
            machine.logs = fleet.logs(&machine, &noise, &mut rng);
            fleet.machines.push(machine);
        }
        fleet
    }

    fn logs(&self, machine: &FleetMachine, noise: &Noise, rng: &mut Rng) -> Vec<f64> {
        let clock = noise.clocks * normal(rng);
        let (fault, batch) = (self.fault(machine), self.batch(machine.batch));
        let cells = fault.iter().zip(&batch).enumerate();
        let cell_log = |(cell, (fault, batch)): (usize, (&f64, &f64))| {
            let own = noise.cells[self.table_of(cell)] * normal(rng) + noise.error * normal(rng);
            clock + fault + batch + own
        };
        cells.map(cell_log).collect()
    }

    /// The number of cells of a table.
    pub(crate) fn table_len(&self) -> usize {
        self.nodes * self.nodes
    }

    pub(crate) fn table_of(&self, cell: usize) -> usize {
        cell / self.table_len()
    }

    /// By how much each cell is slower.
    fn slower(&self, slower: Option<Slower>) -> Vec<f64> {
        let one = |cell: usize| {
            let (row, column) = (cell % self.table_len() / self.nodes, cell % self.nodes);
            slower.filter(|it| it.part.covers(row, column)).map_or(0.0, |it| it.log)
        };
        (0..self.tables * self.table_len()).map(one).collect()
    }

    /// By how much each cell of a machine is slower than in its batch.
    pub(crate) fn fault(&self, machine: &FleetMachine) -> Vec<f64> {
        self.slower(machine.fault)
    }

    /// By how much each cell of a batch is slower than in the first.
    pub(crate) fn batch(&self, batch: usize) -> Vec<f64> {
        self.slower(batch.checked_sub(1).map(|at| self.batches[at]))
    }

    /// The batch whose costs are nearest to a machine's: with a fault, it may be another one's.
    pub(crate) fn nearest_batch(&self, machine: &FleetMachine) -> usize {
        let (fault, own) = (self.fault(machine), self.batch(machine.batch));
        let distance = |batch: usize| -> f64 {
            let cells = fault.iter().zip(&own).zip(self.batch(batch));
            cells.map(|((fault, own), other)| (fault + own - other).powi(2)).sum()
        };
        let batches = 0..=self.batches.len();
        batches.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(0)
    }

    /// The cells' values, and behind them the mean of each table's columns over all rows.
    pub(crate) fn with_means(&self, cells: &[f64]) -> Vec<f64> {
        let means = cells.chunks(self.table_len()).flat_map(|table| {
            let of_column = |column: usize| {
                let sum: f64 = table.iter().skip(column).step_by(self.nodes).sum();
                sum / self.nodes as f64
            };
            (0..self.nodes).map(of_column)
        });
        cells.iter().copied().chain(means).collect()
    }

    /// Firmware that a machine's batch has.
    pub(crate) fn firmware(&self, machine: &FleetMachine) -> String {
        format!("1.{}", if self.has_settings { machine.batch } else { 0 })
    }

    /// What is true of it.
    pub(crate) fn summary(&self) -> String {
        let with_fault = self.machines.iter().filter(|machine| machine.fault.is_some());
        let faults = with_fault.map(|it| format!("{} {} {:?}", it.name, it.batch, it.fault));
        format!(
            "{} machines of {} nodes, batches {:?}, faults {:?}\n",
            self.machines.len(),
            self.nodes,
            self.batches,
            faults.collect::<Vec<_>>()
        )
    }

    /// What `nearfar fleet` prints of its surveys.
    pub(crate) fn text(&self) -> Result<String, NotJudged> {
        let mut surveys = FleetSurveys::default();
        let place = DocumentPlace { number: 0, file: Arc::from("drawn") };
        let documents = self.documents();
        DocumentReader::new(documents.as_bytes())
            .for_each(|document| surveys.add(&place, document));
        let fleet = surveys.judge(FleetSettings { floor: FLEET_FLOOR })?;
        Ok(nearfar_survey::fleet::text::text(&fleet, FleetDetail::Full, ".").text())
    }

    /// A file of surveys, a line each.
    pub(crate) fn documents(&self) -> String {
        documents::lines(self)
    }
}

fn parts(rng: &mut Rng, nodes: usize, count: usize, by: [f64; 2]) -> Vec<Slower> {
    let mut parts: Vec<Slower> = Vec::new();
    while parts.len() < count {
        let part = MachinePart::drawn(rng, nodes);
        let log = between(rng, by[0], by[1]).ln_1p();
        if parts.iter().all(|other| other.part != part) {
            parts.push(Slower { part, log });
        }
    }
    parts
}

/// The batch of each machine, of the first machine 0: one after the other, or mixed.
fn batches(rng: &mut Rng, machines: usize) -> Vec<usize> {
    let most = match machines {
        ..TWO_BATCHES => 1,
        TWO_BATCHES..THREE_BATCHES => 2,
        _ => 3,
    };
    let count = rng.usize(1..=most);
    let least = MIN_BATCH.max(machines.div_ceil(MIN_SHARE));
    let mut of_machines = vec![0; machines];
    let mut end = machines;
    for batch in (1..count).rev() {
        let size = rng.usize(least..=(machines / count).max(least));
        of_machines[end - size..end].fill(batch);
        end -= size;
    }
    if rng.bool() {
        rng.shuffle(&mut of_machines);
    }
    let mut order: Vec<usize> = Vec::new();
    for batch in &of_machines {
        if !order.contains(batch) {
            order.push(*batch);
        }
    }
    let place = |batch: usize| order.iter().position(|other| *other == batch).unwrap_or(0);
    of_machines.into_iter().map(place).collect()
}
