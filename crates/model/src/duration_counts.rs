//! Durations counted in narrow classes: a distribution in little memory.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Bits of a duration that are kept: classes are at most 1/64 wide.
const BITS: u32 = 7;

/// How many durations were in each class. Classes are at most 1.6 % wide, so that a quantile is
/// within 0.8 % of the exact one.
///
/// # References
///
/// The classes are those of HdrHistogram: a power of two in equal parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DurationCounts {
    /// Counts by the lower bound of their class, in nanoseconds.
    classes: BTreeMap<u64, u64>,
}

impl DurationCounts {
    /// Counts one duration.
    pub fn add(&mut self, duration: Duration) {
        let ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        *self.classes.entry(lower_bound(ns)).or_default() += 1;
    }

    /// Adds the counts of others.
    pub fn merge(&mut self, others: &Self) {
        for (&class, &count) in &others.classes {
            *self.classes.entry(class).or_default() += count;
        }
    }

    /// The number of durations.
    pub fn total(&self) -> u64 {
        self.classes.values().sum()
    }

    /// Lower bounds in nanoseconds, ascending, with their counts.
    pub fn classes(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.classes.iter().map(|(&class, &count)| (class, count))
    }

    /// From lower bounds of classes, in nanoseconds, with their counts. Other numbers are rounded
    /// down to the next class.
    pub fn from_classes(classes: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut counts = Self::default();
        for (ns, count) in classes {
            *counts.classes.entry(lower_bound(ns)).or_default() += count;
        }
        counts
    }
}

/// The middle of a duration's class, in nanoseconds.
pub fn class_middle_ns(lower_bound: u64) -> f64 {
    lower_bound as f64 + (width(lower_bound) - 1) as f64 / 2.0
}

/// The lower bound of the next class, in nanoseconds.
pub fn class_end_ns(lower_bound: u64) -> u64 {
    lower_bound.saturating_add(width(lower_bound))
}

fn lower_bound(ns: u64) -> u64 {
    ns / width(ns) * width(ns)
}

/// The width of a duration's class, in nanoseconds.
const fn width(ns: u64) -> u64 {
    1 << (u64::BITS - ns.leading_zeros()).saturating_sub(BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_narrow_and_do_not_overlap() {
        let mut below = None;
        for ns in (0..5_000).chain([u64::MAX - 1, u64::MAX]) {
            let bound = lower_bound(ns);
            assert!(bound <= ns && (ns - bound) as f64 <= ns as f64 / 64.0, "{ns}: {bound}");
            assert!((class_middle_ns(bound) / ns.max(1) as f64 - 1.0).abs() < 0.008 || ns == 0);
            assert!(below.is_none_or(|below| below <= bound), "{ns}");
            assert_eq!(lower_bound(bound), bound);
            below = Some(bound);
        }
    }

    #[test]
    fn counts_add_up() {
        let mut counts = DurationCounts::default();
        for ns in [80_000, 80_100, 90_000] {
            counts.add(Duration::from_nanos(ns));
        }
        let mut both = counts.clone();
        both.merge(&counts);
        assert_eq!(both.total(), 6);
        assert_eq!(both.classes().count(), 2);
        assert_eq!(DurationCounts::from_classes(both.classes()), both);
    }
}
