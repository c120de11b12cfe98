//! Nodes and the links between them, as inferred; what the measurements cannot decide is dashed.

use std::collections::BTreeMap;

use nearfar_infer::links::{Links, NodeLink};
use nearfar_survey::Survey;
use nearfar_view::draw::{GraphNode, Heading, LinkGraph, LinkSource, PlanLink};

use super::SurveyPictures;
use super::figures::short;
use super::machine::package_of_nodes;
use crate::links::reasons::no_links;

/// What the graph shows.
const SHOWS: &str = "Nodes that are linked directly, as the measured latencies show";

/// What solid lines are.
const SOLID: &str = "Solid: linked in at least 95 % of all resamples. The cost of a link is the \
                     mean of both directions.";

/// A graph where links were inferred.
pub(super) fn draw(survey: &Survey) -> SurveyPictures {
    let Some(links) = &survey.links else { return SurveyPictures::default() };
    if let Some(why) = &links.refused {
        let note = format!("Links are undetermined: {}", no_links(why));
        return SurveyPictures::default().with_note(note);
    }
    let links = &links.links;
    let packages = package_of_nodes(survey);
    let node = |id: &u32| GraphNode {
        id: *id,
        name: format!("node {id}"),
        group: packages.get(id).cloned().unwrap_or_default(),
    };
    let mut nodes: Vec<GraphNode> = links.nodes.iter().map(node).collect();
    nodes.sort_by(|a, b| (&a.group, a.id).cmp(&(&b.group, b.id)));
    SurveyPictures::one(LinkGraph {
        heading: Heading::with_marks("Links between nodes", SHOWS, marks(links)),
        nodes,
        links: plan_links(survey, links),
    })
}

/// What the lines mean, of those that are drawn.
fn marks(links: &Links) -> impl Iterator<Item = &'static str> {
    let solid = (!links.edges.is_empty()).then_some(SOLID);
    let dashed = (!links.open.is_empty()).then_some("Dashed: the measurements cannot decide.");
    solid.into_iter().chain(dashed)
}

/// Links with what they cost, and those that may exist.
pub(super) fn plan_links(survey: &Survey, links: &Links) -> Vec<PlanLink> {
    let costs = costs(survey);
    let link = |edge: &NodeLink, label, source| PlanLink {
        ends: [edge.a, edge.b],
        label,
        source,
        cost_ns: cost(&costs, edge).filter(|_| source == LinkSource::Measured),
    };
    let edges =
        links.edges.iter().map(|edge| link(edge, label(&costs, edge), LinkSource::Measured));
    let open =
        links.open.iter().map(|edge| link(edge, "undetermined".to_owned(), LinkSource::Open));
    edges.chain(open).collect()
}

/// Mean measured cost between two nodes.
fn costs(survey: &Survey) -> BTreeMap<[u32; 2], f64> {
    let mut sums: BTreeMap<[u32; 2], (f64, f64)> = BTreeMap::new();
    for cell in &survey.latency.cells {
        let from = survey.latency.rows.get(cell.row).and_then(|row| row.node);
        let (Some(from), Some(to), Some(ns)) = (from, cell.node, cell.median) else { continue };
        let sum = sums.entry([from.0.min(to.0), from.0.max(to.0)]).or_default();
        *sum = (sum.0 + ns, sum.1 + 1.0);
    }
    sums.into_iter().map(|(pair, (sum, count))| (pair, sum / count)).collect()
}

fn label(costs: &BTreeMap<[u32; 2], f64>, edge: &NodeLink) -> String {
    let cost = cost(costs, edge);
    cost.map_or_else(|| format!("{:.0} %", 100.0 * edge.support), |ns| format!("{} ns", short(ns)))
}

fn cost(costs: &BTreeMap<[u32; 2], f64>, edge: &NodeLink) -> Option<f64> {
    costs.get(&[edge.a.min(edge.b), edge.a.max(edge.b)]).copied()
}
