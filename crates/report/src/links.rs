//! Links between nodes, and how far away memories are, in words.

pub mod reasons;

use std::collections::BTreeMap;

use nearfar_infer::classes::LatencyClass;
use nearfar_infer::links::{BandwidthCheck, IndirectPath, Links, NodeLink, SUPPORT};
use nearfar_survey::{DistanceClasses, NodeLinks};

use crate::optional::or_empty;
use crate::paragraph;
use crate::survey::csv::under;
use reasons::{no_classes, no_hops, no_links};

/// Links listed on a screen that shows more than them.
const MOST_LINKS: usize = 32;
/// A share that is shown as 100 %.
const WHOLE: f64 = 0.995;

/// Classes, then links, what is open, hops, and what bandwidth says of them.
pub fn text(links: &NodeLinks, classes: Option<&DistanceClasses>) -> String {
    let classes = classes.map(distances).unwrap_or_default();
    match &links.refused {
        Some(why) => classes + &paragraph::of(&no_links(why), "links: cannot tell: ", "  "),
        None => classes + &said(&links.links),
    }
}

/// Links as far as they go among other things; where all resamples have one, nothing is said of its
/// support.
pub(crate) fn in_short(links: &NodeLinks) -> String {
    if let Some(why) = &links.refused {
        return paragraph::of(&no_links(why), "links: cannot tell: ", "  ");
    }
    let links = &links.links;
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
    // Linked in hardly any resample, and not called apart: a node that no path leads through
    // explains it.
    let (by_memory, open): (Vec<NodeLink>, Vec<NodeLink>) =
        links.open.iter().copied().partition(|link: &NodeLink| link.support <= 1.0 - SUPPORT);
    if !open.is_empty() {
        text += &paragraph::of(&list(&open), "links that may be (share of resamples): ", "  ");
    }
    if !by_memory.is_empty() {
        let pairs: Vec<NodeLink> =
            by_memory.into_iter().map(|pair| NodeLink { support: 1.0, ..pair }).collect();
        text += &paragraph::of(
            &list(&pairs),
            "linked or not, cannot tell (memory without CPUs is nearer to both): ",
            "  ",
        );
    }
    text + &contradicted(links)
}

/// What bandwidth says against what latencies do.
fn contradicted(links: &Links) -> String {
    let contradicts = Some(BandwidthCheck::Contradicts);
    let edges = links.edges.iter().filter(|link| link.bandwidth == contradicts);
    let edges = edges.map(|link| format!("{}-{} is narrower than a way around it", link.a, link.b));
    let ways = links.paths.iter().filter(|path| path.bandwidth == contradicts);
    let ways = ways.map(|way| format!("{}-{} is wider than any way around it", way.a, way.b));
    let all: Vec<String> = edges.chain(ways).collect();
    if all.is_empty() {
        String::new()
    } else {
        paragraph::of(&all.join(", "), "bandwidth says otherwise: ", "  ")
    }
}

/// A record for each pair.
pub(crate) fn csv(links: &NodeLinks) -> String {
    let links = &links.links;
    let hops: BTreeMap<(u32, u32), u32> =
        links.hops.iter().flatten().map(|one| ((one.a, one.b), one.hops)).collect();
    let record = |a: u32,
                  b: u32,
                  linked: &str,
                  [support, via]: [String; 2],
                  says: Option<BandwidthCheck>| {
        let [hops, says] = [or_empty(hops.get(&(a, b))), or_empty(says.map(word))];
        [a.to_string(), b.to_string(), linked.to_owned(), support, via, hops, says]
    };
    let link = |link: &NodeLink, linked| {
        record(link.a, link.b, linked, [link.support.to_string(), String::new()], link.bandwidth)
    };
    let path = |path: &IndirectPath| {
        record(path.a, path.b, "no", [String::new(), path.via.to_string()], path.bandwidth)
    };
    let edges = links.edges.iter().map(|edge| link(edge, "yes"));
    let open = links.open.iter().map(|edge| link(edge, "open"));
    under(
        "a,b,linked,support,via,hops,bandwidth",
        edges.chain(open).chain(links.paths.iter().map(path)),
    )
}

fn distances(classes: &DistanceClasses) -> String {
    if let Some(why) = &classes.refused {
        return paragraph::of(&no_classes(why), "distances: cannot tell: ", "  ");
    }
    let class = |class: &LatencyClass| {
        let [low, high] = class.ci95;
        format!(
            "{:.0} ns ({low:.0} to {high:.0}; {} of the pairs)",
            class.cost_ns,
            class.cells.len()
        )
    };
    let all: Vec<String> = classes.classes.iter().map(class).collect();
    paragraph::of(&all.join(", "), "distances: ", "  ")
}

