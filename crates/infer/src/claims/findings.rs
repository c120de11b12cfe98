//! Contradictions of a claim, as data: nearfar-report makes sentences of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pairs::{ClaimOutcome, ClaimedPair, PairCounts};
use super::{
    ALPHA, CellCheck, ClaimKind, DistanceClaim, EQUAL_WITHIN, RankCorrelation, WORTH_REPORTING,
};
use crate::classes::LatencyClass;
use crate::node_costs::{NodeCosts, mean_of};

/// One contradiction. Ratios are of costs, far to near.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum ClaimFinding {
    /// Claimed distances differ, and all measured distances are equal.
    Uniform {
        /// The largest claimed ratio of two memories in one row.
        claimed: f64,
        /// The largest measured one.
        measured: f64,
    },
    /// All remote nodes have one claimed distance, and several classes: the table has placeholders.
    Placeholder {
        /// The figure of all remote cells.
        figure: f64,
        /// The mean cost of its cells in each class, in nanoseconds.
        costs: Vec<f64>,
        /// An example of the nearer ones: node of the CPUs, node of the memory.
        nearer: Option<[u32; 2]>,
    },
    /// A node's local memory is not its nearest.
    LocalNotNearest {
        /// The node.
        node: u32,
        /// The node with nearer memory.
        nearer: u32,
        /// The ratio of local to nearest cost.
        ratio: f64,
        /// Its 95 % interval.
        ci95: [f64; 2],
    },
    /// One figure for memories of several classes.
    ClassesMerged {
        /// The figure.
        figure: f64,
        /// The mean cost of its cells in each class, in nanoseconds.
        costs: Vec<f64>,
        /// An example of the nearer ones: node of the CPUs, node of the memory.
        nearer: Option<[u32; 2]>,
    },
    /// The memory that is claimed to be nearer is farther.
    OrderInverted {
        /// The node of the CPUs.
        cpus: u32,
        /// The memory claimed to be nearer.
        claimed_nearer: u32,
        /// The memory that is nearer.
        nearer: u32,
        /// The ratio of costs.
        ratio: f64,
        /// Its 95 % interval.
        ci95: [f64; 2],
    },
    /// Equal claims for memories with different costs.
    EqualDiffers {
        /// The node of the CPUs.
        cpus: u32,
        /// The nearer memory.
        nearer: u32,
        /// The farther one.
        farther: u32,
        /// The ratio of costs.
        ratio: f64,
        /// Its 95 % interval.
        ci95: [f64; 2],
    },
    /// A figure that is wrong in all its cells.
    Off {
        /// The claim: for a SLIT, a multiple of the local distance; else the figure.
        claimed: f64,
        /// The measurement in the first of the cells.
        measured: f64,
        /// The cells, the most wrong one first: node of the CPUs, node of the memory.
        cells: Vec<[u32; 2]>,
    },
    /// Claimed to be unreachable, and reached.
    #[serde(rename = "no-way-claimed")]
    NoPathClaimed {
        /// The node of the CPUs.
        cpus: u32,
        /// The node of the memory.
        memory: u32,
    },
    /// The claimed order of distances agrees with measurements no better than chance.
    OrderByChance {
        /// Kendall's tau and its p.
        rank: RankCorrelation,
    },
}

impl ClaimFinding {
    /// The size of the contradiction: the logarithm of the wrong ratio. Uniform machines and
    /// placeholders precede all single figures.
    pub(super) fn strength(&self) -> f64 {
        match self {
            Self::Uniform { claimed, .. } => 100.0 + claimed.ln(),
            Self::Placeholder { costs, .. } => 50.0 + spread(costs),
            Self::LocalNotNearest { ratio, .. } => 10.0 + ratio.ln(),
            Self::OrderByChance { .. } => 5.0,
            Self::OrderInverted { ratio, .. } => 1.0 + ratio.ln(),
            Self::ClassesMerged { costs, .. } => spread(costs),
            Self::EqualDiffers { ratio, .. } => ratio.ln(),
            Self::Off { claimed, measured, .. } => (measured / claimed).ln().abs(),
            Self::NoPathClaimed { .. } => 3.0,
        }
    }

    /// The same for a kind of claim. Memory with equal bandwidth may still have different latency,
    /// so a table of bandwidths alone does not show that placement is irrelevant.
    pub(super) fn strength_in(&self, kind: ClaimKind) -> f64 {
        match self {
            Self::Uniform { claimed, .. } if kind == ClaimKind::HmatBandwidth => claimed.ln(),
            _ => self.strength(),
        }
    }
}

fn spread(costs: &[f64]) -> f64 {
    let low = costs.iter().copied().fold(f64::INFINITY, f64::min);
    (costs.iter().copied().fold(low, f64::max) / low).ln()
}

