//! A plan as SVG: packages, links, nodes, in this order, so that no line covers a text.

use maud::{Markup, html};

use super::MachinePlan;
use super::boxes::{Boxes, placed};
use super::node::{PAD, node_text};
use super::routes::routes;
use crate::draw::beneath::beneath;
use crate::draw::block::{Block, Frame};
use crate::draw::canvas::{all, rectangle, text};
use crate::draw::label::{self, LINE};
use crate::draw::link_costs::CostClasses;
use crate::draw::{Drawing, LinkRoute, PlanLink};

/// More links than these would be a tangle.
const LINKS: usize = 12;
/// Lines that a note may take.
const NOTE_LINES: usize = 4;

pub(crate) fn drawn(plan: &MachinePlan) -> Drawing {
    let links = plan.drawable_links();
    let boxes = placed(plan, !links.is_empty());
    let routes = routes(&boxes, &links);
    let undrawn = match (plan.links.len() - links.len(), links.len()) {
        (0, _) => None,
        (all, 0) => Some(format!("{all} links connect these nodes; they are not drawn here.")),
        (within, _) => {
            Some(format!("{within} more links, all within packages, are not drawn here."))
        }
    };
    let listed = |head: &str, links: &[&PlanLink]| {
        let all: Vec<String> = links.iter().map(|link| link.text()).collect();
        (!all.is_empty()).then(|| format!("{head}: {}", all.join("; ")))
    };
    let notes = [
        undrawn,
        (boxes.left_out > 0)
            .then(|| format!("and {} more nodes: the table has them", boxes.left_out)),
        listed("Not written at their lines", &routes.no_label),
        listed("Linked too, but not drawn", &routes.no_way),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    let links: Vec<&PlanLink> = routes.drawn.iter().map(|route| route.link).collect();
    let costs = CostClasses::new(&links);
    let top = boxes.height + 8.0;
    let key = costs.key(top);
    let top = if key.is_some() { top + LINE } else { top };
    let others: Vec<&PlanLink> =
        links.into_iter().filter(|link| costs.class(link).is_none()).collect();
    let (beneath, height) = beneath(&others, &notes, (boxes.width, top), NOTE_LINES);
    let body = html! {
        (packages(&boxes))
        g stroke-width="2.4" { (all(routes.drawn.iter().map(|route| costs.line(route)))) }
        (kinds(&boxes))
        (nodes(&boxes))
        (all(routes.drawn.iter().map(written)))
        @if let Some(key) = key { (key) }
        (beneath)
    };
    Drawing { width: boxes.width, height, body }
}

impl MachinePlan {
    /// All links if they are few; else those that leave a package, if these are few; else none.
    fn drawable_links(&self) -> Vec<&PlanLink> {
        let package =
            |id: u32| self.packages.iter().position(|p| p.nodes.iter().any(|node| node.id == id));
        let leaves = |link: &&PlanLink| {
            let [a, b] = link.ends.map(package);
            a.is_none() || a != b
        };
        let all: Vec<&PlanLink> = self.links.iter().collect();
        if all.len() <= LINKS {
            return all;
        }
        let leaving: Vec<&PlanLink> = all.into_iter().filter(leaves).collect();
        if leaving.len() > LINKS { Vec::new() } else { leaving }
    }
}

fn packages(boxes: &Boxes<'_>) -> Markup {
    all(boxes.packages.iter().map(|p| {
        let name = p.text();
        let (corner, size) =
            ((p.frame.x + 0.5, p.frame.y + 0.5), (p.frame.width - 1.0, p.frame.height - 1.0));
        let mut slots = Block::default();
        slots.put(&p.slots.0, p.frame.x + PAD, p.slots.1);
        html! {
            (rectangle("p", corner, size, 10.0))
            (text("t", name.x, name.y + label::SIZE, &p.name))
            (slots.drawn(""))
        }
    }))
}

/// A link's label beside its line.
fn written(route: &LinkRoute<'_>) -> Markup {
    let Some((words, frame)) = &route.label else { return html! {} };
    text("t d", frame.x + frame.width / 2.0, frame.y + label::SIZE, words)
}

fn kinds(boxes: &Boxes<'_>) -> Markup {
    all(boxes.kinds.iter().map(|(frame, block)| panel(*frame, block, "")))
}

fn nodes(boxes: &Boxes<'_>) -> Markup {
    all(boxes.nodes.iter().map(|n| panel(n.frame, &n.block, &node_text(n.node))))
}

fn panel(frame: Frame, block: &Block, words: &str) -> Markup {
    let mut panel = Block::default();
    panel.put(block, frame.x, frame.y);
    let (corner, size) = ((frame.x + 0.5, frame.y + 0.5), (frame.width - 1.0, frame.height - 1.0));
    html! {
        (rectangle("w", corner, size, 6.0))
        (rectangle("l", corner, size, 6.0))
        (panel.drawn(words))
    }
}
