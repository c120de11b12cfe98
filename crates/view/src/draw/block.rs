//! Boxes of text that are measured by being built: a block is put into another block, and only the
//! last one becomes SVG.

use maud::Markup;

use crate::draw::canvas::{all, line, rectangle, text, with_tooltip};
use crate::draw::label;

/// A rectangle's place and size, user units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Frame {
    pub(crate) fn moved(self, x: f64, y: f64) -> Self {
        Self { x: self.x + x, y: self.y + y, ..self }
    }

    /// Everything between two points, with a margin around it.
    pub(crate) fn between(a: (f64, f64), b: (f64, f64), around: f64) -> Self {
        let (x, y) = (a.0.min(b.0) - around, a.1.min(b.1) - around);
        Self {
            x,
            y,
            width: (a.0 - b.0).abs() + 2.0 * around,
            height: (a.1 - b.1).abs() + 2.0 * around,
        }
    }

    /// Whether it is wholly in another.
    pub(crate) fn is_within(&self, room: &Self) -> bool {
        self.x >= room.x
            && self.right() <= room.right()
            && self.y >= room.y
            && self.bottom() <= room.bottom()
    }

    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Whether two come nearer than `apart`.
    pub(crate) fn touches(&self, other: &Self, apart: f64) -> bool {
        self.x < other.right() + apart
            && other.x < self.right() + apart
            && self.y < other.bottom() + apart
            && other.y < self.bottom() + apart
    }

    /// Whether a straight line passes through it.
    pub(crate) fn is_crossed(&self, from: (f64, f64), to: (f64, f64)) -> bool {
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for (start, end, low, high) in
            [(from.0, to.0, self.x, self.right()), (from.1, to.1, self.y, self.bottom())]
        {
            let step = end - start;
            if step.abs() < 1e-9 {
                if start <= low || start >= high {
                    return false;
                }
                continue;
            }
            let (a, b) = ((low - start) / step, (high - start) / step);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        enter < leave
    }
}

/// What a block consists of.
#[derive(Clone, Debug)]
enum BlockShape {
    Rectangle(&'static str, Frame, f64),
    Text(&'static str, f64, f64, String),
    Line(&'static str, (f64, f64), (f64, f64)),
}

/// Shapes beside each other, measured from the block's upper left corner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) height: f64,
    shapes: Vec<BlockShape>,
}

impl Block {
    /// Nothing yet, but this much room at the top.
    pub(crate) fn beneath(room: f64) -> Self {
        Self { height: room, shapes: Vec::new() }
    }

    /// A frame or a square.
    pub(crate) fn rectangle(&mut self, class: &'static str, frame: Frame, round: f64) {
        self.height = self.height.max(frame.bottom());
        self.shapes.push(BlockShape::Rectangle(class, frame, round));
    }

    pub(crate) fn line(&mut self, class: &'static str, from: (f64, f64), to: (f64, f64)) {
        self.shapes.push(BlockShape::Line(class, from, to));
    }

    /// Text whose baseline starts at a place, as it is.
    pub(crate) fn text(&mut self, class: &'static str, x: f64, y: f64, words: &str) {
        self.shapes.push(BlockShape::Text(class, x, y, words.to_owned()));
    }

    /// Adds a line of text beneath what is there, cut to the room.
    pub(crate) fn add_line(&mut self, class: &'static str, x: f64, words: &str, room: f64) {
        self.shapes.push(BlockShape::Text(
            class,
            x,
            self.height + label::SIZE,
            label::fitted(words, room),
        ));
        self.height += label::LINE;
    }

    /// Another block's shapes, moved.
    pub(crate) fn put(&mut self, other: &Self, x: f64, y: f64) {
        self.height = self.height.max(y + other.height);
        self.shapes.extend(other.shapes.iter().map(|shape| match shape {
            BlockShape::Rectangle(class, frame, round) => {
                BlockShape::Rectangle(class, frame.moved(x, y), *round)
            }
            BlockShape::Text(class, left, base, words) => {
                BlockShape::Text(class, left + x, base + y, words.clone())
            }
            BlockShape::Line(class, from, to) => {
                BlockShape::Line(class, (from.0 + x, from.1 + y), (to.0 + x, to.1 + y))
            }
        }));
    }

    /// Its elements, with the words as their tooltip, if there are any.
    pub(crate) fn drawn(&self, words: &str) -> Markup {
        let body = all(self.shapes.iter().map(|shape| match shape {
            BlockShape::Rectangle(class, f, round) => {
                rectangle(class, (f.x, f.y), (f.width, f.height), *round)
            }
            BlockShape::Text(class, x, y, words) => text(class, *x, *y, words),
            BlockShape::Line(class, from, to) => line(class, *from, *to),
        }));
        if words.is_empty() { body } else { with_tooltip(words, &body) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_crosses_or_passes_by() {
        let frame = Frame { x: 10.0, y: 10.0, width: 10.0, height: 10.0 };
        assert!(frame.is_crossed((0.0, 0.0), (30.0, 30.0)));
        assert!(!frame.is_crossed((0.0, 0.0), (9.0, 30.0)));
        assert!(!frame.is_crossed((0.0, 20.0), (30.0, 20.0)), "along its border is not through it");
    }
}
