//! Quantiles of a distribution that several processes sampled, with intervals.

use fastrand::Rng;
use nearfar_model::{DurationCounts, class_end_ns, class_middle_ns};
use serde::{Deserialize, Serialize};

use crate::student::{NORMAL_95, as_rare_as};

/// A quantile needs this many samples beyond it.
const MIN_BEYOND: f64 = 10.0;
const DRAWS: usize = 400;

/// A quantile of durations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TailFigure {
    /// The quantile, in nanoseconds.
    pub ns: f64,
    /// Its 95 % interval; `None` with fewer than two processes.
    pub ci95: Option<[f64; 2]>,
}

/// These quantiles of the durations of all processes. `None` where fewer than ten durations are
/// beyond it.
///
/// The interval is the wider of two: one from the order statistics, as if durations were
/// independent (David and Nagaraja, *Order Statistics*, 2003, section 7.1), and one from resampled
/// processes, which differ by more.
pub fn tail(processes: &[DurationCounts], quantiles: &[f64], seed: u64) -> Vec<Option<TailFigure>> {
    let all = merged(processes.iter());
    let total = all.total() as f64;
    let scatters = log_scatters(processes, quantiles, seed);
    let figure = |(&quantile, scatter): (&f64, Option<f64>)| {
        if total * (1.0 - quantile) < MIN_BEYOND {
            return None;
        }
        let ns = middle(rank(&all, quantile * total)?);
        let ci95 = scatter.and_then(|scatter| {
            let half = NORMAL_95 * (total * quantile * (1.0 - quantile)).sqrt();
            // Durations are anywhere in their class.
            let low = rank(&all, quantile * total - half)? as f64;
            let high = class_end_ns(rank(&all, quantile * total + half)?) as f64;
            let factor = (as_rare_as(NORMAL_95, (processes.len() - 1) as f64) * scatter).exp();
            Some([low.min(ns / factor), high.max(ns * factor)])
        });
        Some(TailFigure { ns, ci95 })
    };
    quantiles.iter().zip(scatters).map(figure).collect()
}

/// The standard error of each quantile's logarithm, from resampled processes.
fn log_scatters(processes: &[DurationCounts], quantiles: &[f64], seed: u64) -> Vec<Option<f64>> {
    let count = processes.len();
    if count < 2 {
        return vec![None; quantiles.len()];
    }
    let mut random = Rng::with_seed(seed);
    let mut logs = vec![Vec::with_capacity(DRAWS); quantiles.len()];
    for _ in 0..DRAWS {
        let drawn = merged((0..count).map(|_| &processes[random.usize(..count)]));
        let total = drawn.total() as f64;
        for (logs, quantile) in logs.iter_mut().zip(quantiles) {
            logs.extend(rank(&drawn, quantile * total).map(|class| middle(class).ln()));
        }
    }
    // Resampling k of them understates the variance by (k-1)/k.
    let few = (count as f64 / (count - 1) as f64).sqrt();
    logs.iter().map(|logs| standard_deviation(logs).map(|sd| sd * few)).collect()
}

fn standard_deviation(values: &[f64]) -> Option<f64> {
    let count = values.len();
    if count < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1) as f64).sqrt())
}

fn merged<'c>(all: impl Iterator<Item = &'c DurationCounts>) -> DurationCounts {
    let mut sum = DurationCounts::default();
    all.for_each(|counts| sum.merge(counts));
    sum
}

fn middle(class: u64) -> f64 {
    class_middle_ns(class).max(0.5)
}

/// The class of the duration of this rank, counted from 0.
fn rank(counts: &DurationCounts, rank: f64) -> Option<u64> {
    let mut below = 0.0;
    let mut last = None;
    for (class, count) in counts.classes() {
        below += count as f64;
        last = Some(class);
        if below > rank {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::normal;

    /// Latencies about 100 microseconds, one in a hundred ten times as long.
    fn process(accesses: u32, random: &mut Rng) -> DurationCounts {
        let mut counts = DurationCounts::default();
        for _ in 0..accesses {
            let slow = if random.u32(..100) == 0 { 10.0 } else { 1.0 };
            let us = 100.0 * slow * (0.05 * normal(random)).exp();
            counts.add(Duration::from_nanos((us * 1e3) as u64));
        }
        counts
    }

    #[test]
    fn quantiles_and_intervals_hold_the_truth() {
        let mut held = 0;
        for seed in 0..30 {
            let mut random = Rng::with_seed(seed);
            let processes: Vec<DurationCounts> =
                (0..6).map(|_| process(2_000, &mut random)).collect();
            let figures = tail(&processes, &[0.5, 0.999], seed);
            let [Some(median), Some(rare)] = figures[..] else { panic!("{figures:?}") };
            assert!((median.ns / 100_000.0 - 1.0).abs() < 0.02, "{median:?}");
            assert!((rare.ns / 1_000_000.0 - 1.0).abs() < 0.2, "{rare:?}");
            let [low, high] = median.ci95.unwrap();
            held += usize::from(low <= 100_050.0 && 100_050.0 <= high);
        }
        assert!(held >= 27, "{held} of 30");
    }

    #[test]
    fn rare_quantiles_need_many_accesses() {
        let mut random = Rng::with_seed(1);
        let processes = [process(500, &mut random), process(500, &mut random)];
        let figures = tail(&processes, &[0.5, 0.99, 0.999], 1);
        assert!(figures[0].is_some() && figures[1].is_some());
        assert_eq!(figures[2], None);
        let alone = tail(&processes[..1], &[0.5], 1)[0].unwrap();
        assert_eq!(alone.ci95, None);
        assert_eq!(tail(&[], &[0.5], 1), [None]);
    }

    #[test]
    fn processes_that_differ_widen_the_interval() {
        let at = |us: u64| DurationCounts::from_classes([(us * 1_000, 5_000)]);
        let width = |processes: &[DurationCounts]| {
            let [low, high] = tail(processes, &[0.5], 1)[0].unwrap().ci95.unwrap();
            (high / low).ln()
        };
        let (alike, apart) =
            (width(&[at(100), at(100), at(100)]), width(&[at(80), at(100), at(120)]));
        assert!(alike < 0.03 && apart > 0.3, "{alike} {apart}");
    }
}
