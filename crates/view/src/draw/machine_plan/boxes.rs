//! Where packages and nodes stand.

use super::branch::TREE;
use super::node::{Detail, MIN_HEIGHT, PAD, block};
use super::{MachinePlan, PlanNode, PlanPackage, PlanSlot, kinds, slots};
use crate::draw::WIDTH;
use crate::draw::block::{Block, Frame};
use crate::draw::label::{LINE, SIZE, fitted, widest, width};

/// The widest label of a link.
pub(crate) const LABEL: f64 = 70.0;
/// Nodes that are drawn.
pub(crate) const NODES: usize = 128;
/// More nodes than these are drawn with name and CPUs only.
const DETAILED: usize = 16;
/// Of alike nodes with more cores together, what is in them is drawn once; fewer nodes are drawn in
/// full.
const CORES: usize = 256;
const FEW: usize = 8;
/// Room between panels where no link's label stands.
const GAP: f64 = 12.0;

pub(crate) struct NodeBox<'a> {
    pub(crate) node: &'a PlanNode,
    pub(crate) frame: Frame,
    pub(crate) block: Block,
}

pub(crate) struct PackageBox {
    pub(crate) name: String,
    pub(crate) frame: Frame,
    /// Its slots for memory, and the upper end of their room.
    pub(crate) slots: (Block, f64),
}

/// Everything in its place.
pub(crate) struct Boxes<'a> {
    pub(crate) nodes: Vec<NodeBox<'a>>,
    pub(crate) packages: Vec<PackageBox>,
    /// What nodes that are shown by name have in them.
    pub(crate) kinds: Vec<(Frame, Block)>,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Nodes that are left out.
    pub(crate) left_out: usize,
    /// How much of each node is shown.
    detail: Detail,
    /// The least width of a node.
    least: f64,
    gap_across: f64,
    gap_down: f64,
}

/// Packages in rows, and nodes apart beneath them.
pub(crate) fn placed(plan: &MachinePlan, labelled: bool) -> Boxes<'_> {
    let nodes: usize =
        plan.packages.iter().map(|p| p.nodes.len()).sum::<usize>() + plan.apart.len();
    let widest_label = widest(plan.links.iter().map(|link| fitted(&link.label, LABEL)));
    let (gap_across, gap_down) =
        if labelled { (widest_label + 22.0, LINE + 14.0) } else { (GAP, GAP) };
    let detail = detail(plan, nodes);
    let has_tree = detail != Detail::Name && plan.has_tree();
    let mut boxes = Boxes {
        nodes: Vec::new(),
        packages: Vec::new(),
        kinds: Vec::new(),
        width: whole_width(plan),
        height: 0.0,
        left_out: 0,
        detail,
        least: if has_tree { TREE + 2.0 * PAD } else { least_width(detail) },
        gap_across,
        gap_down,
    };
    if detail != Detail::Full {
        boxes.put_kinds(plan);
    }
    let most = if has_tree { (WIDTH / (TREE + 4.0 * PAD)) as usize } else { usize::MAX };
    let columns = package_columns(plan).min(most);
    for row in plan.packages.chunks(columns) {
        if boxes.nodes.len() >= NODES || boxes.packages.len() >= NODES {
            break;
        }
        let strip = Frame { x: 0.0, y: boxes.height, width: boxes.width, height: 0.0 };
        let first = boxes.packages.len();
        for (package, frame) in row.iter().zip(boxes.beside(strip, columns)) {
            boxes.put_package(package, frame);
        }
        let bottom =
            boxes.packages[first..].iter().map(|p| p.frame.bottom()).fold(strip.y, f64::max);
        boxes.packages[first..].iter_mut().for_each(|p| p.frame.height = bottom - strip.y);
        boxes.height = bottom + gap_down;
    }
    if !plan.apart.is_empty() {
        let strip = Frame { x: 0.0, y: boxes.height, width: boxes.width, height: 0.0 };
        let most = if detail == Detail::Name { 8 } else { 4 };
        let most = most.min((strip.width / boxes.least) as usize);
        let least = if plan.links.is_empty() { 3 } else { 1 };
        boxes.height =
            boxes.put_nodes(&plan.apart, strip, plan.apart.len().clamp(least, most)) + gap_down;
    }
    boxes.left_out = nodes - boxes.nodes.len();
    boxes.put_slots(&plan.slots);
    plan.elsewhere.iter().for_each(|one| boxes.put_elsewhere(one));
    boxes.height = (boxes.height - gap_down).max(0.0);
    boxes
}

/// How much of its nodes is drawn.
fn detail(plan: &MachinePlan, nodes: usize) -> Detail {
    let packages = plan.packages.iter().flat_map(|package| &package.nodes);
    let groups = packages.chain(&plan.apart).flat_map(PlanNode::groups);
    let cores: usize = groups.map(|group| group.cores).fold(0, usize::saturating_add);
    let are_many = nodes >= FEW && cores > CORES;
    match nodes {
        nodes if nodes > DETAILED => Detail::Name,
        _ if are_many && kinds::kinds(plan).iter().any(|kind| kind.nodes > 1) => Detail::Alike,
        _ => Detail::Full,
    }
}

impl MachinePlan {
    /// Whether some device is drawn below a bus.
    fn has_tree(&self) -> bool {
        let packages = self.packages.iter().flat_map(|package| &package.nodes);
        let branches = packages.chain(&self.apart).flat_map(|node| &node.devices);
        branches.chain(self.elsewhere.iter().flat_map(|node| &node.devices)).any(|branch| {
            !branch.name.is_empty() || !branch.branches.is_empty() || branch.boxed().count() > 0
        })
    }
}

