//! Published matrices as surveys: each cost with seeded scatter, judged as a survey is. No
//! machine was measured for them.

use anyhow::bail;
use nearfar_survey::Survey;
use serde_json::{Value, json};

use crate::replay::Model;

/// How much a sample scatters, as a fraction, and a row from process to process.
const SCATTER: f64 = 0.008;
const DRIFT: f64 = 0.001;
const PROCESSES: u32 = 7;
const ROUNDS_OF_A_PROCESS: u32 = 5;
const SEED: u64 = 7;

/// What is known of a published machine beside its matrix.
struct Known {
    model: Model,
    name: &'static str,
    packages: u32,
    cores_of_a_node: u32,
    threads: u32,
    memory_gib: u64,
    slit: fn(usize, usize) -> u32,
}

/// The survey that a machine with this matrix gives.
pub(super) fn survey(name: &str) -> anyhow::Result<Survey> {
    let known = match name {
        "epyc-7451" => Known {
            model: Model::epyc_7451(),
            name: "AMD EPYC 7451 24-Core Processor",
            packages: 2,
            cores_of_a_node: 6,
            threads: 2,
            memory_gib: 64,
            slit: |a, b| {
                if a == b {
                    10
                } else if a / 4 == b / 4 {
                    16
                } else {
                    32
                }
            },
        },
        "epyc-9224-cxl" => Known {
            model: Model::epyc_9224_cxl(),
            name: "AMD EPYC 9224 24-Core Processor",
            packages: 2,
            cores_of_a_node: 12,
            threads: 1,
            memory_gib: 192,
            slit: |a, b| match (a, b) {
                _ if a == b => 10,
                (4, _) => 255,
                (0 | 1, 4) => 50,
                (_, 4) => 60,
                _ if a / 2 == b / 2 => 12,
                _ => 32,
            },
        },
        other => bail!("no published matrix is called '{other}'"),
    };
    let mut survey: Survey = serde_json::from_value(known.document())?;
    survey.judge()?;
    Ok(survey)
}

impl Known {
    fn document(&self) -> Value {
        let rows = self.model.costs.len();
        let columns = self.model.costs[0].len();
        let (cores, cpus) =
            (rows as u32 * self.cores_of_a_node, rows as u32 * self.cores_of_a_node * self.threads);
        let memory_bytes = self.memory_gib << 30;
        let node = |id: usize| {
            json!({
                "id": id, "cpus": self.cpus(id, rows), "memory_bytes": memory_bytes
            })
        };
        let row = |id: usize| {
            json!({
                "label": format!("node {id}"), "cpus": self.cpus(id, rows), "node": id,
                "ghz": null, "wander": null
            })
        };
        let column = |id: usize| {
            json!({
                "label": format!("node {id}"), "node": id, "pages": 0, "backing": null
            })
        };
        let distances = |a| (0..columns).map(|b| (self.slit)(a, b)).collect::<Vec<_>>();
        let cells: Vec<Value> = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .map(|(row, column)| self.cell(row, column))
            .collect();
        json!({
            "schema": nearfar_survey::SCHEMA,
            "machine": {
                "model": self.name, "product": null, "packages": self.packages, "cores": cores,
                "cpus": cpus, "nodes": columns, "memory_bytes": memory_bytes * columns as u64,
                "arch": "x86_64", "kernel": null, "hypervisor": null
            },
            "environment": {},
            "claims": {
                "nodes": (0..columns).map(node).collect::<Vec<_>>(),
                "distances": {
                    "nodes": (0..columns).collect::<Vec<_>>(),
                    "rows": (0..columns).map(distances).collect::<Vec<_>>()
                },
                "hmat": null, "diagnosis": null, "parts": self.parts(rows)
            },
            "latency": {
                "probe": "page", "unit": "ns", "rows": (0..rows).map(row).collect::<Vec<_>>(),
                "columns": (0..columns).map(column).collect::<Vec<_>>(), "cells": cells
            },
            "controls": {"pairs": 0, "differing": 0, "compared": []},
            "page_size": null,
            "verdict": {
                "numa": "undetermined", "detected": false, "p": null, "effect": null, "ci95": null,
                "threshold": 0.05, "reasons": [], "would_settle": null
            },
            "warnings": [],
            "provenance": {
                "version": env!("CARGO_PKG_VERSION"), "seed": SEED,
                "started": "replayed, not measured", "duration_s": 0.0, "processes": PROCESSES,
                "rounds": PROCESSES * ROUNDS_OF_A_PROCESS, "stopped": "precise", "budget_s": null,
                "instruments": [], "left_out": [],
                "options": {
                    "mode": "default", "rows": "node", "cpus": null, "nodes": null,
                    "size_bytes": 2 << 20, "accesses": 0
                }
            },
            "samples": {
                "fields": ["process", "round", "row", "column", "treatment", "cpu", "page", "ns"],
                "data": self.samples()
            }
        })
    }

    /// The node's CPUs, its second hardware threads after all first ones.
    fn cpus(&self, node: usize, nodes_with_cpus: usize) -> String {
        if node >= nodes_with_cpus {
            return String::new();
        }
        let each = self.cores_of_a_node as usize;
        let range = |first: usize| format!("{}-{}", first, first + each - 1);
        let threads = (0..self.threads as usize)
            .map(|thread| range(thread * nodes_with_cpus * each + node * each));
        threads.collect::<Vec<_>>().join(",")
    }

    fn parts(&self, nodes: usize) -> Value {
        let of_a_package = nodes / self.packages as usize;
        let package = |id: usize| {
            let lists: Vec<String> = (id * of_a_package..(id + 1) * of_a_package)
                .map(|node| self.cpus(node, nodes))
                .collect();
            json!({"id": id, "cpus": lists.join(",")})
        };
        let each = self.cores_of_a_node as usize;
        let core = |core: usize| {
            let threads =
                (0..self.threads as usize).map(|thread| (thread * nodes * each + core).to_string());
            json!({"cpus": threads.collect::<Vec<_>>().join(",")})
        };
        let group = |node: usize| {
            json!({
                "cpus": self.cpus(node, nodes), "level": null, "kind": null, "bytes": null
            })
        };
        json!({
            "packages": (0..self.packages as usize).map(package).collect::<Vec<_>>(),
            "dies": [],
            "cache_groups": (0..nodes).map(group).collect::<Vec<_>>(),
            "cores": (0..nodes * each).map(core).collect::<Vec<_>>(),
        })
    }

    fn cell(&self, row: usize, column: usize) -> Value {
        json!({
            "row": row, "column": column, "cpus": self.cpus(row, self.model.costs.len()),
            "node": column, "q25": null, "median": null, "se": null, "ci95": null, "samples": 0,
            "dropped": {}, "why": null
        })
    }

    fn samples(&self) -> Vec<Value> {
        let mut random = fastrand::Rng::with_seed(SEED);
        let mut normal = move || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
        let mut samples = Vec::new();
        for process in 0..PROCESSES {
            let rows: Vec<f64> = self.model.costs.iter().map(|_| 1.0 + DRIFT * normal()).collect();
            for round in process * ROUNDS_OF_A_PROCESS..(process + 1) * ROUNDS_OF_A_PROCESS {
                for (row, costs) in self.model.costs.iter().enumerate() {
                    for (column, cost) in costs.iter().enumerate() {
                        let ns = cost * rows[row] * (1.0 + SCATTER * normal());
                        samples.push(json!([
                            process,
                            round,
                            row,
                            column,
                            0,
                            0,
                            0,
                            (ns * 1000.0).round() / 1000.0
                        ]));
                    }
                }
            }
        }
        samples
    }
}
