//! What connects the nodes of a plan: links as inferred, else what firmware claims.

use nearfar_model::{DistanceMatrix, NodeId};
use nearfar_survey::Survey;
use nearfar_view::draw::{LinkSource, PlanLink};

use super::super::figures::short;
use super::super::links::plan_links;

/// Nodes between which claims are drawn: more make a tangle.
const MAX_CLAIMED: usize = 4;

/// The links, and what they are.
pub(super) fn links(survey: &Survey) -> (Vec<PlanLink>, Option<String>) {
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
            }
            .to_owned()),
        ),
        _ => claimed(survey),
    }
}

/// Every pair's claimed distance.
fn claimed(survey: &Survey) -> (Vec<PlanLink>, Option<String>) {
    let Some(distances) = &survey.claims.distances else { return (Vec::new(), None) };
    let nodes: Vec<_> = survey.claims.nodes.iter().map(|node| node.id).collect();
    if nodes.len() > MAX_CLAIMED {
        return (Vec::new(), undrawn(distances, &nodes));
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
                cost_ns: None,
            })
        })
        .collect();
    let words = "Dashed: distances that firmware claims, times local; no link was measured.";
    let words = (!links.is_empty()).then(|| words.to_owned());
    (links, words)
}

/// The range of claims that are too many to draw.
fn undrawn(distances: &DistanceMatrix, nodes: &[NodeId]) -> Option<String> {
    let others = |a: &NodeId| nodes.iter().filter(|b| *b != a).copied().collect::<Vec<_>>();
    let pairs = nodes.iter().flat_map(|a| others(a).into_iter().map(move |b| (*a, b)));
    let claims: Vec<u32> = pairs.filter_map(|(a, b)| distances.between(a, b)).collect();
    let (low, high) = (claims.iter().min()?, claims.iter().max()?);
    let range = if low == high { low.to_string() } else { format!("{low} to {high}") };
    Some(format!(
        "Firmware claims distances of {range} between nodes (10 is local). They are not drawn: \
         {} nodes have too many.",
        nodes.len()
    ))
}
