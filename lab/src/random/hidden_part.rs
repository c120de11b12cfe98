//! Machines that hide two to six nodes, searched in all of their memory or in a part, by all CPUs
//! or by some; and every sentence about their nodes against the description.
//!
//! A replay goes through the document and its text, as a real search does.

use std::fmt::Write as _;

use fastrand::Rng;
use nearfar_model::{CpuId, CpuSet};
use nearfar_survey::{Hidden, Survey};
use serde_json::json;

use super::costs::between;
use super::noise::RunningNoise;
use crate::check::judged::{HiddenTruth, Judged, judge_hidden_text};
use crate::machine::{LabMachine, LabMachineError};

/// Pages of a process, processes, and rounds of a process.
const PAGES: usize = 64;
const PROCESSES: u32 = 3;
const ROUNDS: u32 = 4;
/// Memory of a description is a part of a real machine's: 2 GiB stand for 128 GiB.
const SCALE: u64 = 64;
const MAX_MIB: f64 = 2048.0;
const MIB: u64 = 1 << 20;
const HUGE_PAGE: u64 = 2 * MIB;
/// A survey's document without measurements.
const BARE_SURVEY: &str = include_str!("bare_survey.json");

/// A drawn machine, and what a search has of it.
#[derive(Debug)]
pub(crate) struct HiddenMachine {
    pub(crate) machine: LabMachine,
    /// Groups of CPUs, and whether each is measured.
    groups: Vec<(CpuSet, bool)>,
    /// Number of nodes whose pages are seen: the first ones.
    seen: usize,
}

impl HiddenMachine {
    /// The same seed gives the same machine.
    pub(crate) fn drawn(seed: u64) -> Result<Self, LabMachineError> {
        let mut rng = Rng::with_seed(seed ^ 0x6869_6464_656e);
        let with_cpus = rng.usize(2..=6);
        let nodes = with_cpus + rng.usize(0..=2).min(6 - with_cpus);
        let mut per_node = vec![1; with_cpus];
        for _ in 0..rng.usize(0..=6 - with_cpus) {
            per_node[rng.usize(..with_cpus)] += 1;
        }
        let costs = costs(&mut rng, with_cpus, nodes);
        let sizes = sizes(&mut rng, nodes);
        let (mut text, mut groups) = (head(seed, nodes, costs[0][0]), Vec::new());
        for (node, mib) in sizes.iter().enumerate() {
            let count = per_node.get(node).copied().unwrap_or(0);
            let first = 2 * groups.len() as u32;
            for _ in 0..count {
                let cpu = 2 * groups.len() as u32;
                groups.push((CpuSet::from_iter([CpuId(cpu), CpuId(cpu + 1)]), true));
            }
            let cpus = match count {
                0 => String::new(),
                _ => format!("cpus = \"{first}-{}\"\n", 2 * groups.len() - 1),
            };
            let _ = write!(text, "\n[[node]]\nid = {node}\n{cpus}memory = \"{mib}M\"\n");
        }
        text += "\n[latency]\nns = [\n";
        for row in &costs {
            let row: Vec<String> = row.iter().map(|ns| format!("{ns:.1}")).collect();
            let _ = writeln!(text, "  [{}],", row.join(", "));
        }
        text += "]\n\n[firmware]\ndescribes = \"one-node\"\n";
        if groups.len() > 2 && rng.u8(..4) == 0 {
            for _ in 0..rng.usize(1..=groups.len() - 2) {
                let at = rng.usize(..groups.len());
                let left = groups.iter().filter(|(_, measured)| *measured).count();
                groups[at].1 &= left <= 2;
            }
        }
        let seen = if rng.bool() { nodes } else { rng.usize(1..=nodes) };
        let machine = LabMachine::parse(&format!("hidden-{seed}"), "drawn", &text)?;
        Ok(Self { machine, groups, seen })
    }

