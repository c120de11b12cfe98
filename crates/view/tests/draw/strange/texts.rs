//! Where a document's texts stand: within it, and none on another.
//!
//! Their widths are the bounds by which pictures are laid out, so this holds in any of the fonts.

#[allow(dead_code)]
#[path = "../../../src/draw/label.rs"]
pub(crate) mod label;

use roxmltree::Node;

/// A text's rectangle: left, top, right, bottom.
struct Place<'a> {
    words: &'a str,
    edges: [f64; 4],
}

/// Texts beyond which only their places are looked at, for there are as many pairs as their square.
const PAIRS: usize = 1500;
/// A rounding error of places, user units.
const SLACK: f64 = 0.05;

/// Checks all texts of a document with this viewBox.
pub(crate) fn check(root: Node<'_, '_>, room: &[f64]) {
    let places: Vec<Place<'_>> = root
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .map(place)
        .collect();
    for Place { words, edges: [left, top, right, bottom] } in &places {
        let within = *left >= -SLACK
            && *top >= -SLACK
            && *right <= room[2] + SLACK
            && *bottom <= room[3] + SLACK;
        assert!(within, "{words:?} at {left}, {top} to {right}, {bottom} of {room:?}");
    }
    for (k, a) in places.iter().enumerate().take(PAIRS) {
        for b in places[k + 1..]
            .iter()
            .take(PAIRS)
            .filter(|b| !a.words.is_empty() && !b.words.is_empty())
        {
            let (p, q) = (a.edges, b.edges);
            let apart = p[2] <= q[0] + SLACK
                || q[2] <= p[0] + SLACK
                || p[3] <= q[1] + SLACK
                || q[3] <= p[1] + SLACK;
            assert!(apart, "{:?} at {p:?} is on {:?} at {q:?}", a.words, b.words);
        }
    }
}

fn place<'a>(node: Node<'a, 'a>) -> Place<'a> {
    let words = node.text().unwrap_or("");
    let inherited = |name: &str| node.ancestors().find_map(|at| at.attribute(name));
    let size: f64 = inherited("font-size").map_or(label::SIZE, |size| size.parse().unwrap());
    let wide = if words.is_empty() { 0.0 } else { label::width(words) * size / label::SIZE };
    let classes: Vec<&str> = node.attribute("class").unwrap_or("").split(' ').collect();
    let anchor = match inherited("text-anchor") {
        _ if classes.contains(&"e") => "end",
        _ if classes.contains(&"d") => "middle",
        anchor => anchor.unwrap_or("start"),
    };
    let before = wide
        * match anchor {
            "end" => 1.0,
            "middle" => 0.5,
            _ => 0.0,
        };
    let (above, below) = if wide > 0.0 { (size * 0.75, size * 0.2) } else { (0.0, 0.0) };
    let own = |name: &str| node.attribute(name).map_or(0.0, |v| v.parse::<f64>().unwrap());
    let upright =
        node.attribute("transform").is_some_and(|transform| transform.ends_with("rotate(-90)"));
    let moves = node.ancestors().filter_map(|at| at.attribute("transform")).map(moved);
    let (x, y) = moves.fold((own("x"), own("y")), |(x, y), by| (x + by.0, y + by.1));
    let edges = match upright {
        true => [x - above, y - wide + before, x + below, y + before],
        false => [x - before, y - above, x - before + wide, y + below],
    };
    Place { words, edges }
}

fn moved(transform: &str) -> (f64, f64) {
    let by = transform.strip_prefix("translate(").unwrap().split(')').next().unwrap();
    let (x, y) = by.split_once(' ').unwrap();
    (x.parse().unwrap(), y.parse().unwrap())
}
