//! Caches as boxes over the cores that share them. Equal parts are drawn once where all have no
//! room.

use super::cpu_lines::{called, listed};
use super::{CacheGroup, CachePart};
use crate::draw::block::{Block, Frame};
use crate::draw::label::{LINE, SIZE, fitted, widest, width};
use crate::text::{IN_A_LINE, short_list};

/// More cores of a group than these have no number, and more than these are a number.
const NUMBERED: usize = 32;
const SQUARES: usize = 64;
/// A core's square, and from square to square.
const SQUARE: f64 = 9.0;
const STEP: f64 = 12.0;
/// From a box's border to its text, and from box to box.
const EDGE: f64 = 4.0;
const GAP: f64 = 3.0;
/// From one row of boxes to the next one.
const ROW: f64 = LINE + 2.0;
/// The least width of cores beside the part that is drawn for all.
const CORES: f64 = 84.0;

/// CPUs, their last cache, and what is below it.
pub(super) fn group(group: &CacheGroup, room: f64) -> Block {
    let mut block = Block::default();
    for line in listed(&called([group]), room) {
        block.add_line("t", 0.0, &line, room);
    }
    block.height += GAP;
    if !group.cache.is_empty() {
        put_box(&mut block, "p", &group.cache, Frame { width: room, ..Frame::default() });
    }
    if group.below.is_empty() {
        put_cores(&mut block, &[], group.cores, (0.0, room));
        if !group.inner.is_empty() {
            let lines = listed(&group.inner.join("; "), room);
            lines.iter().for_each(|line| block.add_line("q", 0.0, line, room));
        }
        return block;
    }
    let wanted = row_width(&group.below, &CachePart::name);
    if wanted <= room && group.below.iter().map(CachePart::cores).sum::<usize>() <= NUMBERED {
        let top = block.height;
        for (part, frame) in shared(&group.below, &CachePart::name, (0.0, top, room)) {
            put_part(&mut block, part, &CachePart::name, frame);
        }
        let kinds = kinds(&group.below);
        kinds.iter().for_each(|line| block.add_line("q", 0.0, line, room));
    } else {
        runs(&group.below).for_each(|run| put_run(&mut block, run, room));
    }
    block
}

impl CacheGroup {
    /// Whether another one looks the same but for the numbers of its CPUs.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.cache == other.cache
            && self.cpus.len() == other.cpus.len()
            && self.below.len() == other.below.len()
            && self.below.iter().zip(&other.below).all(|(one, other)| one.is_like(other))
    }
}

/// Whether groups look the same, one after the other.
pub(super) fn are_alike<'g>(
    mut these: impl Iterator<Item = &'g CacheGroup>,
    mut those: impl Iterator<Item = &'g CacheGroup>,
) -> bool {
    loop {
        match (these.next(), those.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if one.is_like(other) => {}
            _ => return false,
        }
    }
}

impl CachePart {
    fn is_core(&self) -> bool {
        self.cache.is_empty()
    }

    /// Whether another one looks the same but for the numbers of its CPUs.
    fn is_like(&self, other: &Self) -> bool {
        (&self.cache, &self.kind, self.cpus.len()) == (&other.cache, &other.kind, other.cpus.len())
            && self.below.len() == other.below.len()
            && self.below.iter().zip(&other.below).all(|(one, other)| one.is_like(other))
    }

    fn cores(&self) -> usize {
        if self.is_core() { 1 } else { self.below.iter().map(Self::cores).sum() }
    }

    /// The cores in it.
    fn leaves(&self) -> Vec<&Self> {
        if self.is_core() {
            return vec![self];
        }
        self.below.iter().flat_map(Self::leaves).collect()
    }

    /// "L2 1 MiB"; the CPUs of a core.
    fn name(&self) -> String {
        if self.is_core() { short_list(&self.cpus, IN_A_LINE) } else { self.cache.clone() }
    }

    /// The same of a part that stands for others: "core", "core, 2 CPUs".
    fn common_name(&self) -> String {
        match self.cpus.len() {
            _ if !self.is_core() => self.cache.clone(),
            0 | 1 => "core".to_owned(),
            cpus => format!("core, {cpus} CPUs"),
        }
    }
}

/// What a part is called.
type Name = dyn Fn(&CachePart) -> String;

/// Parts that follow each other and look the same.
fn runs(parts: &[CachePart]) -> impl Iterator<Item = &[CachePart]> {
    parts.chunk_by(CachePart::is_like)
}

/// "CPUs 0-11: P-cores".
fn kinds(parts: &[CachePart]) -> Vec<String> {
    let of_one_kind = parts.chunk_by(|one, other| one.kind == other.kind);
    let named = of_one_kind.filter(|parts| !parts[0].kind.is_empty()).map(|parts| {
        let cpus = parts.iter().flat_map(|part| part.cpus.iter()).collect();
        format!("CPUs {}: {}", short_list(&cpus, IN_A_LINE), parts[0].kind)
    });
    named.collect()
}

fn part_width(part: &CachePart, name: &Name) -> f64 {
    (width(&name(part)) + 2.0 * EDGE).max(row_width(&part.below, name))
}

/// The width of parts beside each other.
fn row_width(parts: &[CachePart], name: &Name) -> f64 {
    let gaps = parts.len().saturating_sub(1) as f64 * GAP;
    parts.iter().map(|part| part_width(part, name)).sum::<f64>() + gaps
}

