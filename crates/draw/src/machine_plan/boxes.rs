//! Where packages and nodes stand.

use super::node::{Detail, LEAST_HEIGHT, PAD, block};
use super::{MachinePlan, Package, PlanNode};
use crate::WIDTH;
use crate::block::{Block, Frame};
use crate::label::{LINE, SIZE, fitted, width};

/// The widest label of a link.
pub(crate) const LABEL: f64 = 70.0;
/// Nodes that are drawn.
pub(crate) const NODES: usize = 128;
/// More nodes than these are drawn with name and CPUs only.
const DETAILED: usize = 16;
/// Room between panels where no link's label stands.
const GAP: f64 = 12.0;

/// A node's panel.
pub(crate) struct NodeBox<'a> {
    pub(crate) node: &'a PlanNode,
    pub(crate) frame: Frame,
    pub(crate) block: Block,
}

/// A package's panel.
pub(crate) struct PackageBox {
    pub(crate) name: String,
    pub(crate) frame: Frame,
}

/// Everything in its place.
#[derive(Default)]
pub(crate) struct Boxes<'a> {
    pub(crate) nodes: Vec<NodeBox<'a>>,
    pub(crate) packages: Vec<PackageBox>,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Nodes that are left out.
    pub(crate) left_out: usize,
}

/// Room between panels: across and down.
#[derive(Clone, Copy)]
struct Gaps {
    across: f64,
    down: f64,
}

/// Packages in rows, and nodes apart beneath them.
pub(crate) fn placed(plan: &MachinePlan, labelled: bool) -> Boxes<'_> {
    let nodes: usize = plan.packages.iter().map(|p| p.nodes.len()).sum::<usize>() + plan.apart.len();
    let detail = if nodes > DETAILED { Detail::Name } else { Detail::Full };
    let gaps = if labelled { label_room(plan) } else { Gaps { across: GAP, down: GAP } };
    let mut boxes = Boxes { width: whole_width(plan), ..Boxes::default() };
    let columns = package_columns(plan);
    #[allow(clippy::cast_precision_loss)]
    let each = (boxes.width - (columns - 1) as f64 * gaps.across) / columns as f64;
    for row in plan.packages.chunks(columns) {
        if boxes.nodes.len() >= NODES || boxes.packages.len() >= NODES {
            break;
        }
        let (y, first) = (boxes.height, boxes.packages.len());
        for (k, package) in row.iter().enumerate() {
            #[allow(clippy::cast_precision_loss)]
            put_package(
                &mut boxes,
                package,
                Frame { x: k as f64 * (each + gaps.across), y, width: each, height: 0.0 },
                detail,
                gaps,
            );
        }
        let bottom = boxes.packages[first..].iter().map(|p| p.frame.bottom()).fold(y, f64::max);
        boxes.packages[first..].iter_mut().for_each(|p| p.frame.height = bottom - y);
        boxes.height = bottom + gaps.down;
    }
    let strip = Frame { x: 0.0, y: boxes.height, width: boxes.width, height: 0.0 };
    if !plan.apart.is_empty() {
        let most = if detail == Detail::Full { 4 } else { 8 };
        let least = if plan.links.is_empty() { 3 } else { 1 };
        let columns = plan.apart.len().clamp(least, most);
        boxes.height = put_nodes(&mut boxes, &plan.apart, strip, columns, detail, gaps) + gaps.down;
    }
    boxes.height = (boxes.height - gaps.down).max(0.0);
    boxes.left_out = nodes - boxes.nodes.len();
    boxes
}

/// Room for a link's label between panels.
fn label_room(plan: &MachinePlan) -> Gaps {
    let widest = plan.links.iter().map(|l| width(&fitted(&l.label, LABEL))).fold(0.0, f64::max);
    if plan.links.is_empty() {
        Gaps { across: GAP, down: GAP }
    } else {
        Gaps { across: widest + 22.0, down: LINE + 14.0 }
    }
}

/// The whole room; less for a single node of few groups.
fn whole_width(plan: &MachinePlan) -> f64 {
    match plan.packages.as_slice() {
        [package] if package.nodes.len() == 1 && plan.apart.is_empty() => {
            #[allow(clippy::cast_precision_loss)]
            let groups = package.nodes[0].groups().count().min(6) as f64;
            (groups * 200.0 + 60.0).clamp(420.0, WIDTH)
        }
        _ => WIDTH,
    }
}

/// Packages beside each other.
fn package_columns(plan: &MachinePlan) -> usize {
    match plan.packages.len() {
        0 => 1,
        n @ 1..=3 => n,
        4 => 2,
        n @ 5..=8 => n.div_ceil(2),
        n => [5, 4].into_iter().find(|columns| n % columns == 0).unwrap_or(5),
    }
}

/// Nodes beside each other in a room.
fn node_columns(count: usize, room: f64, detail: Detail) -> usize {
    let least = if detail == Detail::Full { 168.0 } else { 130.0 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let most = (room / least) as usize;
    let wanted = match count {
        0 | 1 => 1,
        2..=4 => 2,
        _ => count.isqrt().max(4),
    };
    wanted.clamp(1, most.max(1))
}

fn put_package<'a>(boxes: &mut Boxes<'a>, package: &'a Package, frame: Frame, detail: Detail, gaps: Gaps) {
    let heading = if package.name.is_empty() { PAD } else { LINE + 10.0 };
    let inner = Frame { x: frame.x + PAD, y: frame.y + heading, width: frame.width - 2.0 * PAD, height: 0.0 };
    let columns = node_columns(package.nodes.len(), inner.width - gaps.across, detail);
    let bottom = put_nodes(boxes, &package.nodes, inner, columns, detail, gaps) + PAD;
    let name = fitted(&package.name, frame.width - 3.0 * PAD);
    boxes.packages.push(PackageBox { name, frame: Frame { height: bottom - frame.y, ..frame } });
}

/// Nodes in rows of equal height; where the last row ends.
fn put_nodes<'a>(
    boxes: &mut Boxes<'a>,
    nodes: &'a [PlanNode],
    strip: Frame,
    columns: usize,
    detail: Detail,
    gaps: Gaps,
) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let each = (strip.width - (columns - 1) as f64 * gaps.across) / columns as f64;
    let (mut y, mut bottom) = (strip.y, strip.y);
    let left = NODES - boxes.nodes.len();
    for row in nodes[..nodes.len().min(left)].chunks(columns) {
        let blocks: Vec<Block> = row.iter().map(|node| block(node, each, detail)).collect();
        let height = blocks.iter().map(|b| b.height).fold(LEAST_HEIGHT, f64::max);
        for (k, (node, block)) in row.iter().zip(blocks).enumerate() {
            #[allow(clippy::cast_precision_loss)]
            let frame = Frame { x: strip.x + k as f64 * (each + gaps.across), y, width: each, height };
            boxes.nodes.push(NodeBox { node, frame, block });
        }
        bottom = y + height;
        y = bottom + gaps.down;
    }
    bottom
}

impl PackageBox {
    /// Where its name stands.
    pub(crate) fn text(&self) -> Frame {
        Frame { x: self.frame.x + PAD + 8.0, y: self.frame.y + 7.0, width: width(&self.name), height: SIZE + 4.0 }
    }
}
