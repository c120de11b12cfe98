//! Detection of drift in one memory's level during the measurement, for instance by the load of
//! another program on its node.
//!
//! Such columns differ, in each process by another amount. Resampling assumes independent processes
//! and would report a real difference. Two statistics of their order test independence. With drift,
//! cumulative sums of a column's levels are larger (Kwiatkowski, Phillips, Schmidt and Shin,
//! "Testing the null hypothesis of stationarity against the alternative of a unit root", Journal of
//! Econometrics 54, 1992), and steps from round to round are smaller (von Neumann, "Distribution of
//! the ratio of the mean square successive difference to the variance", Annals of Mathematical
//! Statistics 12, 1941). Permutations of processes, and of rounds within them, give the p-value, so
//! that neither tails nor differing pages matter. Where a column drifts, every contrast's interval
//! includes the error of a random walk of this size.

use fastrand::Rng;

use crate::cell::median;
use crate::process_drift::MEDIAN_OVER_MEAN;
use crate::sample_matrix::SampleMatrix;
use crate::student::as_rare_as;

/// Significance level of drift.
const ALPHA: f64 = 0.03;
const ORDERS: usize = 999;
/// Fewer processes have no rare permutation.
const MIN_PROCESSES: usize = 5;
/// For a random walk of n steps, the variance of the mean about the start is n / 3 of a step's
/// variance, and the variance of its levels n / 6.
const MEAN_OVER_LEVELS: f64 = 2.0;
/// Degrees of freedom of that variance: neighbouring levels are correlated, whatever their number.
const FREEDOM: f64 = 2.0;

/// Drift of each column's level, relative to the other columns of its rows.
pub(crate) struct ColumnDrift {
    /// Standard deviation of a column's median by drift, of logarithms.
    sd: Vec<f64>,
}

impl ColumnDrift {
    /// For columns that rows compare. `None` without drift, or with too few processes.
    pub(crate) fn new(
        matrix: &SampleMatrix,
        rows: &[(usize, Vec<usize>)],
        seed: u64,
    ) -> Option<Self> {
        let levels: Vec<Option<ColumnLevels>> = levels(matrix, rows);
        let known: Vec<&ColumnLevels> = levels.iter().flatten().collect();
        let processes = matrix.processes();
        if processes < MIN_PROCESSES || p(&known, processes, seed) > ALPHA {
            return None;
        }
        let sd = |column: usize| {
            let levels = levels[column].as_ref()?;
            Some(
                whole(rows, column)
                    * (MEAN_OVER_LEVELS
                        * (variance(&levels.of_processes) - levels.sampling()).max(0.0))
                    .sqrt(),
            )
        };
        let known: Vec<Option<f64>> = (0..levels.len()).map(sd).collect();
        let largest = known.iter().flatten().copied().fold(0.0, f64::max);
        // A column without samples in some process may drift as much as the others.
        let sd = known.into_iter().map(|sd| sd.unwrap_or(largest)).collect();
        Some(Self { sd }).filter(|_| largest > 0.0)
    }

    /// Random errors by drift, one for each column.
    pub(crate) fn draw(&self, rng: &mut Rng) -> Vec<f64> {
        let error = |sd: &f64| {
            let deviate = crate::normal(rng);
            sd * as_rare_as(deviate.abs(), FREEDOM).copysign(deviate)
        };
        self.sd.iter().map(error).collect()
    }

    /// The largest standard deviation.
    pub(crate) fn largest(&self) -> f64 {
        self.sd.iter().copied().fold(0.0, f64::max)
    }
}

/// The factor that restores a column's full drift: the row mean, which was subtracted, includes a
/// part of it. The row with the fewest columns decides.
fn whole(rows: &[(usize, Vec<usize>)], column: usize) -> f64 {
    let counts = rows
        .iter()
        .filter(|(_, columns)| columns.contains(&column))
        .map(|(_, columns)| columns.len() as f64);
    counts.map(|columns| columns / (columns - 1.0).max(1.0)).fold(1.0, f64::max)
}