    /// Whether pages of all nodes are seen, from all CPUs.
    pub(crate) fn is_whole(&self) -> bool {
        self.seen == self.sizes().len() && self.groups.iter().all(|(_, measured)| *measured)
    }

    fn rows(&self) -> Vec<&CpuSet> {
        self.groups.iter().filter(|(_, measured)| *measured).map(|(cpus, _)| cpus).collect()
    }

    fn sizes(&self) -> Vec<u64> {
        let sizes = self.machine.memory_nodes();
        sizes.map(|node| node.memory.map_or(0, |memory| memory.0 * SCALE)).collect()
    }

    /// What a page at this address costs a row.
    fn cost(&self, row: &CpuSet, address: u64) -> f64 {
        let at = self.machine.cpu_nodes().position(|node| !node.cpus.intersection(row).is_empty());
        let costs = self.machine.slowed(&self.machine.latency_ns());
        costs[at.unwrap_or(0)][self.node_at(address)]
    }

    fn node_at(&self, address: u64) -> usize {
        let mut end = 0;
        let node = self.sizes().iter().position(|size| {
            end += size;
            address < end
        });
        node.unwrap_or(0)
    }

    /// The document of a search: one page from each of equal stretches of the memory that is seen.
    fn document(&self, seed: u64) -> serde_json::Value {
        let mut noise = RunningNoise::new(seed);
        let seen: u64 = self.sizes()[..self.seen].iter().sum();
        let rows = self.rows();
        let mut data = Vec::new();
        for process in 0..PROCESSES {
            let stretch = seen / PAGES as u64;
            let pages: Vec<(u64, f64)> = (0..PAGES as u64)
                .map(|page| (page * stretch + noise.rng.u64(..stretch), noise.for_process()))
                .collect();
            let drift: Vec<f64> = rows.iter().map(|_| noise.for_process()).collect();
            for round in ROUNDS * process..ROUNDS * (process + 1) {
                for (row, cpus) in rows.iter().enumerate() {
                    for (column, (address, own)) in pages.iter().enumerate() {
                        let log = own + drift[row] + noise.sample();
                        let ns = self.cost(cpus, *address) * log.exp();
                        let cpu = cpus.first().map_or(0, |cpu| cpu.0);
                        let page = address / HUGE_PAGE;
                        data.push(json!([process, round, row, column, 0, cpu, page, ns]));
                    }
                }
            }
        }
        self.with_samples(&data)
    }

    fn with_samples(&self, data: &[serde_json::Value]) -> serde_json::Value {
        let row = |cpus: &&CpuSet| {
            json!({
                "label": format!("group {cpus}"), "cpus": cpus.to_string(), "node": null,
                "ghz": null, "drift": null,
            })
        };
        let left_out = self.groups.iter().filter(|(_, measured)| !measured);
        let left_out = left_out.fold(CpuSet::new(), |all, (cpus, _)| all.union(cpus));
        let all: u64 = self.sizes().iter().sum();
        let fields = ["process", "round", "row", "column", "treatment", "cpu", "page", "ns"];
        json!({
            "probe": "hidden", "unit": "ns",
            "rows": self.rows().iter().map(row).collect::<Vec<_>>(),
            "columns": [{"label": "all pages", "node": 0, "pages": PAGES, "backing": "thp"}],
            "cells": [], "finding": "undetermined",
            "pages": {
                "finding": "undetermined", "measured": PAGES, "nodes": null, "share": 0.75,
                "first_look": null, "held_bytes": all / 2, "span_bytes": [0, all - 1],
                "left_out_cpus": left_out.to_string(), "memory_bytes": [[0, all - 1]],
                "proof": "physical-address", "down_to": null, "effect": null, "ci95": null,
                "p": null, "support": 0.0, "rows_apart": null, "kinds": [], "reasons": [],
                "would_settle": null,
            },
            "lines": {
                "finding": "undetermined", "measured": 0, "reliability": [],
                "opposite_rows": null, "correlation": null, "p": null, "kinds": 1,
                "effect": null, "reasons": [],
            },
            "timeline": {"series": 0, "samples": 0, "jumps": []},
            "samples": {
                "pages": {"fields": fields, "data": data},
                "reference": {"fields": fields, "data": []}, "fingerprints": [],
            },
        })
    }

