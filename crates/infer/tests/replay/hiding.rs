//! Machines with hidden nodes, and machines with none, as pages and lines show them.

use fastrand::Rng;
use nearfar_infer::hidden::{CostTable, LineHalves};
use nearfar_infer::normal;
use nearfar_model::{CellIndex, Sample};

/// A machine, with its noise.
#[derive(Clone, Debug)]
pub struct Hiding {
    /// The node of each row.
    pub rows: Vec<usize>,
    /// Costs by node of the row and node of the memory.
    pub ns: Vec<Vec<f64>>,
    /// The assignment of items to nodes, in turn: one in this many, for each node. Zero leaves a
    /// node without any.
    pub deal: Vec<usize>,
    /// Speeds of rows.
    pub slower: Vec<f64>,
    /// Pages or lines of a process.
    pub items: usize,
    /// Processes, each with fresh items.
    pub processes: u64,
    /// Rounds of a process.
    pub rounds: u32,
    /// Scatter of a sample.
    pub sample_sd: f64,
    /// Scatter of items, the same from all rows.
    pub item_sd: f64,
    /// Scatter of items in each row by itself.
    pub item_row_sd: f64,
    /// Scatter of a whole row from round to round.
    pub round_sd: f64,
    /// Scatter of a whole row from process to process.
    pub process_drift: f64,
    /// Whether each process gets the same items.
    pub same_items: bool,
}

impl Hiding {
    /// Memory that costs the same from everywhere.
    pub fn uniform(rows: usize) -> Self {
        Self {
            rows: vec![0; rows],
            ns: vec![vec![90.0]],
            deal: vec![1],
            slower: vec![1.0; rows],
            items: 64,
            processes: 3,
            rounds: 5,
            sample_sd: 0.01,
            item_sd: 0.01,
            item_row_sd: 0.0,
            round_sd: 0.01,
            process_drift: 0.0,
            same_items: false,
        }
    }

    /// Two nodes, two rows in each, and this ratio between them.
    pub fn two_nodes(ratio: f64) -> Self {
        let ns = vec![vec![80.0, 80.0 * ratio], vec![80.0 * ratio, 80.0]];
        Self { rows: vec![0, 0, 1, 1], ns, deal: vec![1, 1], ..Self::uniform(4) }
    }

    /// Nodes, some of them without CPUs, and the number of kinds of pages that their CPUs
    /// distinguish. All remote memory has the same extra cost.
    pub fn with_cpus_on(rows: &[usize], nodes: usize, ratio: f64) -> (Self, usize) {
        let cost = |row: usize, node: usize| if row == node { 100.0 } else { 100.0 * ratio };
        let with_cpus = rows.iter().max().map_or(0, |last| last + 1);
        let ns =
            (0..with_cpus).map(|row| (0..nodes).map(|node| cost(row, node)).collect()).collect();
        // Nodes without CPUs are equally far from all rows: one kind.
        let kinds = nodes.min(with_cpus + 1);
        (Self { deal: vec![1; nodes], ns, rows: rows.to_vec(), ..Self::uniform(rows.len()) }, kinds)
    }

    /// The node of an item.
    pub fn node(&self, item: usize) -> usize {
        let mut place = item % self.deal.iter().sum::<usize>();
        for (node, share) in self.deal.iter().enumerate() {
            if place < *share {
                return node;
            }
            place -= share;
        }
        0
    }

    fn samples(&self, process: u64, seed: u64) -> Vec<Sample> {
        let mut random = Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(process));
        let mut of_items = Rng::with_seed(if self.same_items {
            seed
        } else {
            !seed.wrapping_mul(997).wrapping_add(process)
        });
        let items: Vec<f64> =
            (0..self.items).map(|_| self.item_sd * normal(&mut of_items)).collect();
        let own: Vec<f64> = (0..self.items * self.rows.len())
            .map(|_| self.item_row_sd * normal(&mut of_items))
            .collect();
        let mut of_rows = Rng::with_seed(seed.wrapping_mul(7_919).wrapping_add(process) ^ 0x5eed);
        let process_drift: Vec<f64> =
            self.rows.iter().map(|_| self.process_drift * normal(&mut of_rows)).collect();
        let mut samples = Vec::new();
        for round in 0..self.rounds {
            for (row, node) in self.rows.iter().enumerate() {
                let moment = process_drift[row] + self.round_sd * normal(&mut random);
                for item in 0..self.items {
                    let level = self.slower[row] * self.ns[*node][self.node(item)];
                    let extra = items[item]
                        + own[item * self.rows.len() + row]
                        + moment
                        + noise(&mut random, self.sample_sd);
                    samples.push(Sample::new(
                        0,
                        round,
                        CellIndex::new(row, item),
                        level * extra.exp(),
                    ));
                }
            }
        }
        samples
    }

    /// Each process's measurements.
    pub fn sheets(&self, seed: u64) -> Vec<CostTable> {
        (0..self.processes).map(|process| CostTable::new(&self.samples(process, seed))).collect()
    }

    /// Each process's first and second half of the rounds, and both together.
    pub fn halves(&self, seed: u64) -> Vec<LineHalves> {
        let of = |process| {
            let samples = self.samples(process, seed);
            let half = |second: bool| -> Vec<Sample> {
                samples
                    .iter()
                    .copied()
                    .filter(|sample| (sample.round * 2 >= self.rounds) == second)
                    .collect()
            };
            LineHalves {
                first: CostTable::new(&half(false)),
                second: CostTable::new(&half(true)),
                both: CostTable::new(&samples),
            }
        };
        (0..self.processes).map(of).collect()
    }
}

/// Log-normal, with a positive outlier in one of twenty samples.
pub fn noise(random: &mut Rng, sd: f64) -> f64 {
    let tail = if random.f64() < 0.05 { -0.1 * (1.0 - random.f64()).ln() } else { 0.0 };
    sd * normal(random) + tail
}
