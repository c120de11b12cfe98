//! Links between nodes, and how far away memories are, in words.

use std::collections::BTreeMap;

use nearfar_survey::{DistanceClasses, NodeLink, NodeLinks, NodeWay};

use crate::paragraph;
use crate::printable::line;

/// Links listed on a screen that shows more than them.
const MOST_LINKS: usize = 32;
/// A share that is shown as 100 %.
const WHOLE: f64 = 0.995;

/// Classes, then links, what is open, hops, and what bandwidth says of them.
pub fn text(links: &NodeLinks, classes: Option<&DistanceClasses>) -> String {
    let classes = classes.map(distances).unwrap_or_default();
    match &links.refused {
        Some(why) => classes + &paragraph::of(&line(why), "links: cannot tell: ", "  "),
        None => classes + &said(links),
    }
}

/// Links as far as they go among other things; where all resamples have one, nothing is said of its support.
pub(crate) fn in_short(links: &NodeLinks) -> String {
    if let Some(why) = &links.refused {
        return paragraph::of(&line(why), "links: cannot tell: ", "  ");
    }
    let link = |link: &NodeLink| match link.support {
        WHOLE.. => format!("{}-{}", link.a, link.b),
        support => format!("{}-{} ({:.0} %)", link.a, link.b, 100.0 * support),
    };
    let list = |links: &[NodeLink]| {
        let mut listed: Vec<String> = links.iter().take(MOST_LINKS).map(link).collect();
        let more = links.len().saturating_sub(MOST_LINKS);
        listed.extend((more > 0).then(|| format!("and {more} more")));
        if listed.is_empty() { "none for certain".to_owned() } else { listed.join(", ") }
    };
    let mut text = paragraph::of(&list(&links.edges), "links: ", "  ");
    if !links.open.is_empty() {
        text += &paragraph::of(&list(&links.open), "links that may be (share of resamples): ", "  ");
    }
    text + &contradicted(links)
}

/// What bandwidth says against what latencies do.
fn contradicted(links: &NodeLinks) -> String {
    let against = |said: Option<&str>| said == Some("contradicts");
    let edges = links.edges.iter().filter(|link| against(link.bandwidth.as_deref()));
    let ways = links.ways.iter().filter(|way| against(way.bandwidth.as_deref()));
    let edges: Vec<String> =
        edges.map(|link| format!("{}-{} is narrower than a way around it", link.a, link.b)).collect();
    let ways: Vec<String> = ways.map(|way| format!("{}-{} is wider than any way around it", way.a, way.b)).collect();
    let all = [edges, ways].concat();
    if all.is_empty() { String::new() } else { paragraph::of(&all.join(", "), "bandwidth says otherwise: ", "  ") }
}

/// A record for each pair, under their header.
pub(crate) fn records(links: &NodeLinks) -> Vec<Vec<String>> {
    let header = ["a", "b", "linked", "support", "via", "hops", "bandwidth"].map(str::to_owned).to_vec();
    let hops: BTreeMap<(u32, u32), u32> = links.hops.iter().flatten().map(|one| ((one.a, one.b), one.hops)).collect();
    let record = |(a, b): (u32, u32), linked: &str, support: Option<f64>, via: Option<u32>, heard: &Option<String>| {
        let text = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        vec![
            a.to_string(),
            b.to_string(),
            linked.to_owned(),
            support.map(|support| support.to_string()).unwrap_or_default(),
            text(via),
            text(hops.get(&(a, b)).copied()),
            heard.clone().unwrap_or_default(),
        ]
    };
    let link = |linked: &'static str| {
        move |link: &NodeLink| record((link.a, link.b), linked, Some(link.support), None, &link.bandwidth)
    };
    let way = |way: &NodeWay| record((way.a, way.b), "no", None, Some(way.via), &way.bandwidth);
    let edges = links.edges.iter().map(link("yes")).chain(links.open.iter().map(link("open")));
    std::iter::once(header).chain(edges).chain(links.ways.iter().map(way)).collect()
}

fn distances(classes: &DistanceClasses) -> String {
    if let Some(why) = &classes.refused {
        return paragraph::of(&line(why), "distances: cannot tell: ", "  ");
    }
    let class = |class: &nearfar_survey::DistanceClass| {
        let [low, high] = class.ci95;
        format!("{:.0} ns ({low:.0} to {high:.0}; {} of the pairs)", class.cost_ns, class.cells.len())
    };
    let all: Vec<String> = classes.classes.iter().map(class).collect();
    paragraph::of(&all.join(", "), "distances: ", "  ")
}