/// All findings, strongest first.
pub(super) fn of(
    claim: &DistanceClaim,
    costs: &NodeCosts,
    classes: &[LatencyClass],
    pairs: &[ClaimedPair],
    cells: &[CellCheck],
    rank: Option<RankCorrelation>,
) -> Vec<ClaimFinding> {
    if let Some(uniform) = uniform(claim, pairs) {
        return [vec![uniform], no_way(claim, costs)].concat();
    }
    let mut findings = merged(claim, costs, classes);
    let is_merged = is_merged(claim, &findings);
    findings.extend(
        worst_by_row(pairs, |pair| !pair.claimed_equal && pair.near == pair.cpus).map(inverted),
    );
    findings.extend(
        worst_by_row(pairs, |pair| !pair.claimed_equal && pair.near != pair.cpus).map(inverted),
    );
    findings
        .extend(worst_by_row(pairs, |pair| pair.claimed_equal && !is_merged(pair)).map(differing));
    findings.extend(off(cells));
    findings.extend(no_way(claim, costs));
    findings.extend(rank.and_then(|rank| by_chance(rank, pairs)));
    findings.sort_by(|a, b| b.strength().total_cmp(&a.strength()));
    findings
}

/// No agreement of the order, where most of it could be measured: distances too close to be ordered
/// agree with no claim.
fn by_chance(rank: RankCorrelation, pairs: &[ClaimedPair]) -> Option<ClaimFinding> {
    let ordered = PairCounts::from_pairs(
        pairs
            .iter()
            .filter(|pair| !pair.claimed_equal && pair.near != pair.cpus && pair.far != pair.cpus),
    );
    let is_mostly_decided =
        ordered.refuted > 0 && ordered.confirmed + ordered.refuted > ordered.open;
    let is_not_found = rank.tau <= 0.0 && rank.p.is_some_and(|p| p > ALPHA);
    (is_mostly_decided && is_not_found).then_some(ClaimFinding::OrderByChance { rank })
}

/// Different claims where all pairs are shown to be equal.
fn uniform(claim: &DistanceClaim, pairs: &[ClaimedPair]) -> Option<ClaimFinding> {
    let figures = |pair: &ClaimedPair| {
        let (near, far) = (claim.figure(pair.cpus, pair.near)?, claim.figure(pair.cpus, pair.far)?);
        Some([near.max(far), near.min(far)])
    };
    let claimed = || pairs.iter().filter_map(figures);
    let least = claimed().map(|[larger, smaller]| claim.least_ratio(larger, smaller));
    let is_claimed = least.fold(1.0, f64::max) > EQUAL_WITHIN;
    let claimed = claimed().map(|[larger, smaller]| larger / smaller).fold(1.0, f64::max);
    let measured = pairs.iter().map(|pair| pair.log_ratio.abs()).fold(0.0, f64::max).exp();
    (is_claimed && pairs.iter().all(|pair| pair.alike))
        .then_some(ClaimFinding::Uniform { claimed, measured })
}

/// Figures for memories of several classes, if some CPUs see two of them.
fn merged(claim: &DistanceClaim, costs: &NodeCosts, classes: &[LatencyClass]) -> Vec<ClaimFinding> {
    // Figures are positive, so that their bits have the same order.
    let mut by_figure: BTreeMap<u64, Vec<FigureInClass>> = BTreeMap::new();
    for (class, measured) in classes.iter().enumerate() {
        let mut cells: BTreeMap<u64, Vec<[u32; 2]>> = BTreeMap::new();
        for &cell in measured.cells.iter().filter(|[cpus, memory]| cpus != memory) {
            if let Some(figure) = claim.figure(cell[0], cell[1]) {
                cells.entry(figure.to_bits()).or_default().push(cell);
            }
        }
        for (figure, cells) in cells {
            by_figure.entry(figure).or_default().push(FigureInClass { class, cells });
        }
    }
    let only = by_figure.len() == 1 && claim.memory_nodes.len() > 2;
    let seen_apart = by_figure
        .into_iter()
        .map(|(figure, places)| (f64::from_bits(figure), places))
        .filter(|(figure, places)| are_seen_apart(places, classes, claim.resolution(*figure)));
    seen_apart
        .map(|(figure, places)| {
            let costs = places.iter().map(|place| place.cost(costs)).collect();
            let nearer = places.first().and_then(|place| place.cells.first()).copied();
            match only {
                true => ClaimFinding::Placeholder { figure, costs, nearer },
                false => ClaimFinding::ClassesMerged { figure, costs, nearer },
            }
        })
        .collect()
}

/// The cells of one class that have one figure.
struct FigureInClass {
    class: usize,
    cells: Vec<[u32; 2]>,
}

