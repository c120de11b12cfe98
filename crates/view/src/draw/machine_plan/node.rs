//! A node as a panel: its name and memory, its dies, the CPUs that share a cache, its devices.

use super::branch::put_branches;
use super::cache::group;
use super::cpu_lines::{called, listed};
use super::device::labels;
use super::{BETWEEN, CacheGroup, Die, PlanNode};
use crate::draw::block::{Block, Frame};
use crate::draw::label::{LINE, width};
use crate::text::count;

/// How much of a node is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    Full,
    /// All but what is in its CPUs, for machines of many CPUs whose nodes are alike.
    Alike,
    /// Name and CPUs, for machines of many nodes.
    Name,
}

/// Room between a panel's border and what is in it.
pub(crate) const PAD: f64 = 10.0;
/// More cache groups than these in a node are summed up; equal ones from fewer on.
const GROUPS: usize = 12;
const EQUAL_GROUPS: usize = 4;
/// The least room of a die, and from die to die.
const DIE: f64 = 150.0;
const GAP: f64 = 6.0;
/// The least room of a cache group.
const GROUP: f64 = 132.0;

/// The panel without its frame.
pub(crate) fn block(node: &PlanNode, room: f64, detail: Detail) -> Block {
    let inner = room - 2.0 * PAD;
    let mut block = Block::beneath(6.0);
    let has_cpus = node.groups().next().is_some();
    match detail {
        Detail::Name => {
            for line in title(node, inner) {
                block.add_line("h", PAD, &line, inner);
            }
            let cpus = has_cpus.then(|| called(node.groups().take(64)));
            let devices = (!node.devices.is_empty()).then(|| labels(&node.devices));
            for line in cpus.iter().chain(&node.facts).chain(&devices) {
                listed(line, inner).iter().for_each(|line| block.add_line("q", PAD, line, inner));
            }
        }
        Detail::Full | Detail::Alike => {
            for line in title(node, inner) {
                block.add_line("h", PAD, &line, inner);
            }
            for line in node.facts.iter().flat_map(|fact| listed(fact, inner)) {
                block.add_line("q", PAD, &line, inner);
            }
            if let Some(served) = &node.interrupts {
                block.add_line(served.class(), PAD, &served.text, inner);
            }
            match detail {
                Detail::Alike if has_cpus => {
                    let lines = listed(&called(node.groups()), inner);
                    lines.iter().for_each(|line| block.add_line("t", PAD, line, inner));
                }
                _ => put_cpus(&mut block, node, inner),
            }
            if !node.devices.is_empty() {
                put_branches(&mut block, &node.devices, PAD, inner);
            }
        }
    }
    block.height += 7.0;
    block
}

/// Its dies, or what they have in common.
pub(super) fn put_cpus(block: &mut Block, node: &PlanNode, inner: f64) {
    match has_to_be_summed_up(node) {
        true => summed_up(block, node, inner),
        false => put_dies(block, &node.dies, inner),
    }
}

/// Whether there are many cache groups, or several that are alike.
fn has_to_be_summed_up(node: &PlanNode) -> bool {
    let groups = node.groups().count();
    groups > GROUPS || (groups > EQUAL_GROUPS && has_equal_groups(node))
}

fn has_equal_groups(node: &PlanNode) -> bool {
    let mut groups = node.groups();
    let first = groups.next();
    first.is_some_and(|first| groups.all(|other| first.is_like(other)))
}

/// A node's title, in two lines where one has no room for it.
fn title(node: &PlanNode, room: f64) -> Vec<String> {
    let (whole, facts) = (node.titled_with_cpus(), node.title_facts().collect::<Vec<_>>());
    if facts.is_empty() || width(&whole) <= room {
        return vec![whole];
    }
    vec![node.name.clone(), facts.join(BETWEEN)]
}

