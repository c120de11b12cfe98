//! Measurements of pairs of CPUs, or the reasons why there are none.

use std::collections::BTreeMap;

use nearfar_model::is_cost;

/// Number of measurements of a doubtful pair.
pub(crate) const MEASUREMENTS: usize = 3;

/// One measurement of the latency between two CPUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandoffCost {
    /// The median, in nanoseconds. Any unit works if all pairs have the same: only ratios count.
    pub median_ns: f64,
    /// The median's standard error, as a fraction; 0 where it is unknown.
    pub relative_se: f64,
}

impl HandoffCost {
    /// Whether it can be one: above 0 and finite, with a finite error.
    pub fn is_sound(self) -> bool {
        let sound = |value: f64| (0.0..1e12).contains(&value);
        is_cost(self.median_ns) && sound(self.median_ns) && sound(self.relative_se)
    }
}

/// The cost of one pair in a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairCost {
    /// The two CPUs, counted from 0, in either order.
    pub cpus: (usize, usize),
    /// What was measured.
    pub cost: HandoffCost,
}

/// All measurements of one pair.
#[derive(Clone, Debug)]
pub(crate) struct CpuPair {
    pub(crate) cpus: (usize, usize),
    measurements: Vec<HandoffCost>,
    /// Logarithm of the cost; `NaN` before the first measurement.
    pub(crate) log_ns: f64,
    pub(crate) relative_se: f64,
}

impl CpuPair {
    pub(crate) fn is_measured(&self) -> bool {
        !self.measurements.is_empty()
    }

    pub(crate) fn measurements(&self) -> usize {
        self.measurements.len()
    }

    /// The lower median counts: noise only adds.
    fn add(&mut self, cost: HandoffCost) {
        // There are millions of pairs, and most are measured once.
        self.measurements.reserve_exact(1);
        self.measurements.push(cost);
        self.measurements.sort_by(|a, b| a.median_ns.total_cmp(&b.median_ns));
        let counts = self.measurements[(self.measurements.len() - 1) / 2];
        (self.log_ns, self.relative_se) = (counts.median_ns.ln(), counts.relative_se);
    }
}

/// All requested pairs, indexed by their CPUs.
#[derive(Clone, Debug)]
pub(crate) struct CpuPairs {
    cpus: usize,
    pairs: Vec<CpuPair>,
    /// Position of each pair of the triangle in `pairs`, plus 1.
    index: Vec<u32>,
    pub(crate) failures: BTreeMap<String, usize>,
}

impl CpuPairs {
    pub(crate) fn new(cpus: usize) -> Self {
        let index = vec![0; cpus * cpus.saturating_sub(1) / 2];
        Self { cpus, pairs: Vec::new(), index, failures: BTreeMap::new() }
    }

    pub(crate) fn cpus(&self) -> usize {
        self.cpus
    }

    /// The number of pairs of the machine.
    pub(crate) fn all(&self) -> usize {
        self.index.len()
    }

    fn slot(&self, (a, b): (usize, usize)) -> Option<usize> {
        let (low, high) = (a.min(b), a.max(b));
        (low < high && high < self.cpus).then(|| high * (high - 1) / 2 + low)
    }

    /// Whether the pair was measured, or the attempt failed.
    pub(crate) fn is_tried(&self, cpus: (usize, usize)) -> bool {
        self.slot(cpus).is_none_or(|slot| self.index[slot] > 0)
    }

    pub(crate) fn get(&self, cpus: (usize, usize)) -> Option<&CpuPair> {
        let place = self.index[self.slot(cpus)?];
        self.pairs.get((place as usize).checked_sub(1)?).filter(|pair| pair.is_measured())
    }

    /// Adds a cost. Impossible ones (zero, negative, not a number) are ignored, and so are those of
    /// CPUs that do not exist.
    pub(crate) fn add(&mut self, cpus: (usize, usize), cost: HandoffCost) {
        if let Some(pair) = self.entry(cpus).filter(|_| cost.is_sound()) {
            pair.add(cost);
        }
    }

    pub(crate) fn fail(&mut self, cpus: (usize, usize), reason: &str) {
        if self.entry(cpus).is_some() {
            *self.failures.entry(reason.to_owned()).or_default() += 1;
        }
    }

    fn entry(&mut self, (a, b): (usize, usize)) -> Option<&mut CpuPair> {
        let slot = self.slot((a, b))?;
        if self.index[slot] == 0 {
            let cpus = (a.min(b), a.max(b));
            self.pairs.push(CpuPair {
                cpus,
                measurements: Vec::new(),
                log_ns: f64::NAN,
                relative_se: 0.0,
            });
            self.index[slot] = u32::try_from(self.pairs.len()).ok()?;
        }
        self.pairs.get_mut(self.index[slot] as usize - 1)
    }

    pub(crate) fn measured(&self) -> impl Iterator<Item = &CpuPair> + Clone {
        self.pairs.iter().filter(|pair| pair.is_measured())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(median_ns: f64) -> HandoffCost {
        HandoffCost { median_ns, relative_se: 0.01 }
    }

    #[test]
    fn pairs_are_unordered_and_keep_the_lower_median() {
        let mut pairs = CpuPairs::new(4);
        for ns in [90.0, 30.0, 31.0] {
            pairs.add((3, 1), cost(ns));
        }
        assert_eq!(pairs.get((1, 3)).unwrap().log_ns, 31f64.ln());
        pairs.add((1, 3), cost(200.0));
        assert_eq!(pairs.get((1, 3)).unwrap().log_ns, 31f64.ln());
        assert_eq!(
            (pairs.all(), pairs.measured().count(), pairs.get((0, 1)).is_none()),
            (6, 1, true)
        );
    }

    #[test]
    fn impossible_costs_are_ignored() {
        let mut pairs = CpuPairs::new(2);
        for ns in [0.0, -3.0, f64::NAN, f64::INFINITY, 1e300] {
            pairs.add((0, 1), cost(ns));
        }
        pairs.add((0, 2), cost(10.0));
        pairs.add((1, 1), cost(10.0));
        assert_eq!(pairs.measured().count(), 0);
    }

    #[test]
    fn failed_pairs_are_tried_without_cost() {
        let mut pairs = CpuPairs::new(3);
        pairs.fail((0, 2), "one core");
        assert!(pairs.is_tried((2, 0)) && pairs.get((0, 2)).is_none());
        assert_eq!(pairs.failures["one core"], 1);
    }
}
