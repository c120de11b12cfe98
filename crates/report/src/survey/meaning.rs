//! What to do: sentences with figures and commands for users who place programs.
//!
//! The most important come first: results that make placement useless (undetermined, uniform, a
//! table that is wrong throughout), then where to run programs, then wrong claims, then results
//! that do not concern nodes.

mod core_walk;
mod handoff;
mod hidden;
mod page_size;
mod places;
mod shared;

use nearfar_infer::Numa;
use nearfar_model::Instrument;
use nearfar_survey::{ClaimsMeasured, HiddenFinding, Survey};
use nearfar_view::text::{count_of, paragraph};

use crate::atlas;
use crate::claim_findings;
use crate::survey::Verbosity;
use crate::survey::verdict::would_settle;

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
    pub(super) const UNUSUAL: f64 = 150.0;
    pub(super) const ONE_NODE: f64 = 30.0;
    pub(super) const NO_PLACEMENT: f64 = 20.0;
    pub(super) const OWN_IS_FARTHER: f64 = 10.0;
    pub(super) const NEAR_NODES: f64 = 9.0;
    pub(super) const WITHOUT_CPUS: f64 = 8.0;
    pub(super) const SHARED: f64 = 7.0;
    pub(super) const NOT_ABOUT_NODES: f64 = -1.0;
}

/// The title of the list.
pub(super) const TITLE: &str = "What to do";

/// "What to do", numbered.
pub(super) fn entries(survey: &Survey, verbosity: Verbosity) -> Vec<String> {
    numbered(all(survey, verbosity))
}

/// What to do about the result of one part.
pub(super) fn entries_of(survey: &Survey, part: Instrument, verbosity: Verbosity) -> Vec<String> {
    match part {
        Instrument::Latency => entries(survey, verbosity),
        Instrument::CoreToCore => numbered(handoff::sentence(survey).into_iter().collect()),
        Instrument::Hidden => {
            numbered(survey.hidden.as_ref().and_then(hidden::sentence).into_iter().collect())
        }
        _ => vec![],
    }
}

fn numbered(sentences: Vec<String>) -> Vec<String> {
    let numbered = sentences.into_iter().zip(1..);
    let entry = |(text, at): (String, i32)| paragraph::of(&text, &format!("  {at}  "), "     ");
    numbered.map(entry).collect()
}

/// The sentences with their evidence, the most important first.
pub fn sentences(survey: &Survey) -> Vec<String> {
    all(survey, Verbosity::Verbose)
}

fn all(survey: &Survey, verbosity: Verbosity) -> Vec<String> {
    let hidden = survey.hidden.as_ref().and_then(hidden::sentence);
    let pages = survey.page_size.as_ref().and_then(page_size::sentence);
    let one = [
        (strength::UNDETERMINED, undetermined(survey, verbosity)),
        (strength::HIDDEN, hidden),
        (strength::ONE_NODE, places::one_node(survey)),
        (strength::NO_PLACEMENT, uniform(survey)),
        (strength::NEAR_NODES, places::near_nodes(survey)),
        (strength::SHARED, shared::sentence(survey)),
        (strength::NOT_ABOUT_NODES, pages),
        (strength::NOT_ABOUT_NODES, handoff::sentence(survey)),
        (strength::NOT_ABOUT_NODES, core_walk::sentence(survey, verbosity)),
    ];
    let one = one.into_iter().filter_map(|(strength, sentence)| Some((strength, sentence?)));
    let ranked = |strength: f64| move |sentence: String| (strength, sentence);
    let own = places::own_is_farther(survey).take(MAX_OF_A_KIND);
    let without_cpus = places::without_cpus(survey).take(MAX_OF_A_KIND);
    let mut all: Vec<(f64, String)> = one
        .chain(own.map(ranked(strength::OWN_IS_FARTHER)))
        .chain(without_cpus.map(ranked(strength::WITHOUT_CPUS)))
        .chain(wrong_claims(survey, verbosity))
        .chain(unusual(survey).into_iter().map(ranked(strength::UNUSUAL)))
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.into_iter().map(|(_, sentence)| sentence).take(MAX_SENTENCES).collect()
}

/// What healthy machines do not show.
fn unusual(survey: &Survey) -> Vec<String> {
    let comparison = atlas::beside(survey);
    let advice = |check| atlas::advice(check, comparison.packages);
    comparison.unusual().filter_map(advice).collect()
}

/// Claims of firmware that do not hold.
fn wrong_claims(survey: &Survey, verbosity: Verbosity) -> impl Iterator<Item = (f64, String)> + '_ {
    let wrong = survey.claims_vs_measured.iter().flat_map(ClaimsMeasured::contradictions);
    let sentence = move |wrong: &_| claim_findings::sentence(wrong, verbosity);
    wrong.take(MAX_CLAIMS).map(move |wrong| (wrong.strength, sentence(&wrong)))
}

/// From this strength on, a table of claims is wrong throughout.
const WRONG_THROUGHOUT: f64 = 100.0;

/// What an undetermined verdict allows.
fn undetermined(survey: &Survey, verbosity: Verbosity) -> Option<String> {
    let verdict = &survey.verdict;
    if verdict.numa != Numa::Undetermined || survey.latency.rows.is_empty() {
        return None;
    }
    let settled_by = would_settle(survey, verbosity);
    let settled_by = settled_by.unwrap_or_else(|| "'nearfar survey --thorough'".to_owned());
    Some(match verdict.ci95 {
        Some([_, high]) if high < verdict.threshold => format!(
            "Do not assume uniform memory yet, although it differs by at most {:.1} %. What would \
             settle it: {settled_by}.",
            100.0 * high
        ),
        Some([_, high]) => format!(
            "Too uncertain to act on: memory may differ by up to {:.1} %. What would settle it: \
             {settled_by}.",
            100.0 * high
        ),
        None => {
            let cells = &survey.latency.cells;
            let known = cells.iter().filter(|cell| cell.median.is_some()).count();
            format!(
                "Too uncertain to act on: {} a figure, and no two can be compared. What would \
                 settle it: {settled_by}.",
                count_of(known, cells.len(), "cell", "have")
            )
        }
    })
}

/// Placement gains nothing. Interleaved lines and wrong tables have their own sentence.
fn uniform(survey: &Survey) -> Option<String> {
    let [_, high] = survey.verdict.ci95.filter(|_| survey.verdict.numa == Numa::No)?;
    let mut wrong = survey.claims_vs_measured.iter().flat_map(ClaimsMeasured::contradictions);
    let is_interleaved =
        survey.hidden.as_ref().is_some_and(|hidden| hidden.finding == HiddenFinding::Interleaved);
    let has_sentence = is_interleaved || wrong.any(|wrong| wrong.strength >= WRONG_THROUGHOUT);
    (!has_sentence).then(|| {
        let most = 100.0 * high;
        match survey.verdict.is_among_shown() {
            true => format!(
                "Among the nodes shown, placement by memory gains nothing: at most {most:.1} %. \
                 'nearfar hidden' searches for hidden nodes."
            ),
            false => format!(
                "Placement by memory gains nothing: the slowest memory is at most {most:.1} % \
                 slower than the fastest. Use the kernel's default."
            ),
        }
    })
}
