//! Families of machines by the shape of their links. As on real machines, hops do not add up: each
//! further one costs less.

use std::collections::VecDeque;

use super::Model;
use super::model::all_pairs;

/// Local memory, in ns.
const LOCAL: f64 = 90.0;
/// Cost of the first hop, as a share of local.
const FIRST_HOP: f64 = 0.6;
/// Cost of each further hop, relative to the one before.
const FURTHER: f64 = 0.9;

impl Model {
    /// Sockets that are all linked with each other: two, four or eight.
    pub fn fully_linked(nodes: u32) -> Self {
        Self::linked("fully linked", nodes, all_pairs(nodes as usize))
    }

    /// A ring of at least three nodes.
    pub fn ring(nodes: u32) -> Self {
        let links = (0..nodes).map(|node| ordered(node, (node + 1) % nodes)).collect();
        Self::linked("ring", nodes, links)
    }

    /// A mesh.
    pub fn mesh(width: u32, height: u32) -> Self {
        let across =
            (0..height).flat_map(|y| (1..width).map(move |x| (y * width + x - 1, y * width + x)));
        let down =
            (1..height).flat_map(|y| (0..width).map(move |x| ((y - 1) * width + x, y * width + x)));
        Self::linked("mesh", width * height, across.chain(down).collect())
    }

    /// A hypercube of this many dimensions.
    pub fn hypercube(dimensions: u32) -> Self {
        let nodes = 1 << dimensions;
        let links = (0..nodes).flat_map(|a| {
            (0..dimensions).map(move |bit| (a, a | 1 << bit)).filter(move |l| l.1 > a)
        });
        Self::linked("hypercube", nodes, links.collect())
    }

    /// Eight sockets without a switch, three links each: two rings of four, and a link from each
    /// node to its opposite one.
    pub fn glueless() -> Self {
        let rings = (0..8u32).map(|node| ordered(node, node / 4 * 4 + (node + 1) % 4));
        Self::linked("glueless", 8, rings.chain((0..4).map(|node| (node, node + 4))).collect())
    }

    /// Two boxes of four fully linked sockets, with a switch between them: all nodes of the other
    /// box are equally far, so that each of them looks linked.
    pub fn switched() -> Self {
        let mut model = Self { name: "switched", ..Self::fully_linked(8) };
        for (a, b) in all_pairs(8).into_iter().filter(|(a, b)| a / 4 != b / 4) {
            model.set(a, b, LOCAL * 2.9, 2);
        }
        model
    }

    fn linked(name: &'static str, nodes: u32, links: Vec<(u32, u32)>) -> Self {
        let count = nodes as usize;
        let hops: Vec<Vec<usize>> = (0..count).map(|from| hops(count, &links, from)).collect();
        let costs = hops.iter().map(|row| row.iter().map(|&hops| cost(hops)).collect()).collect();
        Self { name, costs, links, classes: hops }
    }

    pub(super) fn set(&mut self, a: u32, b: u32, cost: f64, class: usize) {
        for (from, to) in [(a as usize, b as usize), (b as usize, a as usize)] {
            self.costs[from][to] = cost;
            self.classes[from][to] = class;
        }
    }
}

fn cost(hops: usize) -> f64 {
    let added: f64 =
        std::iter::successors(Some(FIRST_HOP), |added| Some(added * FURTHER)).take(hops).sum();
    LOCAL * (1.0 + added)
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// Hops from one node to each, breadth first; nodes that no link leads to are 0 hops away.
fn hops(nodes: usize, links: &[(u32, u32)], from: usize) -> Vec<usize> {
    let mut hops = vec![0; nodes];
    let mut seen = vec![false; nodes];
    seen[from] = true;
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for &(a, b) in links {
            let (a, b) = (a as usize, b as usize);
            let next = if a == at { b } else { a };
            if (a == at || b == at) && !seen[next] {
                (seen[next], hops[next]) = (true, hops[at] + 1);
                queue.push_back(next);
            }
        }
    }
    hops
}
