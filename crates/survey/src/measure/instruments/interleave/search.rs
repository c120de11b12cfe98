//! The weights to try: the usual ones, then steps from the best ones.

use nearfar_infer::weight_search::WeightLimits;
use nearfar_probe::Kernel;
use nearfar_probe::interleave::InterleaveTreatment;

use super::InterleaveSettings;
use super::rows::InterleaveRows;
use super::weight_trials::{RowSearch, WeightTrials, coarse, fine};
use crate::Mode;
use crate::measure::MeasureError;

/// The largest number of nodes whose pairs are all measured.
const MAX_NODES_FOR_PAIRS: usize = 8;

/// Every node alone, every pair, and all of them.
pub(super) fn usual(nodes: usize) -> Vec<Vec<u32>> {
    let of = |used: &[usize]| -> Vec<u32> {
        (0..nodes).map(|node| u32::from(used.contains(&node))).collect()
    };
    let mut all: Vec<Vec<u32>> = (0..nodes).map(|node| of(&[node])).collect();
    if nodes <= MAX_NODES_FOR_PAIRS {
        all.extend((0..nodes).flat_map(|b| (0..b).map(move |a| [a, b])).map(|pair| of(&pair)));
    }
    all.push(vec![1; nodes]);
    all.dedup();
    all
}

/// The result of a search.
pub(super) struct SearchResult {
    /// The best weights of every row and kernel.
    pub(super) best: Vec<Vec<u32>>,
    /// The candidates of the final comparison.
    pub(super) contenders: Vec<(usize, InterleaveTreatment)>,
}

/// Searches the best weights for each row and kernel.
pub(super) fn search(
    trials: &mut WeightTrials<'_, '_>,
    settings: &InterleaveSettings,
    rows: &InterleaveRows,
    kernel_weights: Option<&[u32]>,
) -> Result<SearchResult, MeasureError> {
    let nodes = trials.setup.nodes.len();
    let mut first = usual(nodes);
    first.extend(
        kernel_weights
            .map(<[u32]>::to_vec)
            .filter(|weights| weights.iter().any(|&weight| weight > 1)),
    );
    let kinds: Vec<(usize, Kernel)> = rows
        .streaming
        .iter()
        .flat_map(|&row| settings.kernels.iter().map(move |&kernel| (row, kernel)))
        .collect();
    let treat = |weights: &Vec<u32>, kernel| InterleaveTreatment {
        weights: weights.clone(),
        kernel: Some(kernel),
    };
    let all = |weights: &[Vec<u32>]| -> Vec<(usize, InterleaveTreatment)> {
        kinds
            .iter()
            .flat_map(|&(row, kernel)| {
                weights.iter().map(move |weight| (row, treat(weight, kernel)))
            })
            .collect()
    };
    let measured = trials.measure(&all(&first), coarse(trials.mode), "weights")?;
    let limits = WeightLimits {
        largest: settings.largest_weight,
        measurements: first.len() + measurements(trials.mode),
    };
    let mut searches: Vec<RowSearch> = kinds
        .iter()
        .map(|&(row, kernel)| RowSearch::new(row, kernel, nodes, limits, &measured))
        .collect();
    while !trials.is_out_of_time() {
        let mut wanted: Vec<(usize, InterleaveTreatment)> =
            searches.iter_mut().flat_map(RowSearch::wanted).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            break;
        }
        let measured = trials.measure(&wanted, coarse(trials.mode), "weights")?;
        searches.iter_mut().for_each(|search| search.add(&measured));
    }
    let mut last: Vec<(usize, InterleaveTreatment)> =
        searches.iter().flat_map(|search| search.contenders(kernel_weights)).collect();
    last.sort_unstable();
    last.dedup();
    trials.measure(&last, fine(trials.mode), "best weights")?;
    let mut best: Vec<Vec<u32>> = searches.iter().filter_map(RowSearch::best).collect();
    best.extend(kernel_weights.map(<[u32]>::to_vec));
    Ok(SearchResult { best, contenders: last })
}

/// The limit on measurements beyond the fixed ones.
fn measurements(mode: Mode) -> usize {
    match mode {
        Mode::Quick => 20,
        Mode::Default => 60,
        Mode::Thorough => WeightLimits::default().measurements,
    }
}

/// The weights for latency: each node, all of them, and the best.
pub(super) fn chase_weights(nodes: usize, best: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut weights: Vec<Vec<u32>> =
        usual(nodes).into_iter().filter(|one| is_one_or_all(one)).collect();
    for one in best {
        if !weights.contains(one) {
            weights.push(one.clone());
        }
    }
    weights
}

pub(super) fn is_one_or_all(weights: &[u32]) -> bool {
    let used = weights.iter().filter(|weight| **weight > 0).count();
    used == 1 || used == weights.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_measured_alone_in_pairs_and_all_together() {
        assert_eq!(usual(2), [vec![1, 0], vec![0, 1], vec![1, 1]]);
        assert_eq!(usual(3).len(), 3 + 3 + 1);
        assert_eq!(usual(8).len(), 8 + 28 + 1);
        assert_eq!(usual(16).len(), 16 + 1);
    }
}
