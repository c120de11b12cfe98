//! Straight links between panels that run through no other panel and no text.

use super::boxes::{Boxes, LABEL, PackageBox};
use crate::draw::LinkRoute;
use crate::draw::PlanLink;
use crate::draw::block::Frame;
use crate::draw::label::{SIZE, fitted, width};

/// Links that are drawn, links that have no way, and links whose label has no room.
#[derive(Default)]
pub(crate) struct Routes<'a> {
    pub(crate) drawn: Vec<LinkRoute<'a>>,
    pub(crate) no_way: Vec<&'a PlanLink>,
    pub(crate) no_label: Vec<&'a PlanLink>,
}

/// Between a label and what it may not cover, and between it and its line.
const GAP: f64 = 1.0;
const BESIDE: f64 = 2.0;
/// Shares of a line, or of an edge, that are tried in this order.
const TRIED: [f64; 9] = [0.5, 0.38, 0.62, 0.28, 0.72, 0.18, 0.82, 0.1, 0.9];

/// Ways for these links.
pub(crate) fn routes<'a>(boxes: &Boxes<'_>, links: &[&'a PlanLink]) -> Routes<'a> {
    let mut routes = Routes::default();
    for &link in links {
        match way(boxes, &routes.drawn, link) {
            Some((from, to)) => routes.drawn.push(LinkRoute::new(link, from, to)),
            None => routes.no_way.push(link),
        }
    }
    label_beside(&mut routes.drawn, |frame| {
        let inside = frame.x >= 0.0 && frame.right() <= boxes.width && frame.y >= 0.0;
        inside
            && !boxes.nodes.iter().any(|n| n.frame.touches(frame, GAP))
            && !boxes.packages.iter().flat_map(PackageBox::texts).any(|f| f.touches(frame, GAP))
    });
    let is_unlabelled =
        |route: &&LinkRoute<'_>| route.label.is_none() && !route.link.label.is_empty();
    routes.no_label = routes.drawn.iter().filter(is_unlabelled).map(|route| route.link).collect();
    routes
}

/// Labels links one after the other beside their lines, where they cover nothing.
fn label_beside(routes: &mut [LinkRoute<'_>], is_free: impl Fn(&Frame) -> bool) {
    for k in 0..routes.len() {
        let words = fitted(&routes[k].link.label, LABEL);
        if words.is_empty() {
            continue;
        }
        let covers_nothing = |frame: &Frame| {
            let is_in_the_way = |other: &LinkRoute<'_>| {
                frame.is_crossed(other.from, other.to)
                    || other.label.as_ref().is_some_and(|(_, label)| label.touches(frame, GAP))
            };
            is_free(frame) && !routes.iter().any(is_in_the_way)
        };
        let found = beside(&routes[k], &words).into_iter().find(covers_nothing);
        routes[k].label = found.map(|frame| (words, frame));
    }
}

/// Places of a label on both sides of its line.
fn beside(route: &LinkRoute<'_>, words: &str) -> Vec<Frame> {
    let (width, height) = (width(words) + 4.0, SIZE + 4.0);
    let (from, to) = (route.from, route.to);
    let length = gap(from, to).max(1.0);
    let (across, down) = ((from.1 - to.1) / length, (to.0 - from.0) / length);
    let away = (across * width / 2.0).abs() + (down * height / 2.0).abs() + BESIDE;
    let at = |share: f64, side: f64| Frame {
        x: from.0 + share * (to.0 - from.0) + side * away * across - width / 2.0,
        y: from.1 + share * (to.1 - from.1) + side * away * down - height / 2.0,
        width,
        height,
    };
    // Above a line first.
    let up = if down > 0.0 { -1.0 } else { 1.0 };
    TRIED.into_iter().flat_map(|share| [at(share, up), at(share, -up)]).collect()
}

type Segment = ((f64, f64), (f64, f64));

/// A straight way from border to border.
fn way(boxes: &Boxes<'_>, taken: &[LinkRoute<'_>], link: &PlanLink) -> Option<Segment> {
    let find = |id: u32| boxes.nodes.iter().find(|n| n.node.id == id).map(|n| n.frame);
    let (a, b) = (find(link.ends[0])?, find(link.ends[1])?);
    if link.ends[0] == link.ends[1] {
        return None;
    }
    let is_free = |(from, to): &Segment| {
        let nodes = boxes.nodes.iter().map(|n| n.frame).filter(|f| *f != a && *f != b);
        let names = boxes.packages.iter().flat_map(PackageBox::texts);
        let near = taken.iter().any(|t| gap(t.from, *from) < 16.0 && gap(t.to, *to) < 16.0);
        !near && !nodes.chain(names).any(|f| f.is_crossed(*from, *to))
    };
    candidates(a, b).into_iter().find(is_free)
}

fn gap(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// Ways between two frames: along a row, along a column, or from corner to corner.
fn candidates(a: Frame, b: Frame) -> Vec<Segment> {
    let between = |low: f64, high: f64| TRIED.map(|share| low + share * (high - low));
    let (top, bottom) = (a.y.max(b.y), a.bottom().min(b.bottom()));
    let (left, right) = (a.x.max(b.x), a.right().min(b.right()));
    let xs = if a.x < b.x { (a.right(), b.x) } else { (a.x, b.right()) };
    let ys = if a.y < b.y { (a.bottom(), b.y) } else { (a.y, b.bottom()) };
    if bottom > top {
        between(top, bottom).map(|y| ((xs.0, y), (xs.1, y))).to_vec()
    } else if right > left {
        between(left, right).map(|x| ((x, ys.0), (x, ys.1))).to_vec()
    } else {
        vec![((xs.0, ys.0), (xs.1, ys.1))]
    }
}
