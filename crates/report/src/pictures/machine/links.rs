//! What connects the nodes of a plan: links as inferred, else what firmware claims.

use nearfar_survey::Survey;
use nearfar_view::draw::{LinkSource, PlanLink};

use super::super::figures::short;
use super::super::links::plan_links;

/// Nodes between which claims are drawn: more make a tangle.
const MAX_CLAIMED: usize = 4;

/// The links, and what they are.
pub(super) fn links(survey: &Survey) -> (Vec<PlanLink>, Option<&'static str>) {
    let inferred =
        survey.links.as_ref().filter(|links| links.refused.is_none()).map(|links| &links.links);
    match inferred {
        Some(links) if !links.edges.is_empty() || !links.open.is_empty() => (
            plan_links(survey, links),
            Some(match (links.edges.is_empty(), links.open.is_empty()) {
                (false, true) => "Lines between nodes: links that measured latencies show.",
                (true, _) => "Dashed lines: measured latencies cannot decide whether it is a link.",
                (false, false) => {
                    "Lines between nodes: solid, links that measured latencies show; dashed, pairs \
                     that they cannot decide."
                }
            }),
        ),
        _ => claimed(survey),
    }
}

/// Every pair's claimed distance.
fn claimed(survey: &Survey) -> (Vec<PlanLink>, Option<&'static str>) {
    let Some(distances) = &survey.claims.distances else { return (Vec::new(), None) };
    let nodes: Vec<_> = survey.claims.nodes.iter().map(|node| node.id).collect();
    if nodes.len() > MAX_CLAIMED {
        return (Vec::new(), None);
    }
    let pairs =
        nodes.iter().enumerate().flat_map(|(at, a)| nodes[at + 1..].iter().map(move |b| (*a, *b)));
    let links: Vec<PlanLink> = pairs
        .filter_map(|(a, b)| {
            let claim = f64::from(distances.between(a, b)?) / 10.0;
            Some(PlanLink {
                ends: [a.0, b.0],
                label: format!("{}×", short(claim)),
                source: LinkSource::Claimed,
            })
        })
        .collect();
    let words = "Dashed: distances that firmware claims, times local; no link was measured.";
    let words = (!links.is_empty()).then_some(words);
    (links, words)
}
