//! Whether what firmware claims of distances holds.

use std::collections::BTreeSet;

use nearfar_diagnose::Performance;
use nearfar_infer::NodeCosts;
use nearfar_infer::claims::{Check, Claim, Kind, Tally, check};
use nearfar_infer::classes::Class;
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
    /// "slit" or "hmat-latency".
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
}

/// One cell of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedCell {
    /// The node of the CPUs.
    pub cpu_node: u32,
    /// The node of the memory.
    pub memory_node: u32,
    /// What is claimed: of a SLIT times the own memory, else nanoseconds.
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
    pub(super) fn of(claims: &Claims, costs: &NodeCosts, classes: &[Class], seed: u64) -> Option<Self> {
        let slit = claims.distances.as_ref().map(|distances| {
            let nodes: Vec<u32> = distances.nodes().iter().map(|node| node.0).collect();
            Claim::slit(&nodes, distances.rows())
        });
        let all = slit.into_iter().chain(claims.hmat.as_ref().and_then(latencies));
        let checks: Vec<CheckedClaim> =
            all.map(|claim| CheckedClaim::of(&check(&claim, costs, classes, seed))).collect();
        (!checks.is_empty()).then_some(Self { checks })
    }

    /// What is wrong with any of them.
    pub fn findings(&self) -> impl Iterator<Item = &str> {
        self.checks.iter().flat_map(|check| check.findings.iter().map(String::as_str))
    }
}

/// What HMAT claims of reading, as a matrix.
fn latencies(hmat: &Performance) -> Option<Claim> {
    let told: Vec<(u32, u32, f64)> = hmat
        .cells
        .iter()
        .filter_map(|cell| Some((cell.initiator.0, cell.target.0, cell.read_latency_ns? as f64)))
        .collect();
    let distinct = |of: fn(&(u32, u32, f64)) -> u32| -> Vec<u32> {
        told.iter().map(of).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let (cpu_nodes, memory_nodes) = (distinct(|cell| cell.0), distinct(|cell| cell.1));
    let figure = |cpus: u32, memory: u32| told.iter().find(|cell| (cell.0, cell.1) == (cpus, memory));
    let row = |&cpus: &u32| {
        memory_nodes.iter().map(|&memory| figure(cpus, memory).map_or(0.0, |cell| cell.2)).collect::<Vec<f64>>()
    };
    let figures = cpu_nodes.iter().map(row).collect();
    (!told.is_empty()).then_some(Claim { kind: Kind::HmatLatency, cpu_nodes, memory_nodes, figures })
}

impl CheckedClaim {
    fn of(check: &Check) -> Self {
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
            claim: if check.kind == Kind::Slit { "slit" } else { "hmat-latency" }.to_owned(),
            cells: check.cells.iter().map(cell).collect(),
            equal: tally(check.equal),
            ordered: tally(check.ordered),
            rank: check.rank.map(|rank| Ranked { tau: rank.tau, p: rank.p }),
            findings: check.findings.iter().map(|finding| sentence(finding, check.kind)).collect(),
        }
    }
}
