//! Other methods with the same samples.

use nearfar_infer::SampleMatrix;

use crate::replay::{Model, Noise, Plan, survey};

/// 20 cycles at 2.5 GHz, in ns.
const FIXED_GAP: f64 = 8.0;

/// The columns' spread is larger than a control's: one column under as many names.
pub(crate) fn spread(matrix: &SampleMatrix, noise: &Noise, seed: u64) -> bool {
    let rounds = u32::try_from(matrix.rounds()).unwrap_or(u32::MAX);
    let plan = Plan { max_rounds: rounds, standard_error: 0.0, ..Plan::usual() };
    let control = survey(&Model::uniform(matrix.rows(), matrix.columns()), noise, &plan, !seed);
    largest(matrix, |low, high| high / low) > largest(&control, |low, high| high / low)
}

/// Two columns of one row differ by the fixed gap.
pub(crate) fn fixed_gap(matrix: &SampleMatrix) -> bool {
    largest(matrix, |low, high| high - low) >= FIXED_GAP
}

fn largest(matrix: &SampleMatrix, apart: impl Fn(f64, f64) -> f64) -> f64 {
    let row_gap = |row: usize| {
        let medians = (0..matrix.columns()).filter_map(|column| matrix.median(row, column));
        let (low, high) = medians.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), median| {
            (low.min(median), high.max(median))
        });
        apart(low, high)
    };
    (0..matrix.rows()).map(row_gap).fold(0.0, f64::max)
}

/// Classes by a fixed gap: a new one starts wherever sorted figures differ by the gap.
pub(crate) fn classes_by_fixed_gap(costs: &[Vec<f64>]) -> usize {
    let mut sorted: Vec<f64> = costs.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    1 + sorted.windows(2).filter(|pair| pair[1] - pair[0] >= FIXED_GAP).count()
}

/// The relative-neighbourhood graph of the figures alone, without margin and classes.
pub(crate) fn links_of_bare_figures(costs: &[Vec<f64>]) -> Vec<(u32, u32)> {
    let nodes = costs.len();
    let apart = |a: usize, b: usize| f64::midpoint(costs[a][b], costs[b][a]);
    let explained = |a: usize, b: usize| {
        (0..nodes)
            .any(|k| k != a && k != b && apart(a, k) < apart(a, b) && apart(k, b) < apart(a, b))
    };
    let pairs = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
    pairs.filter(|&(a, b)| !explained(a, b)).map(|(a, b)| (a as u32, b as u32)).collect()
}
