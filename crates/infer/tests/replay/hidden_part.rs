//! Machines that hide two to six nodes, of whose memory a search sees all or a part.

use fastrand::Rng;
use nearfar_infer::hidden::CostTable;
use nearfar_infer::normal;
use nearfar_model::{CellIndex, Sample};

use super::hiding::noise;

/// Pages of a process, and processes.
const PAGES: usize = 64;
const PROCESSES: u64 = 3;

/// A drawn machine, and what a search sees of it.
#[derive(Clone, Debug)]
pub struct HiddenPart {
    /// The node of each group of CPUs.
    pub groups: Vec<usize>,
    /// Whether each group is measured.
    pub measured: Vec<bool>,
    /// Nodes with CPUs come first.
    pub with_cpus: usize,
    /// Costs by node with CPUs and node with memory.
    pub ns: Vec<Vec<f64>>,
    /// Share of the machine's memory, by node, in the order of addresses.
    pub share: Vec<f64>,
    /// Number of nodes whose pages are seen: the first ones.
    pub seen: usize,
    sample_sd: f64,
    rounds: u32,
}

fn between(random: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * random.f64()
}

impl HiddenPart {
    /// The same seed gives the same machine.
    pub fn drawn(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed ^ 0x6869_6464_656e);
        let with_cpus = random.usize(1..=6);
        let most = 6 - with_cpus;
        let memory_only = if with_cpus == 1 { random.usize(1..=2) } else { random.usize(0..=2) };
        let nodes = with_cpus + memory_only.min(most);
        let mut groups: Vec<usize> = (0..with_cpus).collect();
        let more = random.usize(0..=6 - with_cpus);
        groups.extend((0..more).map(|_| random.usize(..with_cpus)));
        while groups.len() < 2 {
            groups.push(0);
        }
        groups.sort_unstable();
        let mut measured = vec![true; groups.len()];
        if groups.len() > 2 && random.u8(..4) == 0 {
            let out = random.usize(1..=groups.len() - 2);
            for _ in 0..out {
                let at = random.usize(..groups.len());
                measured[at] = false;
            }
            if measured.iter().filter(|is| **is).count() < 2 {
                (measured[0], measured[1]) = (true, true);
            }
        }
        let share = match random.u8(..3) {
            0 => {
                let drawn: Vec<f64> =
                    (0..nodes).map(|_| 0.03 + 0.97 * random.f64().powi(3)).collect();
                let all: f64 = drawn.iter().sum();
                drawn.iter().map(|one| one / all).collect()
            }
            _ => vec![1.0 / nodes as f64; nodes],
        };
        let seen = if random.bool() { nodes } else { random.usize(1..=nodes) };
        Self {
            ns: costs(&mut random, with_cpus, nodes),
            groups,
            measured,
            with_cpus,
            share,
            seen,
            sample_sd: [0.01, 0.02][random.usize(..2)],
            rounds: random.u32(3..=5),
        }
    }

    /// The rows: groups that are measured.
    pub fn rows(&self) -> Vec<usize> {
        (0..self.groups.len()).filter(|group| self.measured[*group]).collect()
    }

    /// What a page of a node costs a row.
    pub fn cost(&self, row: usize, node: usize) -> f64 {
        self.ns[self.groups[self.rows()[row]]][node]
    }

    /// Each process's pages: one from each of equal intervals of the memory that is seen.
    pub fn sheets(&self, seed: u64) -> Vec<CostTable> {
        (0..PROCESSES)
            .map(|process| self.sheet(&mut Rng::with_seed(seed * 1_009 + process)))
            .collect()
    }

    fn sheet(&self, random: &mut Rng) -> CostTable {
        let all: f64 = self.share[..self.seen].iter().sum();
        let home = |at: f64| {
            let mut left = at * all;
            let node = self.share[..self.seen].iter().position(|share| {
                left -= share;
                left < 0.0
            });
            node.unwrap_or(self.seen - 1)
        };
        let homes: Vec<usize> =
            (0..PAGES).map(|page| home((page as f64 + random.f64()) / PAGES as f64)).collect();
        let own: Vec<f64> = homes.iter().map(|_| 0.01 * normal(random)).collect();
        let rows = self.rows();
        let drift: Vec<f64> = rows.iter().map(|_| 0.01 * normal(random)).collect();
        let mut samples = Vec::new();
        for round in 0..self.rounds {
            for (row, drift) in drift.iter().enumerate() {
                let moment = drift + 0.01 * normal(random);
                for (page, home) in homes.iter().enumerate() {
                    let log = own[page] + moment + noise(random, self.sample_sd);
                    let ns = self.cost(row, *home) * log.exp();
                    samples.push(Sample::new(0, round, CellIndex::new(row, page), ns));
                }
            }
        }
        CostTable::new(&samples)
    }

    /// Kinds of the seen memory that the rows distinguish, where `turn` is enough of a difference
    /// between rows and `level` is enough for all rows alike (logarithms).
    pub fn kinds(&self, turn: f64, level: f64) -> Vec<Vec<usize>> {
        let rows = self.rows().len();
        let is_same = |a: usize, b: usize| {
            let logs: Vec<f64> =
                (0..rows).map(|row| (self.cost(row, b) / self.cost(row, a)).ln()).collect();
            let mean = logs.iter().sum::<f64>() / rows as f64;
            logs.iter().all(|log| (log - mean).abs() < turn) && mean.abs() < level
        };
        let mut kinds: Vec<Vec<usize>> = Vec::new();
        for node in 0..self.seen {
            let (same, other): (Vec<_>, Vec<_>) = kinds
                .into_iter()
                .partition(|kind: &Vec<usize>| kind.iter().any(|known| is_same(*known, node)));
            let mut joined: Vec<usize> = same.into_iter().flatten().collect();
            joined.push(node);
            kinds = other;
            kinds.push(joined);
        }
        kinds
    }
}

/// Near within a package, farther to others; memory without CPUs equally far from all, or behind
/// one node.
fn costs(random: &mut Rng, with_cpus: usize, nodes: usize) -> Vec<Vec<f64>> {
    let divisors: Vec<usize> = (1..=with_cpus).filter(|count| with_cpus % count == 0).collect();
    let per_package = divisors[random.usize(..divisors.len())];
    let local = between(random, 70.0, 130.0);
    let in_package = match random.u8(..4) {
        0 => between(random, 1.05, 1.12),
        _ => between(random, 1.12, 1.6),
    };
    let beyond = in_package * between(random, 1.15, 2.0);
    let expander = between(random, 2.0, 3.0);
    let mut ns = vec![vec![local; nodes]; with_cpus];
    for b in 0..nodes {
        let behind = random.usize(..with_cpus);
        let is_even = random.bool();
        for (a, costs) in ns.iter_mut().enumerate() {
            let jitter = between(random, 0.99, 1.01);
            let ratio = |a: usize, b: usize| {
                if a == b {
                    1.0
                } else if a / per_package == b / per_package {
                    in_package * jitter
                } else {
                    beyond * jitter
                }
            };
            costs[b] *= match b >= with_cpus {
                false => ratio(a, b),
                true if is_even => expander * jitter,
                true => expander + ratio(a, behind) - 1.0,
            };
        }
    }
    ns
}
