//! Links between nodes, and how far away memories are, in words.

use nearfar_survey::{DistanceClasses, NodeLink, NodeLinks};

use crate::paragraph;
use crate::printable::line;

/// Classes, then links, what is open, and hops.
pub fn text(links: &NodeLinks, classes: Option<&DistanceClasses>) -> String {
    let classes = classes.map(distances).unwrap_or_default();
    match &links.refused {
        Some(why) => classes + &paragraph::of(&line(why), "links: cannot tell: ", "  "),
        None => classes + &said(links),
    }
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
    text + &hops.map(|hops| paragraph::of(&line(&hops), "hops: ", "  ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_come_with_their_support_and_what_is_not_told() {
        let link = |a, b, support| NodeLink { a, b, support };
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
}
