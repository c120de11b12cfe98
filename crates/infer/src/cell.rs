//! One cell's samples, sorted once, so that the median of any resample takes one pass.

use std::collections::BTreeSet;

/// Samples of at least two rounds that a cell needs for a standard error of its median.
pub const MIN_SAMPLES: usize = 3;

/// Samples of one cell in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellSamples {
    ns: Vec<f64>,
    logs: Vec<f64>,
    /// The block of each sample.
    blocks: Vec<usize>,
    /// Number of blocks, where each has one sample; else 0.
    once_each: usize,
}

impl CellSamples {
    /// From (cost in ns, block) pairs. Costs are finite and positive.
    pub(crate) fn new(mut samples: Vec<(f64, usize)>) -> Self {
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ns, blocks): (Vec<f64>, Vec<usize>) = samples.into_iter().unzip();
        let distinct: BTreeSet<usize> = blocks.iter().copied().collect();
        let once_each = if distinct.len() == blocks.len() { blocks.len() } else { 0 };
        Self { logs: ns.iter().map(|ns| ns.ln()).collect(), ns, blocks, once_each }
    }

    pub(crate) fn len(&self) -> usize {
        self.ns.len()
    }

    /// Whether scatter can be estimated: [`MIN_SAMPLES`] samples, of at least two blocks. Samples
    /// of one block are resampled together, and would seem to have no scatter.
    pub(crate) fn scatters(&self) -> bool {
        let in_two_blocks = self.blocks.iter().any(|block| *block != self.blocks[0]);
        self.len() >= MIN_SAMPLES && in_two_blocks
    }

    /// (natural logarithm of the cost, block) of each sample.
    pub(crate) fn logs(&self) -> impl Iterator<Item = (f64, usize)> + '_ {
        self.logs.iter().copied().zip(self.blocks.iter().copied())
    }

    pub(crate) fn log_median(&self) -> Option<f64> {
        quantile_of_sorted(&self.logs, 0.5)
    }

    /// A quantile in nanoseconds, by linear interpolation (Hyndman and Fan's type 7).
    pub(crate) fn quantile_ns(&self, share: f64) -> Option<f64> {
        quantile_of_sorted(&self.ns, share)
    }

    /// The log median if each block counts `weights[block]` times, with `sum` as the total; `None`
    /// without samples in the draw.
    pub(crate) fn weighted_log_median(&self, weights: &[u32], sum: u32) -> Option<f64> {
        // Most cells have a sample of every block, and their total weight is known.
        let all_blocks = self.once_each == weights.len();
        let total =
            if all_blocks { sum } else { self.blocks.iter().map(|&block| weights[block]).sum() };
        if total == 0 {
            return None;
        }
        let (mut seen, mut at) = (0, 0);
        while 2 * seen < total {
            seen += weights[self.blocks[at]];
            at += 1;
        }
        let lower = self.logs[at - 1];
        if 2 * seen > total {
            return Some(lower);
        }
        let next = (at..self.blocks.len()).find(|&at| weights[self.blocks[at]] > 0)?;
        Some(f64::midpoint(lower, self.logs[next]))
    }
}

/// A standard deviation from a median absolute deviation, for normal noise.
pub(crate) const MAD_TO_SD: f64 = 1.4826;

/// The median of values in any order.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    quantile_of_sorted(&values, 0.5)
}

/// The quantile of ascending values, by linear interpolation (Hyndman and Fan's type 7).
pub(crate) fn quantile_of_sorted(values: &[f64], share: f64) -> Option<f64> {
    let place = share * values.len().checked_sub(1)? as f64;
    let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_lie_between_samples() {
        let cell = CellSamples::new(vec![(40.0, 0), (10.0, 1), (30.0, 2), (20.0, 3)]);
        assert_eq!(cell.quantile_ns(0.25), Some(17.5));
        assert_eq!(cell.quantile_ns(0.5), Some(25.0));
        assert_eq!(CellSamples::default().quantile_ns(0.5), None);
    }

    #[test]
    fn one_block_has_no_scatter() {
        let cell = |blocks: [usize; 3]| {
            CellSamples::new(blocks.iter().map(|&block| (80.0 + block as f64, block)).collect())
        };
        assert!(!cell([4, 4, 4]).scatters());
        assert!(cell([4, 4, 5]).scatters());
        assert!(!CellSamples::new(vec![(80.0, 0), (81.0, 1)]).scatters());
        assert!(!CellSamples::default().scatters());
    }

    proptest! {
        #[test]
        fn a_weighted_median_is_the_median_of_the_repeated_samples(
            samples in proptest::collection::vec((1.0f64..100.0, 0u32..4), 1..30),
        ) {
            let in_blocks = samples.iter().enumerate().map(|(block, &(ns, _))| (ns, block));
            let cell = CellSamples::new(in_blocks.collect());
            let weights: Vec<u32> = samples.iter().map(|&(_, weight)| weight).collect();
            let mut repeated: Vec<f64> =
                samples.iter().flat_map(|&(ns, weight)| vec![ns.ln(); weight as usize]).collect();
            repeated.sort_by(f64::total_cmp);
            let got = cell.weighted_log_median(&weights, weights.iter().sum());
            let wanted = quantile_of_sorted(&repeated, 0.5);
            prop_assert_eq!(got.is_some(), wanted.is_some());
            prop_assert!((got.unwrap_or(0.0) - wanted.unwrap_or(0.0)).abs() < 1e-12);
        }
    }
}
