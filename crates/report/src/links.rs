//! Links between nodes, and distances of memory.

pub mod reasons;

use std::collections::BTreeMap;

use nearfar_infer::classes::LatencyClass;
use nearfar_infer::links::{BandwidthCheck, IndirectPath, Links, NodeLink, SUPPORT};
use nearfar_survey::{DistanceClasses, NodeLinks};
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::csv_text::under;
use nearfar_view::text::{count, or_empty, paragraph};

use crate::first_screen::FirstScreen;
use crate::survey::Verbosity;
use reasons::{no_classes, no_hops, no_links};

/// Links listed on a screen that shows more than them.
const MAX_LINKS: usize = 32;
/// A share that is shown as 100 %.
const WHOLE: f64 = 0.995;

/// How many links there are; links, open pairs and hops; the distances.
pub fn text(links: &NodeLinks, classes: Option<&DistanceClasses>, verbosity: Verbosity) -> Screen {
    let answer = paragraph::of(&answer(links), "", "  ");
    if links.refused.is_some() && classes.is_none_or(|classes| classes.refused.is_some()) {
        return answer.into();
    }
    let mut screen = FirstScreen::new(answer.clone(), &answer);
    if links.refused.is_none() {
        screen.section(in_full(links, verbosity));
    }
    screen.section(classes.map(distances).unwrap_or_default());
    screen.screen()
}

/// "links: 16 direct links between 8 nodes, 2 undetermined".
pub(crate) fn answer(links: &NodeLinks) -> String {
    if let Some(why) = &links.refused {
        return format!("links: undetermined: {}", no_links(why));
    }
    let links = &links.links;
    let open = match links.open.len() {
        0 => String::new(),
        open => format!(", {open} undetermined"),
    };
    let (edges, nodes) =
        (count(links.edges.len(), "direct link"), count(links.nodes.len(), "node"));
    format!("links: {edges} between {nodes}{open}")
}

/// Links in a few lines. The share of resamples that have a link is evidence; it is left out where
/// all have it.
pub(crate) fn in_short(links: &NodeLinks, verbosity: Verbosity) -> String {
    if let Some(why) = &links.refused {
        return paragraph::of(&no_links(why), "links: undetermined: ", "  ");
    }
    let links = &links.links;
    let link = |link: &NodeLink| match link.support {
        support if support < WHOLE && verbosity == Verbosity::Verbose => {
            format!("{}-{} ({:.0} %)", link.a, link.b, 100.0 * support)
        }
        _ => format!("{}-{}", link.a, link.b),
    };
    let list = |links: &[NodeLink]| {
        let mut listed: Vec<String> = links.iter().take(MAX_LINKS).map(link).collect();
        let more = links.len().saturating_sub(MAX_LINKS);
        listed.extend((more > 0).then(|| format!("and {more} more")));
        if listed.is_empty() { "none certain".to_owned() } else { listed.join(", ") }
    };
    let mut text = paragraph::of(&list(&links.edges), "links: ", "  ");
    // Few resamples link these, yet they may be linked: memory without CPUs hides the path.
    let (by_memory, open): (Vec<NodeLink>, Vec<NodeLink>) =
        links.open.iter().copied().partition(|link: &NodeLink| link.support <= 1.0 - SUPPORT);
    if !open.is_empty() {
        let head = match verbosity {
            Verbosity::Brief => "possible links: ",
            Verbosity::Verbose => "possible links (share of resamples): ",
        };
        text += &paragraph::of(&list(&open), head, "  ");
    }
    if !by_memory.is_empty() {
        let pairs: Vec<NodeLink> =
            by_memory.into_iter().map(|pair| NodeLink { support: 1.0, ..pair }).collect();
        let why = "memory without CPUs is nearer to both nodes";
        let listed = format!("{} ({why})", list(&pairs));
        text += &paragraph::of(&listed, "undetermined links: ", "  ");
    }
    text + &contradicted(links)
}

/// Links that bandwidth contradicts.
fn contradicted(links: &Links) -> String {
    let contradicts = Some(BandwidthCheck::Contradicts);
    let edges = links.edges.iter().filter(|link| link.bandwidth == contradicts);
    let edges =
        edges.map(|link| format!("{}-{} has less bandwidth than a path around it", link.a, link.b));
    let paths = links.paths.iter().filter(|path| path.bandwidth == contradicts);
    let paths = paths
        .map(|path| format!("{}-{} has more bandwidth than every path around it", path.a, path.b));
    let all: Vec<String> = edges.chain(paths).collect();
    if all.is_empty() {
        String::new()
    } else {
        paragraph::of(&all.join(", "), "bandwidth contradicts: ", "  ")
    }
}

/// A record for each pair.
pub(crate) fn csv(links: &NodeLinks) -> String {
    let links = &links.links;
    let hops: BTreeMap<(u32, u32), u32> =
        links.hops.iter().flatten().map(|hop| ((hop.a, hop.b), hop.hops)).collect();
    let record = |a: u32,
                  b: u32,
                  linked: &str,
                  [support, via]: [String; 2],
                  check: Option<BandwidthCheck>| {
        let [hops, check] = [or_empty(hops.get(&(a, b))), or_empty(check.map(name))];
        [a.to_string(), b.to_string(), linked.to_owned(), support, via, hops, check]
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
        return paragraph::of(&no_classes(why), "distances: undetermined: ", "  ");
    }
    let class = |class: &LatencyClass| {
        let [low, high] = class.ci95;
        format!(
            "{:.0} ns ({low:.0} to {high:.0}; {})",
            class.cost_ns,
            count(class.cells.len(), "cell")
        )
    };
    let all: Vec<String> = classes.classes.iter().map(class).collect();
    paragraph::of(&all.join(", "), "distances: ", "  ")
}

