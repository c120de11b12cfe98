//! The fastest and the least variable configuration, and the Pareto front of both.

use super::{Difference, Summary, Trials};

/// The minimum number of runs for a coefficient of variation.
const MIN_RUNS: usize = 4;

/// The ranking of configurations. Only those with the fewest failures take part: a mostly failing
/// one is not the fastest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// The smallest median.
    pub fastest: Option<usize>,
    /// Those that do not differ significantly from the fastest.
    pub as_fast: Vec<usize>,
    /// The smallest coefficient of variation, with enough runs.
    pub least_variable: Option<usize>,
    /// The others with enough runs, the least variable first.
    pub more_variable: Vec<usize>,
    /// The Pareto front: those that no other beats in both, by being really faster and no more
    /// variable.
    pub front: Vec<usize>,
}

impl Trials {
    /// The ranking of all configurations, with these numbers of failed runs.
    pub fn ranking(&self, failures: &[usize]) -> Ranking {
        let summaries: Vec<Option<Summary>> =
            (0..self.configurations()).map(|at| self.summary(at)).collect();
        let differences: Vec<Difference> = self
            .median_differences()
            .iter()
            .filter(|difference| difference.compared.real)
            .copied()
            .collect();
        let known = || (0..summaries.len()).filter(|&at| summaries[at].is_some());
        let failed = |at: usize| failures.get(at).copied().unwrap_or(0);
        let fewest = known().map(failed).min();
        let reliable = || known().filter(|&at| Some(failed(at)) == fewest);
        let ascending = |figure: fn(&Summary) -> Option<f64>| -> Vec<usize> {
            let figures = reliable().filter_map(|at| Some((at, figure(summaries[at].as_ref()?)?)));
            let mut figures: Vec<(usize, f64)> = figures.collect();
            figures.sort_by(|a, b| a.1.total_cmp(&b.1));
            figures.into_iter().map(|(at, _)| at).collect()
        };
        let fastest = ascending(|summary| Some(summary.median)).first().copied();
        let is_apart = |a: usize, b: usize| {
            differences
                .iter()
                .any(|difference| [(a, b), (b, a)].contains(&(difference.of, difference.to)))
        };
        let as_fast = fastest.map_or_else(Vec::new, |best| {
            known().filter(|&at| at != best && !is_apart(at, best)).collect()
        });
        let spread = |at: usize| {
            summaries[at].as_ref().and_then(|summary| summary.cv).unwrap_or(f64::INFINITY)
        };
        let beats = |a: usize, b: usize| is_faster(&differences, a, b) && spread(a) <= spread(b);
        let front = reliable().filter(|&one| !reliable().any(|other| beats(other, one))).collect();
        let mut steady =
            ascending(|summary| summary.cv.filter(|_| summary.runs >= MIN_RUNS)).into_iter();
        Ranking {
            fastest,
            as_fast,
            least_variable: steady.next(),
            more_variable: steady.collect(),
            front,
        }
    }
}

fn is_faster(really_differing: &[Difference], a: usize, b: usize) -> bool {
    really_differing.iter().any(|one| {
        let ratio = one.compared.ratio;
        (one.of, one.to) == (a, b) && ratio < 0.0 || (one.of, one.to) == (b, a) && ratio > 0.0
    })
}
