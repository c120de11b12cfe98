//! What to do: sentences with figures and commands for users who place programs.
//!
//! The most important come first: results that make placement useless (undetermined, uniform, a
//! table that is wrong throughout), then where to run programs, then wrong claims, then results
//! that do not concern nodes.

mod core_walk;
mod handoff;
mod hidden;
mod no_placement;
mod page_size;
mod places;
mod shared;

use nearfar_survey::{ClaimsMeasured, Survey};
use nearfar_view::text::paragraph;

use crate::claim_findings;

/// Sentences of a screen.
const MAX_SENTENCES: usize = 8;
/// Sentences about nodes of one kind.
const MAX_OF_A_KIND: usize = 2;
/// Sentences about wrong claims.
const MAX_CLAIMS: usize = 4;

/// The importance of sentences. Findings about claims have their own (`ClaimsMeasured`): above 100
/// for a table that is wrong throughout, above 10 where local memory is not the fastest.
mod strength {
    pub(super) const UNDETERMINED: f64 = 1000.0;
    pub(super) const HIDDEN: f64 = 200.0;
    pub(super) const ONE_NODE: f64 = 30.0;
    pub(super) const NO_PLACEMENT: f64 = 20.0;
    pub(super) const OWN_IS_FARTHER: f64 = 10.0;
    pub(super) const NEAR_NODES: f64 = 9.0;
    pub(super) const WITHOUT_CPUS: f64 = 8.0;
    pub(super) const SHARED: f64 = 7.0;
    pub(super) const NOT_ABOUT_NODES: f64 = -1.0;
}

/// "What to do", numbered.
pub(super) fn text(survey: &Survey) -> String {
    let sentences = sentences(survey);
    if sentences.is_empty() {
        return String::new();
    }
    let lines = sentences
        .iter()
        .zip(1..)
        .map(|(sentence, number)| paragraph::of(sentence, &format!("  {number}  "), "     "));
    format!("What to do\n{}", lines.collect::<String>())
}

/// The sentences, the most important first.
pub fn sentences(survey: &Survey) -> Vec<String> {
    let hidden = survey.hidden.as_ref().and_then(hidden::sentence);
    let pages = survey.page_size.as_ref().and_then(page_size::sentence);
    let one = [
        (strength::UNDETERMINED, no_placement::undetermined(survey)),
        (strength::HIDDEN, hidden),
        (strength::ONE_NODE, places::one_node(survey)),
        (strength::NO_PLACEMENT, no_placement::uniform(survey)),
        (strength::NEAR_NODES, places::near_nodes(survey)),
        (strength::SHARED, shared::sentence(survey)),
        (strength::NOT_ABOUT_NODES, pages),
        (strength::NOT_ABOUT_NODES, handoff::sentence(survey)),
        (strength::NOT_ABOUT_NODES, core_walk::sentence(survey)),
    ];
    let one = one.into_iter().filter_map(|(strength, sentence)| Some((strength, sentence?)));
    let for_nodes = |strength: f64| move |sentence: String| (strength, sentence);
    let own = places::own_is_farther(survey).take(MAX_OF_A_KIND);
    let without_cpus = places::without_cpus(survey).take(MAX_OF_A_KIND);
    let mut all: Vec<(f64, String)> = one
        .chain(own.map(for_nodes(strength::OWN_IS_FARTHER)))
        .chain(without_cpus.map(for_nodes(strength::WITHOUT_CPUS)))
        .chain(wrong_claims(survey))
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().map(|(_, sentence)| sentence).take(MAX_SENTENCES).collect()
}

/// Claims of firmware that do not hold.
fn wrong_claims(survey: &Survey) -> impl Iterator<Item = (f64, String)> + '_ {
    let wrong = survey.claims_vs_measured.iter().flat_map(ClaimsMeasured::contradictions);
    wrong.take(MAX_CLAIMS).map(|wrong| (wrong.strength, claim_findings::sentence(&wrong)))
}
