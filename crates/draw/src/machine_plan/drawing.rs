//! A plan as SVG: packages, links, nodes, in this order, so that no line covers a text.

use maud::{Markup, html};

use super::MachinePlan;
use super::boxes::{Boxes, placed};
use super::node::said;
use super::routes::routes;
use crate::beneath::beneath;
use crate::canvas::{all, rectangle, text};
use crate::label;
use crate::route::Route;
use crate::{Drawing, PlanLink};

/// More links than these would be a tangle.
const LINKS: usize = 12;
/// Lines that a note may take.
const NOTE_LINES: usize = 4;

/// The whole picture.
pub(crate) fn drawn(plan: &MachinePlan) -> Drawing {
    let links = plan.drawable_links();
    let boxes = placed(plan, !links.is_empty());
    let routes = routes(&boxes, &links);
    let mut notes = Vec::new();
    match (plan.links.len() - links.len(), links.len()) {
        (0, _) => {}
        (all, 0) => notes.push(format!("{all} links connect these nodes; they are not drawn here.")),
        (within, _) => notes.push(format!("{within} more links, all within packages, are not drawn here.")),
    }
    if boxes.left_out > 0 {
        notes.push(format!("and {} more nodes: the table has them", boxes.left_out));
    }
    let said = |links: &[&PlanLink]| links.iter().map(|link| link.said()).collect::<Vec<String>>().join("; ");
    if !routes.no_label.is_empty() {
        notes.push(format!("Not written at their lines: {}", said(&routes.no_label)));
    }
    if !routes.no_way.is_empty() {
        notes.push(format!("Linked too, but not drawn: {}", said(&routes.no_way)));
    }
    let links: Vec<&PlanLink> = routes.drawn.iter().map(|route| route.link).collect();
    let (beneath, height) = beneath(&links, &notes, (boxes.width, boxes.height + 8.0), NOTE_LINES);
    let body = html! {
        (packages(&boxes))
        g stroke-width="1.8" { (all(routes.drawn.iter().map(Route::line))) }
        (nodes(&boxes))
        (all(routes.drawn.iter().map(Route::written)))
        (beneath)
    };
    Drawing { width: boxes.width, height, body }
}

impl MachinePlan {
    /// All links if they are few; else those that leave a package, if these are few; else none.
    fn drawable_links(&self) -> Vec<&PlanLink> {
        let package = |id: u32| self.packages.iter().position(|p| p.nodes.iter().any(|node| node.id == id));
        let leaves =
            |link: &&PlanLink| package(link.ends[0]).is_none() || package(link.ends[0]) != package(link.ends[1]);
        let all: Vec<&PlanLink> = self.links.iter().collect();
        if all.len() <= LINKS {
            return all;
        }
        let mut leaving: Vec<&PlanLink> = all.into_iter().filter(leaves).take(LINKS + 1).collect();
        if leaving.len() > LINKS {
            leaving.clear();
        }
        leaving
    }
}

fn packages(boxes: &Boxes<'_>) -> Markup {
    all(boxes.packages.iter().map(|p| {
        let name = p.text();
        html! {
            (rectangle("p", (p.frame.x + 0.5, p.frame.y + 0.5), (p.frame.width - 1.0, p.frame.height - 1.0), 10.0))
            (text("t", name.x, name.y + label::SIZE, &p.name))
        }
    }))
}

fn nodes(boxes: &Boxes<'_>) -> Markup {
    all(boxes.nodes.iter().map(|n| {
        let mut panel = crate::block::Block::default();
        panel.put(&n.block, n.frame.x, n.frame.y);
        let (corner, size) = ((n.frame.x + 0.5, n.frame.y + 0.5), (n.frame.width - 1.0, n.frame.height - 1.0));
        html! {
            (rectangle("w", corner, size, 6.0))
            (rectangle("l", corner, size, 6.0))
            (panel.drawn(&said(n.node)))
        }
    }))
}