fn said(links: &Links) -> String {
    let link = |link: &NodeLink| format!("{}-{} ({:.0} %)", link.a, link.b, 100.0 * link.support);
    let list = |links: &[NodeLink]| match links {
        [] => "none".to_owned(),
        _ => links.iter().map(link).collect::<Vec<_>>().join(", "),
    };
    let mut text = paragraph::of(&list(&links.edges), "links (share of resamples): ", "  ");
    if !links.open.is_empty() {
        text += &paragraph::of(&list(&links.open), "not told: ", "  ");
    }
    if !links.paths.is_empty() {
        let paths = links.paths.iter().map(|path| format!("{}-{} by {}", path.a, path.b, path.via));
        text += &paragraph::of(&paths.collect::<Vec<_>>().join(", "), "through others: ", "  ");
    }
    let most = links.hops.iter().flatten().map(|one| one.hops).max();
    let hops = most
        .map(|most| format!("{most} at most"))
        .or_else(|| links.no_hops_because.as_ref().map(no_hops));
    text += &hops.map(|hops| paragraph::of(&hops, "hops: ", "  ")).unwrap_or_default();
    text + &heard(links)
}

/// What bandwidth says of each pair, where it was asked.
fn heard(links: &Links) -> String {
    let edges = links.edges.iter().map(|link| (link.a, link.b, link.bandwidth));
    let ways = links.paths.iter().map(|path| (path.a, path.b, path.bandwidth));
    let mut by_word: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (a, b, said) in edges.chain(ways) {
        by_word.entry(said.map(word).unwrap_or_default()).or_default().push(format!("{a}-{b}"));
    }
    by_word.remove("");
    let parts: Vec<String> =
        by_word.into_iter().map(|(word, pairs)| format!("{word}: {}", pairs.join(", "))).collect();
    if parts.is_empty() {
        String::new()
    } else {
        paragraph::of(&parts.join("; "), "bandwidth, of links and ways: ", "  ")
    }
}

const fn word(says: BandwidthCheck) -> &'static str {
    match says {
        BandwidthCheck::Agrees => "agrees",
        BandwidthCheck::Contradicts => "contradicts",
        BandwidthCheck::Undetermined => "silent",
    }
}

#[cfg(test)]
mod tests {
    use nearfar_infer::links::{Hops, NoHops, NoLinks};

    use super::*;

    #[test]
    fn links_come_with_their_support_and_what_is_not_told() {
        let link = |a, b, support| NodeLink { a, b, support, bandwidth: None };
        let links = Links {
            nodes: vec![0, 1, 2],
            edges: vec![link(0, 1, 1.0), link(1, 2, 0.97)],
            open: vec![link(0, 2, 0.5)],
            no_hops_because: Some(NoHops::UncertainLink { a: 0, b: 2 }),
            ..Links::default()
        };
        let mut links = NodeLinks { links, refused: None };
        assert_eq!(
            text(&links, None),
            "links (share of resamples): 0-1 (100 %), 1-2 (97 %)\nnot told: 0-2 (50 %)\nhops: \
             whether nodes 0 and 2 are linked is not certain\n"
        );
        links.refused = Some(NoLinks::Sentence("it takes three nodes".to_owned()));
        assert_eq!(text(&links, None), "links: cannot tell: it takes three nodes\n");
    }
    fn heard_links() -> NodeLinks {
        use BandwidthCheck::{Agrees, Contradicts, Undetermined};
        let links = Links {
            nodes: vec![0, 1, 2, 3],
            edges: vec![
                NodeLink { a: 0, b: 1, support: 1.0, bandwidth: Some(Agrees) },
                NodeLink { a: 1, b: 2, support: 0.97, bandwidth: Some(Contradicts) },
            ],
            paths: vec![
                IndirectPath { a: 0, b: 2, via: 1, bandwidth: Some(Contradicts) },
                IndirectPath { a: 0, b: 3, via: 1, bandwidth: Some(Undetermined) },
            ],
            hops: Some(vec![Hops { a: 0, b: 2, hops: 2 }]),
            ..Links::default()
        };
        NodeLinks { links, refused: None }
    }

    #[test]
    fn the_second_witness_is_told_where_it_was_heard() {
        let links = heard_links();
        let all = text(&links, None);
        assert!(
            all.ends_with(
                "bandwidth, of links and ways: agrees: 0-1; contradicts: 1-2, 0-2; silent: 0-3\n"
            ),
            "{all}"
        );
        assert_eq!(
            in_short(&links),
            "links: 0-1, 1-2 (97 %)\nbandwidth says otherwise: 1-2 is narrower than a way around \
             it, 0-2 is wider than any way around it\n"
        );
        assert_eq!(csv(&links).lines().nth(3), Some("0,2,no,,1,2,contradicts"));
    }

    #[test]
    fn without_a_second_witness_nothing_is_said_of_it() {
        let mut links = heard_links();
        links.links.edges.iter_mut().for_each(|link| link.bandwidth = None);
        links.links.paths.clear();
        assert!(
            !text(&links, None).contains("bandwidth") && !in_short(&links).contains("bandwidth")
        );
    }
}