fn said(links: &NodeLinks) -> String {
    let link = |link: &NodeLink| format!("{}-{} ({:.0} %)", link.a, link.b, 100.0 * link.support);
    let list = |links: &[NodeLink]| match links {
        [] => "none".to_owned(),
        _ => links.iter().map(link).collect::<Vec<_>>().join(", "),
    };
    let mut text = paragraph::of(&list(&links.edges), "links (share of resamples): ", "  ");
    if !links.open.is_empty() {
        text.push_str(&paragraph::of(&list(&links.open), "not told: ", "  "));
    }
    if !links.ways.is_empty() {
        let ways: Vec<String> = links.ways.iter().map(|way| format!("{}-{} by {}", way.a, way.b, way.via)).collect();
        text.push_str(&paragraph::of(&ways.join(", "), "through others: ", "  "));
    }
    let most = links.hops.iter().flatten().map(|one| one.hops).max();
    let hops = most.map(|most| format!("{most} at most")).or_else(|| links.no_hops_because.clone());
    text += &hops.map(|hops| paragraph::of(&line(&hops), "hops: ", "  ")).unwrap_or_default();
    text + &heard(links)
}

/// What bandwidth says of each pair, where it was asked.
fn heard(links: &NodeLinks) -> String {
    let edges = links.edges.iter().map(|link| (link.a, link.b, link.bandwidth.as_deref()));
    let ways = links.ways.iter().map(|way| (way.a, way.b, way.bandwidth.as_deref()));
    let mut by_word: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (a, b, said) in edges.chain(ways) {
        by_word.entry(said.unwrap_or_default()).or_default().push(format!("{a}-{b}"));
    }
    by_word.remove("");
    let parts: Vec<String> = by_word.into_iter().map(|(word, pairs)| format!("{word}: {}", pairs.join(", "))).collect();
    if parts.is_empty() {
        String::new()
    } else {
        paragraph::of(&parts.join("; "), "bandwidth, of links and ways: ", "  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_come_with_their_support_and_what_is_not_told() {
        let link = |a, b, support| NodeLink { a, b, support, bandwidth: None };
        let mut links = NodeLinks {
            nodes: vec![0, 1, 2],
            edges: vec![link(0, 1, 1.0), link(1, 2, 0.97)],
            open: vec![link(0, 2, 0.5)],
            no_hops_because: Some("a link is open".to_owned()),
            ..NodeLinks::default()
        };
        assert_eq!(
            text(&links, None),
            "links (share of resamples): 0-1 (100 %), 1-2 (97 %)\nnot told: 0-2 (50 %)\nhops: a link is open\n"
        );
        links.refused = Some("it takes three nodes".to_owned());
        assert_eq!(text(&links, None), "links: cannot tell: it takes three nodes\n");
    }
    fn heard_links() -> NodeLinks {
        let said = |said: &str| Some(said.to_owned());
        NodeLinks {
            nodes: vec![0, 1, 2, 3],
            edges: vec![
                NodeLink { a: 0, b: 1, support: 1.0, bandwidth: said("agrees") },
                NodeLink { a: 1, b: 2, support: 0.97, bandwidth: said("contradicts") },
            ],
            ways: vec![
                NodeWay { a: 0, b: 2, via: 1, bandwidth: said("contradicts") },
                NodeWay { a: 0, b: 3, via: 1, bandwidth: said("silent") },
            ],
            hops: Some(vec![nearfar_survey::NodeHops { a: 0, b: 2, hops: 2 }]),
            ..NodeLinks::default()
        }
    }

    #[test]
    fn the_second_witness_is_told_where_it_was_heard() {
        let links = heard_links();
        let all = text(&links, None);
        assert!(
            all.ends_with("bandwidth, of links and ways: agrees: 0-1; contradicts: 1-2, 0-2; silent: 0-3\n"),
            "{all}"
        );
        assert_eq!(
            in_short(&links),
            "links: 0-1, 1-2 (97 %)\nbandwidth says otherwise: 1-2 is narrower than a way around it, 0-2 is wider than any way around it\n"
        );
        assert_eq!(records(&links)[3], ["0", "2", "no", "", "1", "2", "contradicts"]);
    }

    #[test]
    fn without_a_second_witness_nothing_is_said_of_it() {
        let mut links = heard_links();
        links.edges.iter_mut().for_each(|link| link.bandwidth = None);
        links.ways.clear();
        assert!(!text(&links, None).contains("bandwidth") && !in_short(&links).contains("bandwidth"));
    }
}
