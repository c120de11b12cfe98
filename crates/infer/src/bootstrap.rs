//! Resampling in the order of sampling: processes first, then rounds within each process.
//!
//! A round is a block: all its cells are drawn together, so that a disturbance of the whole round
//! cancels in contrasts. Each draw of processes has *two* draws of rounds. Their common part is due
//! to the processes, their difference to the rounds. A plain nested bootstrap adds both, and so
//! counts the rounds' scatter twice, because process medians already scatter with their rounds
//! (Davison and Hinkley, *Bootstrap Methods and their Application*, 1997, section 3.8). Separate
//! estimates of both avoid that.

use std::ops::Add;

use fastrand::Rng;

use crate::cell::CellSamples;
use crate::sample_matrix::SampleMatrix;

/// Limit of work for one bootstrap, in samples times draws: about a second, unless the minimum
/// number of draws takes longer.
const MAX_WORK: usize = 200_000_000;
/// Fewer draws make intervals too imprecise.
const MIN_DRAWS: usize = 200;

/// One draw of processes with two draws of rounds.
#[derive(Debug, PartialEq)]
pub(crate) struct Draw {
    /// The log medians of all cells, twice. `NaN` where a draw has no sample of the cell.
    pub(crate) log_medians: [Vec<f64>; 2],
    /// The variance of the first draw's weights.
    pub(crate) unevenness: f64,
}

/// Resamples the log medians of every cell, up to `most_draws` times, less often for large
/// matrices. The same seed gives the same draws.
pub(crate) fn bootstrap(matrix: &SampleMatrix, most_draws: usize, seed: u64) -> Vec<Draw> {
    let resampling = Resampling::new(matrix, most_draws, seed);
    let empty = |pair: &[BlockWeights; 2]| Draw {
        log_medians: [(); 2].map(|()| vec![f64::NAN; matrix.cells().len()]),
        unevenness: variance(&pair[0].of_blocks),
    };
    let mut draws: Vec<Draw> = resampling.draws.iter().map(empty).collect();
    // Cell by cell, not draw by draw: large matrices exceed the cache, all weights together do not.
    for (index, cell) in matrix.cells().iter().enumerate() {
        for (draw, pair) in draws.iter_mut().zip(resampling.pairs(cell)) {
            draw.log_medians
                .iter_mut()
                .zip(pair)
                .for_each(|(medians, median)| medians[index] = median);
        }
    }
    draws
}

/// The processes and rounds of each draw, for resampling one cell at a time without a matrix of
/// resamples.
pub(crate) struct Resampling {
    draws: Vec<[BlockWeights; 2]>,
}

impl Resampling {
    /// The same draws as in [`bootstrap`].
    pub(crate) fn new(matrix: &SampleMatrix, most_draws: usize, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let samples: usize = matrix.cells().iter().map(CellSamples::len).sum();
        let draws = most_draws.min((MAX_WORK / samples.max(1)).max(MIN_DRAWS));
        Self { draws: (0..draws).map(|_| draw_weights(matrix, &mut rng)).collect() }
    }

    /// The two resampled log medians of one cell, for each draw. `NaN` where a draw has no sample
    /// of the cell.
    pub(crate) fn pairs<'r>(
        &'r self,
        cell: &'r CellSamples,
    ) -> impl Iterator<Item = [f64; 2]> + 'r {
        let median = |weights: &BlockWeights| {
            cell.weighted_log_median(&weights.of_blocks, weights.sum).unwrap_or(f64::NAN)
        };
        self.draws.iter().map(move |pair| [median(&pair[0]), median(&pair[1])])
    }
}

/// How often a draw includes each block, and their sum.
struct BlockWeights {
    of_blocks: Vec<u32>,
    sum: u32,
}

fn draw_weights(matrix: &SampleMatrix, rng: &mut Rng) -> [BlockWeights; 2] {
    let processes = draw_processes(matrix.blocks_of_processes(), rng);
    [(); 2].map(|()| {
        let of_blocks = draw_rounds(&processes, matrix.rounds(), rng);
        BlockWeights { sum: of_blocks.iter().sum(), of_blocks }
    })
}

fn variance(weights: &[u32]) -> f64 {
    let count = weights.len().max(1) as f64;
    let mean = weights.iter().map(|&weight| f64::from(weight)).sum::<f64>() / count;
    weights.iter().map(|&weight| (f64::from(weight) / mean - 1.0).powi(2)).sum::<f64>() / count
}

