//! Comparison of firmware's claims about distances with measurements.
//!
//! For each CPU node and two memories, the table claims equal distances, or an order. An
//! equivalence test (two one-sided tests, 5 %) confirms equality. A sign test over rounds confirms
//! an order, if the scatter between processes allows it, too. For each cell, the table claims a
//! multiple of the local distance (SLIT), or nanoseconds or bytes a second (HMAT); an interval
//! checks this. For the whole table, Kendall's tau measures the agreement of the orders, and
//! permuted node labels give its p-value.
//!
//! For each kind of test (pairs contradicted, orders confirmed, wrong figures) in each table,
//! Holm's correction limits the rate of any false result to 5 %. Above 16 nodes, Benjamini and
//! Hochberg's correction limits the share of false results instead.

mod findings;
mod pairs;
mod placement;
mod rank;
mod ratios;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::classes::LatencyClass;
use crate::many_tests::{benjamini_hochberg, holm};
use crate::node_costs::NodeCosts;

pub use crate::evidence::WORTH_REPORTING;
pub use findings::ClaimFinding;
pub use pairs::PairCounts;
pub use placement::ClaimPlacement;
pub use rank::{RankCorrelation, rank};
pub use ratios::CellCheck;

/// The rate of false refutations.
pub const ALPHA: f64 = 0.05;
/// Memories with equal claims may differ by this ratio (5 %).
pub const EQUAL_WITHIN: f64 = 1.05;
/// A SLIT has whole tenths of the local distance: 12 stands for 11.5 to 12.5.
const ROUNDING: f64 = 0.5;
/// Above this number of nodes, the share of false refutations is limited instead of their rate.
const MANY_NODES: usize = 16;

/// The kind of the claimed figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// SLIT: tenths of the local distance. 255 is unreachable.
    Slit,
    /// HMAT: latencies, in the unit of the measured ones.
    HmatLatency,
    /// HMAT: bandwidths, in the unit of the measured ones.
    HmatBandwidth,
}

impl ClaimKind {
    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slit => "slit",
            Self::HmatLatency => "hmat-latency",
            Self::HmatBandwidth => "hmat-bandwidth",
        }
    }

    /// The accepted factors of a measured figure below and above the claimed one.
    pub const fn tolerance(self) -> [f64; 2] {
        match self {
            Self::Slit => [0.8, 1.25],
            Self::HmatLatency | Self::HmatBandwidth => [0.75, 1.25],
        }
    }
}

/// The claims of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceClaim {
    /// The kind of the figures.
    pub kind: ClaimKind,
    /// Nodes of the rows, whose CPUs read.
    pub cpu_nodes: Vec<u32>,
    /// Nodes of the columns, whose memory is read.
    pub memory_nodes: Vec<u32>,
    /// `[row][column]`. Missing figures and those not above zero are no claims.
    pub figures: Vec<Vec<f64>>,
}

impl DistanceClaim {
    /// A table of distances, in the order of its nodes.
    pub fn slit(nodes: &[u32], rows: &[Vec<u32>]) -> Self {
        let figures = rows
            .iter()
            .map(|row| row.iter().map(|&distance| f64::from(distance)).collect())
            .collect();
        Self {
            kind: ClaimKind::Slit,
            cpu_nodes: nodes.to_vec(),
            memory_nodes: nodes.to_vec(),
            figures,
        }
    }

    /// The claim about a node's CPUs and a node's memory.
    pub fn figure(&self, cpu_node: u32, memory_node: u32) -> Option<f64> {
        let is_claimed =
            |figure: &f64| *figure > 0.0 && figure.is_finite() && !self.is_unreachable(*figure);
        self.entry(cpu_node, memory_node).filter(is_claimed)
    }

    /// The table's entry, valid or not.
    fn entry(&self, cpu_node: u32, memory_node: u32) -> Option<f64> {
        let row = self.cpu_nodes.iter().position(|&node| node == cpu_node)?;
        let column = self.memory_nodes.iter().position(|&node| node == memory_node)?;
        self.figures.get(row)?.get(column).copied()
    }