/// All links; with the share of resamples that have each, where that is wanted.
pub(crate) fn in_full(links: &NodeLinks, verbosity: Verbosity) -> String {
    if let Some(why) = &links.refused {
        return paragraph::of(&no_links(why), "links: undetermined: ", "  ");
    }
    let links = &links.links;
    let link = |link: &NodeLink| match verbosity {
        Verbosity::Brief => format!("{}-{}", link.a, link.b),
        Verbosity::Verbose => format!("{}-{} ({:.0} %)", link.a, link.b, 100.0 * link.support),
    };
    let list = |links: &[NodeLink]| match links {
        [] => "none".to_owned(),
        _ => links.iter().map(link).collect::<Vec<_>>().join(", "),
    };
    let head = match verbosity {
        Verbosity::Brief => "linked: ",
        Verbosity::Verbose => "linked (share of resamples): ",
    };
    let mut text = paragraph::of(&list(&links.edges), head, "  ");
    if !links.open.is_empty() {
        text += &paragraph::of(&list(&links.open), "undetermined: ", "  ");
    }
    if !links.paths.is_empty() {
        let paths =
            links.paths.iter().map(|path| format!("{}-{} via node {}", path.a, path.b, path.via));
        text += &paragraph::of(&paths.collect::<Vec<_>>().join(", "), "indirect: ", "  ");
    }
    let most = links.hops.iter().flatten().map(|hop| hop.hops).max();
    let hops = most
        .map(|most| format!("{most} at most"))
        .or_else(|| links.no_hops_because.as_ref().map(no_hops));
    text += &hops.map(|hops| paragraph::of(&hops, "hops: ", "  ")).unwrap_or_default();
    text + &by_bandwidth(links)
}

/// What bandwidth shows for each pair.
fn by_bandwidth(links: &Links) -> String {
    let edges = links.edges.iter().map(|link| (link.a, link.b, link.bandwidth));
    let paths = links.paths.iter().map(|path| (path.a, path.b, path.bandwidth));
    let mut by_result: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (a, b, result) in edges.chain(paths) {
        by_result.entry(result.map(name).unwrap_or_default()).or_default().push(format!("{a}-{b}"));
    }
    by_result.remove("");
    let parts: Vec<String> = by_result
        .into_iter()
        .map(|(word, pairs)| format!("{word}: {}", pairs.join(", ")))
        .collect();
    if parts.is_empty() {
        String::new()
    } else {
        paragraph::of(&parts.join("; "), "bandwidth of links and paths: ", "  ")
    }
}

const fn name(check: BandwidthCheck) -> &'static str {
    match check {
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
    fn links_have_their_support() {
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
            in_full(&links, Verbosity::Verbose),
            "linked (share of resamples): 0-1 (100 %), 1-2 (97 %)\nundetermined: 0-2 (50 %)\n\
             hops: the link between nodes 0 and 2 is uncertain\n"
        );
        let brief = text(&links, None, Verbosity::Brief);
        let answer = "links: 2 direct links between 3 nodes, 1 undetermined\n";
        assert!(brief.first.starts_with(&format!("{answer}\nlinked: 0-1, 1-2\n")), "{brief:?}");
        assert!(brief.last.contains(answer.trim_end()), "{brief:?}");
        links.refused = Some(NoLinks::OneMemory);
        let expected = "links: undetermined: the survey has fewer than two nodes with memory\n";
        assert_eq!(text(&links, None, Verbosity::Brief).first, expected);
    }

    fn links_with_bandwidth() -> NodeLinks {
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
    fn links_that_bandwidth_contradicts_are_listed() {
        let links = links_with_bandwidth();
        let all = in_full(&links, Verbosity::Brief);
        assert!(
            all.ends_with(
                "bandwidth of links and paths: agrees: 0-1; contradicts: 1-2, 0-2; silent: 0-3\n"
            ),
            "{all}"
        );
        assert_eq!(
            in_short(&links, Verbosity::Verbose),
            "links: 0-1, 1-2 (97 %)\nbandwidth contradicts: 1-2 has less bandwidth than a path \
             around it, 0-2 has more bandwidth than\n  every path around it\n"
        );
        assert_eq!(csv(&links).lines().nth(3), Some("0,2,no,,1,2,contradicts"));
    }

    #[test]
    fn links_without_bandwidth_do_not_mention_it() {
        let mut links = links_with_bandwidth();
        links.links.edges.iter_mut().for_each(|link| link.bandwidth = None);
        links.links.paths.clear();
        assert!(
            !in_full(&links, Verbosity::Brief).contains("bandwidth")
                && !in_short(&links, Verbosity::Brief).contains("bandwidth")
        );
    }
}
