//! Costs from each node's CPUs to each node's memory: the input of classes, links and claims.
//!
//! CPU groups of one node are combined (the mean of their log medians). Each figure has resamples,
//! so that any derived statistic, a mean of many cells or the order of two, has an error estimate.
//! Published matrices have figures only: their error is assumed, and resamples are drawn from it.
//!
//! A cost may be any figure of an access; only ratios count. Bandwidths are handled alike, where
//! more is better.

use std::collections::BTreeSet;

use fastrand::Rng;

use crate::bootstrap::{Scatter, bootstrap};
use crate::normal;
use crate::sample_matrix::SampleMatrix;

const DRAWS: usize = 500;
/// Degrees of freedom of figures without rounds: enough to make Student's t normal.
const MANY: usize = 1_000_000;

/// Costs by node, with their scatter.
#[derive(Clone, Debug)]
pub struct NodeCosts {
    cpu_nodes: Vec<u32>,
    memory_nodes: Vec<u32>,
    /// How many CPUs each node has, or 1 for all: what it counts in means over CPUs.
    weights: Vec<f64>,
    /// Logarithms, row by row; `NaN` where a cost is unknown.
    logs: Vec<f64>,
    /// Pairs of resamples of all logarithms, as [`bootstrap`] makes them.
    draws: Vec<[Vec<f64>; 2]>,
    scatters: Vec<Option<Scatter>>,
    /// The errors of each pair's first resample, scaled to the size of real errors.
    errors: Vec<Vec<f64>>,
    /// The logarithms of each round, row by row, `NaN` for missing samples. Empty for published
    /// figures.
    seen: Vec<Vec<f64>>,
    processes: usize,
    rounds: usize,
}

impl NodeCosts {
    /// From samples. `row_nodes` and `column_nodes` have the node of each row's CPUs and of each
    /// column's memory; rows and columns without one are skipped.
    pub fn from_samples(
        matrix: &SampleMatrix,
        row_nodes: &[Option<u32>],
        column_nodes: &[Option<u32>],
        seed: u64,
    ) -> Self {
        let (cpu_nodes, memory_nodes) =
            (distinct(row_nodes.iter().flatten()), distinct(column_nodes.iter().flatten()));
        let sources = sources(matrix, [row_nodes, column_nodes], &cpu_nodes, &memory_nodes);
        let medians: Vec<f64> =
            matrix.cells().iter().map(|cell| cell.log_median().unwrap_or(f64::NAN)).collect();
        let merged = |logs: &[f64]| {
            sources.iter().map(|cells| mean_of(cells.iter().map(|&cell| logs[cell]))).collect()
        };
        let drawn = bootstrap(matrix, DRAWS, seed);
        let draws =
            drawn.iter().map(|draw| draw.log_medians.each_ref().map(|logs| merged(logs))).collect();
        let mut new = Self::new(
            cpu_nodes,
            memory_nodes,
            merged(&medians),
            draws,
            (matrix.processes(), matrix.rounds()),
        );
        new.seen = seen(matrix).iter().map(|logs| merged(logs)).collect();
        new
    }

    /// From published figures: `costs[row][column]`, where missing, infinite and non-positive ones
    /// are unknown. `se` is the assumed standard error of each, as a fraction. Node numbers beyond
    /// the matrix, and rows and columns without one, are skipped.
    pub fn from_matrix(
        cpu_nodes: &[u32],
        memory_nodes: &[u32],
        costs: &[Vec<f64>],
        se: f64,
        seed: u64,
    ) -> Self {
        let known = |row: usize, column: usize| {
            costs
                .get(row)
                .and_then(|row| row.get(column))
                .copied()
                .filter(|cost| cost.is_finite() && *cost > 0.0)
        };
        let cells = (0..cpu_nodes.len())
            .flat_map(|row| (0..memory_nodes.len()).map(move |column| (row, column)));
        let logs: Vec<f64> =
            cells.map(|(row, column)| known(row, column).map_or(f64::NAN, f64::ln)).collect();
        let mut rng = Rng::with_seed(seed);
        let draw = |_| {
            let errors: Vec<f64> = logs.iter().map(|log| log + se * normal(&mut rng)).collect();
            [errors.clone(), errors]
        };
        let draws = (0..DRAWS).map(draw).collect();
        let mut new =
            Self::new(cpu_nodes.to_vec(), memory_nodes.to_vec(), logs, draws, (MANY, MANY));
        // An assumed error is not estimated from draws.
        let assumed = Scatter { processes: se * se, rounds: 0.0, resampled: se * se };
        new.scatters = new.logs.iter().map(|log| log.is_finite().then_some(assumed)).collect();
        new
    }

