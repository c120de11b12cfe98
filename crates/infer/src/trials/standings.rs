//! Who is fastest, who is steadiest, and who is beaten in neither.

use serde::{Deserialize, Serialize};

use super::{Difference, Summary, Trials};

/// The configurations in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Standings {
    /// The smallest median.
    pub fastest: Option<usize>,
    /// Those that cannot be told from the fastest.
    pub as_fast: Vec<usize>,
    /// The smallest coefficient of variation.
    pub steadiest: Option<usize>,
    /// Those that no other beats in both: none is really faster and as steady or steadier.
    pub front: Vec<usize>,
}

impl Standings {
    /// Of summaries by configuration (none: it never succeeded) and the differences of all pairs.
    pub fn of(summaries: &[Option<Summary>], differences: &[Difference]) -> Self {
        let smallest = |figure: fn(&Summary) -> Option<f64>| {
            let known = summaries.iter().enumerate().filter_map(|(at, summary)| Some((at, figure(summary.as_ref()?)?)));
            known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
        };
        let fastest = smallest(|summary| Some(summary.median));
        let is_apart = |a: usize, b: usize| differences.iter().any(|one| one.real && is_pair(one, a, b));
        let all = || (0..summaries.len()).filter(|&at| summaries[at].is_some());
        let as_fast =
            fastest.map_or_else(Vec::new, |best| all().filter(|&at| at != best && !is_apart(at, best)).collect());
        let spread = |at: usize| summaries[at].as_ref().and_then(|summary| summary.cv).unwrap_or(f64::INFINITY);
        let beats = |a: usize, b: usize| is_faster(differences, a, b) && spread(a) <= spread(b);
        let front = all().filter(|&one| !all().any(|other| beats(other, one))).collect();
        Self { fastest, as_fast, steadiest: smallest(|summary| summary.cv), front }
    }
}

impl Trials {
    /// The standings of all configurations.
    pub fn standings(&self) -> Standings {
        let summaries: Vec<Option<Summary>> = (0..self.configurations()).map(|at| self.summary(at)).collect();
        Standings::of(&summaries, &self.differences())
    }
}

fn is_pair(difference: &Difference, a: usize, b: usize) -> bool {
    [(a, b), (b, a)].contains(&(difference.of, difference.to))
}

fn is_faster(differences: &[Difference], a: usize, b: usize) -> bool {
    differences.iter().any(|one| {
        one.real && ((one.of, one.to) == (a, b) && one.ratio < 0.0 || (one.of, one.to) == (b, a) && one.ratio > 0.0)
    })
}
