//! Whether what firmware claims of distances holds.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_diagnose::{Performance, PerformanceCell};
use nearfar_infer::NodeCosts;
use nearfar_infer::claims::{Check, Claim, Finding, Kind, Tally, check};
use nearfar_infer::classes::Class;
use nearfar_model::NodeId;
use serde::{Deserialize, Serialize};

use super::findings::sentence;
use crate::Claims;

/// Each claim held against the measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimsMeasured {
    /// One for each table.
    pub checks: Vec<CheckedClaim>,
}

/// A table of claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedClaim {
    /// "slit", "hmat-latency" or "hmat-bandwidth": the HMAT's figures are those of reads.
    pub claim: String,
    /// Cell by cell.
    pub cells: Vec<CheckedCell>,
    /// Pairs of memories claimed to be as far as each other from one node's CPUs.
    pub equal: Confirmed,
    /// Pairs of memories of which one is claimed to be nearer.
    pub ordered: Confirmed,
    /// How much of the claimed order of all distances is found; null where the claim has none.
    pub rank: Option<Ranked>,
    /// What is wrong, one sentence each, strongest first. Empty where nothing is.
    pub findings: Vec<String>,
    /// How much is wrong, of each of them: the logarithm of how far it leads astray, and above 1 what is wrong in kind. Earlier documents
    /// tell none.
    #[serde(default)]
    pub strengths: Vec<f64>,
}

/// One cell of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedCell {
    /// The node of the CPUs.
    pub cpu_node: u32,
    /// The node of the memory.
    pub memory_node: u32,
    /// What is claimed: of a SLIT times the own memory, else nanoseconds, or bytes a second.
    pub claimed: f64,
    /// The same as measured.
    pub measured: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
    /// Whether they agree; null where the measurements do not tell.
    pub agrees: Option<bool>,
}

/// How many claims were shown to hold, and how many not to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Confirmed {
    /// Shown to hold.
    pub confirmed: usize,
    /// Shown not to.
    pub refuted: usize,
    /// Not told.
    pub open: usize,
}

/// Kendall's tau-b of claimed and measured distances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ranked {
    /// 1 where all pairs are in the claimed order, 0 where as many are inverted.
    pub tau: f64,
    /// How often nodes under exchanged names agree with the claim as well; null with too few nodes to exchange.
    pub p: Option<f64>,
}

impl ClaimsMeasured {
    /// What is wrong with any of them, and how much, strongest first.
    pub fn findings(&self) -> Vec<(f64, &str)> {
        let mut findings: Vec<(f64, &str)> = self
            .checks
            .iter()
            .flat_map(|check| {
                let strengths = check.strengths.iter().copied().chain(std::iter::repeat(0.0));
                strengths.zip(check.findings.iter().map(String::as_str))
            })
            .collect();
        findings.sort_by(|a, b| b.0.total_cmp(&a.0));
        findings
    }
}

/// What is claimed of latency, checked.
pub(super) fn latency(claims: &Claims, costs: &NodeCosts, classes: &[Class], seed: u64) -> Vec<CheckedClaim> {
    let slit = claims.distances.as_ref().map(|distances| {
        let nodes: Vec<u32> = distances.nodes().iter().map(|node| node.0).collect();
        Claim::slit(&nodes, distances.rows())
    });
    let hmat = claims.hmat.as_ref().and_then(|hmat| table(hmat, Kind::HmatLatency, |cell| cell.read_latency_ns));
    slit.into_iter().chain(hmat).map(|claim| CheckedClaim::of(&check(&claim, costs, classes, seed), classes)).collect()
}

/// What is claimed of bandwidth, checked. (Memories of several distances may well be equally wide: classes have no part in it.)
pub(super) fn bandwidth(claims: &Claims, costs: &NodeCosts, seed: u64) -> Option<CheckedClaim> {
    let hmat = claims.hmat.as_ref()?;
    let claim = table(hmat, Kind::HmatBandwidth, |cell| cell.read_bandwidth_bytes_per_s)?;
    let checked = check(&claim, costs, &[], seed);
    (!checked.cells.is_empty()).then(|| CheckedClaim::of(&checked, &[]))
}

/// What HMAT claims of reading, as a matrix; none where it claims nothing of the kind.
fn table(hmat: &Performance, kind: Kind, figure: fn(&PerformanceCell) -> Option<u64>) -> Option<Claim> {
    let claimed = |cell| Some((cell, figure(cell)? as f64));
    let told: Vec<(&PerformanceCell, f64)> = hmat.cells.iter().filter_map(claimed).collect();
    let distinct = |of: fn(&PerformanceCell) -> NodeId| -> Vec<u32> {
        told.iter().map(|(cell, _)| of(cell).0).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let (cpu_nodes, memory_nodes) = (distinct(|cell| cell.initiator), distinct(|cell| cell.target));
    let by_nodes: BTreeMap<(u32, u32), f64> =
        told.iter().map(|(cell, figure)| ((cell.initiator.0, cell.target.0), *figure)).collect();
    let row = |&cpus: &u32| {
        memory_nodes.iter().map(|&memory| by_nodes.get(&(cpus, memory)).copied().unwrap_or(0.0)).collect::<Vec<f64>>()
    };
    let figures = cpu_nodes.iter().map(row).collect();
    (!told.is_empty()).then_some(Claim { kind, cpu_nodes, memory_nodes, figures })
}

impl CheckedClaim {
    fn of(check: &Check, classes: &[Class]) -> Self {
        let tally = |tally: Tally| Confirmed { confirmed: tally.confirmed, refuted: tally.refuted, open: tally.open };
        let cell = |cell: &nearfar_infer::claims::CellCheck| CheckedCell {
            cpu_node: cell.cpus,
            memory_node: cell.memory,
            claimed: cell.claimed,
            measured: cell.measured,
            ci95: cell.ci95,
            agrees: cell.agrees,
        };
        Self {
            claim: name(check.kind).to_owned(),
            cells: check.cells.iter().map(cell).collect(),
            equal: tally(check.equal),
            ordered: tally(check.ordered),
            rank: check.rank.map(|rank| Ranked { tau: rank.tau, p: rank.p }),
            findings: check.findings.iter().map(|finding| sentence(finding, check.kind, classes)).collect(),
            strengths: check.findings.iter().map(|finding| strength(finding, check.kind)).collect(),
        }
    }
}

/// How much is wrong. Memory that is equally wide everywhere may still be near and far: a table of bandwidths alone makes no placing moot.
fn strength(finding: &Finding, kind: Kind) -> f64 {
    match finding {
        Finding::Uniform { claimed, .. } if kind == Kind::HmatBandwidth => claimed.ln(),
        _ => finding.strength(),
    }
}

const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Slit => "slit",
        Kind::HmatLatency => "hmat-latency",
        Kind::HmatBandwidth => "hmat-bandwidth",
    }
}