/// Dies beside each other, in as many rows as they need.
fn put_dies(block: &mut Block, dies: &[Die], inner: f64) {
    let columns = ((inner / DIE) as usize).clamp(1, dies.len().max(1));
    let each = (inner - (columns - 1) as f64 * GAP) / columns as f64;
    for row in dies.chunks(columns) {
        let y = block.height;
        let blocks: Vec<Block> = row.iter().map(|one| die(one, dies.len() > 1, each)).collect();
        let height = blocks.iter().map(|b| b.height).fold(0.0, f64::max);
        for (k, (one, within)) in row.iter().zip(&blocks).enumerate() {
            let x = PAD + k as f64 * (each + GAP);
            if is_framed(one, dies.len() > 1) {
                block.rectangle("l", Frame { x, y, width: each, height }, 4.0);
            }
            block.put(within, x, y);
        }
        block.height += if dies.len() > 1 { GAP } else { 0.0 };
    }
}

/// Whether a die has a frame: it has a name or neighbours.
fn is_framed(die: &Die, neighbours: bool) -> bool {
    neighbours || !die.name.is_empty()
}

fn die(die: &Die, neighbours: bool, room: f64) -> Block {
    let (edge, top) = if is_framed(die, neighbours) { (7.0, 4.0) } else { (0.0, 0.0) };
    let mut block = Block::beneath(top);
    if !die.name.is_empty() {
        block.add_line("q", edge, &die.name, room - 2.0 * edge);
    }
    put_groups(&mut block, &die.groups, edge, room - 2.0 * edge);
    block
}

/// Cache groups beside each other, in as many rows as they need.
fn put_groups(block: &mut Block, groups: &[CacheGroup], left: f64, room: f64) {
    let columns = ((room / GROUP) as usize).clamp(1, groups.len().max(1));
    let each = room / columns as f64;
    for row in groups.chunks(columns) {
        let y = block.height;
        for (k, one) in row.iter().enumerate() {
            block.put(&group(one, each - 8.0), left + k as f64 * each, y);
        }
        block.height += 6.0;
    }
}

/// Many groups in a few lines: "64 cache groups of 8 CPUs", the first one if all are alike, and all
/// their CPUs.
fn summed_up(block: &mut Block, node: &PlanNode, inner: f64) {
    let first = node.groups().next().filter(|_| has_equal_groups(node));
    let lines = if first.is_some() { 1 } else { usize::MAX };
    for words in summary(node).iter().take(lines) {
        let alike = if first.is_some() { ", alike:" } else { "" };
        block.add_line("t", PAD, &format!("{words}{alike}"), inner);
    }
    if let Some(first) = first {
        block.put(&group(first, inner), PAD, block.height);
    }
    for line in listed(&called(node.groups()), inner) {
        block.add_line("q", PAD, &line, inner);
    }
}

/// "64 cache groups of 8 CPUs", and their cache if all have the same.
pub(crate) fn summary(node: &PlanNode) -> Vec<String> {
    let mut words = format!("{} cache groups", node.groups().count());
    if let Some(cpus) = common(node.groups().map(|g| g.cpus.len())) {
        words += &format!(" of {}", count(cpus, "CPU"));
    }
    let cache = common(node.groups().map(|g| g.cache.as_str())).filter(|cache| !cache.is_empty());
    [words].into_iter().chain(cache.map(|cache| format!("each {cache}"))).collect()
}

/// What all of them are, if they are the same.
fn common<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

pub(crate) fn node_text(node: &PlanNode) -> String {
    let groups = node.groups().take(GROUPS).map(|g| format!("{}, {}", called([g]), g.cache));
    let more = node.groups().count().saturating_sub(GROUPS);
    let more = (more > 0).then(|| format!("and {more} more cache groups"));
    let devices = (!node.devices.is_empty()).then(|| labels(&node.devices));
    [node.titled()]
        .into_iter()
        .chain(node.facts.iter().cloned())
        .chain(node.interrupts.iter().map(|served| served.text.clone()))
        .chain(groups)
        .chain(more)
        .chain(devices)
        .collect::<Vec<_>>()
        .join("; ")
}

/// From one panel's top to the next one's that is beneath it, at least.
pub(crate) const MIN_HEIGHT: f64 = 2.0 * LINE;
