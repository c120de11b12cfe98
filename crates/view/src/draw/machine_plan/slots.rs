//! Slots for memory modules as a row of boxes; empty ones are dashed.

use super::PlanSlot;
use crate::draw::block::{Block, Frame};
use crate::draw::label::{LINE, SIZE, fitted, widest, width};

/// More slots than these are a sentence.
const SLOTS: usize = 64;
const EDGE: f64 = 4.0;
const GAP: f64 = 3.0;

/// "memory slots: 8 of 12 have a module".
pub(super) fn summary(slots: &[PlanSlot]) -> String {
    let filled = slots.iter().filter(|slot| !slot.size.is_empty()).count();
    let verb = if filled == 1 { "has" } else { "have" };
    format!("memory slots: {filled} of {} {verb} a module", slots.len())
}

/// A slot in words: "P1-DIMMA1 32 GiB", "A2 empty".
pub(super) fn words(slot: &PlanSlot) -> String {
    let size = if slot.size.is_empty() { "empty" } else { &slot.size };
    [&*slot.name, size].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The slots with their number; nothing without any.
pub(super) fn block(slots: &[PlanSlot], room: f64) -> Block {
    let mut block = Block::default();
    if slots.is_empty() {
        return block;
    }
    block.height = GAP;
    block.add_line("q", 0.0, &summary(slots), room);
    if slots.len() > SLOTS {
        return block;
    }
    let named = slots.iter().map(words).collect::<Vec<_>>();
    let each = (widest(&named) + 2.0 * EDGE).min(room);
    let columns = ((room / (each + GAP)) as usize).max(1);
    let top = block.height + GAP;
    for (k, (slot, name)) in slots.iter().zip(&named).enumerate() {
        let x = (k % columns) as f64 * (each + GAP);
        let y = top + (k / columns) as f64 * (LINE + GAP);
        let class = if slot.size.is_empty() { "c" } else { "s3" };
        block.rectangle(class, Frame { x, y, width: each, height: LINE }, 2.0);
        let name = fitted(name, each - EDGE);
        let text = if slot.size.is_empty() { "q" } else { "t" };
        block.text(text, x + (each - width(&name)) / 2.0, y + SIZE, &name);
    }
    block.height += GAP;
    block
}