/// A column's levels, relative to all columns of a row and round.
struct ColumnLevels {
    of_processes: Vec<f64>,
    /// In each round of each process.
    of_rounds: Vec<Vec<f64>>,
}

impl ColumnLevels {
    /// Variance of a process's level by the scatter of its rounds.
    fn sampling(&self) -> f64 {
        let level_variance = |rounds: &Vec<f64>| {
            let count = rounds.len() as f64;
            (rounds.len() > 1).then(|| MEDIAN_OVER_MEAN * variance(rounds) / count)
        };
        let known: Vec<f64> = self.of_rounds.iter().filter_map(level_variance).collect();
        known.iter().sum::<f64>() / known.len().max(1) as f64
    }
}

/// By column; `None` for columns without samples in some process.
fn levels(matrix: &SampleMatrix, rows: &[(usize, Vec<usize>)]) -> Vec<Option<ColumnLevels>> {
    let blocks = matrix.rounds();
    let mut of_place: Vec<Vec<Vec<f64>>> = vec![vec![Vec::new(); blocks]; matrix.columns()];
    for (row, columns) in rows {
        let mut of_round: Vec<Vec<(usize, f64)>> = vec![Vec::new(); blocks];
        for &column in columns {
            let cell = &matrix.row(*row)[column];
            let middle = cell.log_median().unwrap_or_default();
            cell.logs().for_each(|(log, block)| of_round[block].push((column, log - middle)));
        }
        for (block, residuals) in of_round.into_iter().enumerate() {
            let shared = residuals.iter().map(|(_, log)| log).sum::<f64>() / residuals.len() as f64;
            residuals
                .into_iter()
                .for_each(|(column, log)| of_place[column][block].push(log - shared));
        }
    }
    let of_column = |of_column: &Vec<Vec<f64>>| {
        let processes = matrix.blocks_of_processes().iter();
        let level = |process: &Vec<usize>| {
            median(process.iter().flat_map(|&block| of_column[block].iter().copied()))
        };
        let rounds = |process: &Vec<usize>| {
            process.iter().filter_map(|&block| median(of_column[block].iter().copied())).collect()
        };
        Some(ColumnLevels {
            of_processes: processes.clone().map(level).collect::<Option<_>>()?,
            of_rounds: processes.map(rounds).collect(),
        })
    };
    of_place.iter().map(of_column).collect()
}

/// The probability of such large cumulative sums, or such small steps, in random order.
fn p(levels: &[&ColumnLevels], processes: usize, seed: u64) -> f64 {
    let mut rng = Rng::with_seed(seed);
    let rounds: Vec<usize> = (0..processes)
        .map(|process| {
            levels.iter().map(|levels| levels.of_rounds[process].len()).max().unwrap_or(0)
        })
        .collect();
    let mut order: Vec<usize> = (0..processes).collect();
    let mut within: Vec<Vec<usize>> = rounds.iter().map(|&rounds| (0..rounds).collect()).collect();
    let mut seen: Vec<[f64; 2]> = vec![statistics(levels, &order, &within)];
    for _ in 0..ORDERS {
        rng.shuffle(&mut order);
        within.iter_mut().for_each(|rounds| rng.shuffle(rounds));
        seen.push(statistics(levels, &order, &within));
    }
    // The smaller of both ranks, compared with the smaller rank in all permutations.
    let ranks: Vec<Vec<usize>> =
        (0..2).map(|which| ranks(seen.iter().map(|seen| seen[which]))).collect();
    let rarer = |at: usize| ranks[0][at].min(ranks[1][at]);
    (0..seen.len()).filter(|&at| rarer(at) <= rarer(0)).count() as f64 / seen.len() as f64
}

/// The number of values that reach each value: 1 for the largest.
fn ranks(values: impl Iterator<Item = f64>) -> Vec<usize> {
    let values: Vec<f64> = values.collect();
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    values
        .iter()
        .map(|value| {
            sorted.len() - sorted.partition_point(|other| *other < value - 1e-12 * value.abs())
        })
        .collect()
}

