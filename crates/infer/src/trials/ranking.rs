//! Who is fastest, who is steadiest, and who is beaten in neither.

use super::{Difference, Summary, Trials};

/// Runs that a spread needs to be the smallest.
const FEWEST_RUNS: usize = 4;

/// The configurations in order. The best are chosen of those that failed least: who mostly fails is
/// not the fastest by what is left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// The smallest median of those that failed least.
    pub fastest: Option<usize>,
    /// Those that cannot be told from the fastest.
    pub as_fast: Vec<usize>,
    /// The smallest coefficient of variation of those that failed least, where there are runs
    /// enough to tell of it.
    pub least_variable: Option<usize>,
    /// The others that could have been the steadiest, the steadiest first.
    pub more_variable: Vec<usize>,
    /// Of those that failed least, those that no other beats in both: none is really faster and as
    /// steady or steadier.
    pub front: Vec<usize>,
}

impl Trials {
    /// The standings of all configurations, of which so many runs failed.
    pub fn ranking(&self, failures: &[usize]) -> Ranking {
        let summaries: Vec<Option<Summary>> =
            (0..self.configurations()).map(|at| self.summary(at)).collect();
        let differences: Vec<Difference> =
            self.differences().into_iter().filter(|one| one.compared.real).collect();
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
            differences.iter().any(|one| [(a, b), (b, a)].contains(&(one.of, one.to)))
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
            ascending(|summary| summary.cv.filter(|_| summary.runs >= FEWEST_RUNS)).into_iter();
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
