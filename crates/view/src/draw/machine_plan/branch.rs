//! Buses, switches and devices as a tree of boxes: lines are links.

use super::device::{DeviceBranch, DeviceShape, PlanDevice};
use crate::draw::block::{Block, Frame};
use crate::draw::label::{LINE, SIZE, fitted, width};

/// The least width of a tree of devices.
pub(super) const TREE: f64 = 280.0;
/// A box, and from box to box.
const BOX: f64 = 20.0;
const ROW: f64 = 25.0;
/// From the left border of a box to its text.
const EDGE: f64 = 6.0;
/// From a branch's left border to its trunk, and from there to what hangs on it.
const TRUNK: f64 = 10.0;
const STUB: f64 = 12.0;
/// Around a link's text.
const GAP: f64 = 5.0;
/// The least width of a device's box: with less, the link's text is left out.
const MIN_BOX: f64 = 70.0;

/// Branches in columns of about the same height.
pub(super) fn put_branches(block: &mut Block, branches: &[DeviceBranch], left: f64, room: f64) {
    let columns = ((room / TREE) as usize).clamp(1, branches.len().max(1));
    let each = room / columns as f64;
    let top = block.height + 2.0;
    for (k, column) in balanced(branches, columns).into_iter().enumerate() {
        let mut y = top;
        for one in column {
            let drawn = branch(one, each - 8.0);
            block.put(&drawn, left + k as f64 * each, y);
            y += drawn.height + 2.0;
        }
    }
}

/// Branches, in order, in columns of about as many lines.
fn balanced(branches: &[DeviceBranch], columns: usize) -> Vec<&[DeviceBranch]> {
    let lines: usize = branches.iter().map(DeviceBranch::lines).sum();
    let most = lines.div_ceil(columns);
    let (mut parts, mut start, mut taken) = (Vec::new(), 0, 0);
    for (at, one) in branches.iter().enumerate() {
        let more = one.lines();
        // A branch goes where the larger part of it fits.
        if at > start && parts.len() + 1 < columns && taken + more.div_ceil(2) > most {
            parts.push(&branches[start..at]);
            (start, taken) = (at, 0);
        }
        taken += more;
    }
    parts.push(&branches[start..]);
    parts
}

/// A branch with all below it.
fn branch(one: &DeviceBranch, room: f64) -> Block {
    let mut block = Block::default();
    let boxed: Vec<&PlanDevice> = one.boxed().collect();
    let small = one.small();
    if one.name.is_empty() {
        boxed.iter().for_each(|one| put_device(&mut block, one, (0.0, room), None));
        put_small(&mut block, &small, 0.0, room);
        one.branches.iter().for_each(|below| put_below(&mut block, below, 0.0, room));
        return block;
    }
    let name = put_name(&mut block, &one.name, room);
    // One device stands beside its bus.
    if let ([only], "", []) = (boxed.as_slice(), small.as_str(), one.branches.as_slice()) {
        let from = name + STUB + GAP;
        if from + wanted(only) <= room {
            let middle = BOX / 2.0;
            block.line(line_class(only), (name, middle), (name + STUB, middle));
            block.height = 0.0;
            put_device(&mut block, only, (name + STUB, room), None);
            block.height = ROW;
            return block;
        }
    }
    let top = block.height;
    let x = TRUNK + STUB;
    let link = boxed.iter().map(|one| link_width(one)).fold(0.0, f64::max);
    let mut last = top - (ROW - BOX);
    for one in boxed {
        last = block.height + BOX / 2.0;
        block.line(line_class(one), (TRUNK, last), (x, last));
        put_device(&mut block, one, (x, room), Some(link));
    }
    if !small.is_empty() {
        last = block.height + BOX / 2.0;
        block.line("l", (TRUNK, last), (x, last));
        put_small(&mut block, &small, x + GAP, room);
    }
    for below in &one.branches {
        last = block.height + BOX / 2.0;
        block.line("l", (TRUNK, last), (x, last));
        put_below(&mut block, below, x, room);
    }
    block.line("l", (TRUNK, top - (ROW - BOX)), (TRUNK, last));
    block
}

fn put_below(block: &mut Block, below: &DeviceBranch, x: f64, room: f64) {
    let drawn = branch(below, (room - x).max(0.0));
    block.put(&drawn, x, block.height);
}

