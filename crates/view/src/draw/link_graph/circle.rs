//! Where nodes, group arcs and their names stand around the circle.

use std::f64::consts::TAU;

use super::GraphNode;
use crate::draw::block::Frame;
use crate::draw::label::{SIZE, fitted, width};

/// Nodes that are drawn.
pub(crate) const NODES: usize = 64;
/// The widest name around the circle.
const NAME: f64 = 190.0;
pub(crate) const DOT: f64 = 14.0;

pub(crate) struct Circle {
    pub(crate) centre: (f64, f64),
    pub(crate) radius: f64,
    count: usize,
}

impl Circle {
    /// A circle for this number of nodes.
    pub(crate) fn new(count: usize) -> Self {
        let radius = (count as f64 * 33.0 / TAU).clamp(150.0, 345.0);
        Self { centre: (crate::draw::WIDTH / 2.0, radius + 66.0), radius, count: count.max(1) }
    }

    /// A place at a node's angle (or between two), so far outside of the circle.
    pub(crate) fn at(&self, node: f64, outside: f64) -> (f64, f64) {
        let angle = self.angle(node);
        let r = self.radius + outside;
        (self.centre.0 + r * angle.sin(), self.centre.1 - r * angle.cos())
    }

    /// Clockwise from the top; a half step on, so that a circle of two groups falls into halves.
    fn angle(&self, node: f64) -> f64 {
        let step = TAU / self.count as f64;
        (node + 0.5) * step
    }

    /// A name outside of the circle: where it stands, how it is anchored, and its words; cut to its
    /// room.
    pub(crate) fn name(&self, node: f64, outside: f64, words: &str) -> (Frame, String) {
        let words = fitted(words, NAME.min(self.centre.0 - self.radius - outside - 4.0).max(60.0));
        let (x, y) = self.at(node, outside);
        // Beside the circle a name begins or ends there; above and below it stands in the middle.
        let sine = (self.angle(node).sin() * 1.6).clamp(-1.0, 1.0);
        let w = width(&words);
        let left = x - w * (1.0 - sine) / 2.0;
        (Frame { x: left, y: y - SIZE / 2.0 - 1.0, width: w, height: SIZE + 3.0 }, words)
    }
}

/// Neighbours of one group: its name, the first and the last.
pub(crate) fn groups(nodes: &[GraphNode]) -> Vec<(&str, usize, usize)> {
    let mut groups: Vec<(&str, usize, usize)> = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        match groups.last_mut() {
            Some((name, _, last)) if *name == node.group => *last = k,
            _ => groups.push((&node.group, k, k)),
        }
    }
    groups.retain(|(name, ..)| !name.is_empty());
    groups
}