/// Frames of parts that fill a row.
fn shared<'p>(
    parts: &'p [CachePart],
    name: &Name,
    (mut x, y, room): (f64, f64, f64),
) -> Vec<(&'p CachePart, Frame)> {
    let gaps = parts.len().saturating_sub(1) as f64 * GAP;
    let stretch = (room - gaps) / (row_width(parts, name) - gaps).max(1.0);
    let framed = parts.iter().map(|part| {
        let frame = Frame { x, y, width: part_width(part, name) * stretch, height: LINE };
        x = frame.right() + GAP;
        (part, frame)
    });
    framed.collect()
}

/// A box with what is below it.
fn put_part(block: &mut Block, part: &CachePart, name: &Name, frame: Frame) {
    let class = if part.is_core() { "s0" } else { "p" };
    put_box_at(block, class, &name(part), frame);
    let below = shared(&part.below, name, (frame.x, frame.y + ROW, frame.width));
    below.into_iter().for_each(|(part, frame)| put_part(block, part, name, frame));
}

/// One part for all of a run, with their number, and their cores.
fn put_run(block: &mut Block, run: &[CachePart], room: f64) {
    let top = block.height + GAP;
    let first = &run[0];
    let kind = if first.kind.is_empty() { "" } else { " " };
    let times = format!("{}×{kind}{}", run.len(), first.kind);
    let cores: Vec<&CachePart> = run.iter().flat_map(CachePart::leaves).collect();
    if first.is_core() {
        let numbers: Vec<String> = cores.iter().map(|core| core.name()).collect();
        if !first.kind.is_empty() {
            block.add_line("t", 0.0, &times, room);
        }
        return put_cores(block, &numbers, cores.len(), (0.0, room));
    }
    if run.len() == 1 && part_width(first, &CachePart::name) <= room {
        if !first.kind.is_empty() {
            block.add_line("t", 0.0, &first.kind, room);
        }
        let frame = Frame { y: block.height, width: room, height: LINE, ..Frame::default() };
        put_part(block, first, &CachePart::name, frame);
        block.height += GAP;
        return;
    }
    let name = CachePart::common_name;
    let left = width(&times) + 2.0 * EDGE;
    let wanted = part_width(first, &name);
    let is_beside = left + wanted <= room;
    let (x, y) = if is_beside { (left, top) } else { (0.0, top + LINE) };
    block.text("t", 0.0, top + SIZE + 1.0, &fitted(&times, room));
    put_part(block, first, &name, Frame { x, y, width: wanted.min(room - x), height: LINE });
    block.height += GAP;
    let numbers: Vec<String> = cores.iter().map(|core| core.name()).collect();
    let right = x + wanted + 2.0 * GAP;
    if is_beside && room - right >= CORES {
        let mut beside = Block::default();
        put_cores(&mut beside, &numbers, cores.len(), (0.0, room - right));
        block.put(&beside, right, top - GAP);
    } else {
        put_cores(block, &numbers, cores.len(), (0.0, room));
    }
}

/// Cores as boxes with the numbers of their CPUs, as squares, or as a number.
fn put_cores(block: &mut Block, numbers: &[String], cores: usize, (left, room): (f64, f64)) {
    if !numbers.is_empty() && numbers.len() <= NUMBERED {
        put_numbered(block, numbers, (left, room));
    } else if cores > SQUARES {
        block.add_line("t", left, &format!("{cores} cores"), room);
    } else if cores > 0 {
        put_squares(block, cores, (left, room));
    }
}

/// A box with the numbers of its CPUs a core.
fn put_numbered(block: &mut Block, cores: &[String], (left, room): (f64, f64)) {
    let most = (room - 2.0 * EDGE).max(SIZE);
    let cores: Vec<String> = cores.iter().map(|cpus| fitted(cpus, most)).collect();
    let each = widest(&cores) + 2.0 * EDGE;
    let columns = ((room / (each + GAP)) as usize).max(1);
    let top = block.height + GAP;
    for (k, cpus) in cores.iter().enumerate() {
        let x = left + (k % columns) as f64 * (each + GAP);
        let y = top + (k / columns) as f64 * (LINE + GAP);
        put_box_at(block, "s0", cpus, Frame { x, y, width: each, height: LINE });
    }
    block.height += GAP;
}

/// A square a core.
fn put_squares(block: &mut Block, cores: usize, (left, room): (f64, f64)) {
    let columns = ((room / STEP) as usize).clamp(1, 16);
    let top = block.height + 4.0;
    for k in 0..cores {
        let (x, y) = (left + (k % columns) as f64 * STEP, top + (k / columns) as f64 * STEP);
        block.rectangle("f0", Frame { x, y, width: SQUARE, height: SQUARE }, 1.5);
    }
    block.height += GAP;
}

/// A box beneath what is there.
fn put_box(block: &mut Block, class: &'static str, words: &str, frame: Frame) {
    let y = block.height;
    put_box_at(block, class, words, Frame { y, height: LINE, ..frame });
    block.height = y + ROW;
}

/// A box with words in its middle, unless it has no room for any.
fn put_box_at(block: &mut Block, class: &'static str, words: &str, frame: Frame) {
    block.rectangle(class, frame, 2.0);
    if frame.width >= 2.0 * SIZE || width(words) + EDGE <= frame.width {
        let words = fitted(words, frame.width - EDGE);
        block.text("t d", frame.x + frame.width / 2.0, frame.y + SIZE, &words);
    }
}