fn draw_processes<'a>(processes: &'a [Vec<usize>], rng: &mut Rng) -> Vec<&'a [usize]> {
    processes.iter().map(|_| processes[rng.usize(..processes.len())].as_slice()).collect()
}

/// How often a draw includes each block if every drawn process draws as many rounds as it has.
fn draw_rounds(processes: &[&[usize]], blocks: usize, rng: &mut Rng) -> Vec<u32> {
    let mut weights = vec![0; blocks];
    for rounds in processes {
        for _ in *rounds {
            weights[rounds[rng.usize(..rounds.len())]] += 1;
        }
    }
    weights
}

/// The two levels of scatter, as variances of a statistic of log medians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Scatter {
    /// The common variance of paired draws, corrected for the number of processes: resampling k of
    /// them understates it by (k-1)/k.
    pub(crate) processes: f64,
    /// The variance of the difference of paired draws.
    pub(crate) rounds: f64,
    /// The variance of one draw of each pair: both levels, rounds counted twice.
    pub(crate) resampled: f64,
}

impl Scatter {
    /// From paired resamples of one statistic; `None` with fewer than two valid pairs.
    pub(crate) fn new(pairs: impl Iterator<Item = [f64; 2]>, processes: usize) -> Option<Self> {
        let whole: Vec<[f64; 2]> = pairs.filter(|[a, b]| a.is_finite() && b.is_finite()).collect();
        let count = whole.len();
        if count < 2 {
            return None;
        }
        let mean = whole.iter().map(|[a, b]| f64::midpoint(*a, *b)).sum::<f64>() / count as f64;
        let shared: f64 = whole.iter().map(|[a, b]| (a - mean) * (b - mean)).sum();
        let own: f64 = whole.iter().map(|[a, b]| (a - b).powi(2) / 2.0).sum();
        let (shared, rounds) = (shared.max(0.0) / (count - 1) as f64, own / count as f64);
        let few = if processes > 1 { processes as f64 / (processes - 1) as f64 } else { 0.0 };
        Some(Self { processes: shared * few, rounds, resampled: shared + rounds })
    }

    /// The variance of the statistic: that of its processes, or of its rounds where that is larger.
    ///
    /// Without this minimum, a few processes that agree by chance would give too narrow intervals,
    /// and the plan stops on narrow intervals.
    pub(crate) fn variance(self) -> f64 {
        self.processes.max(self.rounds)
    }

    /// The ratio of real errors to resampled errors.
    pub(crate) fn scale(self) -> f64 {
        if self.resampled > 0.0 { (self.variance() / self.resampled).sqrt() } else { 1.0 }
    }

    /// Degrees of freedom of the variance: those of the level that it is taken from.
    pub(crate) fn freedom(self, matrix: &SampleMatrix) -> f64 {
        self.freedom_of(matrix.processes(), matrix.rounds())
    }

    /// The same for these numbers of processes and of all their rounds.
    pub(crate) fn freedom_of(self, processes: usize, rounds: usize) -> f64 {
        let independent = if self.rounds < self.processes {
            processes - 1
        } else {
            rounds.saturating_sub(processes)
        };
        independent.max(1) as f64
    }
}

impl Add for Scatter {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            processes: self.processes + other.processes,
            rounds: self.rounds + other.rounds,
            resampled: self.resampled + other.resampled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::simulate::Machine;

    #[test]
    fn the_same_seed_gives_the_same_draws() {
        let matrix = Machine::uniform(2, 2).matrix(1);
        let draws = |seed| bootstrap(&matrix, 5, seed);
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
    }

    #[test]
    fn process_and_round_scatter_are_separated() {
        let by_processes = Scatter::new([[1.0, 1.0], [-1.0, -1.0]].into_iter(), 2).unwrap();
        assert_eq!((by_processes.processes, by_processes.rounds), (4.0, 0.0));
        let by_rounds = Scatter::new([[1.0, -1.0], [-1.0, 1.0]].into_iter(), 2).unwrap();
        assert_eq!((by_rounds.processes, by_rounds.rounds), (0.0, 2.0));
    }

    #[test]
    fn one_process_has_round_scatter_only() {
        let matrix = Machine { processes: 1, ..Machine::uniform(1, 1) }.matrix(1);
        let scatter =
            Scatter::new(Resampling::new(&matrix, 300, 1).pairs(&matrix.cells()[0]), 1).unwrap();
        assert_eq!(scatter.processes, 0.0);
        assert!(scatter.variance() > 0.0);
        assert_eq!(scatter.freedom(&matrix), (matrix.rounds() - 1) as f64);
    }
}
