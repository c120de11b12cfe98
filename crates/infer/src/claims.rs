//! Claim against measurement: does what firmware says of distances hold?
//!
//! Cell by cell and over all. Of each two memories that one node's CPUs read, the table says that
//! they are as far as each other, or which is the nearer: the first is confirmed by an equivalence
//! test (two one-sided tests, 5 %), the second by a sign test over rounds, behind which the scatter
//! between processes must stand too. Of each cell it says how many times farther than the own
//! memory it is (SLIT), or how many nanoseconds or bytes a second (HMAT): that is held against an
//! interval. Over all, Kendall's tau says how much of the table's order is found, and permuted node
//! labels how often chance finds as much.
//!
//! Many tests are made: of each kind (pairs contradicted, orders confirmed, figures that are off)
//! in each table, Holm's correction keeps the rate of any false one at 5 %; above 16 nodes
//! Benjamini and Hochberg's keeps the share of false ones there.

mod findings;
mod pairs;
mod rank;
mod ratios;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::classes::LatencyClass;
use crate::many_tests::{benjamini_hochberg, holm};
use crate::node_costs::NodeCosts;

pub use findings::ClaimFinding;
pub use pairs::PairCounts;
pub use rank::{RankCorrelation, rank};
pub use ratios::CellCheck;

/// The rate of false refutations.
pub const ALPHA: f64 = 0.05;
/// What is claimed to be equal may differ by this much (5 %).
pub const EQUAL_WITHIN: f64 = 1.05;
/// A difference smaller than this is not worth a sentence, however certain (2 %).
pub const WORTH_REPORTING: f64 = 1.02;
/// More nodes than this make so many tests that some false refutations are let through.
const MANY_NODES: usize = 16;

/// What kind of figures are claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// SLIT: tenths of the own memory's distance. 255 says that there is no way.
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

    /// By what factors a measured figure may be below and above the claimed one.
    pub const fn tolerance(self) -> [f64; 2] {
        match self {
            Self::Slit => [0.8, 1.25],
            Self::HmatLatency | Self::HmatBandwidth => [0.75, 1.25],
        }
    }
}

/// What is claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceClaim {
    /// Of what.
    pub kind: ClaimKind,
    /// Nodes of the rows, which read.
    pub cpu_nodes: Vec<u32>,
    /// Nodes of the columns, which are read.
    pub memory_nodes: Vec<u32>,
    /// `[row][column]`; what is missing or not above zero is not claimed.
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

    /// What is claimed of a node's CPUs and a node's memory.
    pub fn figure(&self, cpu_node: u32, memory_node: u32) -> Option<f64> {
        let is_claimed =
            |figure: &f64| *figure > 0.0 && figure.is_finite() && !self.is_no_way(*figure);
        self.entry(cpu_node, memory_node).filter(is_claimed)
    }

    /// What the table has there, whatever that says.
    fn entry(&self, cpu_node: u32, memory_node: u32) -> Option<f64> {
        let row = self.cpu_nodes.iter().position(|&node| node == cpu_node)?;
        let column = self.memory_nodes.iter().position(|&node| node == memory_node)?;
        self.figures.get(row)?.get(column).copied()
    }

    fn is_no_way(&self, figure: f64) -> bool {
        self.kind == ClaimKind::Slit && figure >= 255.0
    }

    /// Whether a larger figure is the nearer memory.
    fn more_is_nearer(&self) -> bool {
        self.kind == ClaimKind::HmatBandwidth
    }
}

/// How a claim fares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimCheck {
    /// "slit", "hmat-latency" or "hmat-bandwidth": the HMAT's figures are those of reads.
    #[serde(rename = "claim")]
    pub kind: ClaimKind,
    /// Cell by cell.
    pub cells: Vec<CellCheck>,
    /// Pairs of memories claimed to be as far as each other from one node's CPUs.
    pub equal: PairCounts,
    /// Pairs of memories of which one is claimed to be nearer.
    pub ordered: PairCounts,
    /// How much of the claimed order of all distances is found; null where the claim has none.
    pub rank: Option<RankCorrelation>,
    /// What is wrong, strongest first. Empty where nothing is.
    pub findings: Vec<ClaimFinding>,
    /// How much is wrong, of each of them: the logarithm of how far it leads astray, and above 1
    /// what is wrong in kind. Empty in documents that do not tell.
    #[serde(default)]
    pub strengths: Vec<f64>,
}

/// Holds a claim against measurements. `classes` are those of the same measurements, as far as they
/// could be told.
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
    ClaimCheck {
        kind: claim.kind,
        cells,
        equal: PairCounts::of(pairs.iter().filter(|pair| pair.claimed_equal)),
        ordered: PairCounts::of(pairs.iter().filter(|pair| !pair.claimed_equal)),
        rank,
        findings,
        strengths,
    }
}

/// Which of these tests refute, with as few false ones as their number lets.
fn refuted(ps: &[f64], nodes: usize) -> Vec<bool> {
    if nodes > MANY_NODES { benjamini_hochberg(ps, ALPHA) } else { holm(ps, ALPHA) }
}
