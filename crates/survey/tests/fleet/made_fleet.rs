//! Fleets that are made of one kept survey: figures with a seeded scatter, names of hosts, and
//! machines that are slow on purpose. Tests of other crates and the bench include this file.

use fastrand::Rng;
use serde_json::{Value, json};

/// Two packages, two nodes, latency of each pair: measured in the lab.
pub(crate) const TWO_NODES: &str =
    include_str!("../../../../docs/gallery/documents/lab-xeon-2s-before.json");
#[allow(dead_code)] // not every program that includes this file uses it
pub(crate) const EIGHT_NODES: &str =
    include_str!("../../../../docs/gallery/documents/lab-epyc-7451-2p.json");

/// Standard deviations of a fleet's figures, as fractions.
const BETWEEN_MACHINES: f64 = 0.005;
const BETWEEN_CELLS: f64 = 0.007;
/// Of each figure's own error.
const OWN_ERROR: f64 = 0.003;
/// Parts that figures do not follow from.
const NOT_NEEDED: [&str; 7] =
    ["disturbances", "courses", "hidden", "classes", "links", "claims_vs_measured", "meaning"];

/// A machine of a fleet: a survey that may be changed.
#[derive(Clone, Debug)]
pub(crate) struct MadeMachine(pub(crate) Value);

/// A fleet of machines `node01` and so on, all healthy.
pub(crate) fn healthy(survey: &str, machines: usize, seed: u64) -> Vec<MadeMachine> {
    let mut base: Value = serde_json::from_str(survey).unwrap();
    for part in NOT_NEEDED {
        base.as_object_mut().unwrap().remove(part);
    }
    base["samples"] = Value::Null;
    base["warnings"] = json!([]);
    base["claims"]["diagnosis"] = Value::Null;
    base["machine"]["model"] = json!("Example 9000 (a replayed survey of the lab)");
    let mut rng = Rng::with_seed(seed);
    (1..=machines)
        .map(|number| {
            let mut machine = MadeMachine(base.clone());
            let level = (BETWEEN_MACHINES * normal(&mut rng)).exp();
            machine.scale(|_| level * (BETWEEN_CELLS * normal(&mut rng)).exp());
            let second = number % 60;
            machine.0["provenance"]["started"] = json!(format!("2026-11-26T08:00:{second:02}Z"));
            machine.0["provenance"]["seed"] = json!(number);
            machine.named(&format!("node{number:02}"))
        })
        .collect()
}

/// The lines of a file.
pub(crate) fn lines(machines: &[MadeMachine]) -> String {
    machines.iter().map(|machine| format!("{}\n", machine.0)).collect()
}

#[allow(dead_code)] // likewise
impl MadeMachine {
    /// The same with this host's name.
    pub(crate) fn named(mut self, host: &str) -> Self {
        self.0["machine"]["host"] = json!(host);
        self
    }

    /// The same with this hash of its board's serial number.
    pub(crate) fn with_board(mut self, board: &str) -> Self {
        self.0["machine"]["board"] = json!(board);
        self
    }

    /// The same without a host's name.
    pub(crate) fn unnamed(mut self) -> Self {
        self.0["machine"].as_object_mut().unwrap().remove("host");
        self
    }

    /// The same, with memory of this node slower by this factor: latency up, bandwidth down.
    pub(crate) fn with_slow_memory(mut self, node: usize, times: f64) -> Self {
        self.scale(|cell| if cell["column"] == node { times } else { 1.0 });
        self
    }

    /// The same, with CPUs of this row slower by this factor.
    pub(crate) fn with_slow_cpus(mut self, row: usize, times: f64) -> Self {
        self.scale(|cell| if cell["row"] == row { times } else { 1.0 });
        self
    }

    /// The same without these parts.
    pub(crate) fn without(mut self, parts: &[&str]) -> Self {
        let all = self.0.as_object_mut().unwrap();
        parts.iter().for_each(|part| drop(all.remove(*part)));
        self
    }

    /// The same with one setting changed: a JSON pointer and its value.
    pub(crate) fn with(mut self, pointer: &str, value: Value) -> Self {
        *self.0.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        self
    }

    /// Multiplies the cost of each cell: figures with an interval as narrow as a long survey's.
    fn scale(&mut self, mut times: impl FnMut(&Value) -> f64) {
        for part in ["latency", "page_size", "bandwidth", "loaded", "core_to_core"] {
            let is_rate = self.0[part]["unit"] == "bytes/s";
            let Some(cells) = self.0.pointer_mut(&format!("/{part}/cells")) else { continue };
            for cell in cells.as_array_mut().into_iter().flatten() {
                let Some(median) = cell["median"].as_f64() else { continue };
                let times = times(cell);
                let figure = if is_rate { median / times } else { median * times };
                let tenths = |figure: f64| json!((figure * 1e3).round() / 1e3);
                let margin = 1.96 * OWN_ERROR;
                cell["median"] = tenths(figure);
                cell["q25"] = tenths(figure * 0.99);
                cell["se"] = json!(OWN_ERROR);
                cell["ci95"] =
                    json!([tenths(figure * (-margin).exp()), tenths(figure * margin.exp())]);
                cell["dropped"] = json!({});
            }
        }
    }
}

fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}