impl FigureInClass {
    /// Their cost: that of the class has cells with other figures.
    fn cost(&self, costs: &NodeCosts) -> f64 {
        let logs = self.cells.iter().filter_map(|&[cpus, memory]| costs.cost(cpus, memory));
        mean_of(logs.map(f64::ln)).exp()
    }
}

/// Whether the CPUs of one node have this figure for memories of two classes that differ by more
/// than the table can express.
fn are_seen_apart(places: &[FigureInClass], classes: &[LatencyClass], resolution: f64) -> bool {
    let mut seen: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
    for place in places {
        for [cpus, _] in &place.cells {
            let [_, last] = seen.entry(*cpus).or_insert([place.class; 2]);
            *last = place.class;
        }
    }
    let ratio = |[near, far]: [usize; 2]| classes[far].cost_ns / classes[near].cost_ns;
    seen.into_values().any(|ends| ends[0] != ends[1] && ratio(ends) > resolution)
}

/// Whether both memories of a pair have one figure that is already reported for several classes.
fn is_merged<'a>(
    claim: &'a DistanceClaim,
    merged: &[ClaimFinding],
) -> impl Fn(&ClaimedPair) -> bool + use<'a> {
    let figure = |finding: &ClaimFinding| match finding {
        ClaimFinding::Placeholder { figure, .. } | ClaimFinding::ClassesMerged { figure, .. } => {
            Some(*figure)
        }
        _ => None,
    };
    let figures: Vec<f64> = merged.iter().filter_map(figure).collect();
    move |pair| claim.figure(pair.cpus, pair.near).is_some_and(|figure| figures.contains(&figure))
}

/// Figures that exceed the tolerance, each once.
fn off(cells: &[CellCheck]) -> Vec<ClaimFinding> {
    let mut by_figure: BTreeMap<u64, Vec<&CellCheck>> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.agrees == Some(false)) {
        by_figure.entry(cell.claimed.to_bits()).or_default().push(cell);
    }
    let off_by = |cell: &CellCheck| (cell.measured / cell.claimed).ln().abs();
    let finding = |mut cells: Vec<&CellCheck>| {
        cells.sort_by(|a, b| off_by(b).total_cmp(&off_by(a)));
        ClaimFinding::Off {
            claimed: cells[0].claimed,
            measured: cells[0].measured,
            cells: cells.iter().map(|cell| [cell.cpu_node, cell.memory_node]).collect(),
        }
    };
    by_figure.into_values().map(finding).collect()
}

/// The refuted pair with the largest ratio, for each row.
fn worst_by_row(
    pairs: &[ClaimedPair],
    which: impl Fn(&ClaimedPair) -> bool,
) -> impl Iterator<Item = &ClaimedPair> {
    let mut worst: BTreeMap<u32, &ClaimedPair> = BTreeMap::new();
    let refuted = pairs.iter().filter(|pair| pair.outcome == ClaimOutcome::Refuted && which(pair));
    for pair in refuted.filter(|pair| pair.log_ratio.abs() >= WORTH_REPORTING.ln()) {
        let kept = worst.entry(pair.cpus).or_insert(pair);
        if pair.log_ratio.abs() > kept.log_ratio.abs() {
            *kept = pair;
        }
    }
    worst.into_values()
}

/// A pair with a claimed order, and the opposite one measured.
fn inverted(pair: &ClaimedPair) -> ClaimFinding {
    let &ClaimedPair { cpus, near, far, .. } = pair;
    let (ratio, ci95) = ((-pair.log_ratio).exp(), turned(pair.ci95));
    match near == cpus {
        true => ClaimFinding::LocalNotNearest { node: cpus, nearer: far, ratio, ci95 },
        false => {
            ClaimFinding::OrderInverted { cpus, claimed_nearer: near, nearer: far, ratio, ci95 }
        }
    }
}

fn differing(pair: &ClaimedPair) -> ClaimFinding {
    let turn = pair.log_ratio < 0.0;
    let (nearer, farther) = if turn { (pair.far, pair.near) } else { (pair.near, pair.far) };
    let ci95 = if turn { turned(pair.ci95) } else { pair.ci95.map(f64::exp) };
    ClaimFinding::EqualDiffers {
        cpus: pair.cpus,
        nearer,
        farther,
        ratio: pair.log_ratio.abs().exp(),
        ci95,
    }
}

/// The interval of the inverse ratio.
fn turned([low, high]: [f64; 2]) -> [f64; 2] {
    [(-high).exp(), (-low).exp()]
}

fn no_way(claim: &DistanceClaim, costs: &NodeCosts) -> Vec<ClaimFinding> {
    let cells = costs.known().map(|cell| costs.nodes_of(cell));
    let none = cells.filter(|&[cpus, memory]| {
        claim.entry(cpus, memory).is_some_and(|figure| claim.is_unreachable(figure))
    });
    none.map(|[cpus, memory]| ClaimFinding::NoPathClaimed { cpus, memory }).collect()
}