    fn new(
        cpu_nodes: Vec<u32>,
        memory_nodes: Vec<u32>,
        logs: Vec<f64>,
        draws: Vec<[Vec<f64>; 2]>,
        (processes, rounds): (usize, usize),
    ) -> Self {
        let weights = vec![1.0; cpu_nodes.len()];
        let mut new = Self {
            cpu_nodes,
            memory_nodes,
            weights,
            logs,
            draws,
            scatters: vec![],
            errors: vec![],
            seen: vec![],
            processes,
            rounds,
        };
        let scatter = |cell: usize| {
            new.logs[cell].is_finite().then(|| new.scatter(|logs| logs[cell])).flatten()
        };
        new.scatters = (0..new.logs.len()).map(scatter).collect();
        new.errors = new.scaled_errors();
        new
    }

    /// The same with the number of CPUs that each node has: a mean over nodes of different size is
    /// not what their CPUs see.
    pub fn with_cpu_counts(mut self, count: impl Fn(u32) -> usize) -> Self {
        self.weights = self.cpu_nodes.iter().map(|&node| count(node).max(1) as f64).collect();
        self
    }

    /// What a node with CPUs counts in means.
    pub(crate) fn weight(&self, cpu_node: u32) -> f64 {
        let row = self.cpu_nodes.iter().position(|&node| node == cpu_node);
        row.and_then(|row| self.weights.get(row)).copied().unwrap_or(1.0)
    }

    /// Nodes with CPUs, one row each.
    pub fn cpu_nodes(&self) -> &[u32] {
        &self.cpu_nodes
    }

    /// Nodes with memory, one column each.
    pub fn memory_nodes(&self) -> &[u32] {
        &self.memory_nodes
    }

    /// The cost of a node's memory for a node's CPUs; `None` where it is unknown.
    pub fn cost(&self, cpu_node: u32, memory_node: u32) -> Option<f64> {
        self.cell(cpu_node, memory_node).map(|cell| self.logs[cell].exp())
    }

    /// The largest standard error of a cell, as a fraction, and its nodes (CPUs, memory).
    pub fn worst_standard_error(&self) -> Option<(f64, [u32; 2])> {
        let error = |cell: usize| {
            self.scatters[cell].map_or(f64::INFINITY, |scatter| scatter.variance().sqrt())
        };
        let known = self.known().map(|cell| (error(cell), self.nodes_of(cell)));
        known.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })
    }

    /// The index of a known cell.
    pub(crate) fn cell(&self, cpu_node: u32, memory_node: u32) -> Option<usize> {
        let row = self.cpu_nodes.iter().position(|&node| node == cpu_node)?;
        let column = self.memory_nodes.iter().position(|&node| node == memory_node)?;
        let cell = row * self.memory_nodes.len() + column;
        self.logs[cell].is_finite().then_some(cell)
    }

    /// The nodes of a cell: of its CPUs, of its memory.
    pub(crate) fn nodes_of(&self, cell: usize) -> [u32; 2] {
        [
            self.cpu_nodes[cell / self.memory_nodes.len()],
            self.memory_nodes[cell % self.memory_nodes.len()],
        ]
    }

    pub(crate) fn logs(&self) -> &[f64] {
        &self.logs
    }

    pub(crate) fn known(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.logs.len()).filter(|&cell| self.logs[cell].is_finite())
    }

    /// The scatter of a statistic of the logarithms.
    pub(crate) fn scatter(&self, statistic: impl Fn(&[f64]) -> f64) -> Option<Scatter> {
        let values: Vec<[f64; 2]> =
            self.draws.iter().map(|pair| pair.each_ref().map(|logs| statistic(logs))).collect();
        Scatter::new(values.iter().copied(), self.processes)
    }

    pub(crate) fn freedom(&self, scatter: Scatter) -> f64 {
        scatter.freedom_of(self.processes, self.rounds)
    }

    /// Errors of all logarithms, one list per draw, in the size of real errors; 0 where a draw has
    /// no samples of a cell.
    pub(crate) fn errors(&self) -> &[Vec<f64>] {
        &self.errors
    }

    /// The logarithms of each round.
    pub(crate) fn seen(&self) -> &[Vec<f64>] {
        &self.seen
    }

    /// A statistic of the logarithms, its standard error and degrees of freedom.
    pub(crate) fn judged(&self, statistic: impl Fn(&[f64]) -> f64) -> Option<(f64, f64, f64)> {
        let scatter = self.scatter(&statistic)?;
        Some((statistic(&self.logs), scatter.variance().sqrt(), self.freedom(scatter)))
    }

    /// The logarithm of the ratio of two cells' costs.
    pub(crate) fn contrast(&self, near: usize, far: usize) -> Option<(f64, f64, f64)> {
        self.judged(|logs| logs[far] - logs[near])
    }

    fn scaled_errors(&self) -> Vec<Vec<f64>> {
        let scales: Vec<f64> =
            self.scatters.iter().map(|scatter| scatter.map_or(1.0, Scatter::scale)).collect();
        let of_draw = |[first, _]: &[Vec<f64>; 2]| {
            let drawn = first.iter().zip(&self.logs).zip(&scales);
            drawn
                .map(|((drawn, log), scale)| scale * (drawn - log))
                .map(|e| if e.is_finite() { e } else { 0.0 })
                .collect()
        };
        self.draws.iter().map(of_draw).collect()
    }
}

