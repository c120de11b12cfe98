//! CPUs that are slow to all others: by their clock, by interrupts, by a busy neighbour.
//!
//! A slow CPU has the pattern of costs of CPUs beside it, times a factor of its own. Without
//! removing the factor, it looks like a group of one, and others like a group without it. A CPU
//! that is alone in a group has the same costs as a slow one, and is called slow: nothing
//! distinguishes the two.

use super::pairs::{CpuPairs, HandoffCost};
use super::thresholds::quantile;

/// A CPU that is slow to all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowCpu {
    /// Which.
    pub cpu: usize,
    /// Its costs over those of the CPUs with its pattern.
    pub times: f64,
}

/// Larger machines are not searched: comparing all rows takes too long.
const MAX_CPUS: usize = 128;
/// Up to this number, every CPU may be slow; beyond, the most suspicious ones.
const ALL_SUSPECTED: usize = 10;
const MAX_SUSPECTED: usize = 8;
/// More CPUs than this are a group rather than slow.
const MAX_SLOW: usize = 3;
/// The smallest factor, as a difference of logs (8 %).
const LEAST: f64 = 0.077;
/// A factor is this multiple of what the factors of other CPUs scatter by.
const DISTINCT: f64 = 4.0;
/// Costs of a slow CPU may miss this share of its factor.
const CONSTANT: f64 = 0.5;
/// The share of its costs that may be higher: noise only adds.
const MAX_HIGHER: f64 = 0.2;

/// The slow CPUs, and the costs without their factors; none where no CPU is slow.
pub(super) fn without_slow(pairs: &CpuPairs) -> Option<(Vec<SlowCpu>, CpuPairs)> {
    if !(4..=MAX_CPUS).contains(&pairs.cpus()) {
        return None;
    }
    let rows = Rows::new(pairs);
    let sets = subsets(&rows.suspects(), MAX_SLOW.min(pairs.cpus() - 2));
    let explained = sets.into_iter().filter_map(|set| rows.explained(&set));
    let slow = explained.max_by(|a, b| {
        let total = |all: &[Slow]| all.iter().map(|one| one.log).sum::<f64>();
        a.len().cmp(&b.len()).then(total(a).total_cmp(&total(b)))
    })?;
    let found = slow.iter().map(|one| SlowCpu { cpu: one.cpu, times: one.log.exp() }).collect();
    Some((found, rows.corrected(pairs, &slow)))
}

/// A slow CPU with the CPUs that have its pattern.
struct Slow {
    cpu: usize,
    log: f64,
    mates: Vec<usize>,
}

/// Logarithms of costs, by CPU and other CPU.
struct Rows {
    logs: Vec<Vec<Option<f64>>>,
}

impl Rows {
    fn new(pairs: &CpuPairs) -> Self {
        let mut logs = vec![vec![None; pairs.cpus()]; pairs.cpus()];
        for pair in pairs.measured() {
            let (a, b) = pair.cpus;
            (logs[a][b], logs[b][a]) = (Some(pair.log_ns), Some(pair.log_ns));
        }
        Self { logs }
    }

    fn cpus(&self) -> usize {
        self.logs.len()
    }

    /// The median difference of two CPUs' costs to others, and their mean distance from it.
    fn difference(&self, of: usize, to: usize, is_left_out: &[bool]) -> Option<(f64, f64)> {
        let differences: Vec<f64> = (0..self.cpus())
            .filter(|other| *other != of && *other != to && !is_left_out[*other])
            .filter_map(|other| Some(self.logs[of][other]? - self.logs[to][other]?))
            .collect();
        let count = differences.len() as f64;
        let middle = quantile(differences.clone(), 0.5)?;
        Some((
            middle,
            differences.iter().map(|difference| (difference - middle).abs()).sum::<f64>() / count,
        ))
    }

    /// CPUs that may be slow, in ascending order.
    fn suspects(&self) -> Vec<usize> {
        if self.cpus() <= ALL_SUSPECTED {
            return (0..self.cpus()).collect();
        }
        let none_left_out = vec![false; self.cpus()];
        let factor = |cpu: usize| {
            let others = (0..self.cpus()).filter(|other| *other != cpu);
            let all: Vec<(f64, f64)> =
                others.filter_map(|other| self.difference(cpu, other, &none_left_out)).collect();
            let least = all.iter().map(|one| one.1).fold(f64::INFINITY, f64::min);
            // Other slow CPUs are exceptions.
            let is_alike = |one: &&(f64, f64)| one.1 <= 1.5 * least + 0.5 * one.0.abs();
            all.iter().filter(is_alike).map(|one| one.0).fold(0.0, f64::max)
        };
        let mut all: Vec<(f64, usize)> = (0..self.cpus()).map(|cpu| (factor(cpu), cpu)).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut first: Vec<usize> =
            all.into_iter().take(MAX_SUSPECTED).map(|(_, cpu)| cpu).collect();
        first.sort_unstable();
        first
    }

