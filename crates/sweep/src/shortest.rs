//! The expected time of a run, from earlier ones: the program's pages are sampled half-way.

use std::collections::BTreeMap;

/// The shortest run so far in seconds, warm-ups included, by configuration.
#[derive(Debug, Default)]
pub(crate) struct ShortestRuns(BTreeMap<String, f64>);

impl ShortestRuns {
    /// A successful run of a configuration, in seconds.
    pub(crate) fn learn(&mut self, id: &str, wall_s: f64) {
        let shortest = self.0.entry(id.to_owned()).or_insert(wall_s);
        *shortest = shortest.min(wall_s);
    }

    /// The configuration's shortest run so far; without any, the shortest of all.
    pub(crate) fn expected(&self, id: &str, kept: impl Iterator<Item = f64>) -> Option<f64> {
        let least = |times: &mut dyn Iterator<Item = f64>| times.min_by(f64::total_cmp);
        least(&mut self.0.get(id).copied().into_iter().chain(kept))
            .or_else(|| least(&mut self.0.values().copied()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_runs_come_before_others() {
        let mut shortest = ShortestRuns::default();
        assert_eq!(shortest.expected("a", [].into_iter()), None);
        shortest.learn("a", 3.0);
        shortest.learn("a", 2.0);
        shortest.learn("a", 5.0);
        shortest.learn("b", 1.0);
        assert_eq!(shortest.expected("a", [].into_iter()), Some(2.0));
        assert_eq!(
            shortest.expected("a", [1.5].into_iter()),
            Some(1.5),
            "a sweep that goes on has runs from before"
        );
        assert_eq!(shortest.expected("c", [].into_iter()), Some(1.0));
    }
}