    /// What a search states, judged.
    pub(crate) fn judged(&self, seed: u64) -> anyhow::Result<(String, Vec<Judged>)> {
        let text = hidden_text(self.document(seed))?;
        let (sizes, seen) = (self.sizes(), self.seen);
        let all: u64 = sizes[..seen].iter().sum();
        let share = |(node, size): (usize, &u64)| {
            if node < seen { *size as f64 / all as f64 } else { 0.0 }
        };
        let truth = HiddenTruth {
            machine: &self.machine,
            measured: self.rows().into_iter().fold(CpuSet::new(), |all, cpus| all.union(cpus)),
            pages: sizes.iter().enumerate().map(share).collect(),
        };
        let judged = judge_hidden_text(&text, &truth);
        Ok((text, judged))
    }
}

/// What `nearfar hidden` prints of a part with samples, and what to do.
fn hidden_text(part: serde_json::Value) -> anyhow::Result<String> {
    let mut survey: Survey = serde_json::from_str(BARE_SURVEY)?;
    survey.hidden = Some(serde_json::from_value::<Hidden>(part)?);
    survey.judge()?;
    Ok(nearfar_report::survey::meaning::sentences(&survey).concat())
}

fn head(seed: u64, nodes: usize, local: f64) -> String {
    format!(
        "summary = \"drawn by seed {seed}: {nodes} hidden nodes\"\narch = \"x86_64\"\npackages = \
         1\nslowdown = {}\nseed = {seed}\n",
        (900.0 / local).ceil()
    )
}

/// Memory of each node in MiB: even, or uneven down to a few per cent.
fn sizes(rng: &mut Rng, nodes: usize) -> Vec<u64> {
    let drawn: Vec<f64> = match rng.u8(..3) {
        0 => (0..nodes).map(|_| 0.1 + rng.f64().powi(2)).collect(),
        _ => vec![1.0; nodes],
    };
    let all: f64 = drawn.iter().sum();
    drawn.iter().map(|share| ((share / all * MAX_MIB) as u64 / 4 * 4).max(64)).collect()
}

/// Near within a package, farther to others; memory without CPUs equally far from all, or behind
/// one node. One machine in four has nodes that hardly differ.
fn costs(rng: &mut Rng, with_cpus: usize, nodes: usize) -> Vec<Vec<f64>> {
    let divisors: Vec<usize> = (1..=with_cpus).filter(|count| with_cpus % count == 0).collect();
    let per_package = divisors[rng.usize(..divisors.len())];
    let local = between(rng, 70.0, 130.0);
    let in_package = match rng.u8(..4) {
        0 => between(rng, 1.05, 1.12),
        _ => between(rng, 1.12, 1.6),
    };
    let beyond = in_package * between(rng, 1.15, 2.0);
    let expander = between(rng, 2.0, 3.0);
    let mut ns = vec![vec![local; nodes]; with_cpus];
    for b in 0..nodes {
        let (behind, is_even) = (rng.usize(..with_cpus), rng.bool());
        for (a, row) in ns.iter_mut().enumerate() {
            let jitter = between(rng, 0.99, 1.01);
            let ratio = |a: usize, b: usize| {
                if a == b {
                    1.0
                } else if a / per_package == b / per_package {
                    in_package * jitter
                } else {
                    beyond * jitter
                }
            };
            row[b] *= match b >= with_cpus {
                false => ratio(a, b),
                true if is_even => expander * jitter,
                true => expander + ratio(a, behind) - 1.0,
            };
        }
    }
    ns
}
