//! Two sweeps in a few sentences.

use super::{Both, Crossing};
use crate::objective::Objective;

pub(super) fn of(all: &[Both], crossings: &[Crossing], objective: &Objective) -> Vec<String> {
    let mut said: Vec<String> = none_real(all).into_iter().collect();
    let told = all.iter().filter(|one| one.apart.is_some()).count();
    for (is_better, word) in [(true, objective.better()), (false, objective.worse())] {
        said.extend(most_of_all(all, objective, is_better).map(|(count, most)| {
            let percent = 100.0 * ratio(most);
            format!("The second is {word} in {count} of {told}, most of all {} ({percent:+.1} %).", most.id)
        }));
    }
    said.extend(crossings.iter().map(crossing));
    said
}

fn none_real(all: &[Both]) -> Option<String> {
    let known: Vec<_> = all.iter().filter_map(|one| one.apart).collect();
    if known.is_empty() {
        return Some("No configuration has three runs in both: nothing can be told.".to_owned());
    }
    let reach = known.iter().flat_map(|apart| apart.ci95.map(f64::abs)).fold(0.0, f64::max);
    known.iter().all(|apart| !apart.real).then(|| {
        let (count, percent) = (known.len(), 100.0 * reach);
        format!("No difference: none of {count} is beyond chance, and no interval reaches beyond {percent:.1} %.")
    })
}

/// How many became better (or worse) for real, and which of them most.
fn most_of_all<'a>(all: &'a [Both], objective: &Objective, is_better: bool) -> Option<(usize, &'a Both)> {
    let is_meant = |one: &&Both| ((ratio(one) > 0.0) == objective.higher_is_better) == is_better;
    let some: Vec<&Both> =
        all.iter().filter(|one| one.apart.is_some_and(|apart| apart.real)).filter(is_meant).collect();
    let most = some.iter().max_by(|a, b| ratio(a).abs().total_cmp(&ratio(b).abs()))?;
    Some((some.len(), most))
}

fn ratio(one: &Both) -> f64 {
    one.apart.map_or(0.0, |apart| apart.ratio)
}

fn crossing(crossing: &Crossing) -> String {
    let [fewer, more] = crossing.between_jobs;
    let then = if crossing.better_with_fewer == 1 { "second" } else { "first" };
    format!("{}: between {fewer} and {more} jobs the better one changes to the {then}.", crossing.of)
}