/// The name of a bus or switch in a frame; where it ends.
fn put_name(block: &mut Block, name: &str, room: f64) -> f64 {
    let name = fitted(name, (room - 2.0 * EDGE).max(SIZE));
    let frame = Frame { x: 0.0, y: 0.0, width: width(&name) + 2.0 * EDGE, height: BOX };
    block.rectangle("a", frame, 3.0);
    block.text("t", EDGE, baseline(0.0), &name);
    block.height = ROW;
    frame.right()
}

fn put_small(block: &mut Block, words: &str, x: f64, room: f64) {
    if words.is_empty() {
        return;
    }
    for line in crate::draw::label::wrapped(words, (room - x).max(SIZE), 3) {
        block.text("q", x, baseline(block.height), &line);
        block.height += LINE;
    }
    block.height += ROW - LINE - 2.0;
}

/// A device's link and box beneath what is there. Links of a row of devices have one width.
fn put_device(block: &mut Block, one: &PlanDevice, (x, right): (f64, f64), link: Option<f64>) {
    let y = block.height;
    let link = link.unwrap_or_else(|| link_width(one));
    let middle = y + BOX / 2.0;
    let fits = x + link + MIN_BOX <= right;
    let left = if fits { x + link } else { x };
    if fits && link > 0.0 {
        let end = if one.link.is_empty() { x } else { x + GAP + width(&one.link) + GAP };
        if !one.link.is_empty() {
            let class = if one.is_narrow { "mt" } else { "t" };
            block.text(class, x + GAP, baseline(y), &one.link);
        }
        block.line(line_class(one), (end, middle), (left, middle));
    }
    let room = (right - left).max(2.0 * EDGE + SIZE);
    match &one.interrupts {
        Some(interrupts) if width(&one.label) + 2.0 * EDGE + beside(one) <= room => {
            let end = put_box(block, one, (left, y), room - beside(one));
            block.text(interrupts.class(), end + EDGE, baseline(y), &interrupts.text);
        }
        _ => {
            put_box(block, one, (left, y), room);
        }
    }
    block.height = y + ROW;
}

/// A device's box; where it ends.
fn put_box(block: &mut Block, one: &PlanDevice, (x, y): (f64, f64), room: f64) -> f64 {
    let label = fitted(&one.label, room - 2.0 * EDGE);
    let after = width(&label) + if one.names.is_empty() { 0.0 } else { EDGE };
    let left = room - 2.0 * EDGE - after;
    let names = if left < 2.0 * SIZE { String::new() } else { fitted(&one.names, left) };
    let words = if names.is_empty() { width(&label) } else { after + width(&names) };
    let frame = Frame { x, y, width: words + 2.0 * EDGE, height: BOX };
    let (class, round) = match one.shape {
        DeviceShape::Processor => ("s2", 0.0),
        DeviceShape::Network => ("s0", BOX / 2.0),
        DeviceShape::Disk => ("s1", 4.0),
        DeviceShape::Memory => ("s3", 0.0),
        DeviceShape::Small => ("l", 4.0),
    };
    block.rectangle(class, frame, round);
    block.text("t", x + EDGE, baseline(y), &label);
    if !names.is_empty() {
        block.text("q", x + EDGE + after, baseline(y), &names);
    }
    frame.right()
}

/// What the interrupts of a device take beside its box.
fn beside(one: &PlanDevice) -> f64 {
    one.interrupts.as_ref().map_or(0.0, |interrupts| EDGE + width(&interrupts.text))
}

/// What a device takes behind its stub.
fn wanted(one: &PlanDevice) -> f64 {
    let gap = if one.names.is_empty() { 0.0 } else { EDGE };
    let words = width(&one.label) + gap + width(&one.names);
    link_width(one) + words + 2.0 * EDGE + beside(one)
}

/// A link's text with the line around it; nothing without a link.
fn link_width(one: &PlanDevice) -> f64 {
    if one.link.is_empty() { 0.0 } else { width(&one.link) + 2.0 * GAP + STUB }
}

fn line_class(one: &PlanDevice) -> &'static str {
    if one.is_narrow { "m" } else { "l" }
}

/// The baseline of text in a box.
fn baseline(top: f64) -> f64 {
    top + BOX / 2.0 + SIZE * 0.36
}
