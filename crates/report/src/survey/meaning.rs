//! What the figures mean for somebody who places programs: sentences, each with its number and
//! with what to do.
//!
//! The strongest come first: what makes all placing moot (nothing known, nothing to place, a table
//! that is false throughout), then where programs belong, then single claims that do not hold, then
//! what is not about nodes.

mod core_walk;
mod handing_over;
mod hidden;
mod nothing_to_place;
mod page_size;
mod places;

use nearfar_survey::{ClaimsMeasured, Survey};

use crate::claim_findings;

/// Nobody reads more,
const MOST_SENTENCES: usize = 8;
/// or more of them on tables.
const MOST_CLAIMS: usize = 4;

/// How strong sentences are that are not about a claim. A finding about a claim has its own
/// strength (`ClaimsMeasured`): above 100 where a table is false throughout, above 10 where a
/// node's own memory is not its nearest.
mod strength {
    pub(super) const NOT_KNOWN: f64 = 1000.0;
    pub(super) const HIDDEN: f64 = 200.0;
    pub(super) const ONE_NODE: f64 = 30.0;
    pub(super) const NOTHING_TO_PLACE: f64 = 20.0;
    pub(super) const NEAR_NODES: f64 = 9.0;
    pub(super) const WITHOUT_CPUS: f64 = 8.0;
    pub(super) const SHARED: f64 = 7.0;
    pub(super) const NOT_ABOUT_NODES: f64 = -1.0;
}

/// The sentences, the strongest first.
pub fn sentences(survey: &Survey) -> Vec<String> {
    let hidden = survey.hidden.as_ref().and_then(hidden::sentence);
    let pages = survey.page_size.as_ref().and_then(page_size::sentence);
    let said = [
        (strength::NOT_KNOWN, nothing_to_place::not_known(survey)),
        (strength::HIDDEN, hidden),
        (strength::ONE_NODE, places::one_node(survey)),
        (strength::NOTHING_TO_PLACE, nothing_to_place::uniform(survey)),
        (strength::NEAR_NODES, places::near_nodes(survey)),
        (strength::WITHOUT_CPUS, places::without_cpus(survey)),
        (strength::SHARED, places::shared(survey)),
        (strength::NOT_ABOUT_NODES, pages),
        (strength::NOT_ABOUT_NODES, handing_over::sentence(survey)),
        (strength::NOT_ABOUT_NODES, core_walk::sentence(survey)),
    ];
    let said = said.into_iter().filter_map(|(strength, sentence)| Some((strength, sentence?)));
    let mut all: Vec<(f64, String)> = said.chain(wrong_claims(survey)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().map(|(_, sentence)| sentence).take(MOST_SENTENCES).collect()
}

/// What firmware says and is not so.
fn wrong_claims(survey: &Survey) -> impl Iterator<Item = (f64, String)> + '_ {
    let findings = survey.claims_vs_measured.iter().flat_map(ClaimsMeasured::findings);
    findings
        .take(MOST_CLAIMS)
        .map(|(strength, kind, finding)| (strength, claim_findings::sentence(finding, kind)))
}