fn statistics(levels: &[&ColumnLevels], order: &[usize], within: &[Vec<usize>]) -> [f64; 2] {
    let drift = levels.iter().map(|levels| drift(&levels.of_processes, order)).fold(0.0, f64::max);
    let uneven = levels.iter().map(|levels| steps(&levels.of_rounds, order, within)).sum::<f64>();
    [drift, -uneven]
}

/// The sum of squares of cumulative sums of levels about their mean.
fn drift(levels: &[f64], order: &[usize]) -> f64 {
    let mean = levels.iter().sum::<f64>() / levels.len() as f64;
    let sums = order.iter().scan(0.0, |sum, &process| {
        *sum += levels[process] - mean;
        Some(*sum * *sum)
    });
    sums.sum()
}

/// The sum of squares of steps between consecutive rounds.
fn steps(of_rounds: &[Vec<f64>], order: &[usize], within: &[Vec<usize>]) -> f64 {
    let levels = order.iter().flat_map(|&process| {
        within[process].iter().filter_map(move |&round| of_rounds[process].get(round))
    });
    levels.clone().zip(levels.skip(1)).map(|(a, b)| (b - a).powi(2)).sum()
}

fn variance(levels: &[f64]) -> f64 {
    let mean = levels.iter().sum::<f64>() / levels.len() as f64;
    levels.iter().map(|level| (level - mean).powi(2)).sum::<f64>() / (levels.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{Model, Noise, Plan, survey};
    use crate::tests::cases::simulations;
    use crate::{Numa, NumaReason, THRESHOLD, verdict};

    /// Numbers of surveys of a uniform machine with detected drift, and with the verdict "yes".
    fn seen_and_yes(noise: &Noise, surveys: u64) -> (usize, usize) {
        let (mut seen, mut yes) = (0, 0);
        for seed in 0..surveys {
            let matrix = survey(&Model::uniform(4, 4), noise, &Plan::usual(), seed);
            seen +=
                usize::from(ColumnDrift::new(&matrix, &matrix.comparable_rows(), seed).is_some());
            yes += usize::from(verdict(&matrix, THRESHOLD, seed).numa == Numa::Yes);
        }
        (seen, yes)
    }

    #[test]
    fn a_drifting_column_is_not_numa() {
        let surveys = simulations(15, 100);
        let (seen, yes) = seen_and_yes(&Noise::column_walk(0.02), surveys);
        assert!(seen as u64 * 10 >= surveys * 7, "{seen} of {surveys}");
        assert!(yes as u64 * 50 <= surveys, "{yes} of {surveys}");
    }

    #[test]
    fn process_differences_are_no_drift() {
        let surveys = simulations(15, 100);
        for noise in [Noise::pages(), Noise::drift(), Noise::tails()] {
            let (seen, _) = seen_and_yes(&noise, surveys);
            assert!(seen as u64 * 100 <= surveys * 8 + 100, "{}: {seen} of {surveys}", noise.name);
        }
    }

    #[test]
    fn large_differences_exceed_drift() {
        let machine = Model::one_slow_node(4, 4, 2.0);
        let matrix = survey(&machine, &Noise::column_walk(0.01), &Plan::usual(), 2);
        let verdict = verdict(&matrix, THRESHOLD, 2);
        assert_eq!(verdict.numa, Numa::Yes);
        assert!(
            verdict.reasons.iter().any(|reason| matches!(reason, NumaReason::MemoryDrifts { .. })),
            "{verdict:?}"
        );
    }

    #[test]
    fn few_processes_show_no_drift() {
        let few = Plan { max_rounds: 9, first_rounds: 9, ..Plan::usual() };
        let matrix = survey(&Model::uniform(2, 2), &Noise::column_walk(0.05), &few, 1);
        assert!(ColumnDrift::new(&matrix, &matrix.comparable_rows(), 1).is_none());
        assert!(ColumnDrift::new(&matrix, &[], 1).is_none());
    }
}