/// The whole room; less for a single node of few groups.
fn whole_width(plan: &MachinePlan) -> f64 {
    match plan.packages.as_slice() {
        [package] if package.nodes.len() == 1 && plan.apart.is_empty() => {
            let groups = package.nodes[0].groups().count().min(6) as f64;
            let branches = package.nodes[0].devices.len().min(3) as f64;
            (groups * 200.0 + 60.0).max(branches * TREE + 60.0).clamp(420.0, WIDTH)
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

/// The least width of a node without a tree of devices.
fn least_width(detail: Detail) -> f64 {
    match detail {
        Detail::Full | Detail::Alike => 168.0,
        Detail::Name => 130.0,
    }
}

/// Nodes beside each other in a room.
fn node_columns(count: usize, room: f64, least: f64) -> usize {
    let most = (room / least) as usize;
    let wanted = match count {
        0 | 1 => 1,
        2..=4 => 2,
        _ => count.isqrt().max(4),
    };
    wanted.clamp(1, most.max(1))
}

impl<'a> Boxes<'a> {
    /// Frames beside each other in a strip.
    fn beside(&self, strip: Frame, columns: usize) -> impl Iterator<Item = Frame> + use<> {
        let gap = self.gap_across;
        let width = (strip.width - (columns - 1) as f64 * gap) / columns as f64;
        (0..columns).map(move |k| Frame { x: strip.x + k as f64 * (width + gap), width, ..strip })
    }

    fn put_package(&mut self, package: &'a PlanPackage, frame: Frame) {
        let heading = if package.name.is_empty() { PAD } else { LINE + 10.0 };
        let inner = Frame {
            x: frame.x + PAD,
            y: frame.y + heading,
            width: frame.width - 2.0 * PAD,
            height: 0.0,
        };
        let columns = node_columns(package.nodes.len(), inner.width - self.gap_across, self.least);
        let top = self.put_nodes(&package.nodes, inner, columns);
        let slots = slots::block(&package.slots, inner.width);
        let height = top + slots.height + PAD - frame.y;
        let name = fitted(&package.name, frame.width - 3.0 * PAD);
        self.packages.push(PackageBox {
            name,
            frame: Frame { height, ..frame },
            slots: (slots, top),
        });
    }

    /// A panel for each kind of nodes, over the whole width.
    fn put_kinds(&mut self, plan: &MachinePlan) {
        for kind in kinds::kinds(plan) {
            let block = kind.block(self.width);
            let (y, width, height) = (self.height, self.width, block.height);
            self.kinds.push((Frame { x: 0.0, y, width, height }, block));
            self.height += height + self.gap_down;
        }
    }

    /// Slots whose package is unknown, over the whole width.
    fn put_slots(&mut self, slots: &[PlanSlot]) {
        if slots.is_empty() {
            return;
        }
        let block = slots::block(slots, self.width - 2.0 * PAD);
        let (y, height) = (self.height, block.height + PAD);
        let frame = Frame { x: 0.0, y, width: self.width, height };
        self.height = frame.bottom() + self.gap_down;
        self.packages.push(PackageBox { name: String::new(), frame, slots: (block, y) });
    }

    /// Devices in a place of their own, over the whole width.
    fn put_elsewhere(&mut self, elsewhere: &'a PlanNode) {
        let block = block(elsewhere, self.width, Detail::Full);
        let frame = Frame { x: 0.0, y: self.height, width: self.width, height: block.height };
        self.height = frame.bottom() + self.gap_down;
        self.nodes.push(NodeBox { node: elsewhere, frame, block });
    }

    /// Nodes in rows of equal height; where the last row ends.
    fn put_nodes(&mut self, nodes: &'a [PlanNode], mut strip: Frame, columns: usize) -> f64 {
        let mut bottom = strip.y;
        let left = NODES - self.nodes.len();
        for row in nodes[..nodes.len().min(left)].chunks(columns) {
            let frames = self.beside(strip, columns);
            let placed = row
                .iter()
                .zip(frames)
                .map(|(node, frame)| (node, frame, block(node, frame.width, self.detail)));
            let placed: Vec<(&PlanNode, Frame, Block)> = placed.collect();
            let height = placed.iter().map(|(.., block)| block.height).fold(MIN_HEIGHT, f64::max);
            let boxes = placed.into_iter().map(|(node, frame, block)| NodeBox {
                node,
                frame: Frame { height, ..frame },
                block,
            });
            self.nodes.extend(boxes);
            bottom = strip.y + height;
            strip.y = bottom + self.gap_down;
        }
        bottom
    }
}

impl PackageBox {
    /// What no line may cross: its name, and its slots if it has any.
    pub(crate) fn texts(&self) -> impl Iterator<Item = Frame> {
        let (slots, y) = (&self.slots.0, self.slots.1);
        let slots = Frame { y, height: slots.height, ..self.frame };
        [self.text()].into_iter().chain((slots.height > 0.0).then_some(slots))
    }

    /// Where its name stands.
    pub(crate) fn text(&self) -> Frame {
        Frame {
            x: self.frame.x + PAD + 8.0,
            y: self.frame.y + 7.0,
            width: width(&self.name),
            height: SIZE + 4.0,
        }
    }
}
