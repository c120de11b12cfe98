//! Two groups of CPUs whose costs overlap slightly, without a threshold between them.
//!
//! A level needs a range between two classes with hardly any pairs. On two Power9, pairs within a
//! chip cost from 60 to 250 ns and pairs across from 230 on: there is no such range, though 99.7 %
//! of the pairs across cost more than 95 % of those inside. So the CPUs are divided first, by the
//! first principal component of their costs to all others, and tested afterwards.

use super::pairs::{CpuPair, CpuPairs};
use super::partition::Partition;
use super::thresholds::quantile;

/// More CPUs than this are not divided: time grows with the square of their number.
const MAX_CPUS: usize = 512;
/// Fewer CPUs than this may be divided by chance.
const MIN_CPUS: usize = 16;
/// Steps of the power iteration, and passes of moving CPUs to the nearer half.
const STEPS: usize = 50;
const MOVES: usize = 10;
/// The share of pairs across that cost more than [`INSIDE`] of the pairs inside.
const ACROSS: f64 = 0.97;
const INSIDE: f64 = 0.95;

/// The two halves and the log cost between them; `None` where costs do not divide.
pub(crate) fn halves(pairs: &CpuPairs) -> Option<(Partition, f64)> {
    let cpus = pairs.cpus();
    if !(MIN_CPUS..=MAX_CPUS).contains(&cpus) {
        return None;
    }
    let costs = centred(pairs)?;
    let mut side = principal_signs(&costs);
    for _ in 0..MOVES {
        if !move_to_nearer(&costs, &mut side) {
            break;
        }
    }
    let blocks = Partition::by_key(side.iter());
    let smallest = blocks.members().iter().map(Vec::len).min()?;
    if blocks.len() != 2 || smallest < cpus / 4 {
        return None;
    }
    let (inside, across): (Vec<_>, Vec<_>) =
        pairs.measured().partition(|pair| blocks.together(pair.cpus));
    let logs = |pairs: &[&CpuPair]| -> Vec<f64> { pairs.iter().map(|pair| pair.log_ns).collect() };
    let across = logs(&across);
    // Each half separately: where cache lines have their home in one half, the other's pairs cost
    // as much as pairs of both.
    let each_is_near = blocks.members().iter().all(|members| {
        let own = inside.iter().filter(|pair| members.binary_search(&pair.cpus.0).is_ok());
        let bound = quantile(own.map(|pair| pair.log_ns).collect(), INSIDE);
        bound.is_some_and(|bound| {
            let farther = across.iter().filter(|log| **log > bound).count();
            farther as f64 >= ACROSS * across.len() as f64
        })
    });
    let threshold = quantile(logs(&inside), INSIDE)?;
    (each_is_near && !across.is_empty()).then_some((blocks, threshold))
}

/// Log costs from each CPU to each other, minus the overall mean; 0 where they are missing.
fn centred(pairs: &CpuPairs) -> Option<Vec<Vec<f64>>> {
    let cpus = pairs.cpus();
    let count = pairs.measured().count();
    if count == 0 {
        return None;
    }
    let mean = pairs.measured().map(|pair| pair.log_ns).sum::<f64>() / count as f64;
    let mut costs = vec![vec![0.0; cpus]; cpus];
    for pair in pairs.measured() {
        let (a, b) = pair.cpus;
        costs[a][b] = pair.log_ns - mean;
        costs[b][a] = pair.log_ns - mean;
    }
    Some(costs)
}

/// The sign of each CPU in the eigenvector of the largest eigenvalue of nearness.
fn principal_signs(costs: &[Vec<f64>]) -> Vec<bool> {
    let cpus = costs.len();
    // A shift that makes all eigenvalues positive.
    let shift = costs.iter().map(|row| row.iter().map(|cost| cost.abs()).sum::<f64>());
    let shift = shift.fold(0.0, f64::max);
    let mut vector: Vec<f64> = (0..cpus).map(|cpu| ((cpu * 7 + 3) % 11) as f64 - 5.0).collect();
    for _ in 0..STEPS {
        let mut next: Vec<f64> = costs
            .iter()
            .zip(&vector)
            .map(|(row, own)| {
                let nearness: f64 =
                    row.iter().zip(&vector).map(|(cost, other)| -cost * other).sum();
                shift * own + nearness
            })
            .collect();
        let mean = next.iter().sum::<f64>() / cpus as f64;
        next.iter_mut().for_each(|value| *value -= mean);
        let length = next.iter().map(|value| value * value).sum::<f64>().sqrt();
        if length == 0.0 {
            break;
        }
        next.iter_mut().for_each(|value| *value /= length);
        vector = next;
    }
    vector.into_iter().map(|value| value > 0.0).collect()
}

/// Moves CPUs to the half that is nearer to them on average; true if any moved.
fn move_to_nearer(costs: &[Vec<f64>], side: &mut [bool]) -> bool {
    let mut moved = false;
    for cpu in 0..side.len() {
        let mut sums = [(0.0, 0.0); 2];
        for (other, cost) in costs[cpu].iter().enumerate().filter(|(other, _)| *other != cpu) {
            let (sum, count) = &mut sums[usize::from(side[other])];
            *sum += cost;
            *count += 1.0;
        }
        let [near, far] = sums.map(|(sum, count)| if count > 0.0 { sum / count } else { 0.0 });
        let wanted = far < near;
        if side[cpu] != wanted {
            side[cpu] = wanted;
            moved = true;
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::core_to_core::pairs::HandoffCost;

    fn pairs(cpus: usize, ns: impl Fn((usize, usize), &mut Rng) -> f64) -> CpuPairs {
        let rng = &mut Rng::with_seed(1);
        let mut pairs = CpuPairs::new(cpus);
        for pair in (0..cpus).flat_map(|b| (0..b).map(move |a| (a, b))) {
            pairs.add(pair, HandoffCost { median_ns: ns(pair, rng), relative_se: 0.0 });
        }
        pairs
    }

    #[test]
    fn halves_with_adjacent_costs_are_divided() {
        let pairs = pairs(32, |(a, b), rng| match a % 2 == b % 2 {
            true => 60.0 + 190.0 * rng.f64(),
            false => 241.0 + 120.0 * rng.f64(),
        });
        let (blocks, threshold) = halves(&pairs).unwrap();
        assert!(blocks.together((0, 30)) && blocks.together((1, 31)) && !blocks.together((0, 1)));
        assert!((200f64.ln()..260f64.ln()).contains(&threshold));
    }

    #[test]
    fn uniform_and_linear_costs_are_not_divided() {
        assert_eq!(halves(&pairs(32, |_, rng| 60.0 + 190.0 * rng.f64())), None);
        assert_eq!(halves(&pairs(32, |(a, b), _| 40.0 * 1.06f64.powf((b - a) as f64))), None);
        // Cache lines have their home in the first half: the second's own pairs cost as much as
        // pairs across.
        assert_eq!(
            halves(&pairs(32, |(_, b), rng| if b < 16 { 60.0 } else { 150.0 + 50.0 * rng.f64() })),
            None
        );
        assert_eq!(halves(&CpuPairs::new(32)), None);
    }
}
