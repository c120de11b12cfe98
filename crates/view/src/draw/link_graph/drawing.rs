//! A graph of links as SVG.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::circle::{Circle, DOT, NODES, groups};
use super::{GraphNode, LinkGraph};
use crate::draw::beneath::beneath;
use crate::draw::block::Frame;
use crate::draw::canvas::{all, circle, n, text, with_tooltip};
use crate::draw::label::{self, LINE, fitted};
use crate::draw::link_costs::CostClasses;
use crate::draw::{Drawing, PlanLink, WIDTH};
use crate::draw::{LinkRoute, label_all};

/// More links than these have no label beside their line.
const LABELLED: usize = 64;
/// Links that are listed beneath where they have no label.
const LISTED: usize = 12;
/// Lines that notes may take.
const NOTE_LINES: usize = 6;

/// Shares of a line that are tried for its label, in this order.
const SHARES: [f64; 7] = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74];
const LABEL: f64 = 90.0;
/// Between a label and what it may not cover.
const GAP: f64 = 2.0;

pub(crate) fn drawn(graph: &LinkGraph) -> Drawing {
    let nodes = &graph.nodes[..graph.nodes.len().min(NODES)];
    let on = Circle::new(nodes.len());
    let ways = ways(graph, nodes, &on);
    let links: Vec<&PlanLink> = ways.iter().map(|way| way.link).collect();
    let costs = CostClasses::new(&links);
    let body = html! {
        g stroke-width="2" { (all(ways.iter().map(|way| costs.line(way)))) }
        (all(ways.iter().map(LinkRoute::written)))
        (all(nodes.iter().enumerate().map(|(k, node)| dot(&on, k, node))))
        (names(&on, nodes))
    };
    let bottom = 2.0 * on.centre.1;
    let key = costs.key(bottom);
    let bottom = if key.is_some() { bottom + LINE } else { bottom };
    // The key of costs has the others.
    let others: Vec<&PlanLink> =
        links.into_iter().filter(|link| costs.class(link).is_none()).collect();
    let (beneath, height) =
        beneath(&others, &notes(graph, nodes, &ways), (WIDTH, bottom), NOTE_LINES);
    Drawing { width: WIDTH, height, body: html! { (body) (all(key)) (beneath) } }
}

fn ways<'a>(graph: &'a LinkGraph, nodes: &[GraphNode], on: &Circle) -> Vec<LinkRoute<'a>> {
    let mut places: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (k, node) in nodes.iter().enumerate() {
        places.entry(node.id).or_insert_with(|| on.at(k as f64, 0.0));
    }
    let found = |link: &'a PlanLink| {
        let [from, to] = link.ends.map(|id| places.get(&id).copied());
        let (from, to) = (from?, to?);
        (from != to).then(|| LinkRoute::new(link, from, to))
    };
    let mut ways: Vec<LinkRoute<'a>> = graph.links.iter().filter_map(found).collect();
    if ways.len() <= LABELLED {
        let covers_no_dot =
            |frame: &Frame| !(0..nodes.len()).any(|k| around_dot(on, k).touches(frame, GAP));
        label_all(&mut ways, &SHARES, (LABEL, GAP), covers_no_dot);
    }
    ways
}

fn around_dot(on: &Circle, k: usize) -> Frame {
    let (x, y) = on.at(k as f64, 0.0);
    Frame { x: x - DOT, y: y - DOT, width: 2.0 * DOT, height: 2.0 * DOT }
}

/// A node: its number in a dot.
fn dot(on: &Circle, k: usize, node: &GraphNode) -> Markup {
    let (x, y) = on.at(k as f64, 0.0);
    let body = html! {
        (circle("w", (x, y), DOT))
        (circle("l", (x, y), DOT))
        (text("t d", x, y + 4.5, &fitted(&node.id.to_string(), 2.0 * DOT)))
    };
    with_tooltip(&node.named(), &body)
}

/// Arcs of groups with their names; the nodes' own names where there are no groups. A name without
/// room is in the tooltip only.
fn names(on: &Circle, nodes: &[GraphNode]) -> Markup {
    let groups = groups(nodes);
    let mut named: Vec<(f64, f64, &str)> = groups
        .iter()
        .map(|(name, first, last)| ((first + last) as f64 / 2.0, 40.0, *name))
        .collect();
    if groups.is_empty() {
        named = nodes
            .iter()
            .enumerate()
            .map(|(k, node)| (k as f64, DOT + 14.0, node.name.as_str()))
            .collect();
    }
    let mut taken: Vec<Frame> = Vec::new();
    let mut parts: Vec<Markup> =
        groups.iter().map(|(name, first, last)| arc(on, name, *first, *last)).collect();
    for (place, outside, words) in named {
        let (frame, words) = on.name(place, outside, words);
        let inside = frame.x >= 0.0 && frame.right() <= WIDTH && frame.y >= 0.0;
        if inside && !taken.iter().any(|other| other.touches(&frame, 3.0)) {
            parts.push(text("t", frame.x, frame.y + label::SIZE, &words));
            taken.push(frame);
        }
    }
    all(parts)
}

/// The arc outside of a group's nodes.
fn arc(on: &Circle, name: &str, first: usize, last: usize) -> Markup {
    let (from, length) = (first as f64 - 0.4, (last - first) as f64 + 0.8);
    let steps = (last - first + 1) * 8;
    let places = (0..=steps).map(|k| on.at(from + length * k as f64 / steps as f64, DOT + 8.0));
    let d: Vec<String> = places.map(|(x, y)| format!("{} {}", n(x), n(y))).collect();
    with_tooltip(
        name,
        &html! { path class="l" stroke-width="3" d=(format!("M{}", d.join("L"))) {} },
    )
}

/// What is not written above.
fn notes(graph: &LinkGraph, nodes: &[GraphNode], ways: &[LinkRoute<'_>]) -> Vec<String> {
    let (total, undrawn) = (graph.nodes.len(), graph.links.len() - ways.len());
    let labelled = |way: &&LinkRoute<'_>| !way.link.label.is_empty();
    let more: Vec<String> = nodes
        .iter()
        .filter(|n| n.has_longer_name())
        .map(|n| format!("{}: {}", n.id, n.name))
        .collect();
    let unwritten = ways.iter().filter(|way| way.label.is_none()).filter(labelled);
    let unwritten: Vec<String> = unwritten.map(|way| way.link.text()).collect();
    let is_few = unwritten.len() <= LISTED;
    let notes = [
        (total > nodes.len())
            .then(|| format!("The first {NODES} of {total} nodes; the table has all links.")),
        (undrawn > 0).then(|| {
            format!("{undrawn} links are not drawn: an end of theirs is not in the picture.")
        }),
        (!is_few && !unwritten.is_empty())
            .then(|| "Costs of links without a label are in the table.".to_owned()),
        (!groups(nodes).is_empty() && !more.is_empty()).then(|| more.join("; ")),
        (is_few && !unwritten.is_empty())
            .then(|| format!("Links not written above: {}", unwritten.join("; "))),
    ];
    notes.into_iter().flatten().collect()
}