    /// The CPUs that have this one's pattern, among those that are not left out.
    fn mates(&self, cpu: usize, is_left_out: &[bool]) -> Vec<usize> {
        let others = (0..self.cpus()).filter(|other| *other != cpu && !is_left_out[*other]);
        let all: Vec<(usize, f64)> = others
            .filter_map(|other| Some((other, self.difference(cpu, other, is_left_out)?.1)))
            .collect();
        let least = all.iter().map(|one| one.1).fold(f64::INFINITY, f64::min);
        all.into_iter().filter(|one| one.1 <= 1.5 * least + 1e-3).map(|one| one.0).collect()
    }

    /// What these CPUs' costs to another typically are.
    fn typical(&self, mates: &[usize], other: usize) -> Option<f64> {
        let logs = mates.iter().filter(|mate| **mate != other);
        quantile(logs.filter_map(|&mate| self.logs[mate][other]).collect(), 0.5)
    }

    /// Differences of a CPU's costs to those of its mates, to all that are not left out.
    fn beyond_mates(&self, cpu: usize, mates: &[usize], is_left_out: &[bool]) -> Vec<f64> {
        (0..self.cpus())
            .filter(|other| *other != cpu && !is_left_out[*other])
            .filter_map(|other| Some(self.logs[cpu][other]? - self.typical(mates, other)?))
            .collect()
    }

    /// These CPUs with their factors, if each of them is slow to all others.
    fn explained(&self, set: &[usize]) -> Option<Vec<Slow>> {
        let mut is_slow = vec![false; self.cpus()];
        set.iter().for_each(|&cpu| is_slow[cpu] = true);
        let slow: Vec<Slow> = set
            .iter()
            .map(|&cpu| {
                let mates = self.mates(cpu, &is_slow);
                let beyond = self.beyond_mates(cpu, &mates, &is_slow);
                Some(Slow { cpu, log: constant(&beyond)?, mates })
            })
            .collect::<Option<_>>()?;
        let are_slow_together = |a: &Slow, b: &Slow| {
            let typical = self.typical(&a.mates, b.cpu);
            let both = self.logs[a.cpu][b.cpu].zip(typical);
            // CPUs of one group are near to each other.
            both.is_none_or(|(own, typical)| own >= typical - b.log + CONSTANT * a.log.min(b.log))
        };
        let together = slow
            .iter()
            .all(|a| slow.iter().filter(|b| b.cpu != a.cpu).all(|b| are_slow_together(a, b)));
        let least = slow.iter().map(|one| one.log).fold(f64::INFINITY, f64::min);
        (together && least >= DISTINCT * self.scatter(&is_slow)).then_some(slow)
    }

    /// What the factors of all other CPUs scatter by: half of them are within this.
    fn scatter(&self, is_slow: &[bool]) -> f64 {
        let factors = (0..self.cpus()).filter(|cpu| !is_slow[*cpu]).filter_map(|cpu| {
            let mates = self.mates(cpu, is_slow);
            quantile(self.beyond_mates(cpu, &mates, is_slow), 0.5).map(f64::abs)
        });
        quantile(factors.collect(), 0.5).unwrap_or(0.0)
    }

    fn corrected(&self, pairs: &CpuPairs, slow: &[Slow]) -> CpuPairs {
        let of = |cpu: usize| slow.iter().find(|one| one.cpu == cpu);
        let mut corrected = CpuPairs::new(self.cpus());
        for pair in pairs.measured() {
            let log = match (of(pair.cpus.0), of(pair.cpus.1)) {
                (None, None) => Some(pair.log_ns),
                (Some(one), None) | (None, Some(one)) => Some(pair.log_ns - one.log),
                // How two factors combine is unknown: a mate stands for one of them.
                (Some(one), Some(other)) => {
                    self.typical(&one.mates, other.cpu).map(|log| log - other.log)
                }
            };
            let relative_se = pair.relative_se;
            log.into_iter().for_each(|log| {
                corrected.add(pair.cpus, HandoffCost { median_ns: log.exp(), relative_se });
            });
        }
        corrected.failures.clone_from(&pairs.failures);
        corrected
    }
}

/// The difference that all of these have, if they do.
fn constant(differences: &[f64]) -> Option<f64> {
    let middle = quantile(differences.to_vec(), 0.5).filter(|middle| *middle >= LEAST)?;
    let tolerance = CONSTANT * middle;
    let is_lower = |one: &&f64| **one < middle - tolerance;
    let higher = differences.iter().filter(|one| **one > middle + tolerance).count() as f64;
    let are_alike = differences.iter().find(is_lower).is_none()
        && higher <= MAX_HIGHER * differences.len() as f64;
    are_alike.then_some(middle)
}

/// Every set of up to this many.
fn subsets(all: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for &one in all {
        let more: Vec<Vec<usize>> = sets
            .iter()
            .filter(|set| set.len() < most)
            .map(|set| set.iter().copied().chain([one]).collect())
            .collect();
        sets.extend(more);
    }
    sets.retain(|set| !set.is_empty());
    sets
}