/// Each round's logarithms of all cells.
fn seen(matrix: &SampleMatrix) -> Vec<Vec<f64>> {
    let mut seen = vec![vec![f64::NAN; matrix.cells().len()]; matrix.rounds()];
    for (index, cell) in matrix.cells().iter().enumerate() {
        cell.logs().for_each(|(log, round)| seen[round][index] = log);
    }
    seen
}

/// The mean of finite values; `NaN` if there are none.
pub(crate) fn mean_of(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values
        .filter(|value| value.is_finite())
        .fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / count
}

/// Each of these nodes once, ascending.
pub(crate) fn distinct<'n>(nodes: impl Iterator<Item = &'n u32>) -> Vec<u32> {
    nodes.copied().collect::<BTreeSet<u32>>().into_iter().collect()
}

/// The cells of the sample matrix that each cell by node is the mean of.
fn sources(
    matrix: &SampleMatrix,
    [row_nodes, column_nodes]: [&[Option<u32>]; 2],
    cpu_nodes: &[u32],
    memory_nodes: &[u32],
) -> Vec<Vec<usize>> {
    let mut sources = vec![Vec::new(); cpu_nodes.len() * memory_nodes.len()];
    for (row, row_node) in row_nodes.iter().take(matrix.rows()).enumerate() {
        for (column, column_node) in column_nodes.iter().take(matrix.columns()).enumerate() {
            let places = row_node.zip(*column_node).and_then(|(cpus, memory)| {
                Some((
                    cpu_nodes.binary_search(&cpus).ok()?,
                    memory_nodes.binary_search(&memory).ok()?,
                ))
            });
            let cell = row * matrix.columns() + column;
            if let Some((at_row, at_column)) = places.filter(|_| matrix.cells()[cell].scatters()) {
                sources[at_row * memory_nodes.len() + at_column].push(cell);
            }
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::simulate::Machine;

    #[test]
    fn rows_of_one_node_are_combined() {
        let matrix = Machine { effect: 0.5, ..Machine::uniform(3, 2) }.matrix(1);
        let costs =
            NodeCosts::from_samples(&matrix, &[Some(4), None, Some(4)], &[Some(4), Some(7)], 1);
        assert_eq!((costs.cpu_nodes(), costs.memory_nodes()), ([4].as_slice(), [4, 7].as_slice()));
        assert!((costs.cost(4, 7).unwrap() / costs.cost(4, 4).unwrap() - 1.5).abs() < 0.03);
        assert_eq!(costs.cost(7, 4), None);
        // The mean of two rows scatters less than one row.
        let one = NodeCosts::from_samples(&matrix, &[Some(4)], &[Some(4), Some(7)], 1);
        assert!(costs.worst_standard_error().unwrap().0 < one.worst_standard_error().unwrap().0);
    }

    #[test]
    fn impossible_figures_are_unknown() {
        let costs = [vec![80.0, -1.0, f64::NAN], vec![0.0, f64::INFINITY]];
        let costs = NodeCosts::from_matrix(&[0, 1, 2], &[0, 1, 2], &costs, 0.01, 1);
        assert_eq!(costs.known().count(), 1);
        assert_eq!(costs.worst_standard_error(), Some((0.01, [0, 0])));
    }

    #[test]
    fn resamples_reproduce_assumed_errors() {
        let costs = NodeCosts::from_matrix(&[0], &[0, 1], &[vec![100.0, 100.0]], 0.01, 1);
        let difference = costs.scatter(|logs| logs[1] - logs[0]).unwrap();
        assert!((difference.variance().sqrt() / (0.01 * 2f64.sqrt()) - 1.0).abs() < 0.1);
        let first: Vec<f64> = costs.errors().iter().map(|errors| errors[0]).collect();
        let sd = (first.iter().map(|error| error * error).sum::<f64>() / first.len() as f64).sqrt();
        assert!((sd / 0.01 - 1.0).abs() < 0.1, "{sd}");
    }
}
