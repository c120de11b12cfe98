//! Costs of machines of each family.

use fastrand::Rng;

use super::Family;
use crate::machine::NumberMatrix;

/// The most nodes of a machine.
const MAX_NODES: usize = 8;

/// What a machine consists of, and what its memory costs.
pub(super) struct DrawnCosts {
    pub(super) packages: usize,
    /// Nodes with CPUs come first; as many rows.
    pub(super) with_cpus: usize,
    pub(super) nodes: usize,
    /// A node with CPUs that has no memory.
    pub(super) memoryless: Option<usize>,
    /// Nodes with CPUs by all nodes, in ns.
    pub(super) ns: NumberMatrix,
}

/// Nodes with CPUs in packages, near in one and farther beyond it, then memory without CPUs.
struct Plan {
    packages: usize,
    per_package: usize,
    without_cpus: usize,
    /// Ratios to local: within a package, beyond it, and of memory without CPUs from its nearest
    /// package and from others.
    ratios: [f64; 4],
}

/// A number from `low` to `high`.
pub(super) fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

impl Plan {
    /// 2 to 8 nodes with CPUs.
    fn drawn(rng: &mut Rng) -> Self {
        let packages = rng.usize(1..=4);
        let least = if packages == 1 { 2 } else { 1 };
        let per_package = rng.usize(least..=(MAX_NODES / packages).min(4));
        let near = between(rng, 1.12, 1.6);
        let far = near * between(rng, 1.15, 1.9);
        Self { packages, per_package, without_cpus: 0, ratios: [near, far, 1.0, 1.0] }
    }

    fn with_cpus(&self) -> usize {
        self.packages * self.per_package
    }

    /// Routes of one kind are not quite alike, and the same both ways.
    fn costs(&self, rng: &mut Rng) -> DrawnCosts {
        let local = between(rng, 70.0, 130.0);
        let with_cpus = self.with_cpus();
        let nodes = with_cpus + self.without_cpus;
        let package = |node: usize| {
            if node < with_cpus {
                node / self.per_package
            } else {
                (node - with_cpus) % self.packages
            }
        };
        let mut ns = vec![vec![0.0; nodes]; with_cpus];
        let pairs = (0..with_cpus).flat_map(|a| (a..nodes).map(move |b| (a, b)));
        for (a, b) in pairs {
            let is_near = package(a) == package(b);
            let ratio = match (b < with_cpus, is_near) {
                _ if a == b => 1.0,
                (true, true) => self.ratios[0],
                (true, false) => self.ratios[1],
                (false, true) => self.ratios[2],
                (false, false) => self.ratios[3],
            };
            ns[a][b] = local * ratio * between(rng, 0.99, 1.01);
            if b < with_cpus {
                ns[b][a] = ns[a][b];
            }
        }
        DrawnCosts { packages: self.packages, with_cpus, nodes, memoryless: None, ns }
    }
}

/// The costs of a machine of a family; of [`Family::Mixed`] those of shown nodes.
pub(super) fn costs(rng: &mut Rng, family: Family) -> DrawnCosts {
    match family {
        Family::OwnNotNearest => own_not_nearest(rng),
        Family::OneDirection => one_direction(rng),
        Family::SlowNode => slow_node(rng),
        Family::SubNuma => sub_numa(rng),
        Family::Cxl => without_cpus(rng, [1.4, 3.0]),
        Family::Hbm if rng.u8(..3) == 0 => without_cpus(rng, [1.0, 1.0]),
        Family::Hbm => without_cpus(rng, [0.75, 1.0]),
        Family::Memoryless => memoryless(rng),
        Family::AllEqual => all_equal(rng),
        Family::Mixed | Family::TrueClaims | Family::Lies => Plan::drawn(rng).costs(rng),
    }
}

fn own_not_nearest(rng: &mut Rng) -> DrawnCosts {
    let mut drawn = Plan::drawn(rng).costs(rng);
    let slower = between(rng, 1.05, 1.5);
    let only = rng.bool().then(|| rng.usize(..drawn.with_cpus));
    for node in (0..drawn.with_cpus).filter(|node| only.is_none_or(|only| only == *node)) {
        let others = (0..drawn.nodes).filter(|other| *other != node);
        let nearest = others.map(|other| drawn.ns[node][other]).fold(f64::INFINITY, f64::min);
        drawn.ns[node][node] = slower * nearest;
    }
    drawn
}

fn one_direction(rng: &mut Rng) -> DrawnCosts {
    let mut drawn = Plan::drawn(rng).costs(rng);
    let mut pairs: Vec<(usize, usize)> = (0..drawn.with_cpus)
        .flat_map(|a| (0..drawn.with_cpus).map(move |b| (a, b)))
        .filter(|(a, b)| a != b)
        .collect();
    rng.shuffle(&mut pairs);
    let slower = between(rng, 1.1, 2.0);
    let count = if rng.bool() { 1 } else { rng.usize(1..=pairs.len() / 2) };
    for (a, b) in pairs.into_iter().take(count) {
        drawn.ns[a][b] *= slower;
    }
    drawn
}

fn slow_node(rng: &mut Rng) -> DrawnCosts {
    let mut drawn = Plan::drawn(rng).costs(rng);
    let node = rng.usize(..drawn.with_cpus);
    let (slower, slower_cpus) = (between(rng, 1.1, 1.9), between(rng, 1.05, 1.4));
    drawn.ns.iter_mut().for_each(|row| row[node] *= slower);
    if rng.bool() {
        drawn.ns[node].iter_mut().for_each(|cost| *cost *= slower_cpus);
    }
    drawn
}

fn sub_numa(rng: &mut Rng) -> DrawnCosts {
    let near = between(rng, 1.03, 1.15);
    let far = near * between(rng, 1.4, 2.1);
    let (packages, per_package) = (rng.usize(1..=2), rng.usize(2..=4));
    Plan { packages, per_package, without_cpus: 0, ratios: [near, far, 1.0, 1.0] }.costs(rng)
}

/// Memory without CPUs with this ratio to local, farther from other packages.
fn without_cpus(rng: &mut Rng, [low, high]: [f64; 2]) -> DrawnCosts {
    let mut plan = Plan::drawn(rng);
    if rng.u8(..4) == 0 {
        (plan.packages, plan.per_package) = (1, 1);
    }
    plan.per_package = plan.per_package.min(((MAX_NODES - 1) / plan.packages).max(1));
    let room = MAX_NODES - plan.with_cpus();
    plan.without_cpus = rng.usize(1..=room.min(3));
    plan.ratios[2] = between(rng, low, high);
    plan.ratios[3] = plan.ratios[2] * between(rng, 1.1, 1.6);
    plan.costs(rng)
}

fn memoryless(rng: &mut Rng) -> DrawnCosts {
    let mut drawn = Plan::drawn(rng).costs(rng);
    if drawn.with_cpus > 2 {
        drawn.memoryless = Some(rng.usize(1..drawn.with_cpus));
    }
    drawn
}

fn all_equal(rng: &mut Rng) -> DrawnCosts {
    let mut drawn = Plan::drawn(rng).costs(rng);
    let local = drawn.ns[0][0];
    drawn.ns.iter_mut().flatten().for_each(|cost| *cost = local);
    drawn
}