    fn is_unreachable(&self, figure: f64) -> bool {
        self.kind == ClaimKind::Slit && figure >= 255.0
    }

    /// By how much memories with this figure may differ: tables of small integers round.
    fn resolution(&self, figure: f64) -> f64 {
        match self.kind {
            ClaimKind::Slit => (figure + ROUNDING) / (figure - ROUNDING),
            ClaimKind::HmatLatency | ClaimKind::HmatBandwidth => 1.0,
        }
    }

    /// The least ratio of two memories that a larger and a smaller figure claim.
    fn least_ratio(&self, larger: f64, smaller: f64) -> f64 {
        match self.kind {
            ClaimKind::Slit => (larger - ROUNDING) / (smaller + ROUNDING),
            ClaimKind::HmatLatency | ClaimKind::HmatBandwidth => larger / smaller,
        }
    }

    /// Whether a larger figure means nearer memory.
    fn more_is_nearer(&self) -> bool {
        self.kind == ClaimKind::HmatBandwidth
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClaimCheck {
    /// "slit", "hmat-latency" or "hmat-bandwidth": the HMAT's figures are those of reads.
    #[serde(rename = "claim")]
    pub kind: ClaimKind,
    /// Results for each cell.
    pub cells: Vec<CellCheck>,
    /// Pairs of memories with equal claims, for one CPU node each.
    pub equal: PairCounts,
    /// Pairs of memories with different claims.
    pub ordered: PairCounts,
    /// Agreement of the whole order of distances; null where the claims have no order.
    pub rank: Option<RankCorrelation>,
    /// Contradictions, strongest first.
    pub findings: Vec<ClaimFinding>,
    /// The strength of each finding: the logarithm of the wrong ratio, and above 1 for faults in
    /// kind.
    #[serde(default)]
    pub strengths: Vec<f64>,
    /// The placement that follows from each finding; null where none does.
    #[serde(default)]
    pub placements: Vec<Option<ClaimPlacement>>,
}

/// A finding, with what a sentence about it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contradiction<'c> {
    /// The table.
    pub kind: ClaimKind,
    /// The finding.
    pub finding: &'c ClaimFinding,
    /// The table's cells, with the figure of each.
    pub cells: &'c [CellCheck],
    /// What to do.
    pub placement: Option<&'c ClaimPlacement>,
    /// See [`ClaimCheck::strengths`].
    pub strength: f64,
}

impl ClaimCheck {
    /// The findings, strongest first.
    pub fn contradictions(&self) -> impl Iterator<Item = Contradiction<'_>> {
        self.findings.iter().enumerate().map(|(at, finding)| Contradiction {
            kind: self.kind,
            finding,
            cells: &self.cells,
            placement: self.placements.get(at).and_then(Option::as_ref),
            strength: self.strengths.get(at).copied().unwrap_or_default(),
        })
    }
}

/// Compares claims with measurements. `classes` are those of the same measurements, as far as they
/// are known.
pub fn check(
    claim: &DistanceClaim,
    costs: &NodeCosts,
    classes: &[LatencyClass],
    seed: u64,
) -> ClaimCheck {
    let pairs = pairs::judge(claim, costs);
    let cells = ratios::judge(claim, costs);
    let rank = rank(claim, costs, seed);
    let findings = findings::of(claim, costs, classes, &pairs, &cells, rank);
    let strengths = findings.iter().map(|finding| finding.strength_in(claim.kind)).collect();
    let placements =
        findings.iter().map(|finding| placement::of(finding, claim.kind, costs)).collect();
    ClaimCheck {
        kind: claim.kind,
        cells,
        equal: PairCounts::from_pairs(pairs.iter().filter(|pair| pair.claimed_equal)),
        ordered: PairCounts::from_pairs(pairs.iter().filter(|pair| !pair.claimed_equal)),
        rank,
        findings,
        strengths,
        placements,
    }
}

/// The refuted tests, corrected for their number.
fn refuted(ps: &[f64], nodes: usize) -> Vec<bool> {
    if nodes > MANY_NODES { benjamini_hochberg(ps, ALPHA) } else { holm(ps, ALPHA) }
}
