//! How many lines cost how much, in buckets that are 1 % wide. Each gives the mean of what it
//! holds, so that a median read from them is exact where all lines cost the same, and good to 1 %
//! where they do not.

const WIDTH: f64 = 1.01;
const MIN_NS: f64 = 10.0;
/// Up to 100 ms.
const BUCKETS: usize = 1621;

#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    /// Each has lines that cost about the same.
    buckets: Vec<Sum>,
}

/// Lines, and how long a CPU waited for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) lines: u64,
    pub(crate) total_ns: u64,
}

impl Sum {
    pub(crate) fn add(&mut self, ns: u64) {
        self.lines += 1;
        self.total_ns = self.total_ns.saturating_add(ns);
    }
}

impl Histogram {
    pub(crate) fn new() -> Self {
        Self { buckets: vec![Sum::default(); BUCKETS] }
    }

    pub(crate) fn add(&mut self, ns: u64) {
        let bucket = (ns as f64 / MIN_NS).max(1.0).ln() / WIDTH.ln();
        self.buckets[(bucket as usize).min(BUCKETS - 1)].add(ns);
    }

    pub(crate) fn lines(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.lines).sum()
    }

    pub(crate) fn total_ns(&self) -> u64 {
        self.buckets.iter().fold(0, |total, bucket| total.saturating_add(bucket.total_ns))
    }

    /// (mean charge in ns, lines) of each bucket that has any.
    pub(crate) fn filled(&self) -> Vec<(f64, u64)> {
        let mean = |bucket: &Sum| bucket.total_ns as f64 / bucket.lines as f64;
        let filled = self.buckets.iter().filter(|bucket| bucket.lines > 0);
        filled.map(|bucket| ((mean(bucket) * 100.0).round() / 100.0, bucket.lines)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_charge_is_found_again(ns in 1_u64..90_000_000) {
            let mut histogram = Histogram::new();
            histogram.add(ns);
            histogram.add(ns);
            prop_assert_eq!(histogram.filled(), [(ns as f64, 2)]);
            prop_assert_eq!((histogram.lines(), histogram.total_ns()), (2, 2 * ns));
        }

        #[test]
        fn charges_more_than_a_percent_apart_are_distinguished(ns in 10_u64..80_000_000) {
            let mut histogram = Histogram::new();
            histogram.add(ns);
            histogram.add((ns as f64 * 1.0101).ceil() as u64);
            prop_assert_eq!(histogram.filled().len(), 2);
        }
    }

    #[test]
    fn what_lies_outside_is_counted_all_the_same() {
        let mut histogram = Histogram::new();
        for ns in [0, 1, u64::MAX / 4] {
            histogram.add(ns);
        }
        assert_eq!(histogram.filled().iter().map(|(_, lines)| lines).sum::<u64>(), 3);
        assert_eq!(histogram.lines(), 3);
    }
}
